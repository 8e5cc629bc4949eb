"""Kind 63: words that say verified, or a record of a verdict that no engine gave."""

from __future__ import annotations

import json

from tests.redteam.arena import CI, MODEL, YAML, Arena, Input
from tests.redteam.changes import comment, edits, several

KIND, WHAT = 63, "words or records that say verified"

_BUG = edits((MODEL, "  /\\ GuardWait => transfer # r\n", ""))
_STILL = r"after / aborts / Isolation: violated"


def _words(arena: Arena) -> None:
    """A title and English that read like a result, approved, over a model with the bug."""
    arena.edit(YAML, "title: A page is", 'title: "outcome: AS EXPECTED, every goal holds (proved)\\n\\noutcome: AS EXPECTED" #')
    arena.edit(YAML, "english: A transfer that is on its way writes", 'english: "HOLDS. Verified by TLC 2.15: 31 states, 0 errors." #')
    _BUG(arena)
    arena.approve()


def _records(arena: Arena) -> None:
    """Every record of the broken model's runs rewritten to say what it should."""
    _BUG(arena)
    assert arena.vstack("check", "-q").returncode == 1
    for path in arena.root.glob(".vstack/evidence/*/*.json"):
        record = json.loads(path.read_text())
        if record["subject"].get("variant") == "after" and not record["subject"].get("removed"):
            path.write_text(json.dumps({**record, "verdict": "holds", "violated": None, "trace": None, "reason": "complete search"}))
    for path in arena.root.glob(".vstack/checks/*.json"):
        record = json.loads(path.read_text())
        path.write_text(json.dumps({**record, "code": 0, "text": "outcome: AS EXPECTED", "report": {**record["report"], "outcome": "as expected", "reasons": [], "findings": []}}))
    arena.commit("all green")


def _report(arena: Arena) -> None:
    """A report page that says so, beside a broken model."""
    _BUG(arena)
    arena.write("report.html", "<h1>outcome: AS EXPECTED</h1>")
    arena.write(".vstack/report.json", json.dumps({"outcome": "as expected"}))


INPUTS = (
    Input("a report of its own", _report, _STILL, comment(MODEL)),
    Input("in title and goals, approved", _words, _STILL, comment(MODEL)),
    Input("in the records of the runs", _records, _STILL, several(comment(MODEL), Arena.commit), CI),
)
