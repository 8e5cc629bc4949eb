"""The terminal's width; standard library alone, for the fast path of `check` needs it."""

from __future__ import annotations

import shutil


def terminal_width() -> int:
    """Columns to print in: the terminal's, between 80 and 140."""
    return min(max(shutil.get_terminal_size().columns, 80), 140)
