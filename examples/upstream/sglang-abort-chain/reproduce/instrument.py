"""Wraps around SGLang's own methods and tables, so that each thread stops before each step of the model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from gates import Gates, Turn
from wire import Wire


def wrap_classes(conn: Any, manager: Any, common: Any, gates: Gates, wire: Wire) -> None:
    """Wrap the methods of ``manager``, the KV manager class of module ``conn``, and of its base in ``common``."""
    base, worker = common.CommonKVManager, manager.transfer_worker

    def transfer_worker(self: Any, *args: Any, **options: Any) -> None:
        gates.adopt(f"worker p{self.attn_tp_rank + 1}")
        try:
            worker(self, *args, **options)
        except Exception as error:
            gates.died(error)
            raise

    manager.transfer_worker = transfer_worker
    for name in ("start_prefill_thread", "_start_bootstrap_thread"):
        _wrap_start(manager, name, wire, lambda self: f"control p{self.attn_tp_rank + 1}")
    for name in ("start_decode_thread", "_start_decode_listener_thread"):
        _wrap_start(manager, name, wire, lambda self: "manager")
    conn.FastQueue = _queue_class(conn.FastQueue, gates)
    if "check_status" in vars(manager):
        _wrap_check(manager, gates)
    _wrap_status(base, gates)
    _wrap_connect(base, gates)
    owner = manager if "_send_abort_ack" in vars(manager) else base
    if hasattr(owner, "_send_abort_ack"):
        _wrap_acks(owner, gates)
    if hasattr(base, "register_deferred_abort_room"):
        _wrap_arming(base, gates)


def _wrap_start(manager: Any, name: str, wire: Wire, role: Callable[[Any], str]) -> None:
    """The thread that the method ``name`` starts reads the manager's socket; it gets its role by that socket."""
    plain = getattr(manager, name, None)
    if plain is None:
        return

    def start(self: Any) -> None:
        wire.own(self.server_socket, self.rank_port, role(self))
        plain(self)

    setattr(manager, name, start)


def _wrap_check(manager: Any, gates: Gates) -> None:
    """NIXL's worker looks at the status by this method only."""
    plain = manager.check_status

    def check_status(self: Any, room: int) -> Any:
        turn = gates.turn("worker")
        if turn is not None and turn.stage == "took":
            turn.stage = "check"
            gates.stop("check")
        return plain(self, room)

    manager.check_status = check_status


def mix_memory_kinds(manager: Any, decode: Any) -> None:
    """Decode's keys are in one kind of memory and its values in another, so that NIXL cuts a chunk into two handles."""
    plain = manager.__init__

    def __init__(self: Any, args: Any, mode: Any, *rest: Any) -> None:
        if mode == decode:
            args.kv_data_mem_kinds = ["VRAM", "DRAM"]
        plain(self, args, mode, *rest)

    manager.__init__ = __init__


def wrap_tables(prefill_manager: Any, gates: Gates) -> None:
    """Replace the tables of a prefill manager by tables of the same kind that stop their threads."""
    prefill_manager.request_status = _Status(prefill_manager.request_status, gates)
    prefill_manager.transfer_infos = _Infos(prefill_manager.transfer_infos, gates)
    if hasattr(prefill_manager, "_staging_outstanding"):
        prefill_manager._staging_outstanding = _Counts(gates)
    if hasattr(prefill_manager, "_deferred_ack_targets"):
        prefill_manager._deferred_ack_targets = _Targets(gates)


def _queue_class(plain: Any, gates: Gates) -> Any:
    class GatedQueue(plain):  # type: ignore[misc]
        """The worker's queue: a turn of its loop begins here."""

        def get(self) -> Any:
            turn = gates.turn("worker")
            if turn is None:
                return super().get()
            turn.stage, turn.item = "idle", None
            gates.await_begin()
            gates.stop("take")
            item = super().get()
            turn.stage, turn.item = "took", item
            return item

        def waiting(self) -> list[Any]:
            return list(self._buf)

    return GatedQueue


class _Status(dict):  # type: ignore[type-arg]
    """`request_status`: the worker's first look at it is the status check."""

    def __init__(self, content: dict[int, Any], gates: Gates) -> None:
        super().__init__(content)
        self._gates = gates

    def __contains__(self, room: object) -> bool:
        turn = self._gates.turn("worker")
        if turn is not None and turn.stage == "took":
            turn.stage = "check"
            self._gates.stop("check")
        return super().__contains__(room)


