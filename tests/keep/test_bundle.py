"""Evidence from one CI run to the next: what the target branch's key signed, and nothing that anyone else put there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.specify.keys import make_key
from vstack.errors import VstackError
from vstack.keep.bundle import (
    Believed,
    BelievingStore,
    bundle_path,
    evidence_words,
    read_bundle,
    read_parts,
    write_bundle,
)
from vstack.keep.evidence import EvidenceStore, evidence_key, package_digest
from vstack.project import Project, load_project
from vstack.results import Evidence
from vstack.shard import Shard
from vstack.specify.approvers import approver_line
from vstack.specify.base import Base
from vstack.specify.policy import Policy
from vstack.verdicts import Verdict

KEYS = [evidence_key({"cfg": text}) for text in ("a", "b", "c")]
YAML = "version: 1\nproject: toy\ngoals:\n  G: {kind: z3, english: x, script: g.py}\n"


def record(key: str, verdict: Verdict = Verdict.HOLDS) -> Evidence:
    return Evidence(key=key, engine="tlc", subject={"goal": "G"}, inputs={}, tool="TLC", verdict=verdict)


def sign(path: Path, key: Path, namespace: str = "vstack-evidence") -> None:
    path.with_name(path.name + ".sig").unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", namespace, path], check=True)


def line(key: Path, options: str, who: str = "ci@example.org") -> str:
    kind, public = key.with_suffix(".pub").read_text().split()[:2]
    return f"{who} {options}{' ' if options else ''}{kind} {public}\n"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ci", "person", "agent"):
        make_key(folder / name)
    return folder


class World:
    """A project, a branch that lists a CI key and a person's, and a cache with a bundle that the CI signed."""

    def __init__(self, folder: Path, keys: Path) -> None:
        (folder / "project").mkdir()
        (folder / "project" / "vstack.yaml").write_text(YAML)
        self.keys, self.cache = keys, folder / "cache"
        self.project: Project = load_project(folder / "project")
        person = (keys / "person.pub").read_text().split()
        approvers = (
            line(keys / "ci", 'namespaces="vstack-evidence"') + approver_line("p@example.org", *person[:2]) + "\n"
        )
        self.base = Base("main", "c" * 40, None, approvers, Policy())
        store = BelievingStore(folder / "scratch", {})
        for key in KEYS[:2]:
            store.put(record(key))
        self.path = write_bundle(self.cache, self.project, "cases/toy", self.base.commit, store)
        sign(self.path, keys / "ci")

    def read(self, **changes: object) -> Believed:
        return read_bundle(self.cache, self.project, "cases/toy", replace(self.base, **changes))


@pytest.fixture
def world(tmp_path: Path, keys: Path) -> World:
    return World(tmp_path, keys)


def test_what_the_target_branchs_run_signed_is_believed_and_the_rest_is_run(world: World, tmp_path: Path) -> None:
    believed = world.read()
    assert believed.words == f"evidence of main at {'c' * 12}, signed by ci@example.org"
    store = BelievingStore(tmp_path / "run", believed.records)
    assert store.get(KEYS[0]) == record(KEYS[0]) and store.get(KEYS[2]) is None
    store.put(record(KEYS[2]))
    assert evidence_words(believed, store).startswith("1 of 2 records are evidence of main")
    # Only what was asked for goes on to the next bundle, and nothing believed is copied into the run's own folder.
    assert [one.key for one in store.records()] == sorted([KEYS[0], KEYS[2]])
    assert EvidenceStore(tmp_path / "run").get(KEYS[0]) is None


def _verdict(world: World) -> None:
    world.path.write_text(world.path.read_text().replace('"holds"', '"violated"', 1))


def _added(world: World) -> None:
    text = world.path.read_text()
    world.path.write_text(text.replace('"records":[', f'"records":[{record(KEYS[2]).model_dump_json()},', 1))


def _signed_by(name: str, namespace: str = "vstack-evidence") -> Callable[[World], None]:
    return lambda world: sign(world.path, world.keys / name, namespace)


def _unsigned(world: World) -> None:
    world.path.with_name(world.path.name + ".sig").unlink()


def _link(world: World) -> None:
    forged = world.cache / "forged"
    forged.write_text(world.path.read_text().replace('"holds"', '"violated"', 1))
    world.path.unlink()
    world.path.symlink_to(forged)


def _pipe(world: World) -> None:
    world.path.unlink()
    os.mkfifo(world.path)


def _device(world: World) -> None:
    world.path.unlink()
    world.path.symlink_to("/dev/zero")


