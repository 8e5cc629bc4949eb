"""What a goal notices alone, by mutants that are followed to their end."""

from __future__ import annotations

import re
from pathlib import Path

from tests.validate.buffer_project import GOALS, PROJECT, write_project
from vstack.keep.evidence import EvidenceStore
from vstack.project import Project, load_project
from vstack.results import NoticedAlone
from vstack.tla.actions import split_next
from vstack.tla.sany import load
from vstack.tools.find import find_tools
from vstack.validate.independence import find_noticed_alone, noticed_alone_findings
from vstack.validate.mutation import run_mutation

WEAKER = '(* What Isolation says already. *)\nWeaker == writing => phase # "idle"\n\nCounted =='
DECLARED = "  weaker: {kind: invariant, formula: Weaker, english: no write into an idle buffer}\n  counted:"
COUNT = "policy: {dependent_goals: count}\nmutation:"


def ask(root: Path, project: str, said: list[str]) -> tuple[Project, tuple[NoticedAlone, ...]]:
    tools, store = find_tools(), EvidenceStore(root / ".vstack" / "evidence")
    loaded = load_project(write_project(root, project=project, goals=GOALS.replace("Counted ==", WEAKER)))
    spec = load(loaded.model_path, search=loaded.module_folders, java=tools.java, jar=tools.jar)
    report = run_mutation(loaded, spec, tools, load=store.get, save=store.put, on_progress=lambda text: None)
    actions = split_next(spec, "Next")
    return loaded, find_noticed_alone(loaded, spec, actions, tools, store, ((), (), report), said.append)


def test_a_goal_that_another_implies_notices_nothing_alone(tmp_path: Path) -> None:
    project = PROJECT.replace("  counted:", DECLARED).replace("[calm, lossy]", "[calm]")
    project = re.sub(r"  answered: .*\n", "", project)  # a temporal goal would only cost runs here
    project += "  operators: [drop_conjunct, drop_update]\n"
    loaded, rows = ask(tmp_path, project, said := [])
    found = {row.goal: row for row in rows}
    assert set(found) == {"isolation", "weaker", "counted", "only-more"}
    assert found["isolation"].where is not None and found["isolation"].where.startswith("mutant ")
    assert found["weaker"].where is None
    assert (found["counted"].where, found["counted"].given_up) == (None, 1), "its mutant never ends"
    assert said
    findings = {finding.message.split()[4]: finding for finding in noticed_alone_findings(loaded, rows, partial=False)}
    assert {name: finding.outcome for name, finding in findings.items()} == {
        "weaker": "refused",
        "counted": "undecided",
        "only-more": "refused",
    }
    assert {finding.rule for finding in findings.values()} == {"goal-not-independent"}
    assert noticed_alone_findings(loaded, rows, partial=True) == []
    # All of it is at hand: nothing is followed again.
    assert ask(tmp_path, project, again := [])[1] == rows and again == []
    excused = [row.model_copy(update={"excuse": "for readers"}) for row in rows]
    assert noticed_alone_findings(loaded, excused, partial=False) == []
    counted = load_project(write_project(tmp_path, project=project.replace("mutation:", COUNT)))
    assert noticed_alone_findings(counted, rows, partial=False) == []
