"""What a run of tlapm on one module is worth: believed only when every sign of a complete proof is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vstack.tla.places import Span
from vstack.tla.tree import Module
from vstack.verdicts import Verdict
from vstack.verify.tlaps_protocol import Obligation, Printed, parse
from vstack.verify.tlaps_rules import leaf_proofs, use_places
from vstack.verify.tlaps_run import ModuleRun

# Exit statuses with --strict: something failed, something is omitted or missing, nothing was selected.
FAILED, GAPS, NOTHING = 10, 11, 12


@dataclass(frozen=True)
class Judged:
    """One module: HOLDS means that all its obligations were proved in this run; ``provers`` counts them by prover."""

    module: str
    verdict: Verdict
    reason: str
    obligations: int = 0
    provers: Mapping[str, int] | None = None


def judge_module(module: Module, ran: ModuleRun) -> Judged:
    """The verdict on one module's run; ``module`` is as SANY reads it.

    A failed obligation says that no proof was found, never that the theorem is
    false: it is undecided, as are a timeout and a missing back-end.
    """
    printed = parse(ran.output)
    verdict, reason = _judge(module, ran, printed)
    provers: dict[str, int] = {}
    for item in printed.obligations.values():
        provers[item.prover or "none"] = provers.get(item.prover or "none", 0) + 1
    return Judged(module.name, verdict, reason, len(printed.obligations), dict(sorted(provers.items())))


def _judge(module: Module, ran: ModuleRun, printed: Printed) -> tuple[Verdict, str]:
    if ran.stopped:
        return Verdict.UNDECIDED, f"tlapm did not end: {ran.stopped}"
    if printed.broken:
        return Verdict.REFUSED, f"[tlaps-run] The output is not what tlapm prints: {printed.broken}"
    cached = [item.id for item in printed.obligations.values() if item.already]
    if cached:
        return (
            Verdict.REFUSED,
            f"[tlaps-run] {len(cached)} obligations were not proved in this run but taken from a cache",
        )
    if ran.returncode == GAPS:
        return Verdict.REFUSED, "[tlaps-unproved] tlapm finds a proof that is OMITTED or missing"
    open_ = [item for item in printed.obligations.values() if item.status not in ("proved", "trivial")]
    if open_:
        return Verdict.UNDECIDED, _not_proved(module, open_, printed)
    if ran.returncode != 0:
        what = printed.errors[0] if printed.errors else _last_words(ran.output)
        if ran.returncode == FAILED and printed.obligations:
            return Verdict.REFUSED, f"[tlaps-run] tlapm says that obligations failed, and its output shows none: {what}"
        return Verdict.ERROR, f"tlapm can't check the module (exit status {ran.returncode}): {what}"
    return _complete(module, printed)


def _complete(module: Module, printed: Printed) -> tuple[Verdict, str]:
    """A run without failure must also have looked at everything."""
    leaves = list(leaf_proofs(module))
    listed = len(printed.obligations)
    if printed.count is None:
        return Verdict.REFUSED, "[tlaps-run] The output does not say how many obligations there are"
    if printed.count != listed:
        return Verdict.REFUSED, f"[tlaps-run] tlapm counts {printed.count} obligations, its output shows {listed}"
    starts = {item.start for item in printed.obligations.values()}
    missed = [leaf for leaf in leaves if not any(_within(start, leaf.span) for start in starts)]
    if missed:
        where = f"line {missed[0].span.line}" + (f" and {len(missed) - 1} more" if len(missed) > 1 else "")
        return Verdict.REFUSED, f"[tlaps-run] The proof at {where} was not looked at: no obligation stands there"
    places = [*(leaf.span for leaf in leaves), *use_places(module)]
    stray = [start for start in sorted(starts) if not any(_within(start, span) for span in places)]
    if stray:
        return (
            Verdict.REFUSED,
            f"[tlaps-run] At line {stray[0][0]} stands an obligation, and no proof: this is a run over another text",
        )
    if printed.all_proved != listed:
        return (
            Verdict.REFUSED,
            f"[tlaps-run] tlapm does not end with the words that all {listed} obligations are proved",
        )
    return Verdict.HOLDS, f"{listed} obligations proved"


def _within(place: tuple[int, int], span: Span) -> bool:
    return (span.line, span.column) <= place <= (span.end_line, span.end_column)


def _not_proved(module: Module, open_: list[Obligation], printed: Printed) -> str:
    first = min(open_, key=lambda item: item.start)
    said = first.reason.partition("\n")[0]
    why = {"timeout": "out of time", "false": "no proof found"}.get(said, said or "no answer")
    if said.startswith("Executable"):
        why = "no other back-end found a proof, and the last one is missing"
    if first.status != "failed":
        why = f"it was left `{first.status}`"
    text = f"{len(open_)} of {len(printed.obligations)} obligations not proved, the first at {module.name}.tla:{first.start[0]}"
    text += f" ({why}{', ' + first.prover if first.prover else ''}); this does not say that the theorem is false"
    if printed.missing_tools:
        text += f". Missing here: {', '.join(printed.missing_tools)}"
    return text


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith(("@!!", "\\*", "(*"))]
    return " ".join(lines[-3:])[-300:] or "it printed nothing"
