"""Kind 81: evidence put into the cache that CI runs share."""

from __future__ import annotations

import json

from tests.redteam.arena import CI, MODEL, Arena, Input
from tests.redteam.changes import comment, edits
from vstack.context import open_project
from vstack.keep.bundle import NAMESPACE, BelievingStore, bundle_path, write_bundle
from vstack.keep.check import Options, make_runner
from vstack.project import load_project
from vstack.results import Evidence
from vstack.specify.approvers import APPROVERS_FILE, approver_line
from vstack.specify.sshkey import ThrowawayKey
from vstack.validate.guards import kill_plan
from vstack.validate.matrix import matrix_plan
from vstack.verdicts import Verdict

KIND, WHAT = 81, "evidence put into the cache that CI runs share"

_CACHED = (*CI, "--cache", "cache")
_NOT_BELIEVED = r"evidence of the cache is not believed"
_BUG = edits((MODEL, "  /\\ GuardWait => transfer # r\n", ""))


def _listed(arena: Arena, options: str = f'namespaces="{NAMESPACE}"') -> ThrowawayKey:
    """The target branch lists the CI's key."""
    key = ThrowawayKey()
    line = f"ci@example.org {options} {key.key_type} {key.public}\n"
    arena.write(APPROVERS_FILE, arena.read(APPROVERS_FILE) + line)
    arena.merge("the CI's key")
    return key


def _bundle(arena: Arena, key: ThrowawayKey | None, namespace: str = NAMESPACE) -> None:
    """Records that give every run of the matrix and of the kills the answer that is expected, in CI's own form."""
    context = open_project(arena.root)
    runner = make_runner(context, Options(), lambda text: None)
    store = BelievingStore(arena.root / ".vstack" / "forged", {})
    wanted = [(run, goal, expected) for run, goals in matrix_plan(runner) for goal, expected in goals.items()]
    wanted += [(run, goal, "violated") for run in kill_plan(runner) for goal in run.goals]
    names = {action.name: (9, 9) for action in context.actions}
    for run, goal, expected in wanted:
        verdict, at = Verdict(expected), runner.key(run, goal)
        store.put(Evidence(key=at, engine="tlc", subject={"goal": goal}, inputs={}, tool="TLC", verdict=verdict, fired=names))
    commit = arena.git("rev-parse", "main")
    path = write_bundle(arena.root / "cache", load_project(arena.root), ".", commit, store)
    if key is not None:
        path.with_name(path.name + ".sig").write_text(key.sign(path.read_bytes(), namespace))


def _unsigned(arena: Arena) -> None:
    _listed(arena)
    _BUG(arena)
    _bundle(arena, None)


def _own_key(arena: Arena) -> None:
    """Signed by a key that the branch itself lists, and the target branch does not."""
    _listed(arena)
    _BUG(arena)
    _bundle(arena, key := ThrowawayKey())
    line = f'ci@example.org namespaces="{NAMESPACE}" {key.key_type} {key.public}\n'
    arena.write(APPROVERS_FILE, arena.read(APPROVERS_FILE) + line)


def _persons_key(arena: Arena) -> None:
    """Signed by a person's key in the user's agent, which the target branch lists for approvals."""
    key = ThrowawayKey()
    arena.write(APPROVERS_FILE, arena.read(APPROVERS_FILE) + approver_line("p@example.org", key.key_type, key.public) + "\n")
    arena.merge("a person's key")
    _BUG(arena)
    _bundle(arena, key)


def _altered(arena: Arena) -> None:
    """The CI's own bundle, of another model, with its records filed under the keys of this one."""
    key = _listed(arena)
    _bundle(arena, key)
    path = bundle_path(arena.root / "cache", load_project(arena.root), ".")
    signature = path.with_name(path.name + ".sig").read_text()
    _BUG(arena)
    _bundle(arena, None)
    assert json.loads(path.read_text())["records"]
    path.with_name(path.name + ".sig").write_text(signature)


def _signed(arena: Arena) -> None:
    """The CI signed what a run of the target branch found; the pull request changes a comment."""
    key = _listed(arena)
    new = arena.root.parent / f"{arena.root.name}-evidence"
    arena.must("ci", "--base", "main", "-q", "--trusted", str(new))
    (bundle,) = new.iterdir()
    arena.write(f"cache/{bundle.name}", bundle.read_text())
    arena.write(f"cache/{bundle.name}.sig", key.sign(bundle.read_bytes(), NAMESPACE))
    comment()(arena)
    arena.commit()


INPUTS = (
    Input("unsigned", _unsigned, _NOT_BELIEVED, _signed, _CACHED),
    Input("signed by a key of the branch's own", _own_key, _NOT_BELIEVED, _signed, _CACHED),
    Input("signed by a person's key", _persons_key, _NOT_BELIEVED, _signed, _CACHED),
    Input("the CI's signature over other records", _altered, _NOT_BELIEVED, _signed, _CACHED),
)
