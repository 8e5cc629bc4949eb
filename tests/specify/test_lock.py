"""The lock file: written and read back whole, its order, and what is refused about it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vstack.errors import RefusedError, VstackError
from vstack.specify.lock import Approval, Lock, format_lock, next_lock, parse_lock, read_lock, write_lock
from vstack.specify.pins import Pin, PinnedDefinition, Pins, digest_of

TEXT = 'Isolation ==\n  \\A p \\in Pages :   \\* trailing blanks next   \n\towner[p] # "none"'
PINS = Pins(
    definitions={"Goals!Isolation": PinnedDefinition(digest="ab" * 32, place="goals/Goals.tla:7", text=TEXT)},
    goals={"Isolation": Pin(digest="cd" * 32, definitions=("Goals!Isolation",), value={"english": "Ünïcode: yes"})},
    settings={"floors": Pin(digest=digest_of({"distinct_states": 3}), value={"distinct_states": 3})},
)


def test_a_lock_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "vstack.lock"
    lock = Lock(project="p", sequence=1, pins=PINS)
    write_lock(path, lock)
    assert read_lock(path) == lock
    assert [entry.name for entry in tmp_path.iterdir()] == ["vstack.lock"]


def test_a_missing_lock_is_none(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "vstack.lock") is None


def test_a_multi_line_formula_stands_as_a_block_that_a_person_can_review() -> None:
    plain = PINS.definitions["Goals!Isolation"].model_copy(update={"text": "I ==\n  /\\ a\n  /\\ b"})
    text = format_lock(Lock(project="p", sequence=1, pins=PINS.model_copy(update={"definitions": {"Goals!I": plain}})))
    assert "text: |-\n" in text and "        /\\ a\n" in text


def test_the_next_lock_counts_up_and_keeps_the_chain() -> None:
    locks = [next_lock("p", PINS, None)]
    for _ in range(3):
        locks.append(next_lock("p", PINS, locks[-1]))
    assert [lock.sequence for lock in locks] == [1, 2, 3, 4]
    assert locks[-1].previous == locks[2].digest
    assert all(locks[-1].follows(older) for older in locks[:3])
    assert not locks[-1].follows(locks[3]) and not locks[1].follows(locks[2])


def test_one_more_signature_makes_no_other_lock() -> None:
    lock = next_lock("p", PINS, None)
    signed = lock.model_copy(update={"approvals": (Approval(principal="a@x.org", time="t", signature="s"),)})
    assert signed.digest == lock.digest and next_lock("p", PINS, lock).follows(signed)


@pytest.mark.parametrize(
    "change",
    [
        {"project": "q"},
        {"sequence": 2},
        {"previous": "00" * 32},
        {"earlier": ("00" * 32,)},
        {"normal_form": 2},
        {"pins": PINS.model_copy(update={"goals": {}})},
        {"pins": PINS.model_copy(update={"definitions": {}})},
    ],
)
def test_the_payload_covers_every_field(change: dict[str, object]) -> None:
    lock = Lock(project="p", sequence=1, pins=PINS)
    assert lock.payload("a", "t") != lock.model_copy(update=change).payload("a", "t")
    assert lock.payload("a", "t") != lock.payload("b", "t") != lock.payload("b", "u")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("project: p\n", "<<<<<<< HEAD\nproject: p\n=======\nproject: q\n>>>>>>> x\n", "conflict markers"),
        ("\n", "\r\n", "CRLF"),
        ("sequence: 1\n", "sequence: [1\n", "not valid YAML"),
        ("sequence: 1\n", "sequence: 1\nsequence: 2\n", "not valid YAML"),
        ("sequence: 1\n", "sequence: 1\nexcuses: {}\n", "excuses"),
        ("sequence: 1\n", "", "sequence"),
        ("\nformat: 1\n", "\nformat: 9\n", "format 9"),
        ("normal_form: 1\n", "normal_form: 9\n", "normal form 9"),
    ],
)
def test_a_damaged_lock_is_refused_in_words(before: str, after: str, said: str) -> None:
    text = format_lock(Lock(project="p", sequence=1, pins=PINS))
    assert before in text
    with pytest.raises(RefusedError, match=said) as caught:
        parse_lock(text.replace(before, after).encode(), where="vstack.lock")
    assert "vstack.lock" in caught.value.paragraph() and "Traceback" not in caught.value.paragraph()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The lock is empty"),
        ("# a comment\n", "The lock is empty"),
        ("[]\n", "it is no mapping"),
        ("format: 2026-13-45\n", "not valid YAML: `2026-13-45` is no date.*vstack.lock:1"),
        ("format: !!int x\n", "not valid YAML: `x` is no value of the kind int.*vstack.lock:1"),
    ],
)
def test_what_is_no_lock_at_all_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(RefusedError, match=said) as caught:
        parse_lock(text.encode(), where="vstack.lock")
    assert ": :" not in caught.value.paragraph() and "Input" not in caught.value.paragraph()


def test_a_pipe_is_no_lock(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "vstack.lock")
    with pytest.raises(VstackError, match="named pipe"):
        read_lock(tmp_path / "vstack.lock")


def test_the_label_of_the_demo_key_can_be_neither_dropped_nor_borrowed() -> None:
    label = "demo key: no person approved this"
    Approval(principal="demo-key@vstack.invalid", time="t", label=label, signature="s")
    for principal, words in (("demo-key@vstack.invalid", None), ("person@example.org", label)):
        with pytest.raises(ValueError, match="label"):
            Approval(principal=principal, time="t", label=words, signature="s")