def _folder(world: World) -> None:
    world.path.unlink()
    world.path.mkdir()


def _cut(world: World) -> None:
    world.path.write_bytes(world.path.read_bytes()[:-40])


def _sig_of_another(world: World) -> None:
    other = world.cache / "other.json"
    other.write_text("{}")
    sign(other, world.keys / "ci")
    shutil.move(other.with_name("other.json.sig"), world.path.with_name(world.path.name + ".sig"))


def _loose(world: World) -> None:
    """Records in the store's own form beside the bundle."""
    _unsigned(world)
    world.path.unlink()
    EvidenceStore(world.cache).put(record(KEYS[0]))


@pytest.mark.parametrize(
    ("poison", "said"),
    [
        (_verdict, "its signature is over something else"),
        (_added, "its signature is over something else"),
        (_cut, "its signature is over something else"),
        (_link, "its signature is over something else"),
        (_sig_of_another, "its signature is over something else"),
        (_signed_by("agent"), "does not list the key that signed it for vstack-evidence"),
        (_signed_by("person"), "does not list the key that signed it for vstack-evidence"),
        (_signed_by("person", "vstack-approval"), "made for `vstack-approval`"),
        (_signed_by("ci", "file"), "made for `file`"),
        (_unsigned, "there is no toy-"),
        (_pipe, "is empty or too large"),
        (_device, "is empty or too large"),
        (_folder, "there is no toy-"),
        (_loose, "there is no toy-"),
    ],
)
def test_what_a_pull_request_can_put_there_is_not(world: World, poison: Callable[[World], None], said: str) -> None:
    poison(world)
    believed = world.read()
    assert not believed.records and said in believed.words
    assert believed.words.startswith("evidence of the cache is not believed: ")


def test_the_target_branchs_list_decides_and_only_a_purpose_that_is_named_counts(world: World) -> None:
    ci = world.keys / "ci"
    for approvers in (
        None,
        "",
        line(ci, ""),
        line(ci, 'namespaces="*"'),
        line(ci, 'namespaces="vstack-approval"'),
        line(ci, 'namespaces="vstack-evidence",valid-before="20200101"'),
        line(ci, 'namespaces="vstack-evidence",valid-after="29990101"'),
        "not a line",
    ):
        assert not world.read(approvers=approvers).records, approvers
    assert world.read(approvers=line(ci, 'namespaces="vstack-approval,vstack-evidence",valid-after="20200101"')).records


def test_a_bundle_of_another_vstack_project_or_folder_is_not_believed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = world.path.read_text()

    def signed(changed: str, path: Path = world.path) -> Believed:
        path.write_text(changed)
        sign(path, world.keys / "ci")
        return world.read()

    assert "another vstack judged it" in signed(text.replace(package_digest(), "0" * 64)).words
    assert "it is of the project other" in signed(text.replace('"project":"toy"', '"project":"other"')).words
    assert "it is of the project toy in cases/second" in signed(text.replace('"cases/toy"', '"cases/second"')).words
    assert "not as vstack wrote it" in signed(text.replace('"format":1', '"format":2')).words
    assert "not as vstack wrote it" in signed("[]").words
    assert signed(text).records
    # A project of the same name elsewhere has a bundle of its own.
    assert bundle_path(world.cache, world.project, "cases/second") != world.path


def test_a_record_answers_to_its_own_key_alone(world: World, tmp_path: Path) -> None:
    store = BelievingStore(tmp_path / "run", world.read().records)
    for key in (KEYS[0][:8], KEYS[0].upper(), KEYS[2], "../" + KEYS[0], ""):
        assert store.get(key) is None, key


@pytest.mark.parametrize("part", ["x", "1/", "a/b", "0/1", "2/1", "1/999999999", ""])
def test_a_part_of_no_whole_is_told_in_words(world: World, tmp_path: Path, part: str) -> None:
    store = BelievingStore(tmp_path / "scratch", {})
    store.put(record(KEYS[0]))
    path = write_bundle(tmp_path / "parts", world.project, "cases/toy", "c" * 40, store, Shard(1, 1))
    assert KEYS[0] in read_parts(tmp_path / "parts", world.project, "cases/toy", "c" * 40).records
    text = path.read_text()
    assert '"part":"1/1"' in text
    path.write_text(text.replace('"part":"1/1"', f'"part":"{part}"'))
    with pytest.raises(VstackError, match="names no part of a whole"):
        read_parts(tmp_path / "parts", world.project, "cases/toy", "c" * 40)
