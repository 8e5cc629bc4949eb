"""Where another party may act in between, and which code of the same call can still follow."""

from __future__ import annotations

import ast
import textwrap

import pytest

from vstack.abstract.boundaries import boundaries


def found(body: str, calls: tuple[str, ...] = ()) -> list[tuple[int, set[int]]]:
    """(line, lines after it) of each boundary in a function with this body, line 1 its first line."""
    text = "async def f(self):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return [(b.line - 1, {line - 1 for line in b.after}) for b in boundaries(ast.parse(text), calls)]


@pytest.mark.parametrize(
    "line",
    [
        "await other()",
        "x = await other()",
        "self.sock.send(b'')",
        "self.sock.sendall(b'')",
        "zmq.send_multipart([])",
        "self.queue.put(1)",
        "self.out_q.put_nowait(1)",
        "lock.release()",
        "self.cond_lock.wait()",
        "engine.batch_transfer_sync_write(1)",
        "engine.transfer_sync(1)",
        "agent.transfer(handle)",
        "future.result()",
        "time.sleep(1)",
        "if sock.recv():\n    pass",
    ],
)
def test_each_kind_is_seen_with_the_code_after_it(line: str):
    ((_, after),) = found(f"before()\n{line}\nself.x = 1")
    assert 2 + line.count("\n") + 1 in after


@pytest.mark.parametrize(
    "line",
    ["self.sender = 1", "table.put(1)", "is_transfer_done(x)", "f = lambda: s.send(1)", "def g():\n    s.send(1)"],
)
def test_what_only_looks_like_one_is_none(line: str):
    outer = [b for b in found(f"{line}\nself.x = 1") if b[1]]
    assert outer == []


def test_a_lock_is_released_at_the_end_of_its_block():
    assert found("with self.lock:\n    a()\n    b()\nc()") == [(3, {4})]
    assert found("with open(p) as lockless:\n    a()\nc()") == []


def test_a_branch_not_taken_does_not_follow():
    assert found("if a:\n    s.send(1)\nelse:\n    b()\nc()") == [(2, {5})]
    assert found("if a:\n    s.send(1)\n    return\nb()") == [(2, set())]
    assert found("return s.send(1)\nb()") == [(1, set())]


def test_a_loop_runs_again():
    assert found("for x in y:\n    a()\n    s.send(x)") == [(3, {1, 2, 3})]
    assert found("while s.recv():\n    a()") == [(1, {1, 2})]


def test_a_handler_and_a_finally_follow():
    assert found("try:\n    s.send(1)\nexcept E:\n    a()\nfinally:\n    b()\nc()") == [(2, {4, 6, 7})]


def test_jumps_log_lines_and_docstrings_do_nothing():
    assert found("s.send(1)\nlogger.info('x')\n'text'\npass\nreturn None") == [(1, set())]
    assert found("s.send(1)\nreturn g()") == [(1, {2})]


def test_a_project_may_name_further_calls():
    assert found("self.pool.hand_over(1)\na()") == []
    assert found("self.pool.hand_over(1)\na()", ("pool.hand_over",)) == [(1, {2})]
    assert found("self.pool.hand_over(1)\na()", ("hand_over",)) == [(1, {2})]
