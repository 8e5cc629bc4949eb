"""What every test stands on: no test depends on running in a CI job, or behind `nohup` or `&`, or not."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

# `spec approve` is refused in a CI job. Tests of that refusal set the variable themselves.
os.environ.pop("CI", None)

# A shell's background job starts with ctrl-C ignored, and its children inherit that.
for _number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The checks of whole cases take minutes each: they start first, and the rest fills the other processor."""
    cases = Path(__file__).parent / "examples"
    items.sort(key=lambda item: not item.path.is_relative_to(cases))
