"""Kind 35: obligations taken from a forged cache of fingerprints."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.proofs import AUDIT, SAME, output, run_of, transcript

KIND, WHAT = 35, "obligations taken from a forged cache of fingerprints"


def _options(*given: str):  # type: ignore[no-untyped-def]
    def edit(data: dict) -> None:  # type: ignore[type-arg]
        run = run_of(data, "CounterProofs")
        run["argv"] = [*given, *run["argv"][1:]]

    return edit


def _no_nofp(data: dict) -> None:  # type: ignore[type-arg]
    for run in data["runs"]:
        run["argv"].remove("--nofp")


INPUTS = (
    Input("one obligation from a cache", transcript(output("CounterProofs", "@!!already:false", "@!!already:true", times=1)), r"tlaps-run.*from a cache", SAME, AUDIT),
    Input("a run that may read a cache", transcript(_no_nofp), r"tlaps-transcript.*recorded with", SAME, AUDIT),
    Input("a fingerprint file of one's own", transcript(_options("--usefp", "good.fp", "--strict")), r"tlaps-transcript.*--usefp", SAME, AUDIT),
    Input("every obligation from a cache", transcript(output("CounterLemmas", "@!!already:false", "@!!already: true")), r"tlaps-run.*from a cache", SAME, AUDIT),
)
