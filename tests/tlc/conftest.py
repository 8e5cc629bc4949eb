"""The real Java and TLC jar, found once."""

import pytest

from vstack.tools.find import Tools, find_tools


@pytest.fixture(scope="session")
def tools() -> Tools:
    return find_tools()
