"""A private cache of tool facts, so that tests neither read nor change the user's."""

import pytest


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("VSTACK_CACHE", str(folder))
    for name in ("VSTACK_JAVA", "VSTACK_TLC_JAR"):
        monkeypatch.delenv(name, raising=False)
    return folder
