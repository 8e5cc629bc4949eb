"""vLLM 32255: what of its driver can be told without a checkout: the actions it knows, and the tests it hands over."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from jinja2 import Environment, StrictUndefined, TemplateError

from vstack.context import open_project
from vstack.reproduce.schedule import Scheduled

CASE = Path(__file__).parent.parent.parent / "examples" / "upstream" / "vllm-32255"


def steps(*calls: tuple[str, dict[str, object]]) -> list[Scheduled]:
    return [Scheduled(action, params, {}, {}) for action, params in calls]


ABORT = steps(
    ("ClientSubmits", {"r": 1, "i": 1}),
    ("AddRequest", {"r": 1}),
    ("BeginSchedule", {}),
    ("StartLoad", {"r": 1, "k": "k1"}),
    ("SendStep", {}),
    ("WorkerPosts", {}),
    ("UserAborts", {"r": 1}),
    ("WorkerPolls", {}),
    ("AbortLoadFrees", {"r": 1}),
)
REPORT = steps(
    ("UpdateRequests", {}),
    ("RecordLoaded", {"i": 1}),
)
SECOND = steps(
    ("EndStep", {}),
    ("ClientSubmits", {"r": 2, "i": 2}),
    ("AddRequest", {"r": 2}),
    ("BeginSchedule", {}),
    ("StartLoad", {"r": 2, "k": "k1"}),
    ("SendStep", {}),
)


def rendered(goal: str, schedule: list[Scheduled], variant: str = "buggy") -> str:
    text = (CASE / "reproduce" / "test.py.j2").read_text()
    return (
        Environment(undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True)
        .from_string(text)
        .render(
            steps=schedule,
            variant=variant,
            environment="faithful",
            goal=goal,
            english="What must hold.",
            sources=[],
            commits={"buggy": "a" * 40, "fix": "b" * 40},
            project="vllm-32255",
        )
    )


def test_driver_has_exactly_the_models_actions() -> None:
    tree = ast.parse((CASE / "reproduce" / "driver.py").read_text())
    (listed,) = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ACTIONS"
    ]
    assert sorted(listed) == sorted(action.name for action in open_project(CASE).actions)


@pytest.mark.parametrize("goal", ["Isolation", "Integrity", "ConservationIds", "EngineSurvives", "FinalityBlocks"])
@pytest.mark.parametrize("schedule", [ABORT, ABORT + REPORT, ABORT + SECOND], ids=["abort", "report", "second"])
def test_handed_over_test_compiles_and_uses_what_it_defines(goal: str, schedule: list[Scheduled]) -> None:
    text = rendered(goal, schedule)
    tree = ast.parse(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = [name.name for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names]
    assert [name for name in imported if name not in names] == []
    assert "vstack" not in text
    assert "driver" not in text
    assert max(map(len, text.splitlines())) <= 88


def test_second_load_into_a_block_in_flight_ends_the_test_with_an_assertion() -> None:
    text = rendered("Integrity", ABORT + SECOND)
    assert "assert not blocks_of(scheduler, request_2) & written" in text
    assert text.count("scheduler.schedule()") == 2


def test_report_is_handed_to_the_scheduler_with_the_steps_output() -> None:
    assert "finished_recving={request_1.request_id}," in rendered("ConservationIds", ABORT + REPORT)


def test_goal_that_no_unit_test_shows_is_refused() -> None:
    with pytest.raises(TemplateError):
        rendered("FinalityRequests", ABORT)
