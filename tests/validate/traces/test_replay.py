"""Replay what a real threaded program recorded, as it is and with one thing wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.validate.traces.pool import program
from vstack.cli import main_group
from vstack.context import Context, open_project
from vstack.errors import VstackError
from vstack.results import TraceRow
from vstack.validate.traces.replay import replay

POOL = Path(__file__).parent / "pool"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("Pool.tla", "vstack.yaml"):
        shutil.copy(POOL / name, tmp_path / name)
    return tmp_path


def replayed(folder: Path, name: str) -> TraceRow:
    context: Context = open_project(folder)
    return replay(context.project, context.spec, context.actions, name, context.tools)


def test_a_recorded_log_replays_and_its_corruptions_do_not(project: Path) -> None:
    events = program.run(rounds=15)
    # The clock decides, not the order in which lines reached the file.
    program.write(project / "clocked.jsonl", list(reversed(events)))
    row = replayed(project, "clocked")
    assert row.verdict == "holds", row.reason
    assert row.matched == row.total == sum(event["event"] != "start" for event in events)
    assert row.ignored == 2
    assert row.control_rejected
    assert "8 of 8 corrupted events rejected" in row.reason


def test_a_forgotten_release_is_found_at_the_event_that_needs_it(project: Path) -> None:
    events = program.run(rounds=15, faulty=True)
    program.write(project / "clocked.jsonl", events)
    row = replayed(project, "clocked")
    assert row.verdict == "violated"
    assert row.failure is not None
    failing = row.failure["event"]
    assert failing == events[row.failure["line"] - 1]
    assert failing["event"] == "alloc"
    assert row.matched < row.total
    assert "Alloc" in row.reason


def test_a_wrong_field_is_shown_against_what_the_model_does(project: Path) -> None:
    events = program.run(rounds=10)
    wrong = next(event for event in events[12:] if event["event"] == "release")
    wrong["owner"][str(wrong["page"])] = "a"  # type: ignore[index]
    program.write(project / "clocked.jsonl", events)
    row = replayed(project, "clocked")
    assert row.verdict == "violated"
    assert row.failure is not None
    assert row.failure["event"] == wrong
    (difference,) = row.failure["difference"]
    assert difference["expression"] == "owner"
    assert f"{wrong['page']} :> a" in difference["recorded"]
    assert f"{wrong['page']} :> Nobody" in difference["model"][0]


def test_causes_alone_order_events_of_different_threads(project: Path) -> None:
    # b's alloc of page 1 stands before a's first event in the file and is concurrent with it.
    events = [
        {"id": "b1", "thread": "b", "event": "alloc", "page": 1, "after": "b"},
        {"id": "b2", "thread": "b", "event": "alloc", "page": 0, "after": "b", "causes": ["a2"]},
        {"id": "a1", "thread": "a", "event": "alloc", "page": 0, "after": "a"},
        {"id": "a2", "thread": "a", "event": "release", "page": 0, "after": "Nobody"},
    ]
    program.write(project / "causal.jsonl", events)
    assert replayed(project, "causal").verdict == "holds"
    del events[1]["causes"]
    program.write(project / "causal.jsonl", events)
    # Without its cause the event may come at any time, and one of these orders is a behaviour.
    assert replayed(project, "causal").verdict == "holds"
    events[1]["causes"] = ["a1"]
    events[3]["causes"] = ["b2"]
    program.write(project / "causal.jsonl", events)
    row = replayed(project, "causal")
    assert row.verdict == "violated"
    assert row.failure is not None
    assert row.failure["event"]["id"] == "b2"
    assert row.matched == 2


def test_a_mapping_that_compares_nothing_is_refused(project: Path) -> None:
    text = (project / "vstack.yaml").read_text()
    start = text.index("traces:")
    loose = """traces:
  clocked:
    log: clocked.jsonl
    variant: pool
    environment: threads
    clock: clock
    events:
      alloc: {action: Anything}
      release: {action: Anything}
    ignore: {start: no such step}
