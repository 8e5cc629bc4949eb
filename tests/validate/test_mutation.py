"""A whole mutation run: controls first, every fate told apart, nothing run twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.validate.buffer_project import MODEL, PROJECT, write_project
from vstack.errors import VstackError
from vstack.project import load_project
from vstack.results import Evidence, MutationReport
from vstack.shard import Shard
from vstack.tla.sany import load
from vstack.tools.find import Tools, find_tools
from vstack.validate.mutation import run_mutation

SMALL = PROJECT.replace('Most: "2"', 'Most: "1"').replace("environments: [calm, lossy]", "environments: [calm]")


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


class _Store:
    """An evidence store in memory that counts what is put."""

    def __init__(self) -> None:
        self.records: dict[str, Evidence] = {}
        self.puts = 0

    def put(self, evidence: Evidence) -> None:
        self.records[evidence.key] = evidence
        self.puts += 1


def _run(
    folder: Path,
    tools: Tools,
    store: _Store,
    project: str,
    model: str = MODEL,
    said: list[str] | None = None,
    shard: Shard | None = None,
) -> MutationReport:
    loaded = load_project(write_project(folder, project=project, model=model))
    spec = load(loaded.model_path, search=loaded.module_folders, java=tools.java, jar=tools.jar)
    words = said if said is not None else []
    load_, save = store.records.get, store.put
    return run_mutation(loaded, spec, tools, load=load_, save=save, on_progress=words.append, jobs=2, shard=shard)


def _operators(*names: str) -> str:
    return SMALL + f"  operators: [{', '.join(names)}]\n"


def test_every_fate(tmp_path: Path, tools: Tools) -> None:
    store = _Store()
    project = _operators("drop_conjunct", "delete_action")
    report = _run(tmp_path, tools, store, project)
    assert report.clean_passes and report.forced_failure_dies
    fates = {(row.operator, row.action, row.before.split("\n")[0]): row for row in report.rows}
    assert len(fates) == len(report.rows)
    killed = fates["drop_conjunct", "Free", "G1 => ~writing"]
    assert (killed.status, killed.killed_by, killed.depth, killed.environment) == ("killed", ("isolation",), 4, "calm")
    starved = fates["delete_action", "Grant", '/\\ phase = "asked"']
    assert (starved.status, starved.killed_by) == ("killed", ("answered",)), "only a temporal goal notices"
    assert fates["drop_conjunct", "Grant", "Quiet"].status == "equivalent"
    broken = fates["drop_conjunct", "Read", "box # <<>>"]
    assert broken.status == "broken" and "Head" in broken.reason and not broken.killed_by
    endless = fates["drop_conjunct", "Ask", "total < Most"]
    assert endless.status == "undecided" and "given up" in endless.reason
    survived = fates["drop_conjunct", "Free", 'phase = "held"']
    assert survived.status == "survived"
    assert survived.reason == (
        'the mutant takes a step that the model can\'t: Free, from state 2 of the trace (phase: "asked" -> "idle")'
    )
    for evidence in store.records.values():
        if evidence.detail["status"] == "killed":
            assert evidence.verdict == "violated" and evidence.trace and evidence.violated

    # Taken up again, nothing is run: no TLC process could end in no time.
    puts, said = store.puts, []
    again = _run(tmp_path, tools, store, project, said=said)
    assert again.rows == report.rows
    assert store.puts == puts and said == [] and again.seconds < 2

    # A part of them says how many there are in all, and what it says of each is the same.
    parts = [_run(tmp_path, tools, store, project, shard=Shard(number, 2)) for number in (1, 2)]
    assert [(part.made, part.shard) for part in parts] == [(len(report.rows), "1/2"), (len(report.rows), "2/2")]
    assert sorted(row.id for part in parts for row in part.rows) == sorted(row.id for row in report.rows)
    assert all(row in report.rows for part in parts for row in part.rows)

    # With what one mutant's fate rests on gone, only that mutant is run.
    gone = [key for key, item in store.records.items() if item.subject["mutant"] == killed.id]
    for key in gone:
        del store.records[key]
    said = []
    assert _run(tmp_path, tools, store, project, said=said).rows == report.rows
    assert store.puts == puts + len(gone)
    assert any(line.startswith("calm: 1 of 1 mutants") for line in said)


def test_killed_in_any_environment(tmp_path: Path, tools: Tools) -> None:
    """A mutant that only one world shows is killed there; goals that the matrix gives up in a world are not asked."""
    model = MODEL.replace("    /\\ Quiet\n", "    /\\ Quiet\n    /\\ Lossy\n")
    project = _operators("drop_conjunct").replace("environments: [calm]", "environments: [calm, lossy]")
    project += "matrix: {fixed: {calm: {answered: violated}, lossy: {answered: violated}}}\n"
    report = _run(tmp_path, tools, _Store(), project, model=model)
    rows = {(row.action, row.before): row for row in report.rows}
    killed = rows["Free", "G1 => ~writing"]
    assert (killed.status, killed.killed_by, killed.environment) == ("killed", ("isolation",), "lossy")
    # The same steps in one world are not enough: in the other the mutant grants what the model does not.
    other = rows["Grant", "Lossy"]
    assert (other.status, other.environment) == ("survived", "calm, lossy")
    assert "Grant" in other.reason
    assert not any("answered" in row.killed_by for row in report.rows)


def test_model_that_breaks_a_goal_makes_no_mutants(tmp_path: Path, tools: Tools) -> None:
    with pytest.raises(VstackError, match="breaks isolation itself.*Name a variant"):
        _run(tmp_path, tools, _Store(), SMALL.replace("variant: fixed", "variant: buggy"))


def test_model_without_a_step_kills_nothing(tmp_path: Path, tools: Tools) -> None:
    still = MODEL.replace('    /\\ phase = "idle"\n', "    /\\ FALSE\n")
    with pytest.raises(VstackError, match="forced failure was not seen"):
        _run(tmp_path, tools, _Store(), SMALL, model=still)


def test_no_time_leaves_all_undecided(tmp_path: Path, tools: Tools) -> None:
    store = _Store()
    project = SMALL.replace("seconds: 60", "seconds: 0.05") + "  operators: [delete_action]\n"
    report = _run(tmp_path, tools, store, project)
    assert not report.clean_passes and report.rows
    assert {row.status for row in report.rows} == {"undecided"} and not store.records


def test_floor_of_states(tmp_path: Path, tools: Tools) -> None:
    project = _operators("delete_action") + "floors: {distinct_states: 1000}\n"
    report = _run(tmp_path, tools, _Store(), project)
    assert not report.clean_passes and {row.status for row in report.rows} == {"undecided"}
    assert "below the floor of 1,000" in report.rows[0].reason


def test_view_makes_each_mutant_run_alone(tmp_path: Path, tools: Tools) -> None:
    project = _operators("weaken_comparison").replace("  constants: {Most", "  view: vars\n  constants: {Most")
    report = _run(tmp_path, tools, _Store(), project)
    (row,) = report.rows
    assert report.clean_passes and report.forced_failure_dies
    assert row.status == "survived" and "can't share" in row.reason


def test_no_mutation_section(tmp_path: Path, tools: Tools) -> None:
    with pytest.raises(VstackError, match="Add a section `mutation`"):
        _run(tmp_path, tools, _Store(), PROJECT[: PROJECT.index("mutation:")])
