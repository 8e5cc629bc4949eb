"""Messages: what goes out comes in, garbage is refused, and who is heard in which incarnation."""

from __future__ import annotations

from dataclasses import replace

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriserve.messages import (
    ANY,
    MAX_BYTES,
    VERSION,
    Abort,
    Bye,
    Envelope,
    Failed,
    Hello,
    MessageError,
    Peer,
    Prefill,
    Ready,
    Report,
    Unfit,
    pack,
    unpack,
)
from veriserve.peers import Heard, Joined, Lost, Peers, misfit

HELLO = Hello("0.1.0", "c0ffee", 16, 4096, "page,layer,kv,slot,head,dim", "float32", "tcp", "127.0.0.1:1", 4096, 8)
P, D = Peer("p", 1), Peer("d", 1)

numbers = st.integers(0, 2**62)
tickets = st.lists(st.tuples(numbers, numbers), max_size=4)
messages = st.one_of(
    st.builds(replace, st.just(HELLO), session=st.text(max_size=5), base=numbers),
    st.builds(Unfit, st.text()),
    st.builds(Prefill, numbers, st.lists(numbers), st.floats(0, 1e6), numbers, tickets),
    st.builds(Ready, numbers, numbers, tickets, st.lists(numbers)),
    st.builds(Report, numbers, tickets, st.sampled_from(Report.KNOWN), st.lists(numbers)),
    st.builds(Failed, numbers, st.text()),
    st.builds(Abort, numbers, tickets),
    st.just(Bye()),
)


@settings(max_examples=200, deadline=None)
@given(messages, st.text(), numbers, st.integers(-1, 2**62), numbers)
def test_a_message_comes_out_as_it_went_in(message, name, incarnation, to, clock):
    envelope = Envelope(Peer(name, incarnation), to, clock, message)
    assert unpack(pack(envelope)) == envelope


@settings(max_examples=300, deadline=None)
@given(messages, st.data())
def test_a_damaged_message_is_refused_or_another_message(message, data):
    packed = bytearray(pack(Envelope(P, 1, 1, message)))
    for _ in range(data.draw(st.integers(1, 3))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    try:
        envelope = unpack(bytes(packed))
    except MessageError:
        return
    assert unpack(pack(envelope)) == envelope


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (b"\xc1", "not msgpack"),
        (msgpack.packb(7), "version None"),
        (msgpack.packb([VERSION + 1, "Bye"]), "version 2"),
        (msgpack.packb([VERSION, "Bye"]), "2 parts"),
        (msgpack.packb([VERSION, "Bye", "p", 1, 1, 1, [1]]), "Bye with 1 fields"),
        (msgpack.packb([VERSION, "System", "p", 1, 1, 1, []]), "kind 'System'"),
        (msgpack.packb([VERSION, "Bye", 7, 1, 1, 1, []]), "name is '7'"),
        (msgpack.packb([VERSION, "Bye", "p", True, 1, 1, []]), "incarnation"),
        (msgpack.packb([VERSION, "Abort", "p", 1, 1, 1, [1, [[1, -1]]]]), "tickets"),
        (msgpack.packb([VERSION, "Abort", "p", 1, 1, 1, [1, [[1, 2**63]]]]), "tickets"),
        (msgpack.packb([VERSION, "Report", "p", 1, 1, 1, [1, [], "landed", []]]), "says 'landed'"),
        (msgpack.packb([VERSION, "Prefill", "p", 1, 1, 1, [1, [], float("nan"), 0, []]]), "seconds"),
        (bytes(MAX_BYTES + 1), "bytes"),
    ],
)
def test_garbage_is_refused(parts, why):
    with pytest.raises(MessageError, match=why):
        unpack(parts)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"page_size": 64}, "tokens per page: 16 here, 64 there"),
        ({"version": "0.2.0"}, "veriserve: '0.1.0' here, '0.2.0' there"),
        ({"model": "beef"}, "the model"),
        ({"dtype": "bfloat16"}, "the dtype"),
        ({"layout": "layer,page"}, "the layout"),
        ({"transport": "rdma"}, "the transport"),
    ],
)
def test_a_peer_that_does_not_fit_is_told_why_in_one_paragraph(change, says):
    here, there = Peers(P, HELLO), Peers(D, replace(HELLO, **change))
    news, [answer] = here.receive(there.greeting("p"))
    assert news == [] and says in answer.message.why and "\n" not in answer.message.why
    assert misfit(HELLO, there.hello, "d") == answer.message.why == here.refused["d"]
    assert there.receive(answer) == ([], []) and there.refused == {"p": answer.message.why}
    assert here.receive(Envelope(D, 1, 1, Bye())) == ([], [Envelope(P, ANY, 0, HELLO)])


def joined() -> tuple[Peers, Peers]:
    here, there = Peers(P, HELLO), Peers(D, replace(HELLO, session="127.0.0.1:2"))
    news, [answer] = here.receive(there.greeting("p"))
    assert news == [Joined(D, there.hello)]
    assert there.receive(answer) == ([Joined(P, HELLO)], [])
    return here, there


def test_peers_join_and_are_heard_in_their_incarnation():
    here, _ = joined()
    assert here.receive(Envelope(D, 1, 5, Failed(1, ""))) == ([Heard(D, Failed(1, ""))], [])
    # Meant for an earlier start of this worker: its sender is told who is here now.
    assert here.receive(Envelope(D, 0, 5, Failed(1, ""))) == ([], [Envelope(P, ANY, 0, HELLO)])
    assert here.receive(Envelope(D, 2, 5, Failed(1, ""))) == ([], [])
    assert here.receive(Envelope(D, ANY, 5, Failed(1, "")))[0] == []
    assert here.receive(Envelope(Peer("x", 1), 1, 5, Failed(1, "")))[0] == []
    assert here.dropped == 4


def test_a_hello_whose_answer_was_lost_is_answered_again_and_changes_nothing():
    here, there = joined()
    assert here.receive(there.greeting("p")) == ([], [])
    assert here.receive(replace(there.greeting("p"), to=ANY)) == ([], [Envelope(P, 1, 0, HELLO)])


def test_a_peer_that_starts_again_ends_its_earlier_incarnation():
    here, there = joined()
    again = Peers(Peer("d", 2), replace(HELLO, session="127.0.0.1:3"))
    news, _ = here.receive(again.greeting("p"))
    assert news == [Lost(D), Joined(Peer("d", 2), again.hello)]
    assert here.receive(Envelope(D, 1, 9, Failed(1, ""))) == ([], [])
    assert here.receive(there.greeting("p")) == ([], [])  # a late hello of the dead one
    assert here.incarnation("d") == 2 and here.dropped == 2


def test_goodbye_ends_an_incarnation_for_good():
    here, there = joined()
    assert here.receive(Envelope(D, 1, 9, Bye())) == ([Lost(D)], [])
    assert here.receive(there.greeting("p")) == ([], [])
    assert here.incarnation("d") is None and here.receive(Envelope(D, 1, 9, Bye()))[0] == []


def test_a_new_incarnation_at_the_address_of_an_old_one_is_refused():
    here, _ = joined()
    again = Peers(Peer("d", 2), replace(HELLO, session="127.0.0.1:2"))
    _, [answer] = here.receive(again.greeting("p"))
    assert "was the address of d, incarnation 1" in answer.message.why and here.incarnation("d") == 1
