"""One self-contained HTML page for one or several cases: no script, no request, the same bytes each time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vstack.files import read_text, write_atomic
from vstack.report import words
from vstack.report.behaviour import unfilled
from vstack.report.view import View, make_view, slug
from vstack.results import CaseReport

_TEMPLATES = Path(__file__).parent / "templates"
_MARKS = {"holds": "✓", "violated": "✗", "undecided": "?", "refused": "⊘", "error": "!", "attested": "?"}
_ANCHOR = re.compile(r"(?P<repo>[^:]*):(?P<path>.+):(?P<lines>\d+(?:-\d+)?)@(?P<commit>\w+)")


def write_page(reports: Sequence[CaseReport], path: Path) -> None:
    """Write the page over ``reports`` to ``path``, whole or not at all.

    Raises:
        VstackError: the file can't be written.
    """
    write_atomic(path, render_page(reports))


def render_page(reports: Sequence[CaseReport]) -> str:
    """The page over ``reports`` as HTML; the same reports give the same text."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        mark=lambda verdict: _MARKS[str(verdict)],
        place=short_place,
        lines=file_lines,
        plain=unfilled,
        breakable=breakable,
        sections_of=View.sections,
        safe_url=safe_url,
        svg=Markup,
        words=words,
    )
    css = Markup(read_text(_TEMPLATES / "page.css"))
    template = environment.get_template("page.html.j2")
    return template.render(views=_views(reports), css=css) + "\n"


def short_place(anchor: str) -> str:
    """``repo:path:first-last@commit`` for a narrow column: ``path:first-last`` and nine letters of the commit."""
    found = _ANCHOR.fullmatch(anchor)
    return f"{found['path']}:{_lines(found['lines'])} @ {found['commit'][:9]}" if found else anchor


def file_lines(anchor: str) -> str:
    """``repo:path:first-last@commit`` where path and commit are known: ``file:first-last``."""
    found = _ANCHOR.fullmatch(anchor)
    return f"{found['path'].rpartition('/')[2]}:{_lines(found['lines'])}" if found else anchor


def _lines(span: str) -> str:
    first, _, last = span.partition("-")
    return first if first == last else span


def breakable(name: str) -> Markup:
    """``name`` with places where a narrow column may break it: before a capital, after a sign."""
    return Markup("<wbr>").join(piece for piece in re.findall(r"[A-Z]?[^A-Z_.-]*[_.-]?", name) if piece)


def safe_url(url: str | None) -> str | None:
    """``url`` if a browser may follow it: a report could carry ``javascript:``."""
    return url if url and url.startswith(("https://", "http://")) else None


def _views(reports: Sequence[CaseReport]) -> list[View]:
    taken: dict[str, int] = {}
    views = []
    for report in reports:
        name = slug(report.project)
        taken[name] = taken.get(name, 0) + 1
        views.append(make_view(report, name if taken[name] == 1 else f"{name}--{taken[name]}"))
    return views
