"""Parts of a whole: every item in exactly one, and nonsense is refused in words."""

from __future__ import annotations

import pytest

from vstack.errors import VstackError
from vstack.shard import Shard, parse_shard


def test_every_name_is_in_exactly_one_part() -> None:
    names = [f"drop_conjunct-Free-{number:08x}" for number in range(400)]
    parts = [[name for name in names if Shard(number, 4).has(name)] for number in (1, 2, 3, 4)]
    assert sorted(name for part in parts for name in part) == sorted(names)
    assert min(len(part) for part in parts) > 60


def test_a_part_is_read_from_text() -> None:
    assert parse_shard("2/4") == Shard(2, 4)
    assert str(parse_shard("2/4")) == "2/4"


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "1", "1/0", "-1/4", "1/4/4", "a/b", "1/99999"])
def test_what_names_no_part_is_refused(text: str) -> None:
    with pytest.raises(VstackError, match="names no part of a whole"):
        parse_shard(text)
