"""Kind 47: assumptions that contradict each other."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.offsets import offsets, script, text

KIND, WHAT = 47, "assumptions that contradict each other"

_SIZE = '"size-positive": size > 0'
_LAST = '"last-byte", base + page * size + size <= end'
INPUTS = (
    Input("two sizes that no size has", offsets(script(_SIZE, f'{_SIZE}, "aligned": size % 4096 == 0, "small": size < 100'), approve=True), r"z3-contradiction", offsets(script(_SIZE, f'{_SIZE}, "aligned": size % 64 == 0, "small": size < 100'), approve=True)),
    Input("a quantifier that binds the page", offsets(script('And(0 <= page, page < pages)', 'And(0 <= page, page < pages, ForAll([page], page < pages))'), approve=True), r"z3-contradiction", offsets(script('And(0 <= page, page < pages)', 'And(0 <= page, page < pages, Exists([page], page < pages))'), approve=True)),
    Input("signed where the rest is unsigned", offsets(script('ULE(start, limit)', 'And(ULE(start, limit), start < 0, limit > 0)'), approve=True), r"z3-contradiction", offsets(script('ULE(start, limit)', 'And(ULE(start, limit), start > 0)'), approve=True)),
    Input("in front of the goal", offsets(script(_LAST, '"last-byte", Implies(page >= pages, base + page * size + size <= end)'), approve=True), r"z3-vacuous", offsets(script(_LAST, '"last-byte", Implies(page > 0, base + page * size + size <= end)'), approve=True)),
    Input("in front of the goal, by itself", offsets(script(_LAST, '"last-byte", Implies(And(size > 0, size + size < size), base + page * size + size < end)'), approve=True), r"z3-cannot-fail", offsets(script(_LAST, '"last-byte", Implies(size > 1, base + page * size + 1 < end)'), approve=True)),
    Input("as text", offsets(text("(bvult slots #x80)", "(and (bvult slots #x80) (bvslt slots #x00))"), approve=True), r"z3-contradiction", offsets(text("(bvult slots #x80)", "(and (bvult slots #x80) (bvsgt slots #x00))"), approve=True)),
)
