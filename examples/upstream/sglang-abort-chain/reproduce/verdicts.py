"""What in the real objects shows that a goal is violated now, in one sentence."""

from __future__ import annotations

import ctypes

import observe as look
from transport import Write
from world import OTHER_MARK, World


def seen(world: World, goal: str) -> str | None:
    """One sentence, or None if nothing shows it."""
    finders = {"Isolation": _isolation, "Integrity": _integrity, "Finality": _finality, "Conservation": _conservation}
    return finders[goal](world)


def _isolation(world: World) -> str | None:
    """An open write to slots that decode no longer keeps for the write's request, and what it does to the next owner."""
    for write in [write for write in world.network.writes if write.open]:
        slots = _slots(world, write)
        if slots <= world.pools.of(world.decode_requests.get(write.request), world.tokens):
            continue
        holders = {str(i): world.pools.of(r, world.tokens) for i, r in world.decode_requests.items()}
        holders["other"] = world.pools.of(world.other, world.tokens)
        holder = next((name for name, held in holders.items() if slots <= held), None)
        changed = _corrupted(world, write, slots, hand_out=holder is None)
        if changed:
            return (
                f"The write of chunk {write.chunk} of request {write.request} by {write.rank} is open, and decode has given the "
                f"request's pages back; {'the next request' if holder is None else f'request {holder}'} gets token slots "
                f"{sorted(slots)}, and bytes of request {write.request} land in slots {changed}"
            )
    return None


def _corrupted(world: World, write: Write, slots: set[int], *, hand_out: bool) -> list[int]:
    """Slots in which the bytes of ``write`` land over those of the next owner.

    ``hand_out`` takes the slots from the real allocator first. All is put back
    as it was: to look must change nothing.
    """
    allocator, kv = world.pools.allocator, world.pools.kv
    pages, buffers = (allocator.free_pages.clone(), allocator.release_pages.clone()), (kv.k_buffer[0], kv.v_buffer[0])
    kept = [buffer.clone() for buffer in buffers]
    try:
        given = slots
        if hand_out:
            taken = allocator.alloc(len(world.pools.free()))
            given = slots & {int(slot) for slot in taken} if taken is not None else set()
        for buffer in buffers:
            buffer[sorted(given)] = OTHER_MARK
        for source, target, length in write.blocks:
            ctypes.memmove(target, source, length)
        return [slot for slot in sorted(given) if any(bool((b[slot] == write.request).any()) for b in buffers)]
    finally:
        allocator.free_pages, allocator.release_pages = pages
        for buffer, old in zip(buffers, kept, strict=True):
            buffer.copy_(old)


def _integrity(world: World) -> str | None:
    users = {look.OTHER: world.other if world.other_served else None}
    users |= {i: world.decode_requests.get(i) for i in world.reqs if look.decode_state(world, i) == "commit"}
    for user, request in users.items():
        if not world.pools.of(request, world.tokens):
            continue
        for k in world.names:
            for c in world.chunks:
                for h in world.handles:
                    writer = look.cell_writer(world, k, c, h)
                    if writer != user:
                        return f"Request {user} decodes, and the pages of chunk {c} that it reads hold bytes written for {writer}"
    return None


def _finality(world: World) -> str | None:
    """Once nothing moves any more, a request is held, and nothing that could end the hold is under way."""
    if not world.settled:
        return None
    for i in world.reqs:
        state = look.decode_state(world, i)
        if state in ("commit", "released", "none"):
            continue
        owed = [
            k for k in world.names if world.room(i) in getattr(world.prefill[k].manager, "_deferred_ack_targets", {})
        ]
        moving = [k for k in world.names if world.wire.up[k] or world.wire.down[k] or world.queued(k)]
        if moving or world.network.flight():
            return None
        slots = sorted(world.pools.of(world.decode_requests[i], world.tokens))
        acks = sorted(getattr(world.manager, "_deferred_abort_ack_tracker", {}).get(world.room(i), ()))
        return (
            f"Everything has come to rest, and decode still has request {i} as `{state}` with token slots {slots}: "
            f"{len(acks)} acks counted, no message under way, an answer owed by {owed or 'no rank'}"
        )
    return None


def _conservation(world: World) -> str | None:
    for k in world.names:
        manager = world.prefill[k].manager
        for i in world.concluded[k]:
            room = world.room(i)
            if dict.__contains__(manager.request_status, room) or _in_hand(world, k, i):
                continue
            count = dict.get(getattr(manager, "_staging_outstanding", {}), room, 0)
            owed = room in getattr(manager, "_deferred_ack_targets", {})
            if count or owed:
                return (
                    f"Prefill rank {k} is through with request {i} and has no status for it any more, yet it counts {count} "
                    f"chunks and {'owes an answer' if owed else 'owes no answer'} for it"
                )
    return None


def _in_hand(world: World, k: str, i: int) -> bool:
    worker, control = world.gates.turns[f"worker {k}"], world.gates.turns[f"control {k}"]
    return (
        any(item.vstack_request == i for item in world.queued(k))
        or (world.gates.label(f"worker {k}") != "take" and getattr(worker.item, "vstack_request", None) == i)
        or (world.gates.label(f"control {k}") != "recv" and control.room == world.room(i))
    )


def _slots(world: World, write: Write) -> set[int]:
    """Decode's token slots that a write goes to."""
    slots = set()
    for _, target, length in write.blocks:
        number = world.network.region(target)
        start, size = world.network.regions[number or 0]
        token = size // (world.tokens + 1)
        slots |= set(range((target - start) // token, (target - start + length - 1) // token + 1))
    return slots
