"""The lock as the hooks read it: the same as PyYAML does, or refused."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from vstack.errors import RefusedError
from vstack.guard.listing import listing
from vstack.guard.lockfile import read_data
from vstack.specify.lock import Lock, format_lock, parse_lock
from vstack.specify.pins import Pin, PinnedDefinition, Pins

ROOT = Path(__file__).parent.parent.parent
_PIECES = [
    "a", "b c", "x: y", "- z", "# h", "'q'", '"d"', "é", "\n", "\t", " ", "|", "> ", "{}", "[]", "null", "~", "1", "true",
    "\\A r \\in S", "\x07", "long " * 250, "? k", ":", "a:", "!t", "&a", "*b", "%", "@", "`", "=", "\r",
]  # fmt: skip


def _plain(value: Any) -> Any:
    """``value`` as text alone, an empty one as none: what the hooks' reader does not tell apart."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if value in ("null", "~", "") else value


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/**/vstack.lock")), ids=lambda path: path.parent.name)
def test_the_locks_of_the_examples_read_alike(path: Path) -> None:
    raw = path.read_bytes()
    assert _plain(read_data(raw, str(path))) == _plain(yaml.load(raw, Loader=yaml.BaseLoader))


def test_locks_of_any_content_read_alike_or_are_refused() -> None:
    chance = random.Random(7)
    refused = 0
    for _ in range(400):

        def word() -> str:
            return "".join(chance.choice(_PIECES) for _ in range(chance.randint(0, 5)))

        goals = {
            f"G{n}{word()}": Pin(digest=word(), definitions=(word(), word()), value={word(): [word()], "e": word()})
            for n in range(2)
        }
        definitions = {word(): PinnedDefinition(digest=word(), place=word(), text=word())}
        lock = Lock(project=word(), sequence=1, pins=Pins(definitions=definitions, goals=goals))
        raw = format_lock(lock).encode()
        expected = _plain(yaml.load(raw, Loader=yaml.BaseLoader))
        try:
            assert _plain(read_data(raw, "x")) == expected
        except RefusedError:
            refused += 1
    assert refused < 120


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"a: 1\r\nb: 2\r\n", "CRLF"),
        (b"<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", "conflict markers"),
        (b"- a\n", "not as vstack wrote it"),
        (b"", "not as vstack wrote it"),
        (b"a: 'x\n", "not as vstack wrote it"),
        (b"a: 1\na: 2\n", "not as vstack wrote it"),
        (b"a: &x 1\n", "not as vstack wrote it"),
        (b"a: {b: 1}\n", "not as vstack wrote it"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_damaged_lock_is_refused_as_the_real_reader_does(raw: bytes, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        read_data(raw, "vstack.lock")
    with pytest.raises(RefusedError):
        parse_lock(raw, where="vstack.lock")


def test_whole_files_and_parts_are_told_apart() -> None:
    (path,) = ROOT.glob("examples/upstream/vllm-32255/vstack.lock")
    listed = listing(read_data(path.read_bytes(), str(path)))
    assert listed.whole == {"goals/Goals.tla": "goals", "goals/Environment.tla": "the environment"}
    assert list(listed.parts) == ["model/AbortedLoad.tla"]
    assert "AbortedLoad!Init" in [name for name, _ in listed.parts["model/AbortedLoad.tla"]]
