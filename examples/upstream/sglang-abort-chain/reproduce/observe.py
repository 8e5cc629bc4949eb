"""What the real objects hold, in the model's variables; a variable that they do not determine is left out.

Requests are 1, 2, ...: what the model maps from requests is a list, or where its items are sets an object.
"""

from __future__ import annotations

from typing import Any

from world import OTHER_MARK, World

BLOCK, OTHER, NOBODY = "b1", "other", "nobody"
_WORKER_STEPS = {
    "check": "got", "skip": "skip", "count": "counting", "look": "start", "finish": "finish", "answer": "answer",
    "take": "idle", "": "xfer",
}  # fmt: skip
_CONTROL_STEPS = {"recv": "idle", "first": "first", "second": "second", "try": "try", "inactive": "inactive"}


def observe(world: World) -> dict[str, Any]:
    """Model variable -> value."""
    seen: dict[str, Any] = {
        "pst": {k: [_prefill_status(world, k, i) for i in world.reqs] for k in world.names},
        "fin": {k: [i for i in world.reqs if i in world.concluded[k]] for k in world.names},
        "q": {k: [[c.vstack_request, c.vstack_chunk] for c in _queued(world, k)] for k in world.names},
        "offered": {k: [_offered(world, k, i) for i in world.reqs] for k in world.names},
        "flight": world.network.flight(),
        "up": {k: [[kind, world.request_of(room)] for kind, room in world.wire.up[k]] for k in world.names},
        "down": {k: [[kind, world.request_of(room)] for kind, room in world.wire.down[k]] for k in world.names},
        "told": {
            str(i): any(kind == "failed" and room == world.room(i) for _, kind, room in world.wire.heard)
            for i in world.reqs
        },
    }
    if world.room_reuse:
        for name in ("up", "down", "told"):
            del seen[name]
    seen |= _decode(world) | _pages(world) | _counts(world)
    if world.gates.closed:
        seen |= {
            name: value for name, value in (("wk", _workers(world)), ("ctl", _controls(world))) if value is not None
        }
    return seen


def _prefill_status(world: World, k: str, i: int) -> str:
    """The status table goes by room: it is that of the newest request of the room."""
    poll = world.sg.KVPoll
    manager = world.prefill[k].manager
    status = dict.get(manager.request_status, world.room(i))
    if status is None or i not in world.prefill[k].requests or i in world.concluded[k] and world.newer(i):
        return "none"
    if status == poll.Failed:
        return "failed" if i in world.met[k] else "refused"
    return {poll.Bootstrapping: "boot", poll.Success: "success"}.get(status, "wait")


def _queued(world: World, k: str) -> list[Any]:
    return [chunk for queue in world.prefill[k].manager.transfer_queues for chunk in queue.waiting()]


def _offered(world: World, k: str, i: int) -> int:
    request = world.prefill[k].requests.get(i)
    return 0 if request is None else request.disagg_kv_sender.curr_idx * len(world.chunks) // world.tokens


def _workers(world: World) -> dict[str, Any] | None:
    """By the gates at which the threads stand; None while they run freely, and where a stop stands for several steps."""
    workers: dict[str, Any] = {}
    for k in world.names:
        label = world.gates.label(f"worker {k}") or ""
        if label in world.ambiguous and (label != "take" or world.turned[k]):
            return None
        turn = world.gates.turns[f"worker {k}"]
        if label == "take":
            workers[k] = {"pc": "idle", "req": 0, "chunk": 0, "err": []}
            continue
        errors = sorted({w.handle for w in world.network.of(k, turn.item) if w.failed or w.gave_up})
        workers[k] = {
            "pc": _WORKER_STEPS[label], "req": turn.item.vstack_request, "chunk": turn.item.vstack_chunk, "err": errors,
        }  # fmt: skip
    return workers


def _controls(world: World) -> dict[str, Any] | None:
    controls: dict[str, Any] = {}
    for k in world.names:
        label = world.gates.label(f"control {k}") or ""
        room = world.gates.turns[f"control {k}"].room
        if label not in _CONTROL_STEPS or label != "recv" and world.room_reuse:
            return None
        controls[k] = {"pc": _CONTROL_STEPS[label], "req": 0 if label == "recv" else world.request_of(room)}
    return controls


