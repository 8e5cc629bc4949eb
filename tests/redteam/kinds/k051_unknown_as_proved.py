"""Kind 51: no answer taken for a proof."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.offsets import APPROVED, budget, offsets, script

KIND, WHAT = 51, "no answer taken for a proof"

_HARD = 'base**size + page**size != end**size, {"positive": And(base > 0, page > 0, end > 0), "power": size > 2})'
INPUTS = (
    Input("no time", offsets(budget("{seconds: 0.001, heap_mb: 512}")), r"undecided|did not end", offsets(budget("{seconds: 60, heap_mb: 512}"))),
    Input("a goal that nobody can decide", offsets(script("base + page * size + size <= end, pool)", _HARD), budget("{seconds: 8, heap_mb: 512}"), approve=True), r"does not know|out of time|timeout", APPROVED),
    Input("a script that forgives itself", offsets(script("def goal():", "def goal():\n    try:\n        return prove()\n    except Exception:\n        return []\n\n\ndef prove():\n    assert Solver().check() == unsat"), approve=True), r"no obligation", APPROVED),
    Input("assumptions that nobody can meet or refute", offsets(script('"size-positive": size > 0', '"size-positive": size > 0, "powers": pages**size + base**size == end**size, "big": And(size > 2, pages > 0, base > 0, end > 0)'), budget("{seconds: 8, heap_mb: 512}"), approve=True), r"does not know|out of time|timeout", offsets(script('"size-positive": size > 0', '"size-positive": size > 0, "big": And(size > 2, pages > 0, base > 0, end > 0)'), approve=True)),
)
