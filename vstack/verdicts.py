"""The words for an outcome: verdicts, strengths and exit codes, never blurred."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What one engine run, or a whole command, came to."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDECIDED = "undecided"
    REFUSED = "refused"
    ERROR = "error"


class Strength(StrEnum):
    """How strong the claim of a run that holds is."""

    BOUNDED = "bounded"
    INDUCTIVE = "inductive"
    PROVED = "proved"
    REPLAYED = "replayed"
    ATTESTED = "attested"


EXIT_CODES = {
    Verdict.HOLDS: 0,
    Verdict.VIOLATED: 1,
    Verdict.REFUSED: 1,
    Verdict.ERROR: 2,
    Verdict.UNDECIDED: 3,
}


def worst(verdicts: list[Verdict]) -> Verdict:
    """The verdict of a whole made of ``verdicts``; an empty list is undecided, never a pass.

    ``error`` outranks ``violated`` and ``refused`` because what could not run
    leaves the rest unsaid; ``undecided`` outranks only ``holds``.
    """
    order = [Verdict.ERROR, Verdict.REFUSED, Verdict.VIOLATED, Verdict.UNDECIDED, Verdict.HOLDS]
    return min(verdicts, key=order.index, default=Verdict.UNDECIDED)
