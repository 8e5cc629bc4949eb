"""Kind 48: an assumption added or strengthened."""

from __future__ import annotations

from tests.redteam.arena import Input
from tests.redteam.changes import UNAPPROVED
from tests.redteam.offsets import APPROVED, HONEST, appears, offsets, script, text

KIND, WHAT = 48, "an assumption added or strengthened"

INPUTS = (
    Input("one more", offsets(script('"size-positive": size > 0', '"size-positive": size > 0, "first": page == 0')), UNAPPROVED, HONEST),
    Input("inside one that is there", offsets(script('And(0 <= page, page < pages)', 'And(0 <= page, page < pages, pages == 1)')), UNAPPROVED, APPROVED),
    Input("in front of the goal", offsets(script('base + page * size + size <= end', 'Implies(size == 4096, base + page * size + size <= end)')), UNAPPROVED, APPROVED),
    Input("a smaller bound as text", offsets(text("#x80", "#x08")), UNAPPROVED, offsets(text("(declare-const slots", "; how many\n(declare-const slots"), approve=True)),
    Input("that appears once the goal is approved", appears('pool["first"] = page == 0', "    obligations = ["), UNAPPROVED, HONEST),
)
