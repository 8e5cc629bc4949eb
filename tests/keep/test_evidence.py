"""Evidence is found by the hash of all inputs, and nothing broken is believed."""

from __future__ import annotations

from pathlib import Path

from vstack.keep.evidence import EvidenceStore, evidence_key
from vstack.results import Evidence
from vstack.verdicts import Verdict

KEY = evidence_key({"modules": {"A.tla": "00"}, "cfg": "x"})


def record(key: str) -> Evidence:
    return Evidence(key=key, engine="tlc", subject={"goal": "G"}, inputs={}, tool="TLC", verdict=Verdict.HOLDS)


def test_a_key_depends_on_every_part_and_not_on_their_order() -> None:
    assert evidence_key({"cfg": "x", "modules": {"A.tla": "00"}}) == KEY
    assert evidence_key({"modules": {"A.tla": "01"}, "cfg": "x"}) != KEY
    assert evidence_key({"modules": {"A.tla": "00"}, "cfg": "y"}) != KEY


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    assert store.get(KEY) is None
    store.put(record(KEY))
    assert store.get(KEY) == record(KEY)
    assert store.find(KEY[:8]) == [record(KEY)]


def test_what_does_not_read_is_as_if_absent(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    store.put(record(KEY))
    path = store.path(KEY)
    whole = path.read_text()
    for broken in ("", whole[: len(whole) // 2], whole.replace('"holds"', '"proved"'), whole.replace('"tool"', '"tol"')):
        path.write_text(broken)
        assert store.get(KEY) is None
    # A record filed under another's key is not that record.
    other = evidence_key({"cfg": "z"})
    store.path(other).parent.mkdir(parents=True, exist_ok=True)
    store.path(other).write_text(whole)
    assert store.get(other) is None
