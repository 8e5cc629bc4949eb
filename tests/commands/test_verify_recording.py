"""`vstack verify --record-...` where there is nothing to record: told before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from vstack.commands.verify import run
from vstack.errors import VstackError
from vstack.specify.scaffold import write_project

QUIET = {"variant": None, "environment": None, "jobs": 1, "distributed": False, "as_json": False, "quiet": True}
APALACHE = "\napalache: {goals: {Isolation: {}}, length: 5}\n"


def refused(root: Path, goals: tuple[str, ...] = (), **options: bool) -> str:
    with pytest.raises(VstackError) as caught:
        run(root, goals, **QUIET, **options)
    assert caught.value.exit_code == 2 and not (root / ".vstack" / "evidence").exists()
    return caught.value.paragraph()


def test_a_project_without_theorems_or_apalache_has_nothing_to_record(tmp_path: Path) -> None:
    write_project(tmp_path / "toy", "toy")
    assert "no goal asked for is a theorem" in refused(tmp_path / "toy", record_tlaps=True)
    assert "has no section `apalache`" in refused(tmp_path / "toy", record_apalache=True)


def test_apalache_that_is_asked_for_other_goals_or_names_no_file_records_nothing(tmp_path: Path) -> None:
    root = tmp_path / "toy"
    write_project(root, "toy")
    path = root / "vstack.yaml"
    plain = path.read_text()
    path.write_text(plain + APALACHE)
    other = next(name for name in open_goals(root) if name != "Isolation")
    assert "no goal asked for is of `apalache`" in refused(root, (other,), record_apalache=True)
    assert "There is nothing to record" in refused(root, record_apalache=True)


def open_goals(root: Path) -> list[str]:
    from vstack.project import load_project

    return list(load_project(root).file.goals)
