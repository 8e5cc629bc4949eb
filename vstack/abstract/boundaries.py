"""The places in Python code where another thread, process or machine may act in between.

Four kinds of boundary: an await, a send, a lock release and a transfer, and
the blocking waits that are an await in all but name. Names decide what a call
is; what a called function does inside is not looked at.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

_SENDS = re.compile(r"^_?(i|async_)?send(_.*|all|to|msg|file)?$|^put(_nowait)?$|^publish$")
_TRANSFERS = re.compile(
    r"^(batch_|submit_|post_|start_)?transfer(_sync|_async|_submit|_batch)*(_read|_write)?(_on_.*)?$|^(post|start)_xfer$"
)
_WAITS = re.compile(r"^(recv|irecv|result|as_completed|sleep|wait_for)(_.*)?$|^wait$")
_LOCKS = re.compile(r"(lock|mutex|semaphore|condition|_cv|_cond)s?$", re.IGNORECASE)
_QUEUES = re.compile(r"(queue|_q|channel|pipe|inbox|outbox)s?$|^q$", re.IGNORECASE)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Loop = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True)
class Boundary:
    """What happens at ``line`` (its end), and the lines (from 1) of the code that may run after it in the same call."""

    line: int
    what: str
    after: frozenset[int]


@functools.lru_cache(maxsize=64)
def boundaries(tree: ast.Module, calls: tuple[str, ...]) -> tuple[Boundary, ...]:
    """Every boundary in ``tree``; ``calls`` names further calls, as `name` or `receiver.name`."""
    found: list[Boundary] = []
    for function in (node for node in ast.walk(tree) if isinstance(node, _Function)):
        found.extend(_in_block(function.body, frozenset(), calls))
    return tuple(sorted(found, key=lambda boundary: (boundary.line, boundary.what)))


def _in_block(block: list[ast.stmt], after_block: frozenset[int], calls: tuple[str, ...]) -> Iterator[Boundary]:
    """Boundaries in a list of statements that is followed by the lines ``after_block``."""
    tails: list[frozenset[int]] = [after_block]
    for statement in reversed(block):
        rest = frozenset() if isinstance(statement, ast.Return) else tails[-1]
        tails.append(rest | _acting_lines(statement))
    for position, statement in enumerate(block):
        after = frozenset() if isinstance(statement, ast.Return) else tails[len(block) - position - 1]
        yield from _in_statement(statement, after, calls)


def _in_statement(statement: ast.stmt, after: frozenset[int], calls: tuple[str, ...]) -> Iterator[Boundary]:
    if isinstance(statement, _Function | ast.ClassDef):
        return
    inner = [block for _, block in _blocks(statement)]
    header_end = max((node.end_lineno or 0 for node in _headers(statement)), default=statement.lineno)
    line = header_end if inner else statement.end_lineno or statement.lineno
    own_after = after.union(*(_lines_of(block) for block in inner)) if inner else after
    if isinstance(statement, ast.While | ast.AsyncFor):
        own_after |= {statement.lineno}
    for what in _what_happens(statement, calls):
        yield Boundary(line, what, own_after)
    for name, block in _blocks(statement):
        yield from _in_block(block, after | _beside(statement, name), calls)
    released = _lock_of(statement)
    if released:
        yield Boundary(statement.end_lineno or statement.lineno, f"the lock `{released}` is released", after)


def _beside(statement: ast.stmt, name: str) -> frozenset[int]:
    """Lines of ``statement`` that can run after its block ``name``, other than what follows the statement."""
    blocks = dict(_blocks(statement))
    if isinstance(statement, _Loop):
        again = frozenset({statement.lineno}) | _lines_of(statement.body) if name == "body" else frozenset()
        return again | (_lines_of(statement.orelse) if name == "body" else frozenset())
    if isinstance(statement, ast.Try | ast.TryStar):
        later = {"body": [key for key in blocks if key != "body"], "orelse": ["finalbody"], "finalbody": []}
        return frozenset().union(*(_lines_of(blocks[key]) for key in later.get(name, ["finalbody"]) if key in blocks))
    return frozenset()


def _blocks(statement: ast.stmt) -> list[tuple[str, list[ast.stmt]]]:
    """The named blocks of a compound statement (handlers and cases numbered)."""
    found: list[tuple[str, list[ast.stmt]]] = []
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block:
            found.append((name, block))
    for name in ("handlers", "cases"):
        found.extend((f"{name}[{i}]", part.body) for i, part in enumerate(getattr(statement, name, [])))
    return found


def _headers(statement: ast.stmt) -> list[ast.expr]:
    """The expressions that a statement evaluates itself, outside its blocks."""
    found: list[ast.expr] = []
    for value in ast.iter_child_nodes(statement):
        if isinstance(value, ast.expr):
            found.append(value)
        elif isinstance(value, ast.withitem):
            found.append(value.context_expr)
    return found


def _what_happens(statement: ast.stmt, calls: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    if isinstance(statement, ast.AsyncWith | ast.AsyncFor):
        found.append("an await (`async`)")
    for expression in _headers(statement):
        for node in _evaluated(expression):
            if isinstance(node, ast.Await):
                found.append("an await")
            elif isinstance(node, ast.Call):
                what = _call(node, calls)
                found.extend([what] if what else [])
    return list(dict.fromkeys(found))


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """``node`` and all below it that is evaluated now: the body of a lambda is not."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, ast.Lambda):
            yield from _evaluated(child)


