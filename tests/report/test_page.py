"""The HTML page as text: self-contained, well-formed, escaped, linked, and always the same."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.report.toy import CASE, COMMIT, CROWDED, TROUBLED
from vstack.errors import VstackError
from vstack.report.page import breakable, file_lines, render_page, safe_url, short_place, write_page
from vstack.report.view import make_view
from vstack.verdicts import Strength

VOID = {"meta", "link", "br", "img", "hr", "input", "wbr"}


class Reader(HTMLParser):
    """Collects ids and links, and fails on tags that don't nest."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.text: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("src", "srcset", "href", "data", "poster"):
                self.loads.append(value or "")
            assert not name.startswith("on"), f"{tag} has a handler {name}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> at {self.getpos()} closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title", "desc"):
            self.text.append(data)


PAGES = {
    "one": [CASE],
    "several": [CASE, TROUBLED, CROWDED],
    "twice": [CASE, CASE],
}


@pytest.fixture(scope="module", params=PAGES, ids=str)
def page(request: pytest.FixtureRequest) -> Reader:
    return Reader(render_page(PAGES[request.param]))


def test_ids_are_unique_and_every_link_within_the_page_resolves(page: Reader) -> None:
    assert len(page.ids) == len(set(page.ids))
    inner = [link[1:] for link in page.links if link.startswith("#")]
    assert inner and set(inner) <= set(page.ids)
    outer = [link for link in page.links if not link.startswith("#")]
    assert outer and all(link.startswith("https://") for link in outer)


def test_nothing_is_loaded_and_nothing_runs(page: Reader) -> None:
    assert page.loads == ["data:,"]
    assert not page.tags & {"script", "iframe", "object", "embed", "img", "form", "base"}
    html = render_page([CASE])
    assert "default-src 'none'" in html
    assert not re.search(r"@import|url\(", html)


def test_every_violated_run_leads_to_its_counterexample_and_equal_ones_share_it() -> None:
    view = make_view(CASE, "c")
    page = Reader(render_page([CASE]))
    runs = [cell.evidence for cell in CASE.cells] + [cell.evidence for row in CASE.kills for cell in row.cells]
    violated = [run.key for run in runs if run.trace]
    assert set(view.links) == set(violated) and len(violated) == 5
    assert len(set(view.links.values())) == 4, "eager breaks Isolation the same way in both environments"
    examples = [name for name in page.ids if re.fullmatch(r"c-toy-lease-x\d+", name)]
    assert len(examples) == 4 and {link[1:] for link in page.links} >= set(examples)
    assert "variant eager, environments calm and host may die" in " ".join(page.text)


def test_what_comes_from_a_report_is_escaped() -> None:
    html = render_page([TROUBLED])
    assert "<b>trouble" not in html and "&lt;b&gt;trouble&lt;/b&gt;" in html
    assert "<script" not in html


def test_hostile_text_everywhere_stays_text() -> None:
    evil = "</svg></style><script>x</script>'\"{{ 1 }}"
    actions = {name: {**about, "english": evil, "sends": f"{evil} to {evil}"} for name, about in CASE.actions.items()}
    goals = tuple(
        goal.model_copy(update={"english": evil, "formula": evil, "sources": ("javascript:x",)}) for goal in CASE.goals
    )
    report = CASE.model_copy(
        update={"title": evil, "project": evil, "actions": actions, "goals": goals, "omissions": ((evil, evil),)}
    )
    page = Reader(render_page([report]))
    assert "script" not in page.tags
    assert not any("javascript" in link for link in page.links)
    assert "{{ 1 }}" in " ".join(page.text)


def test_the_words_of_each_outcome_are_kept_apart() -> None:
    text = " ".join(" ".join(Reader(render_page([CASE])).text).split())
    assert "Outcome as expected" in text and "“As expected” is not “holds”" in text
    assert "demo key: no person approved this" in text
    assert "No trace recorded" in text
    troubled = " ".join(" ".join(Reader(render_page([TROUBLED])).text).split())
    assert "NOT as expected : expected holds" in troubled
    assert "stopped after 600 s with 12,345 states left" in troubled
    assert "not approved: Isolation, Integrity, Finality" in troubled
    assert "The guard constant Hold occurs in Init (ToyLease.tla:88). Use it only in" in troubled


def test_the_same_reports_give_the_same_bytes(tmp_path: Path) -> None:
    write_page([CASE, TROUBLED], tmp_path / "a.html")
    write_page([CASE, TROUBLED], tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_a_report_read_back_from_json_gives_the_same_page() -> None:
    again = type(CASE).model_validate_json(CASE.model_dump_json())
    assert render_page([again]) == render_page([CASE])


def test_an_empty_report_still_makes_a_page() -> None:
    empty = type(CASE)(
        project="nothing", title="Nothing yet", root=".", outcome="undecided", reasons=("nothing was run",)
    )
    text = " ".join(Reader(render_page([empty])).text)
    assert "nothing was run" in text and "undecided" in text


def test_a_page_that_can_not_be_written_is_an_error_a_user_understands(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VstackError, match="can't be written"):
        write_page([CASE], tmp_path / "file" / "page.html")


def test_places_are_shortened_and_only_web_links_followed() -> None:
    assert short_place(f"toy:a/b.py:1-9@{COMMIT}") == "a/b.py:1-9 @ 012345678"
    assert file_lines(f"toy:a/b.py:1-9@{COMMIT}") == "b.py:1-9"
    assert file_lines(f"toy:a/b.py:7-7@{COMMIT}") == "b.py:7"
    assert breakable("FinalityBlocks<") == "Finality<wbr>Blocks&lt;"
    assert short_place("somewhere") == "somewhere"
    assert safe_url("https://example.org/x") == "https://example.org/x"
    assert safe_url("javascript:alert(1)") is None and safe_url(None) is None


def test_an_attested_record_never_shows_as_holds() -> None:
    cell = CASE.cells[1]
    attested = cell.model_copy(update={"evidence": cell.evidence.model_copy(update={"strength": Strength.ATTESTED})})
    html = render_page([CASE.model_copy(update={"cells": (attested,), "kills": (), "mutation": None})])
    assert '"cell-attested"' in html and '"cell-holds"' not in html and '"v v-attested"' in html
    assert "recorded elsewhere, not recomputed here" in html


def test_what_apalache_said_has_a_section_and_an_attested_record_is_no_pass() -> None:
    cell = CASE.cells[1]
    update = {"strength": Strength.ATTESTED, "engine": "apalache", "reason": "a record <says> holds"}
    attested = cell.model_copy(update={"evidence": cell.evidence.model_copy(update=update)})
    html = render_page([CASE.model_copy(update={"apalache": (attested,)})])
    section = html[html.index("Goals checked by Apalache</h") :]
    assert '"v v-attested"' in section and "a record &lt;says&gt; holds" in section
