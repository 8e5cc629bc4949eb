"""A trace of veriserve's real ledger replays through its model; corrupted, thinned or reordered it does not."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from vstack.context import Context, open_project
from vstack.results import TraceRow
from vstack.validate.traces.replay import replay

CASE = Path(__file__).parents[2] / "examples" / "veriserve"
Events = list[dict[str, Any]]


@pytest.fixture(scope="module")
def case() -> Context:
    return open_project(CASE)


@pytest.fixture(scope="module")
def events() -> Events:
    lines = (CASE / "traces" / "ledger-push.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:100]]


def replayed(case: Context, events: Events, folder: Path) -> TraceRow:
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return replay(case.project, case.spec, case.actions, "ledger-push", case.tools, log)


def changing(events: Events) -> list[int]:
    """Places of the ledger's own events after which some page's books are not what they were."""
    return [
        place
        for place in range(10, len(events) - 1)
        if events[place]["event"].startswith("ledger.")
        and events[place - 1]["state"] != events[place]["state"] != events[place + 1]["state"]
    ]


def test_the_trace_replays(case: Context, events: Events, tmp_path: Path):
    row = replayed(case, events, tmp_path)
    assert (row.verdict, row.matched, row.total) == ("holds", 100, 100), row.reason
    assert row.control_rejected and "8 of 8 corrupted events rejected" in row.reason


def test_a_corrupted_event_is_found_where_it_is(case: Context, events: Events, tmp_path: Path):
    place = random.Random(1).choice(changing(events))
    altered = copy.deepcopy(events)
    page = next(page for page, books in altered[place]["state"].items() if books != events[place - 1]["state"][page])
    altered[place]["state"][page] = events[place - 1]["state"][page]
    row = replayed(case, altered, tmp_path)
    assert row.verdict == "violated" and row.failure is not None
    assert (row.matched, row.failure["line"]) == (place, place + 1)


def test_a_dropped_event_is_missed(case: Context, events: Events, tmp_path: Path):
    place = random.Random(2).choice(changing(events))
    row = replayed(case, events[:place] + events[place + 1 :], tmp_path)
    assert (row.verdict, row.matched) == ("violated", place)


def test_a_swapped_pair_is_noticed(case: Context, events: Events, tmp_path: Path):
    place = random.Random(3).choice(changing(events))
    swapped = [*events[:place], events[place + 1], events[place], *events[place + 2 :]]
    row = replayed(case, swapped, tmp_path)
    assert (row.verdict, row.matched) == ("violated", place)
