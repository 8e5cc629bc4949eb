"""Goals that are theorems: proved by tlapm here, or attested by a recorded run where it is not installed."""

from __future__ import annotations

from collections.abc import Callable

from vstack.errors import RefusedError, VstackError
from vstack.keep.evidence import EvidenceStore, now
from vstack.project import Project
from vstack.results import Evidence
from vstack.verdicts import Verdict
from vstack.verify.tlaps_evidence import empty_record, judged
from vstack.verify.tlaps_recorded import attested
from vstack.verify.tlaps_task import read_task, run_all
from vstack.verify.tlaps_tool import find_tlapm


def run_theorem(
    project: Project,
    name: str,
    *,
    store: EvidenceStore | None = None,
    on_event: Callable[[str], None] = lambda text: None,
) -> Evidence:
    """Prove goal ``name`` with tlapm, or look at its recorded run where there is none.

    A proof that is not found is undecided, never violated. ``store`` keeps what
    tlapm was asked before about the very same texts.
    """
    started = now()
    try:
        task = read_task(project, name)
        tlapm = find_tlapm(project)
    except VstackError as error:
        verdict = Verdict.REFUSED if isinstance(error, RefusedError) else Verdict.ERROR
        if "[tlaps-recursive]" in error.what:
            verdict = Verdict.UNDECIDED
        return empty_record(name, None, None, started, verdict, error.paragraph())
    if tlapm is None:
        return attested(project, task, started)
    empty = empty_record(name, task, tlapm, started, Verdict.UNDECIDED, "")
    known = store.get(empty.key) if store is not None else None
    if known is not None and known.verdict is not Verdict.UNDECIDED:
        return known
    evidence = judged(task, run_all(task, tlapm, on_event), empty)
    if store is not None and evidence.verdict in (Verdict.HOLDS, Verdict.REFUSED):
        store.put(evidence)
    return evidence