"""
    (project / "vstack.yaml").write_text(text[:start] + loose)
    module = (project / "Pool.tla").read_text()
    module = module.replace("Next ==", "Anything == owner' \\in [Pages -> Threads \\cup {Nobody}]\nNext ==\n    \\/ Anything")
    (project / "Pool.tla").write_text(module)
    program.write(project / "clocked.jsonl", program.run(rounds=3))
    row = replayed(project, "clocked")
    assert row.verdict == "refused"
    assert "compares nothing" in row.reason


def test_unmapped_events_are_refused_with_the_nearest_name(project: Path) -> None:
    program.write(project / "clocked.jsonl", [{"clock": 1, "event": "aloc", "thread": "a", "page": 0}])
    row = replayed(project, "clocked")
    assert row.verdict == "refused"
    assert "`aloc` is neither mapped nor ignored (nearest: `alloc`)" in row.reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no event"),
        ("\n \n", "holds no event"),
        ('{"event": 1\n', "not JSON"),
        ("[1]\n", "not a JSON object"),
        ('{"event": "alloc", "thread": "a", "page": 0}\n', "no field `clock`"),
        ('{"event": "alloc", "clock": 1, "thread": "a"}\n', "no field `page`"),
        ('{"event": "alloc", "clock": 1, "thread": null, "page": 0, "owner": {}}\n', "no value for null"),
    ],
)
def test_a_log_that_cannot_be_read_is_an_error(project: Path, text: str, message: str) -> None:
    (project / "clocked.jsonl").write_text(text)
    with pytest.raises(VstackError, match=message):
        replayed(project, "clocked")


def test_a_missing_log_is_an_error(project: Path) -> None:
    with pytest.raises(VstackError, match="does not exist"):
        replayed(project, "clocked")


def test_causes_in_a_circle_are_an_error(project: Path) -> None:
    events = [
        {"id": "a1", "thread": "a", "event": "alloc", "page": 0, "after": "a", "causes": ["b1"]},
        {"id": "b1", "thread": "b", "event": "release", "page": 0, "after": "Nobody", "causes": ["a1"]},
    ]
    program.write(project / "causal.jsonl", events)
    with pytest.raises(VstackError, match="circle"):
        replayed(project, "causal")


def test_the_command_prints_the_report_and_its_exit_code(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write(project / "clocked.jsonl", program.run(rounds=5))
    arguments = ["trace", "check", "clocked", "-p", str(project)]
    assert main_group.main(arguments, standalone_mode=False) == 0
    assert "replayed" in capsys.readouterr().out
    program.write(project / "clocked.jsonl", program.run(rounds=10, faulty=True))
    assert main_group.main([*arguments, "--json"], standalone_mode=False) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["verdict"] == "violated"


def test_a_log_that_was_thinned_after_its_approval_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write(project / "clocked.jsonl", program.run(rounds=3))
    program.write(project / "causal.jsonl", program.run(rounds=3))
    place = ["-p", str(project)]
    assert main_group.main(["spec", "approve", "--demo", "--yes", *place], standalone_mode=False) == 0
    assert main_group.main(["spec", "check", *place], standalone_mode=False) == 0
    lines = (project / "clocked.jsonl").read_text().splitlines(keepends=True)
    (project / "clocked.jsonl").write_text("".join(lines[:-1]))
    capsys.readouterr()
    assert main_group.main(["spec", "check", *place], standalone_mode=False) == 1
    assert "log sha256" in capsys.readouterr().out


def test_a_log_in_which_nothing_can_be_corrupted_is_refused_as_such(project: Path) -> None:
    event = {"clock": 1, "event": "alloc", "thread": "a", "page": 0, "owner": {"0": "a", "1": "Nobody", "2": "Nobody"}}
    program.write(project / "clocked.jsonl", [event])
    row = replayed(project, "clocked")
    assert row.verdict == "refused"
    assert "no state value could be corrupted" in row.reason


def test_a_mapping_that_compares_no_state_is_refused_though_its_corrupted_events_fail(project: Path) -> None:
    program.write(project / "clocked.jsonl", program.run(rounds=5))
    text = (project / "vstack.yaml").read_text()
    bare = "    variables:\n      owner: {field: owner, kind: function}\n"
    (project / "vstack.yaml").write_text(text.replace(bare, "", 1))
    row = replayed(project, "clocked")
    assert row.verdict == "refused"
    assert "compares nothing of the state" in row.reason
