"""The page in a real browser: fits a phone, readable in dark and light, links open what they point into."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from tests.report.toy import CASE, CROWDED, TROUBLED
from vstack.report.page import render_page, write_page

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: `apt-get install chromium` (Debian) to look at the page in it"
)

# Runs in a copy of the page: opens every fold, then measures widths and the contrast of every text.
MEASURE = """
<pre id="measured"></pre><script>
for (const fold of document.querySelectorAll('details')) fold.open = true;
const channels = text => (text.match(/[\\d.]+/g) || []).map(Number);
const light = text => {
  const part = channels(text).slice(0, 3).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * part[0] + .7152 * part[1] + .0722 * part[2];
};
const solid = text => text !== 'none' && (channels(text).length === 3 || channels(text)[3] === 1);
const behind = node => {
  if (node.ownerSVGElement) {
    const box = node.closest('a,g');
    const shape = box && box.querySelector('rect');
    if (shape && solid(getComputedStyle(shape).fill)) return getComputedStyle(shape).fill;
  }
  for (let at = node; at; at = at.parentElement)
    if (solid(getComputedStyle(at).backgroundColor)) return getComputedStyle(at).backgroundColor;
  return 'rgb(255, 255, 255)';
};
const faint = [], wide = [];
for (const node of document.body.querySelectorAll('*')) {
  if (node.closest('script,title,desc,.skip') || node.id === 'measured') continue;
  const style = getComputedStyle(node);
  if ([...node.childNodes].some(child => child.nodeType === 3 && child.data.trim())) {
    const one = light(node.ownerSVGElement ? style.fill : style.color), two = light(behind(node));
    const ratio = (Math.max(one, two) + .05) / (Math.min(one, two) + .05);
    if (ratio < 4.5) faint.push(node.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
  }
  const inside = node.closest('.scroll, pre');
  if (!inside && node.getBoundingClientRect().right > innerWidth + 1) wide.push(node.outerHTML.slice(0, 80));
}
document.getElementById('measured').textContent = JSON.stringify({
  inner: innerWidth, scroll: document.documentElement.scrollWidth, wide, faint,
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
});
</script></body>"""


def browse(profile: Path, *arguments: str) -> str:
    """What Chromium prints; a fresh profile, and never longer than a minute."""
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


WIDTHS = (1280, 390)


def measure(folder: Path, scheme: str) -> list[dict[str, Any]]:
    """The page's measures in a frame of each of ``WIDTHS``: a window itself can't be as narrow as a phone."""
    html = re.sub(r"<meta http-equiv=\"Content-Security-Policy\".*?>", "", render_page([CASE, TROUBLED, CROWDED]))
    inside = escape(html.replace("</body>", MEASURE))
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{inside}"></iframe>' for width in WIDTHS
    )
    collect = """<pre id="all"></pre><script>onload = () => document.getElementById('all').textContent = JSON.stringify(
        [...document.querySelectorAll('iframe')].map(f => f.contentDocument.getElementById('measured').textContent))</script>"""
    outer = folder / "frames.html"
    outer.write_text(f'<!doctype html><meta charset="utf-8"><body>{frames}{collect}</body>', encoding="utf-8")
    colours = f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}"
    dom = browse(folder / "profile", colours, "--virtual-time-budget=5000", "--dump-dom", outer.as_uri())
    found = re.search(r'<pre id="all">(.+?)</pre>', dom, re.DOTALL)
    assert found is not None, dom[-500:]
    return [dict(json.loads(text)) for text in json.loads(unescape(found[1]))]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_window_and_every_text_can_be_read(tmp_path: Path, scheme: str) -> None:
    for width, found in zip(WIDTHS, measure(tmp_path, scheme), strict=True):
        assert found["inner"] == width and found["dark"] == (scheme == "dark")
        assert found["scroll"] <= width and found["wide"] == []
        assert found["faint"] == []


def test_a_link_to_a_step_opens_the_folded_counterexample_around_it(tmp_path: Path) -> None:
    write_page([CASE], tmp_path / "page.html")
    address = (tmp_path / "page.html").as_uri()
    dom = browse(tmp_path / "profile", "--dump-dom", address + "#c-toy-lease-x2-step-2")
    folds = [' open=""' in tag for tag in re.findall(r'<details class="counterexample"[^>]*>', dom)]
    assert folds == [True, True, False, False]


def test_it_is_drawn_as_a_picture_in_both_schemes(tmp_path: Path) -> None:
    write_page([CASE], tmp_path / "page.html")
    pictures = []
    for scheme in (0, 1):
        picture = tmp_path / f"{scheme}.png"
        browse(
            tmp_path / "profile",
            f"--blink-settings=preferredColorScheme={scheme}",
            "--window-size=390,2000",
            f"--screenshot={picture}",
            (tmp_path / "page.html").as_uri(),
        )
        data = picture.read_bytes()
        assert struct.unpack(">II", data[16:24]) == (390, 2000)
        assert len(data) > 30_000, "an almost empty picture"
        pictures.append(data)
    assert pictures[0] != pictures[1]
