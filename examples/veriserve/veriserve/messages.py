"""What prefill and decode workers say to each other: typed messages, packed with msgpack, in a versioned envelope.

A message may be lost, come twice, late, or out of order; whoever receives one
judges it by what it names: incarnations of both workers, the room, and tickets.

A *room* is one request between one decode worker and one prefill worker. The
decode worker numbers its rooms, and never uses a number again in one
incarnation. Tickets come as ``(page, generation)``, in the order of the pages'
positions in the prompt from ``first`` on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, get_type_hints

import msgpack  # type: ignore[import-untyped]

VERSION = 1
ANY = -1  # for an incarnation that the sender does not know yet
MAX_BYTES = 16 * 1024 * 1024

Pairs = list[tuple[int, int]]


class MessageError(Exception):
    """These bytes are no message of this version."""


@dataclass(frozen=True)
class Peer:
    """A worker, and which start of it."""

    name: str
    incarnation: int


@dataclass(frozen=True)
class Hello:
    """What a worker is. Both sides must agree on all but ``session``, ``base`` and ``num_pages``."""

    version: str
    model: str
    page_size: int
    page_bytes: int
    layout: str
    dtype: str
    transport: str
    session: str
    base: int
    num_pages: int


@dataclass(frozen=True)
class Unfit:
    """The sender won't work with the receiver, and why."""

    why: str


@dataclass(frozen=True)
class Prefill:
    """Decode to prefill: compute ``prompt``. ``tickets`` are where the pages go in push mode, none in pull mode."""

    room: int
    prompt: list[int]
    seconds: float
    first: int
    tickets: Pairs


@dataclass(frozen=True)
class Ready:
    """Prefill to decode, in pull mode: these pages are computed and may be read until a report says that is over."""

    room: int
    first: int
    tickets: Pairs
    checks: list[int]


@dataclass(frozen=True)
class Report:
    """From whoever moves the pages: how the moves of these tickets of the receiver ended.

    ``what`` is `done`, `failed` or `refused` (never started, and never will be). ``checks`` are the sums of the
    pages in push mode, if they are taken.
    """

    room: int
    tickets: Pairs
    what: str
    checks: list[int]
    KNOWN: ClassVar[tuple[str, ...]] = ("done", "failed", "refused")


@dataclass(frozen=True)
class Failed:
    """Prefill to decode: the prompt won't be computed, and why."""

    room: int
    why: str


@dataclass(frozen=True)
class Abort:
    """The room is over at the sender: start nothing more, and report on these tickets of the sender."""

    room: int
    tickets: Pairs


@dataclass(frozen=True)
class Bye:
    """The sender ends now."""


Message = Hello | Unfit | Prefill | Ready | Report | Failed | Abort | Bye
KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Hello, Unfit, Prefill, Ready, Report, Failed, Abort, Bye)
}


@dataclass(frozen=True)
class Envelope:
    """A message, who sent it, which incarnation of the receiver it is for, and the sender's logical clock."""

    source: Peer
    to: int
    clock: int
    message: Message


def pack(envelope: Envelope) -> bytes:
    """The bytes of ``envelope``."""
    message = envelope.message
    body = [getattr(message, name) for name in _shape(type(message))]
    source = envelope.source
    head = [VERSION, type(message).__name__, source.name, source.incarnation, envelope.to, envelope.clock]
    packed: bytes = msgpack.packb([*head, body])
    return packed


def unpack(data: bytes) -> Envelope:
    """The envelope in ``data``.

    Raises:
        MessageError: there is none, or a field of it has another type or a value that is out of range.
    """
    if len(data) > MAX_BYTES:
        raise MessageError(f"{len(data)} bytes")
    try:
        parts = msgpack.unpackb(data, use_list=True)
    except Exception as error:  # noqa: BLE001 - on garbage msgpack raises a dozen kinds
        raise MessageError(f"not msgpack: {error}") from None
    if not isinstance(parts, list) or not parts or parts[0] != VERSION:
        version = parts[0] if isinstance(parts, list) and parts else None
        raise MessageError(f"version {version!r}, not {VERSION}")
    if len(parts) != 7:
        raise MessageError(f"{len(parts)} parts")
    _, kind, name, incarnation, to, clock, body = parts
    _check("name", str, name)
    for field, value in (("incarnation", incarnation), ("to", to), ("clock", clock)):
        _check(field, int, value)
    if not isinstance(kind, str) or kind not in KINDS or not isinstance(body, list):
        raise MessageError(f"kind {kind!r}")
    shape = _shape(KINDS[kind])
    if len(body) != len(shape):
        raise MessageError(f"{kind} with {len(body)} fields")
    values = [_check(field, hint, value) for (field, hint), value in zip(shape.items(), body, strict=True)]
    message = KINDS[kind](*values)
    if isinstance(message, Report) and message.what not in Report.KNOWN:
        raise MessageError(f"a report that says {message.what!r}")
    return Envelope(Peer(name, incarnation), to, clock, message)


def _shape(kind: type[Any]) -> dict[str, Any]:
    if kind not in _shapes:
        hints = get_type_hints(kind)
        _shapes[kind] = {field.name: hints[field.name] for field in fields(kind)}
    return _shapes[kind]


_shapes: dict[type[Any], dict[str, Any]] = {}


def _number(value: Any, least: int = -1) -> bool:
    return type(value) is int and least <= value < 2**63


def _check(field: str, hint: Any, value: Any) -> Any:
    """``value`` as ``hint`` wants it."""
    if hint == Pairs:
        good = isinstance(value, list) and all(
            isinstance(each, list) and len(each) == 2 and _number(each[0], 0) and _number(each[1], 0) for each in value
        )
        if good:
            return [(page, gen) for page, gen in value]
    elif hint == list[int]:
        if isinstance(value, list) and all(_number(each, 0) for each in value):
            return value
    elif hint is int:
        if _number(value):
            return value
    elif hint is float:
        if isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value < 1e9:
            return float(value)
    elif isinstance(value, hint):
        return value
    raise MessageError(f"{field} is {str(value)[:40]!r}")
