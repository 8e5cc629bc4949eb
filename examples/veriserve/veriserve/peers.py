"""Who this worker works with: peers that fit, each in its newest incarnation; what others say is dropped and counted."""

from __future__ import annotations

from dataclasses import dataclass

from veriserve.messages import ANY, Bye, Envelope, Hello, Message, Peer, Unfit

_AGREED = {
    "version": "veriserve",
    "model": "the model",
    "page_size": "tokens per page",
    "page_bytes": "bytes per page",
    "layout": "the layout of a page",
    "dtype": "the dtype",
    "transport": "the transport",
}


def misfit(mine: Hello, theirs: Hello, name: str) -> str | None:
    """One paragraph on why the worker ``name`` can't work with this one, or ``None``."""
    differ = [key for key in _AGREED if getattr(mine, key) != getattr(theirs, key)]
    if not differ:
        return None
    what = "; ".join(f"{_AGREED[key]}: {getattr(mine, key)!r} here, {getattr(theirs, key)!r} there" for key in differ)
    return (
        f"The worker {name} can't join: {what}. A page that it wrote would be read as something else here. Start both "
        f"workers with the same version, model and options."
    )


@dataclass(frozen=True)
class Joined:
    """A peer that fits has said hello, for the first time in this incarnation."""

    peer: Peer
    hello: Hello


@dataclass(frozen=True)
class Lost:
    """This incarnation of a peer has ended: it said so, or a newer one came."""

    peer: Peer


@dataclass(frozen=True)
class Heard:
    """A message of a peer that has joined, for this incarnation of this worker."""

    peer: Peer
    message: Message


News = Joined | Lost | Heard


class Peers:
    """Judges envelopes. ``replies`` are the envelopes that it wants sent in return.

    A hello is answered with a hello, once per incarnation of either side, so
    that both know each other whoever speaks first and whatever is lost; one
    that does not fit is answered with the reason.
    """

    def __init__(self, me: Peer, hello: Hello) -> None:
        self.me, self.hello = me, hello
        self.dropped = 0
        self.refused: dict[str, str] = {}
        self._known: dict[str, tuple[int, Hello]] = {}
        self._newest: dict[str, int] = {}
        self._sessions: dict[str, Peer] = {}

    def greeting(self, name: str, clock: int = 0) -> Envelope:
        """This worker's hello for the worker ``name``."""
        known = self._known.get(name)
        return Envelope(self.me, known[0] if known else ANY, clock, self.hello)

    def incarnation(self, name: str) -> int | None:
        """Which incarnation of ``name`` has joined."""
        known = self._known.get(name)
        return known[0] if known else None

    def receive(self, envelope: Envelope) -> tuple[list[News], list[Envelope]]:
        """What ``envelope`` tells, and what to send back to its sender."""
        source, message = envelope.source, envelope.message
        newest = self._newest.get(source.name, ANY)
        if source.incarnation < newest or envelope.to > self.me.incarnation:
            return self._drop()
        if envelope.to not in (ANY, self.me.incarnation):
            self.dropped += 1
            return [], [Envelope(self.me, ANY, 0, self.hello)]  # it does not know yet that this worker started again
        if isinstance(message, Hello):
            return self._greet(envelope, message)
        if isinstance(message, Unfit):
            self.refused[source.name] = message.why
            return [], []
        known = self._known.get(source.name)
        if known is None or known[0] != source.incarnation or envelope.to == ANY:
            # It knows us and we don't know it: our own hello was heard, its answer is lost.
            self.dropped += 1
            return [], [Envelope(self.me, ANY, 0, self.hello)] if source.incarnation > newest else []
        if isinstance(message, Bye):
            del self._known[source.name]
            return [Lost(source)], []
        return [Heard(source, message)], []

    def _greet(self, envelope: Envelope, hello: Hello) -> tuple[list[News], list[Envelope]]:
        source = envelope.source
        answer = [Envelope(self.me, source.incarnation, 0, self.hello)]
        known = self._known.get(source.name)
        if known is not None and known[0] == source.incarnation:
            return [], answer if envelope.to == ANY else []
        if source.incarnation == self._newest.get(source.name, ANY):
            return self._drop()  # it has said goodbye
        why = misfit(self.hello, hello, source.name)
        before = self._sessions.get(hello.session)
        if why is None and before is not None and before != source:
            why = (
                f"The worker {source.name} can't join: {hello.session} was the address of {before.name}, incarnation "
                f"{before.incarnation}, and a transfer meant for that one would reach this one. Start it again, so that "
                f"it takes another port."
            )
        if why is not None:
            self.refused[source.name] = why
            return [], [Envelope(self.me, source.incarnation, 0, Unfit(why))]
        news: list[News] = [Lost(Peer(source.name, known[0]))] if known else []
        self.refused.pop(source.name, None)
        self._known[source.name] = (source.incarnation, hello)
        self._newest[source.name] = source.incarnation
        self._sessions[hello.session] = source
        return [*news, Joined(source, hello)], answer if envelope.to == ANY else []

    def _drop(self) -> tuple[list[News], list[Envelope]]:
        self.dropped += 1
        return [], []
