"""Formulas rebuilt from the lock's texts: layout, recursion, functions, operators as constants."""

from __future__ import annotations

import pytest

from vstack.project import Project, ProjectFile
from vstack.reading import project_tools, read_spec
from vstack.specify.compute import compute_pins
from vstack.specify.pins import Pins
from vstack.specify.rebuild import NotComparable, rebuild
from vstack.tla.tree import Spec

MODULE = r"""---- MODULE Root ----
EXTENDS Integers, Sequences
CONSTANTS Op(_, _), N
VARIABLES x, y
  LOCAL Least == /\ x > 0   \* a list
                 /\ y > 0
Squares[i \in 0..3] == i * i
RECURSIVE Sum(_, _)
Sum(n, f(_)) == IF n = 0 THEN 0 ELSE f(n) + Sum(n - 1, f)
Named == [Least |-> 1, N |-> N].Least
Layout == \/ /\ Least
             /\ Named = 1
          \/ x = Sum(N, LAMBDA k : Squares[k])
	Tabbed ==	/\ x = 1
		 	/\ y = 1
Plain == /\ Layout
         /\ LET inner(z) == /\ z > 0
                            /\ Op(z, 1) = 1
            IN  inner(x) \/ Tabbed
Box == [](/\ Layout
          /\ y > 0)
Step == [][\/ x' = x + 1
           \/ UNCHANGED <<x, y>>]_x
Lives == <>(x = 1)
Other == INSTANCE Inner WITH v <- x
Through == Other!P
Init == x = 1 /\ y = 1
Next == x' = x /\ y' = y
Spec == Init /\ [][Next]_<<x, y>>
====
"""
INNER = "---- MODULE Inner ----\nVARIABLE v\nP == v = 1\n====\n"


@pytest.fixture(scope="module")
def scope(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Spec, Pins]:
    root = tmp_path_factory.mktemp("rebuild")
    (root / "Root.tla").write_text(MODULE)
    (root / "Inner.tla").write_text(INNER)
    kinds = {
        "Layout": "invariant",
        "Plain": "invariant",
        "Tabbed": "invariant",
        "Box": "temporal",
        "Step": "action",
        "Lives": "temporal",
        "Through": "invariant",
    }
    goals = {name: {"kind": kind, "formula": name, "english": name} for name, kind in kinds.items()}
    project = Project(
        root,
        ProjectFile.model_validate({"version": 1, "project": "p", "model": {"module": "Root.tla"}, "goals": goals}),
    )
    spec = read_spec(project, fresh=True)
    assert spec is not None
    return project, spec, compute_pins(project, spec)


@pytest.mark.parametrize(
    ("goal", "shape"),
    [("Layout", "state"), ("Plain", "state"), ("Tabbed", "state"), ("Box", "state"), ("Step", "step")],
)
def test_a_formula_rebuilt_has_the_hash_that_was_pinned(
    scope: tuple[Project, Spec, Pins], goal: str, shape: str
) -> None:
    """``rebuild`` itself compares the hashes; a bullet out of its column would change one."""
    project, spec, pins = scope
    text, found = rebuild("Old", pins, pins.goals[goal], spec, project_tools(project))
    assert found == shape and "VstackHolds ==" in text


@pytest.mark.parametrize(("goal", "said"), [("Lives", "temporal"), ("Through", "INSTANCE")])
def test_what_can_not_be_compared_says_why(scope: tuple[Project, Spec, Pins], goal: str, said: str) -> None:
    project, spec, pins = scope
    with pytest.raises(NotComparable, match=said):
        rebuild("Old", pins, pins.goals[goal], spec, project_tools(project))
