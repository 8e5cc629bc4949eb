"""Text that comes token by token is the text that comes at once, and ends before a stop string."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriserve.text import TextStream
from veriserve.weights import Source


@given(text=st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_streamed_text_is_the_whole_text(smollm2: Source, text: str) -> None:
    tokens = smollm2.tokenizer.encode(text)
    stream = TextStream(smollm2.tokenizer.decode)
    pieces = [stream.push(token) for token in tokens] + [stream.finish()]
    assert "".join(pieces) == smollm2.tokenizer.decode(tokens)


def test_half_a_character_is_held_back(smollm2: Source) -> None:
    tokens = smollm2.tokenizer.encode("東🦜")
    stream = TextStream(smollm2.tokenizer.decode)
    pieces = [stream.push(token) for token in tokens]
    assert len(pieces) > 2 and [piece for piece in pieces if piece] == ["東", "🦜"]
    cut = TextStream(smollm2.tokenizer.decode)
    assert cut.push(tokens[-2]) == "" and "\ufffd" in cut.finish()


def letters(tokens: list[int]) -> str:
    return "".join(map(chr, tokens))


@given(text=st.text("ab", max_size=30), stops=st.lists(st.text("ab", min_size=1, max_size=4), max_size=3))
@settings(deadline=None)
def test_text_ends_where_the_first_stop_string_is_complete(text: str, stops: list[str]) -> None:
    stream, given_out = TextStream(letters, stops), ""
    for letter in text:
        given_out += stream.push(ord(letter))
        if stream.stopped:
            break
    given_out += stream.finish()
    ends = [text.find(stop) + len(stop) for stop in stops if stop in text]
    if ends:  # of those that are complete first, the one that begins first
        seen = text[: min(ends)]
        assert stream.stopped and given_out == seen[: min(seen.find(stop) for stop in stops if stop in seen)]
    else:
        assert not stream.stopped and given_out == text


@pytest.mark.parametrize(("text", "out"), [("xxab", "xx"), ("xxa", "xxa"), ("abab", "")])
def test_what_may_begin_a_stop_string_is_not_given_out_early(text: str, out: str) -> None:
    stream = TextStream(letters, ["ab"])
    early = "".join(stream.push(ord(letter)) for letter in text if not stream.stopped)
    assert not early.endswith("a") and early + stream.finish() == out
