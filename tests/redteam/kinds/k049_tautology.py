"""Kind 49: a goal that can't fail, or is assumed."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.offsets import APPROVED, offsets, script, text

KIND, WHAT = 49, "a goal that can't fail, or is assumed"

_LAST = 'base + page * size + size <= end, pool)'
_WEAKER = offsets(script(_LAST, 'base + page * size < end, pool)'), approve=True)
INPUTS = (
    Input("it or its opposite", offsets(script(_LAST, 'Or(base + page * size + size <= end, base + (page + 1) * size > end), pool)'), approve=True), r"z3-cannot-fail", _WEAKER),
    Input("true of all bits", offsets(script('ULE(start, start + step)', 'ULE(start & step, start | step)'), approve=True), r"z3-cannot-fail", offsets(script('ULE(start, start + step)', 'ULE(start & step, start + step)'), approve=True)),
    Input("assumed in other words", offsets(script('"size-positive": size > 0', '"size-positive": size > 0, "room": end - base >= (page + 1) * size'), script('"buffer-holds-pool": base + pages * size <= end,\n', ''), approve=True), r"z3-assumed", APPROVED),
    Input("assumed in halves", offsets(text("(bvult slots #x80)", "(=> (bvult slots #x80) (bvule slot #x7e))"), text("(bvult slot slots) :named assume_in_range", "(=> (bvuge slots #x80) (bvult slot #x7f)) :named assume_in_range"), approve=True), r"z3-assumed", offsets(text("(bvult slots #x80)", "(bvule slots #x7f)"), approve=True)),
    Input("an alternative that always holds", offsets(script(_LAST, 'Or(page * 2 >= page, base + page * size + size <= end), pool)'), approve=True), r"z3-vacuous", _WEAKER),
    Input("the negation in its place", offsets(script(_LAST, 'Not(base + page * size + size <= end), pool)'), approve=True), r"violated.*Counterexample", _WEAKER),
)
