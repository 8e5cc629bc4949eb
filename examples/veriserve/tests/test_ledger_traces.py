"""The committed traces are what the ledger does today: the random world writes the same bytes again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ledger_world import main

TRACES = Path(__file__).parent.parent / "traces"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    main(folder)
    return folder


@pytest.mark.parametrize("name", ["pull", "push", "pull-shared", "push-shared"])
def test_a_trace_is_written_again(fresh: Path, name: str):
    path = f"ledger-{name}.jsonl"
    assert (fresh / path).read_bytes() == (TRACES / path).read_bytes()


def test_the_traces_take_every_transition_of_the_ledger():
    events = {
        json.loads(line)["event"]
        for path in TRACES.glob("ledger-*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    assert {event.partition(".")[2].partition(".")[0] for event in events if event.startswith("ledger.")} == {
        "alloc", "complete", "publish", "evict", "release", "timeout", "expire", "open", "close", "evidence",
        "unproven", "late",
    }  # fmt: skip
