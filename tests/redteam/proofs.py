"""A small project whose goal is a theorem, approved, with a recorded run of tlapm: what inputs on proofs change.

`counter/transcript.json` was recorded by `vstack verify --record-tlaps` in this
project with tlapm 1.6.0-pre (commit 4600b24), z3 4.8.9, Zenon and LS4, without Isabelle.
Run this module to record it again where tlapm is installed.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.redteam.arena import YAML, Arena
from tests.redteam.changes import Change, edits, several

MODEL, LEMMAS, PROOFS = "goals/Counter.tla", "proofs/CounterLemmas.tla", "proofs/CounterProofs.tla"
TRANSCRIPT = "transcript.json"
AUDIT = ("audit",)
_FILES = Path(__file__).parent / "counter"
_RECORDED = "      transcript: transcript.json\n"


def proofs(*changes: Change, recorded: bool = False) -> Change:
    """The project, then ``changes``; without ``recorded`` its goal names no recorded run, so that proofs may change."""

    def change(arena: Arena) -> None:
        for item in arena.root.iterdir():
            shutil.rmtree(item) if item.is_dir() else item.unlink()
        shutil.copytree(_approved(recorded), arena.root, dirs_exist_ok=True)
        arena.environ.update(without_tlapm())
        several(*changes)(arena)

    return change


def without_tlapm() -> dict[str, str]:
    """Variables under which no tlapm is found, so that an input says the same on every machine."""
    folders = [place for place in os.environ["PATH"].split(":") if not (Path(place) / "tlapm").exists()]
    return {"VSTACK_TLAPM": "", "PATH": ":".join(folders)}


def proof(before: str, after: str, *, file: str = PROOFS, approve: bool = False, recorded: bool = False) -> Change:
    """The project with one text replaced."""
    return proofs(edits((file, before, after), approve=approve), recorded=recorded)


def transcript(*edit: Callable[[dict[str, Any]], None]) -> Change:
    """The project with its recorded run edited."""

    def change(arena: Arena) -> None:
        data = json.loads(arena.read(TRANSCRIPT))
        for one in edit:
            one(data)
        arena.write(TRANSCRIPT, json.dumps(data))

    return proofs(change, recorded=True)


def run_of(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The recorded run of a module, or of the control."""
    return next(run for run in data["runs"] if run["name"] == f"Safety/{name}")


def output(name: str, before: str, after: str, *, times: int = -1) -> Callable[[dict[str, Any]], None]:
    """Replace a text in what tlapm printed."""

    def edit(data: dict[str, Any]) -> None:
        run = run_of(data, name)
        assert before in run["stderr"], before
        run["stderr"] = run["stderr"].replace(before, after, times)

    return edit


# What changes nothing that is pinned or proved: an honest twin for whatever is not about the text.
SAME = proofs(recorded=True)
WORD = proof("THEOREM Safety", "\\* A further word.\nTHEOREM Safety")


def write(root: Path, *, recorded: bool = True) -> None:
    """The project's files under ``root``, not approved."""
    for file in (MODEL, LEMMAS, PROOFS):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_FILES / Path(file).name, root / file)
    settings = (_FILES / "project.yaml").read_text()
    (root / YAML).write_text(settings if recorded else settings.replace(_RECORDED, ""))
    if recorded and (_FILES / TRANSCRIPT).exists():
        shutil.copy(_FILES / TRANSCRIPT, root / TRANSCRIPT)


@functools.cache
def _approved(recorded: bool) -> Path:
    root = Path(tempfile.mkdtemp(prefix="vstack-redteam-proofs-"))
    write(root, recorded=recorded)
    Arena(root).approve()
    return root


def main() -> None:
    """Record the run again."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "counter"
        root.mkdir()
        write(root)
        Arena(root).must("verify", "-q", "--record-tlaps")
        shutil.copy(root / TRANSCRIPT, _FILES / TRANSCRIPT)


if __name__ == "__main__":
    main()