def _counts(world: World) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    managers = {k: rank.manager for k, rank in world.prefill.items()}
    if not world.room_reuse and all(hasattr(m, "_staging_outstanding") for m in managers.values()):
        seen["cnt"] = {
            k: [dict.get(m._staging_outstanding, world.room(i), 0) for i in world.reqs] for k, m in managers.items()
        }
    if not world.room_reuse and all(hasattr(m, "_deferred_ack_targets") for m in managers.values()):
        seen["tgt"] = {
            k: sorted(world.request_of(room) for room in m._deferred_ack_targets) for k, m in managers.items()
        }
    return seen


def decode_state(world: World, i: int) -> str:
    """Where decode has request ``i``, by its own queues."""
    request = world.decode_requests.get(i)
    if request is None:
        return "none"
    if any(entry.req is request for entry in world.preallocs.queue):
        return "prealloc"
    for entry in world.transfers.queue:
        if entry.req is request:
            aborted = entry.kv_receiver.conclude_state == world.sg.KVPoll.Failed
            arming = aborted and world.gates.label("scheduler") == "arm"
            return "aborting" if arming else "aborted" if aborted else "wait"
    if any(entry[0].req is request for entry in getattr(world.transfers, "_deferred_releases", ())):
        return "held"
    return "commit" if request in world.transferred else "released"


def _decode(world: World) -> dict[str, Any]:
    manager = world.manager
    tracker = getattr(manager, "_deferred_abort_ack_tracker", {})
    other = "none" if world.other is None else "commit" if world.other_served else "wait"
    states = {i: decode_state(world, i) for i in world.reqs}
    seen: dict[str, Any] = {"dst": {**{str(i): state for i, state in states.items()}, OTHER: other}}
    if not world.room_reuse:
        seen["armed"] = {str(i): world.room(i) in tracker for i in world.reqs}
        seen["acks"] = {str(i): [f"p{n + 1}" for n in sorted(tracker.get(world.room(i), ()))] for i in world.reqs}
        if all(state in ("prealloc", "wait", "aborting", "aborted") for state in states.values()):
            got = manager.prefill_response_tracker
            seen["succ"] = {str(i): [f"p{n + 1}" for n in sorted(got.get(world.room(i), ()))] for i in world.reqs}
    if all(state == "held" for state in states.values()):
        deadlines = {entry[0].req.rid: entry[1] for entry in world.transfers._deferred_releases}
        now = world.sg.decode.time.monotonic()
        seen["late"] = {str(i): deadlines[world.decode_requests[i].rid] <= now for i in world.reqs}
    return seen


def _pages(world: World) -> dict[str, Any]:
    """One block is all the pages of a request; its slots are the whole pool."""
    whole = set(range(1, world.tokens + 1))
    free = world.pools.free()
    held = {str(i): world.pools.of(world.decode_requests.get(i), world.tokens) for i in world.reqs}
    held[OTHER] = world.pools.of(world.other, world.tokens)
    seen: dict[str, Any] = {}
    if free in (set(), whole):
        seen["free"] = [BLOCK] if free else []
    if all(slots in (set(), whole) for slots in held.values()):
        seen["own"] = {user: [BLOCK] if slots else [] for user, slots in held.items()}
    content = [
        [[k, c, h], cell_writer(world, k, c, h)] for k in world.names for c in world.chunks for h in world.handles
    ]
    if all(writer is not None for _, writer in content):
        seen["content"] = content
    return seen


def cell_bytes(world: World, k: str, c: int, h: int) -> set[int]:
    """The distinct byte values in decode's memory where rank ``k`` writes handle ``h`` of chunk ``c``."""
    size = world.tokens // len(world.chunks)
    head = world.names.index(k)
    buffers = [world.pools.kv.k_buffer[0], world.pools.kv.v_buffer[0]]
    chosen = buffers if len(world.handles) == 1 else [buffers[h - 1]]
    first = 1 + (c - 1) * size
    return {int(value) for buffer in chosen for value in buffer[first : first + size, head].flatten()}


def cell_writer(world: World, k: str, c: int, h: int) -> int | str | None:
    values = cell_bytes(world, k, c, h)
    if len(values) != 1:
        return None
    value = values.pop()
    return {0: NOBODY, OTHER_MARK: OTHER}.get(value, value)
