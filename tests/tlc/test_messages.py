"""The reader of TLC's framed messages, fed with what TLC 2.15 prints."""

from vstack.tlc.messages import Message, MessageReader

NESTED = """@!@!@STARTMSG 1000:1 @!@!@
TLC threw an unexpected exception.
: @!@!@STARTMSG 2132:0 @!@!@
The first argument of Assert evaluated to FALSE; the second argument was:
"boom"
@!@!@ENDMSG 2132 @!@!@
@!@!@ENDMSG 1000 @!@!@
""".splitlines(keepends=True)


def _read(lines):
    reader = MessageReader()
    return reader, [item for item in map(reader.feed, lines) if item is not None]


def test_a_message_that_starts_in_the_middle_of_a_line_is_nested():
    reader, (message,) = _read(NESTED)
    assert isinstance(message, Message)
    assert [(part.code, part.severity) for part in message.walk()] == [(1000, 1), (2132, 0)]
    inner = list(message.walk())[1]
    assert inner.text.endswith('"boom"')
    assert message.text.startswith("TLC threw")
    assert '"boom"' in message.text
    assert "@!@!@" not in message.text
    assert reader.depth == 0


def test_what_a_model_prints_is_no_message():
    printed = [
        '"\\n@!@!@STARTMSG 2193:0 @!@!@\\n"',
        '"@!@!@STARTMSG 2193:0 @!@!@"',
        '<<"x", @!@!@STARTMSG 2193:0 @!@!@',
        "@!@!@ENDMSG 2193 @!@!@",
    ]
    reader, items = _read(printed)
    assert items == printed
    assert reader.depth == 0


def test_output_that_was_cut_leaves_a_message_open():
    reader, items = _read(NESTED[:-2])
    assert items == []
    assert reader.depth == 2


def test_an_end_closes_what_was_left_open_inside_it():
    lines = ["@!@!@STARTMSG 1000:1 @!@!@", "@!@!@STARTMSG 2132:0 @!@!@", "x", "@!@!@ENDMSG 1000 @!@!@"]
    _, (message,) = _read(lines)
    assert message.code == 1000
    assert [part.code for part in message.walk()] == [1000, 2132]


def test_an_end_of_something_else_is_text():
    lines = ["@!@!@STARTMSG 2217:4 @!@!@", "@!@!@ENDMSG 9 @!@!@", "@!@!@ENDMSG 2217 @!@!@"]
    _, (message,) = _read(lines)
    assert message.text == "@!@!@ENDMSG 9 @!@!@"


def test_lines_keep_their_order_around_messages():
    lines = ["before", "@!@!@STARTMSG 2190:0 @!@!@", "one", "@!@!@ENDMSG 2190 @!@!@", "after"]
    _, items = _read(lines)
    assert items == ["before", Message(2190, 0, ("one",)), "after"]
