"""The three moments at which a host calls: before a tool, after it, and at stop."""

from __future__ import annotations

import os
import sys

from vstack.guard import hosts
from vstack.guard.payload import MOST_BYTES, Event, NotUnderstood, read_event

MOMENTS = ("pre", "post", "stop")


def run(moment: str, host: str) -> int:
    """Answer one call; the exit status. Whatever goes wrong before a tool denies it."""
    try:
        event = read_event(sys.stdin.buffer.read(MOST_BYTES + 1))
        return {"pre": _pre, "post": _post, "stop": _stop}[moment](event, host)
    except NotUnderstood as error:
        return _failed(moment, host, f"vstack guard: {error}, so it can't tell what would be written")
    except Exception as error:
        return _failed(moment, host, f"vstack guard: a fault of its own ({type(error).__name__}: {error})")


def _failed(moment: str, host: str, reason: str) -> int:
    if moment == "stop":  # a stop that is refused for a fault would never end
        return hosts.note(host, f"{reason}; pinned files were not looked at: run `vstack spec check`.")
    return hosts.fault(host, f"{reason}; {'the tool is not run' if moment == 'pre' else 'run `vstack spec check`'}.")


def _pre(event: Event, host: str) -> int:
    from vstack.guard.protect import protected_around

    if event.unclear:
        raise NotUnderstood(event.unclear)
    places = [event.cwd, *event.places]
    # A host may mean a path from its workspace, wherever the shell stands.
    bases = list(dict.fromkeys(places))
    for path in event.paths:
        places += [os.path.dirname(os.path.join(base, path)) for base in bases]
    for command in event.commands:
        places += _named_places(command, event.cwd)
    if not event.paths and not event.commands:
        return hosts.allow(host)
    protected = protected_around(places)
    look = protected.why_below if event.below else protected.why
    reason = next(filter(None, (look(path, base) for path in event.paths for base in bases)), None)
    if reason is None and event.commands:
        from vstack.guard.shell import why_shell

        reason = next(filter(None, (why_shell(command, protected, event.cwd) for command in event.commands)), None)
    return hosts.allow(host) if reason is None else hosts.deny(host, f"vstack guard: {reason}")


def _named_places(command: str, cwd: str) -> list[str]:
    """Folders that a command line names: it may reach into another project than the one it is run in."""
    found = []
    for mark in "'\"`()[]{},;<>=|&\n":
        command = command.replace(mark, " ")
    for word in dict.fromkeys(command.split(" ")):
        if "/" in word or word == "..":
            place = os.path.normpath(os.path.join(cwd, os.path.expanduser(word)))
            found.append(place if os.path.isdir(place) else os.path.dirname(place))
    return [place for place in dict.fromkeys(found) if place != cwd and os.path.isdir(place)][:100]


def _post(event: Event, host: str) -> int:
    from vstack.guard.watch import first_time, look

    found = look([event.cwd, *event.places], every_byte=False)
    problems = [
        line for one in found if one.problems and first_time(one, "post", event.session) for line in one.problems
    ]
    return hosts.tell(host, _text(problems)) if problems else hosts.allow(host)


def _stop(event: Event, host: str) -> int:
    from vstack.guard.watch import first_time, look

    found = look([event.cwd, *event.places], every_byte=True)
    fresh = [one for one in found if one.problems and first_time(one, "stop", event.session)]
    if fresh:
        return hosts.go_on(host, _text([line for one in fresh for line in one.problems]))
    told = [line for one in found for line in (*one.problems, *one.waiting)]
    return hosts.note(host, _text(told) if told else "")


def _text(lines: list[str]) -> str:
    shown = [*lines[:20], *([f"and {len(lines) - 20} more"] if len(lines) > 20 else [])]
    return "vstack guard: not everything is as it was approved.\n" + "\n".join(f"- {line}" for line in shown)
