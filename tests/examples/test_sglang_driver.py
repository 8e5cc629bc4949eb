"""SGLang abort chain: what of its driver can be told without a checkout: actions, gates, transport, the tests it hands over."""

from __future__ import annotations

import ast
import ctypes
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from jinja2 import Environment, StrictUndefined

from vstack.context import open_project
from vstack.reproduce.schedule import Scheduled

CASE = Path(__file__).parent.parent.parent / "examples" / "upstream" / "sglang-abort-chain"
# No upstream revision has these steps.
OURS = {"DSetAside"}


@pytest.fixture
def driver_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType]]:
    """The driver's gates and transport, which need nothing of SGLang."""
    names = ("gates", "transport")
    monkeypatch.syspath_prepend(str(CASE / "reproduce"))
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import gates
    import transport

    yield gates, transport
    for name in names:
        sys.modules.pop(name, None)


def rendered(variant: str) -> str:
    text = (CASE / "reproduce" / "test.py.j2").read_text()
    return (
        Environment(undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True)
        .from_string(text)
        .render(
            steps=[Scheduled("DAbort", {"i": 1}, {}, {}), Scheduled("OtherCommits", {}, {}, {})],
            variant=variant,
            environment="patient",
            goal="Isolation",
            english="What must hold.",
            sources=[],
            commits={variant: "a" * 40},
            project="sglang-abort-chain",
        )
    )


def test_every_action_of_upstream_code_can_be_driven() -> None:
    source = ast.parse((CASE / "reproduce" / "driver.py").read_text())
    methods = {node.name for node in ast.walk(source) if isinstance(node, ast.FunctionDef)}
    (listed,) = [
        ast.literal_eval(node.value)
        for node in ast.walk(source)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "names"
    ]
    actions = {action.name for action in open_project(CASE).actions} - OURS
    assert set(listed) == actions
    assert actions <= methods


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        ("step1", "TestPagesUnderAnOpenWrite"),
        ("step3-mooncake", "TestPagesUnderAnOpenWrite"),
        ("step2-on", "TestAckOfClearedRoom"),
    ],
)
def test_the_test_handed_over_is_python_and_speaks_of_the_schedule(variant: str, name: str) -> None:
    text = rendered(variant)
    classes = [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    assert name in classes
    assert "1. DAbort(1)" in text
    assert "vstack" not in text
    assert max(map(len, text.splitlines())) <= 88


def test_a_thread_stops_before_each_step_and_takes_one_at_a_time(driver_modules: tuple[ModuleType, ModuleType]) -> None:
    gates_module, _ = driver_modules
    gates, steps = gates_module.Gates(seconds=5), []

    def turn() -> None:
        gates.adopt("worker p1")
        gates.await_begin()
        for label in ("take", "write"):
            gates.stop(label)
            steps.append(label)
        gates.stop("end")

    thread = threading.Thread(target=turn)
    thread.start()
    gates.close()
    gates.settle_down(["worker p1"])
    assert steps == []
    assert gates.release("worker p1", "take") == "write"
    assert steps == ["take"]
    with pytest.raises(gates_module.Parted, match="at `write`, not at take"):
        gates.release("worker p1", "take")
    gates.open()
    thread.join(timeout=5)
    assert steps == ["take", "write"]


def test_a_thread_that_never_stops_is_told_with_where_it_stands(driver_modules: tuple[ModuleType, ModuleType]) -> None:
    gates_module, _ = driver_modules
    gates, hold = gates_module.Gates(seconds=0.2), threading.Event()

    def turn() -> None:
        gates.adopt("worker p1")
        hold.wait(5)

    thread = threading.Thread(target=turn)
    thread.start()
    with pytest.raises(gates_module.Parted, match="came to no stop within 0.2 s; it stands at .*wait"):
        gates.settle_down(["worker p1"])
    hold.set()
    thread.join(timeout=5)


def test_a_write_moves_bytes_only_when_it_lands(driver_modules: tuple[ModuleType, ModuleType]) -> None:
    gates_module, transport = driver_modules
    source, target = ctypes.create_string_buffer(b"abcd", 4), ctypes.create_string_buffer(4)
    network = transport.Network(gates_module.Gates(), handles=1, calls=1)
    write = transport.Write("p1", 1, 1, 1, [(ctypes.addressof(source), ctypes.addressof(target), 4)])
    network.writes.append(write)
    assert network.flight() == [["p1", 1, 1, 1]]
    assert target.raw == bytes(4)
    write.land()
    assert target.raw == b"abcd"
    with pytest.raises(gates_module.Parted, match="no write"):
        network.find(["p1", 1, 1, 1])