class _Infos(dict):  # type: ignore[type-arg]
    """`transfer_infos`: the worker's first look at it is where it finds out where to write."""

    def __init__(self, content: dict[int, Any], gates: Gates) -> None:
        super().__init__(content)
        self._gates = gates

    def __contains__(self, room: object) -> bool:
        turn = self._gates.turn("worker")
        if turn is not None and turn.stage in ("took", "check", "counted"):
            turn.stage = "looked"
            self._gates.stop("look")
        return super().__contains__(room)


class _Counts(defaultdict):  # type: ignore[type-arg]
    """`_staging_outstanding`: chunks of a room that are counted."""

    def __init__(self, gates: Gates) -> None:
        super().__init__(int)
        self._gates = gates

    def __getitem__(self, room: int) -> int:
        turn = self._gates.turn("worker")
        if turn is not None and turn.stage == "check":
            turn.stage = "counted"
            self._gates.stop("count")
        elif turn is not None and turn.stage == "looked":
            turn.stage = "finished"
            self._gates.stop("finish")
        return super().__getitem__(room)

    def pop(self, room: int, *default: Any) -> Any:
        turn = self._gates.turn("worker")
        if turn is not None and turn.stage == "check":
            turn.stage = "skipped"
            self._gates.stop("skip")
        return super().pop(room, *default)

    def get(self, room: int, default: Any = None) -> Any:
        turn = self._gates.turn("control")
        if turn is not None and turn.stage == "abort" and not turn.marked:
            _stop_once(self._gates, turn, "inactive")
        return super().get(room, default)


class _Targets(dict):  # type: ignore[type-arg]
    """`_deferred_ack_targets`: rooms for which an answer is owed."""

    def __init__(self, gates: Gates) -> None:
        super().__init__()
        self._gates = gates

    def __setitem__(self, room: int, target: Any) -> None:
        if self._gates.turn("control") is not None:
            self._gates.stop("second")
        super().__setitem__(room, target)


def _wrap_status(base: Any, gates: Gates) -> None:
    plain = base.update_status

    def update_status(self: Any, room: int, status: Any) -> None:
        turn = gates.turn("control")
        if turn is not None and turn.stage == "abort" and not turn.marked:
            gates.stop("first")
            turn.marked = True
        plain(self, room, status)

    base.update_status = update_status


def _wrap_connect(base: Any, gates: Gates) -> None:
    """Before the deferred release, the control thread acks by a plain send: `_connect` is its first call."""
    plain = base._connect

    def _connect(self: Any, *args: Any, **options: Any) -> Any:
        turn = gates.turn("control")
        if turn is not None and turn.stage == "abort":
            _stop_once(gates, turn, "second" if turn.marked else "inactive")
        return plain(self, *args, **options)

    base._connect = _connect


def _wrap_acks(owner: Any, gates: Gates) -> None:
    drained, send = owner._maybe_ack_drained_abort, owner._send_abort_ack

    def _maybe_ack_drained_abort(self: Any, room: int) -> None:
        if gates.turn("worker") is not None:
            gates.stop("answer")
        turn = gates.turn("control")
        if turn is not None:
            gates.stop("try")
            turn.stopped = True
        drained(self, room)

    def _send_abort_ack(self: Any, *args: Any) -> None:
        turn = gates.turn("control")
        if turn is not None:
            _stop_once(gates, turn, "inactive")
        send(self, *args)

    owner._maybe_ack_drained_abort = _maybe_ack_drained_abort
    owner._send_abort_ack = _send_abort_ack


def _wrap_arming(base: Any, gates: Gates) -> None:
    plain = base.register_deferred_abort_room

    def register_deferred_abort_room(self: Any, room: int) -> None:
        if gates.turn("scheduler") is not None:
            gates.stop("arm")
        plain(self, room)

    base.register_deferred_abort_room = register_deferred_abort_room


def _stop_once(gates: Gates, turn: Turn, label: str) -> None:
    """One stop a turn: the same step passes by several wrapped calls."""
    if not turn.stopped:
        turn.stopped = True
        gates.stop(label)
