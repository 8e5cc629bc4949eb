"""Kind 26: fairness that no behaviour satisfies."""

from __future__ import annotations

from tests.redteam.arena import MODEL, YAML, Input
from tests.redteam.changes import UNAPPROVED, Change, comment, edits

KIND, WHAT = 26, "fairness that no behaviour satisfies"

_SPEC = "Spec == Init /\\ [][Next]_vars /\\ Fairness"
_FAIR = "Fairness == WF_vars(Land)"
_SHAPE = r"VS303|no weak or strong fairness"
_EXCUSE = (YAML, "  model_values: [r1, r2]\n", "  model_values: [r1, r2]\n  fairness_excuse: time passes\n")


def _conjunct(text: str, *, excused: bool) -> Change:
    """A temporal conjunct more, approved by a careless person, and excused too."""
    one = (MODEL, _FAIR, f"Fairness == {text} /\\ WF_vars(Land)")
    return edits(one, *([_EXCUSE] if excused else []), approve=True)


INPUTS = (
    Input("approved: a state that never comes", _conjunct("[]<>(page = \"gone\")", excused=False), _SHAPE, comment(MODEL)),
    Input("a contradiction beside it", edits((MODEL, _SPEC, _SPEC + " /\\ []<>(page = \"gone\")")), UNAPPROVED, comment(MODEL)),
    Input("inside Fairness", edits((MODEL, _FAIR, "Fairness == []<><<FALSE>>_vars /\\ WF_vars(Land)")), UNAPPROVED, comment(MODEL)),
    Input(
        "approved and excused",
        _conjunct("[]<>(page = \"gone\")", excused=True),
        r"No behaviour of .* satisfies the specification",
        _conjunct("[]<>(page # \"gone\")", excused=True),
    ),
    Input(
        "approved: a step that Next can't take is fair",
        _conjunct("WF_vars(page' = \"gone\" /\\ UNCHANGED <<transfer, phase>>)", excused=False),
        _SHAPE,
        _conjunct("WF_vars(Land /\\ phase # phase')", excused=False),
    ),
    Input(
        "approved: an action for an argument that Next never gives it",
        edits(
            (MODEL, "Next == Land", "\\* A bell.\n\\* @process bell\n\\* @ours no code yet\nRing(n) == n \\in 1..2 /\\ page' = page /\\ transfer' = transfer /\\ phase' = [r \\in DOMAIN phase |-> IF n = 2 THEN \"rung\" ELSE phase[r]]\n\nNext == Ring(1) \\/ Land"),
            (MODEL, "EXTENDS Goals", "EXTENDS Goals, Naturals"),
            (MODEL, _FAIR, "Fairness == WF_vars(Ring(2)) /\\ WF_vars(Land)"),
            approve=True,
        ),
        r"No behaviour of .* satisfies the specification",
        _conjunct("WF_vars(\\E r \\in Requests : Start(r))", excused=False),
    ),
)  # fmt: skip
