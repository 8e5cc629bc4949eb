"""Recorded runs: tied to their command line and inputs, and never more than attested."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.errors import VstackError
from vstack.report.words import verdict_word
from vstack.results import Evidence
from vstack.verdicts import Verdict
from vstack.verify.attested import ATTESTED, RecordedRun, Transcript, read_transcript, unfit, write_transcript

RUN = RecordedRun(name="Safe", argv=("check", "--inv=Safe", "M.tla"), inputs={"M.tla": "a" * 64}, returncode=0)


def test_a_transcript_reads_back_as_it_was_written(tmp_path: Path) -> None:
    transcript = Transcript(tool="apalache-mc", version="0.50.1", runs=(RUN,))
    write_transcript(tmp_path / "t.json", transcript)
    assert read_transcript(tmp_path / "t.json") == transcript
    assert transcript.run("Safe") == RUN
    assert transcript.run("Other") is None


@pytest.mark.parametrize("text", ["", "[]", '{"tool": "x"}', '{"format": 2, "tool": "x", "version": "1", "runs": []}'])
def test_what_is_no_transcript_is_an_error_with_its_place(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(VstackError, match="no transcript") as caught:
        read_transcript(tmp_path / "t.json")
    assert caught.value.where == str(tmp_path / "t.json")


def test_a_run_of_something_else_is_not_this_run() -> None:
    assert unfit(RUN, RUN.argv, RUN.inputs) == ""
    assert "asked is `check M.tla`" in unfit(RUN, ("check", "M.tla"), RUN.inputs)
    assert "M.tla has changed since" in unfit(RUN, RUN.argv, {"M.tla": "b" * 64})
    assert "N.tla is not among" in unfit(RUN, RUN.argv, {**RUN.inputs, "N.tla": "b" * 64})
    assert "M.tla is no longer part" in unfit(RUN, RUN.argv, {})


def test_an_attested_record_is_shown_as_that_and_is_undecided() -> None:
    record = Evidence(key="k", engine="apalache", subject={}, inputs={}, tool="apalache-mc", **ATTESTED)  # type: ignore[arg-type]
    assert record.verdict is Verdict.UNDECIDED
    assert verdict_word(record) == "attested"
