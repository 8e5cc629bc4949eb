"""Tags of transfers and messages: parameters filled in, and conditions on what a step changed."""

from __future__ import annotations

import pytest

from vstack.report.tags import fill, read_tags
from vstack.tla.values import parse_state


@pytest.mark.parametrize(
    ("tag", "before", "after", "keys"),
    [
        ("load(r)", "x = 1", "x = 2", ("load(r1)",)),
        (
            "load(q) when x[q] becomes flight",
            'x = (a :> "" @@ b :> "")',
            'x = (a :> "" @@ b :> "flight")',
            ("load(b)",),
        ),
        ("load(q) when x[q] becomes flight", 'x = <<"", "">>', 'x = <<"flight", "flight">>', ("load(1)", "load(2)")),
        ("load(q) when x[q] becomes flight", 'x = <<"flight">>', 'x = <<"flight">>', ()),
        ("load(q) when x[q] becomes flight", "x = {}", "x = {}", ()),
        ("report(q) to s when x gains q", "x = {1}", "x = {1, 3, 2}", ("report(2) to s", "report(3) to s")),
        ("report(q) to s when x gains q", "x = {1}", "x = {}", ()),
        (
            "m(k) to s when x[k] queues m",
            'x = (p :> <<>> @@ q :> << <<"abort", 1>> >>)',
            'x = (p :> << <<"ack", 2>> >> @@ q :> << <<"abort", 1>>, <<"meta", 1>> >>)',
            ("ack(p) to s", "meta(q) to s"),
        ),
        ("m(k) when x[k] delivers m", 'x = (p :> <<"a", "b">>)', 'x = (p :> <<"b">>)', ("a(p)",)),
        ("m(k) when x[k] delivers m", 'x = (p :> <<"a">>)', 'x = (p :> <<"a">>)', ()),
    ],
)
def test_keys(tag: str, before: str, after: str, keys: tuple[str, ...]) -> None:
    assert read_tags(tag, {"r": "r1"}, parse_state(before), parse_state(after)) == keys


def test_several_tags_come_as_lines_or_as_a_list() -> None:
    assert read_tags("a(r)\nb", {"r": "1"}, {}, {}) == read_tags(["a(r)", "b"], {"r": "1"}, {}, {}) == ("a(1)", "b")


def test_fill_replaces_whole_words_only() -> None:
    assert fill("transfer(r, rr) for r", {"r": "r1", "rr": "2"}) == "transfer(r1, 2) for r1"
    assert fill("order of rows", {"r": "r1"}) == "order of rows"
