"""What became of a mutant in one environment, kept as evidence so that a run can be taken up again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from vstack.files import sha256_bytes
from vstack.keep.evidence import evidence_key, machine, now
from vstack.results import Evidence, Numbers
from vstack.tlc.trace import Trace
from vstack.tools.find import Tools
from vstack.validate.mutants import Mutant
from vstack.verdicts import Strength, Verdict

Status = Literal["killed", "equivalent", "survived", "differs", "broken", "undecided"]

# Part of every key. Raise it when the meaning of a stored fate changes.
_FORMAT = 1
_VERDICTS: dict[Status, Verdict] = {
    "killed": Verdict.VIOLATED,
    "differs": Verdict.VIOLATED,
    "survived": Verdict.HOLDS,
    "equivalent": Verdict.HOLDS,
    "broken": Verdict.ERROR,
    "undecided": Verdict.UNDECIDED,
}


@dataclass(frozen=True)
class Fate:
    """What became of one mutant in one phase.

    ``status`` is as in ``MutantRow``, or ``differs`` for a survivor with a step
    of its own (or without one of the model's); ``depth`` is the number of states
    of ``trace``. ``lasting``: the same would come out again, budget or not.
    """

    status: Status
    killed_by: tuple[str, ...] = ()
    reason: str = ""
    depth: int = 0
    trace: Trace | None = None
    lasting: bool = True


@dataclass(frozen=True)
class Fates:
    """The stored fates of one environment.

    ``inputs`` is all that went in besides the mutant, ``subject`` says of what.
    """

    inputs: Mapping[str, Any]
    subject: Mapping[str, Any]
    bounds: Mapping[str, str]
    tools: Tools
    load: Callable[[str], Evidence | None]
    save: Callable[[Evidence], None]

    def get(self, phase: str, mutant: Mutant | None) -> Fate | None:
        """The fate of ``mutant`` (of the model itself, if None) in ``phase``, if an earlier run came that far."""
        found = self.load(self._key(phase, mutant))
        if found is None or "status" not in found.detail:
            return None
        detail = found.detail
        trace = Trace.from_json(found.trace) if found.trace else None
        return Fate(detail["status"], tuple(detail["killed_by"]), found.reason, int(detail["depth"]), trace)

    def put(self, phase: str, mutant: Mutant | None, fate: Fate, *, distinct: int = 0) -> None:
        """Keep a fate; one that a larger budget might change is left out, so that it is tried again."""
        if not fate.lasting:
            return
        verdict = _VERDICTS[fate.status]
        self.save(
            Evidence(
                key=self._key(phase, mutant),
                engine="tlc",
                subject={**self.subject, "mutant": mutant.id if mutant else None, "phase": phase},
                inputs={**self.inputs["modules"], "cfg": sha256_bytes(str(self.inputs["cfg"]).encode())},
                tool=f"TLC {self.tools.tlc_version}, Java {self.tools.java_version}",
                tool_sha256=self.tools.jar_sha256,
                bounds=dict(self.bounds),
                verdict=verdict,
                reason=fate.reason,
                violated=fate.killed_by[0] if fate.killed_by else None,
                strength=Strength.BOUNDED if verdict is Verdict.HOLDS else None,
                numbers=Numbers(distinct=distinct, depth=fate.depth),
                trace=fate.trace.to_json() if fate.trace else None,
                detail={"status": fate.status, "killed_by": list(fate.killed_by), "depth": fate.depth},
                machine=machine(),
                started=now(),
            )
        )

    def distinct(self, phase: str) -> int | None:
        """Distinct states of the model's own stored run in ``phase``, if it held."""
        found = self.load(self._key(phase, None))
        return found.numbers.distinct if found is not None and found.verdict is Verdict.HOLDS else None

    def _key(self, phase: str, mutant: Mutant | None) -> str:
        content = [mutant.id, *(f"{edit.span} {edit.replacement}" for edit in mutant.edits)] if mutant else []
        return evidence_key({"stage": "mutation", "format": _FORMAT, **self.inputs, "phase": phase, "mutant": content})
