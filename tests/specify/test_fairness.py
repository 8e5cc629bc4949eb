"""What the specification takes for granted, told apart by its form: steps of Next, other fairness, anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.project import load_project
from vstack.reading import read_spec
from vstack.results import Finding
from vstack.specify.fairness import check_fairness, read_fairness
from vstack.specify.scaffold import write_project

FAIR = "Fairness == WF_vars(Land)"


def changed(
    root: Path, fairness: str, yaml: tuple[str, str] = ("", "")
) -> tuple[list[tuple[str, tuple[str, ...]]], tuple[Finding, ...]]:
    """Kind and faults of each conjunct, and what the rules say."""
    write_project(root, "toy")
    model, file = root / "model" / "Handover.tla", root / "vstack.yaml"
    model.write_text(model.read_text().replace(FAIR, fairness))
    file.write_text(file.read_text().replace(*yaml))
    project = load_project(root)
    spec = read_spec(project)
    assert spec is not None
    kinds = [(each.kind, each.faults) for each in read_fairness(project, spec)]
    return kinds[:-1], check_fairness(project, spec)


@pytest.mark.parametrize(
    ("fairness", "kind", "faults"),
    [
        ("Fairness == WF_vars(Land)", "step", ()),
        ("Fairness == WF_vars(Next)", "step", ("Abort",)),
        ('Fairness == \\A q \\in Requests : SF_vars(Start(q) /\\ phase[q] = "new")', "step", ()),
        ("Any(q) == Start(q) \\/ Free(q)\n\nFairness == WF_vars(\\E q \\in Requests : Any(q))", "step", ()),
        ("Fairness == \\A q \\in {r \\in Requests : TRUE} : WF_vars(Free(q))", "fair", ()),
        ("Fairness == WF_vars(page' = page /\\ UNCHANGED transfer)", "other", ()),
        ("Fairness == WF_vars(Land \\/ page' = page)", "other", ()),
        ('Fairness == []<>(transfer = "none")', "other", ()),
        ("Weak(A) == WF_vars(A)\n\nFairness == Weak(Land)", "other", ()),
    ],
)
def test_conjuncts_are_told_apart(tmp_path: Path, fairness: str, kind: str, faults: tuple[str, ...]) -> None:
    found, _ = changed(tmp_path, fairness)
    assert found == [(kind, faults)]


def test_a_fault_is_fair_only_where_an_environment_lists_it(tmp_path: Path) -> None:
    fair = "Fairness == WF_vars(Next)"
    _, findings = changed(tmp_path / "unlisted", fair)
    assert [finding.rule for finding in findings] == ["fair-environment"] and "environment aborts" in findings[
        0
    ].message
    listed = ('constants: {Aborts: "TRUE"}', 'constants: {Aborts: "TRUE"}\n    fair: [Abort]')
    assert changed(tmp_path / "listed", fair, listed)[1] == ()
    assert changed(tmp_path / "told", fair, ("unlisted_fairness: refuse", "unlisted_fairness: count"))[1] == ()


def test_another_conjunct_is_refused_unless_excused(tmp_path: Path) -> None:
    never = 'Fairness == []<>(page = "gone")'
    _, findings = changed(tmp_path / "bare", never)
    assert [finding.rule for finding in findings] == ["fairness-shape"] and "Handover.tla:" in findings[0].where
    excuse = ("  model_values: [r1, r2]\n", "  model_values: [r1, r2]\n  fairness_excuse: the bell rings\n")
    assert changed(tmp_path / "excused", never, excuse)[1] == ()
