"""Anchor texts and marks: the one form, and what is said of every other."""

from __future__ import annotations

import pytest

from vstack.abstract.anchors import Marks, marks_findings, parse_anchor, parse_marks
from vstack.errors import VstackError

COMMIT = "8e3269086916d81b010a2d6209784a106ac2994a"
GOOD = f"vllm:a b/sched:uler é.py:1673-1677@{COMMIT} sha256:0123456789abcdef"


def test_an_anchor_is_read_with_spaces_colons_and_letters_in_its_path():
    anchor = parse_anchor(GOOD + " process=worker", "M.tla:7")
    assert (anchor.repo, anchor.path, anchor.first, anchor.last) == ("vllm", "a b/sched:uler é.py", 1673, 1677)
    assert (anchor.commit, anchor.sha256, anchor.process, anchor.where) == (
        COMMIT,
        "0123456789abcdef",
        "worker",
        "M.tla:7",
    )
    assert anchor.place == GOOD.split(" sha256")[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "form"),
        (GOOD.replace("sha256:", ""), "form"),
        (GOOD.replace("1673-1677", "1673"), "form"),
        (GOOD.replace(COMMIT, COMMIT[:12]), "40"),
        (GOOD.replace(COMMIT, "main"), "form"),
        (GOOD[:-1], "16"),
        (GOOD + "0" * 60, "16"),
        (GOOD.replace("1673", "1678"), "last"),
        (GOOD.replace("1673", "0"), "count from 1"),
        (GOOD.replace("a b/", "../"), "relative"),
        (GOOD.replace("a b/", "/etc/"), "relative"),
        (GOOD.replace("a b/", "a//b/"), "relative"),
        (GOOD + " proces=worker", "form"),
    ],
)
def test_every_other_form_is_an_error_with_its_place(text: str, why: str):
    with pytest.raises(VstackError, match=why) as caught:
        parse_anchor(text, "M.tla:7")
    assert caught.value.where == "M.tla:7"


def test_marks_of_an_action_are_collected_and_prose_is_skipped():
    lines = [
        "Aborts a load.",
        "@process scheduler",
        f"@anchor {GOOD}",
        f"@anchor {GOOD}",
        "@split after the send",
        "@type: Int;",
    ]
    marks = parse_marks("Abort", "M.tla:9", [("M.tla:1", line) for line in lines])
    assert marks.processes == ("scheduler",)
    assert len(marks.anchors) == 2
    assert marks.splits == ("after the send",)
    assert marks_findings([marks]) == ()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("@ancor x", "@anchor"),
        ("@Process p", "@process"),
        ("@enviroment x", "@environment"),
        ("@ours", "says nothing"),
        ("@anchor: x", "colon"),
    ],
)
def test_a_misspelled_or_empty_mark_is_an_error(line: str, why: str):
    with pytest.raises(VstackError, match=why):
        parse_marks("Abort", "M.tla:9", [("M.tla:8", line)])


def test_two_reasons_for_no_code_are_an_error():
    with pytest.raises(VstackError, match="two @ours"):
        parse_marks("Abort", "M.tla:9", [("M.tla:7", "@ours a"), ("M.tla:8", "@ours b")])


def test_an_action_must_say_which_code_or_that_there_is_none():
    bare = Marks("A", "M.tla:1")
    both = Marks("B", "M.tla:2", ("p",), (parse_anchor(GOOD, "M.tla:1"),), environment="the network")
    nobody = Marks("C", "M.tla:3", (), (parse_anchor(GOOD, "M.tla:1"),))
    assert [finding.rule for finding in marks_findings([bare, both, nobody])] == [
        "anchor-missing",
        "anchor-contradiction",
        "anchor-process",
    ]


def test_words_of_a_mark_may_go_on_for_several_lines():
    lines = ["The client goes.", "@environment the client goes away; each", "engine hears of it", "@sends abort(r) to engine"]
    marks = parse_marks("Leaves", "M.tla:9", [(f"M.tla:{number}", line) for number, line in enumerate(lines, 1)])
    assert marks.environment == "the client goes away; each engine hears of it"
    assert marks.traffic == (("sends", "abort(r) to engine"),)
