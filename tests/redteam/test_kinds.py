"""One input of each kind: caught, with a reason that names the cheat. `make redteam` runs them all, and their twins."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.redteam.arena import ask, prepare
from tests.redteam.catalog import KINDS


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("redteam") / "base")


@pytest.mark.parametrize("number", sorted(KINDS))
def test_a_cheat_of_this_kind_is_caught(base: Path, tmp_path: Path, number: int) -> None:
    entry = KINDS[number].INPUTS[0]
    answer = ask(base, tmp_path / "cheat", entry, entry.change)
    assert not answer.green, answer.text[-2000:]
    assert re.search(entry.says, answer.text), answer.text[-2000:]


def test_an_honest_change_is_not_refused(base: Path, tmp_path: Path) -> None:
    entry = KINDS[1].INPUTS[0]
    answer = ask(base, tmp_path / "twin", entry, entry.twin)
    assert answer.green and answer.outcome == "as expected"


def test_every_kind_has_three_inputs_of_different_shape() -> None:
    for module in KINDS.values():
        assert len({entry.name for entry in module.INPUTS}) >= 3, module.KIND