def _call(node: ast.Call, calls: tuple[str, ...]) -> str | None:
    shown = ast.unparse(node.func)
    name = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    receiver = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if any(shown == call or name == call or shown.endswith("." + call) for call in calls):
        return f"the call `{shown}`, which the project lists"
    if name == "release" or (name in ("wait", "wait_for") and _LOCKS.search(receiver)):
        return f"a lock release (`{shown}`)"
    if _TRANSFERS.match(name):
        return f"a transfer (`{shown}`)"
    if name.startswith("put") and not _QUEUES.search(receiver):
        return None
    if _SENDS.match(name):
        return f"a send (`{shown}`)"
    if _WAITS.match(name):
        return f"a wait for another party (`{shown}`)"
    return None


def _lock_of(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.With | ast.AsyncWith):
        for item in statement.items:
            shown = ast.unparse(item.context_expr)
            if _LOCKS.search(shown.split("(")[0].split("[")[0]):
                return shown
    return None


def _lines_of(block: list[ast.stmt]) -> frozenset[int]:
    return frozenset().union(*(_acting_lines(statement) for statement in block)) if block else frozenset()


def _acting_lines(statement: ast.stmt) -> frozenset[int]:
    """Lines of ``statement`` that read or change state: no jump, bare return, log line or docstring."""
    if isinstance(
        statement, ast.Pass | ast.Break | ast.Continue | ast.Global | ast.Nonlocal | _Function | ast.ClassDef
    ):
        return frozenset()
    if isinstance(statement, ast.Return) and not any(
        isinstance(node, ast.Call | ast.Await) for node in ast.walk(statement)
    ):
        return frozenset()
    if isinstance(statement, ast.Expr) and (isinstance(statement.value, ast.Constant) or _is_log(statement.value)):
        return frozenset()
    inner = _blocks(statement)
    if not inner:
        return frozenset(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    header = frozenset() if isinstance(statement, ast.Try | ast.TryStar) else frozenset({statement.lineno})
    return header.union(*(_lines_of(block) for _, block in inner))


def _is_log(expression: ast.expr) -> bool:
    if not (isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute)):
        return False
    receiver = ast.unparse(expression.func.value)
    return receiver.rpartition(".")[2] in ("logger", "logging", "log", "_logger") and expression.func.attr in (
        "debug", "info", "warning", "warn", "error", "exception", "critical", "log", "info_once", "warning_once",
    )  # fmt: skip
