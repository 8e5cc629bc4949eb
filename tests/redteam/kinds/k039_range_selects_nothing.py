"""Kind 39: a run over a range of lines that selects nothing, or that proves nothing."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.proofs import AUDIT, SAME, output, run_of, transcript

KIND, WHAT = 39, "a run over a range of lines that selects nothing"

_EMPTY = '@!!BEGIN\n@!!type:obligationsnumber\n@!!count:0\n@!!END\n\nFile "./CounterProofs.tla", line 1, character 1 to line 20, character 4:\n[INFO]: All 0 obligation proved.\n'


def _range(data: dict) -> None:  # type: ignore[type-arg]
    run = run_of(data, "CounterProofs")
    run["argv"] = ["--strict", "--toolbox", "6", "6", *run["argv"][4:]]


def _nothing(data: dict) -> None:  # type: ignore[type-arg]
    run_of(data, "CounterProofs")["stderr"] = _EMPTY


def _unproving(data: dict) -> None:  # type: ignore[type-arg]
    run = run_of(data, "CounterProofs")
    run["stderr"] = run["stderr"].replace("@!!status:proved", "@!!status:to be proved").replace("@!!status:trivial", "@!!status:to be proved")


INPUTS = (
    Input("nothing selected, the command line mended", transcript(_nothing), r"tlaps-run.*was not looked at", SAME, AUDIT),
    Input("a range on the command line", transcript(_range), r"tlaps-transcript.*--toolbox 6 6", SAME, AUDIT),
    Input("a run that proves nothing", transcript(_unproving), r"tlaps-transcript.*not proved.*left `to be proved`", SAME, AUDIT),
    Input("cut short", transcript(lambda data: run_of(data, "CounterProofs").update(stderr=run_of(data, "CounterProofs")["stderr"][:2500])), r"tlaps-run.*(cut short|not proved|does not)", SAME, AUDIT),
    Input("interrupted", transcript(output("CounterProofs", "@!!status:proved", "@!!status:interrupted", times=1)), r"tlaps-transcript.*not proved.*interrupted", SAME, AUDIT),
)
