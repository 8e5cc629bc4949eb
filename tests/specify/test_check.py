"""The lock check on a real project: real SANY, real signatures, real git; every cheat refused, its honest twin accepted."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.specify import security_key
from tests.specify.keys import make_key
from tests.specify.test_base import git
from vstack.project import Project, load_project
from vstack.reading import read_spec
from vstack.results import Finding
from vstack.specify.approve import approve, approve_for_demo, lock_to_sign
from vstack.specify.base import Base, read_base
from vstack.specify.check import check_lock
from vstack.specify.compute import compute_pins
from vstack.specify.lock import Approval, Lock, next_lock, read_lock, write_lock
from vstack.specify.policy import Policy
from vstack.specify.scaffold import write_project

GOALS, MODEL, YAML = "goals/Goals.tla", "model/Handover.tla", "vstack.yaml"
HELPER = (
    GOALS,
    'Isolation == transfer # "none" => page = transfer',
    'OnItsWay == transfer # "none"\nIsolation == OnItsWay => page = transfer',
)


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a helper behind a goal and an assumption, approved by a software key, in git on `main`."""
    root = tmp_path_factory.mktemp("project")
    write_project(root, "toy")
    edit(root, *HELPER)
    edit(root, MODEL, "vars ==", "ASSUME Aborts \\in BOOLEAN\n\nvars ==")
    edit(
        root,
        YAML,
        "floors:",
        "mutation:\n  variant: after\n  environments: [aborts]\n  excuses: {m1: same thing}\n\nfloors:",
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.email", "person@example.org")
    make_key(root.parent / "key")
    project = load_project(root)
    approve(
        project,
        lock_to_sign(project, compute_pins(project, read_spec(project))),
        key=root.parent / "key",
        principal=None,
    )
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "approved")
    return root


@pytest.fixture
def project(approved: Path, tmp_path: Path) -> Project:
    shutil.copytree(approved, tmp_path / "copy")
    return load_project(tmp_path / "copy")


def edit(root: Path, file: str, before: str, after: str) -> int:
    """Replace the only place of ``before``; its 1-based line."""
    text = (root / file).read_text()
    assert text.count(before) == 1, (file, before)
    (root / file).write_text(text.replace(before, after))
    return text[: text.index(before)].count("\n") + 1


def check(project: Project, base: Base | None = None) -> tuple[Finding, ...]:
    project = load_project(project.root)
    return check_lock(project, compute_pins(project, read_spec(project)), base=base)[0]


def test_an_approved_project_is_as_approved(project: Project) -> None:
    findings, goals = check_lock(project, compute_pins(project, read_spec(project)))
    assert findings == ()
    assert [(goal.name, goal.approved, goal.approver, goal.demo, goal.touch) for goal in goals] == [
        ("Isolation", True, "person@example.org", False, False),
        ("Finality", True, "person@example.org", False, False),
    ]
    assert goals[0].where == f"{project.root}/goals/Goals.tla:14" and goals[0].formula.startswith("Isolation ==")


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        (GOALS, "OnItsWay => page", "OnItsWay /\\ FALSE => page", "goal Isolation: its formula was changed"),
        (GOALS, 'OnItsWay == transfer # "none"', "OnItsWay == FALSE", "goal Isolation: the definition Goals!OnItsWay behind it was changed"),
        (MODEL, "  /\\ Aborts\n  /\\ phase[r] = \"loading\"", "  /\\ Aborts /\\ page = \"free\"\n  /\\ phase[r] = \"loading\"", "environment definition Abort: its formula was changed"),
        (MODEL, "ASSUME Aborts \\in BOOLEAN", "ASSUME Aborts = FALSE", "assumption"),
        (MODEL, " \\/ Abort(r)", "", "actions: Abort was removed"),
        (MODEL, "Start(r) \\/ Free(r) \\/ Abort(r)", "Start(r) \\/ Free(r) \\/ (IF page = r THEN Free(r) ELSE Abort(r))", "environment definition Next: its formula was changed"),
        (YAML, '"{r1, r2}"', '"{r1}"', "model: constants.Requests is {r1}, approved was {r1, r2}"),
        (YAML, "    aborts: {Isolation: violated, Finality: holds}", "    aborts: {Isolation: holds, Finality: holds}", "matrix: before.aborts.Isolation is holds, approved was violated"),
        (YAML, "same thing", "trust me", "mutation: excuses.m1 is trust me, approved was same thing"),
        (YAML, "violates: [Isolation]", "violates: [Isolation], excuse: never mind", "kills: wait / after / aborts.excuse was added: never mind"),
        (YAML, "english: Every request that", "english: No request that", "goal Finality.english"),
        (YAML, "distinct_states: 10", "distinct_states: 1", "floors"),
        (YAML, "environment_actions: [Abort]", "environment_actions: []", "environment definition Abort was removed"),
        (YAML, "  constants:\n    Requests", "  constraints: [Isolation]\n  constants:\n    Requests", "operator constraint Isolation was added"),
        (YAML, "  constants:\n    Requests", "  overrides: {OnItsWay: Init}\n  constants:\n    Requests", "goal Isolation"),
    ],
)  # fmt: skip
def test_an_unapproved_change_is_refused_with_its_place(
    project: Project, file: str, before: str, after: str, said: str
) -> None:
    line = edit(project.root, file, before, after)
    findings = check(project)
    matching = [finding for finding in findings if said in finding.message]
    assert matching, [finding.message for finding in findings]
    assert {finding.rule for finding in findings} - {"environment-not-taken"} == {"unapproved-change"}
    assert ("environment-not-taken" in {finding.rule for finding in findings}) is ("Abort" in before and after == "")
    where, _, number = matching[0].where.rpartition(":")
    assert Path(where).is_relative_to(project.root) and int(number) > 0
    if file == YAML and where.endswith(YAML):
        assert int(number) - line in (0, after.count("\n"))


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        (GOALS, "OnItsWay => page = transfer", "(* why *) OnItsWay\n   =>   page = transfer  \\* so"),
        (GOALS, "\\A r \\in Requests : phase[r] = \"loading\" ~> phase[r] = \"done\"", "\\A q \\in Requests : phase[q] = \"loading\" ~> phase[q] = \"done\""),
        (MODEL, "Free(r) ==\n  /\\ page = r", "Free(r) ==\n  /\\ page = r\n  /\\ TRUE"),
        (YAML, "title: A page", "title: One page"),
        (YAML, "constants: {Aborts: \"TRUE\"}", "constants: {Aborts: 'TRUE'}  # the same"),
    ],
)  # fmt: skip
def test_comments_layout_and_the_models_own_work_change_nothing(
    project: Project, file: str, before: str, after: str
) -> None:
    edit(project.root, file, before, after)
    assert check(project) == ()


def test_the_order_of_definitions_changes_nothing(project: Project) -> None:
    text = (project.root / GOALS).read_text()
    finality = text[text.index("\\* Every request") : text.index("====", text.index("\\* Every request"))]
    rest = text.replace(finality, "")
    (project.root / GOALS).write_text(rest.replace("\\* A transfer", finality + "\\* A transfer"))
    assert check(project) == ()


def test_an_edited_lock_is_refused(project: Project) -> None:
    """The pins in the lock set to those of a weakened goal: no change is left, but the signature breaks."""
    edit(project.root, GOALS, 'OnItsWay == transfer # "none"', "OnItsWay == FALSE")
    changed = load_project(project.root)
    lock = read_lock(changed.lock_path)
    assert lock is not None
    write_lock(changed.lock_path, lock.model_copy(update={"pins": compute_pins(changed, read_spec(changed))}))
    findings = check(project)
    assert [finding.rule for finding in findings] == ["approval-not-valid"]
    assert "not valid for this lock" in findings[0].message


def test_a_lock_without_approval_or_of_another_project_is_refused(project: Project) -> None:
    lock = read_lock(project.lock_path)
    assert lock is not None
    write_lock(project.lock_path, lock.model_copy(update={"approvals": ()}))
    assert [finding.rule for finding in check(project)] == ["no-approval"]
    write_lock(project.lock_path, lock)
    edit(project.root, YAML, "project: toy", "project: other")
    assert "lock-of-another-project" in [finding.rule for finding in check(project)]


def test_no_lock_and_a_damaged_lock_are_told_apart(project: Project) -> None:
    project.lock_path.write_bytes(project.lock_path.read_bytes().replace(b"\n", b"\r\n"))
    assert [finding.rule for finding in check(project)] == ["lock-unreadable"]
    project.lock_path.unlink()
    assert [finding.rule for finding in check(project)] == ["no-lock"]


def test_a_removed_approver_is_refused(project: Project) -> None:
    (project.root / "vstack.approvers").write_text("# nobody\n")
    assert [finding.rule for finding in check(project)] == ["approval-not-valid"]
    (project.root / "vstack.approvers").unlink()
    assert [finding.rule for finding in check(project)] == ["no-approvers"]


def test_an_approval_makes_a_changed_goal_count_again(project: Project, approved: Path) -> None:
    edit(project.root, GOALS, 'OnItsWay == transfer # "none"', 'OnItsWay == transfer \\notin {"none"}')
    assert check(project) != ()
    changed = load_project(project.root)
    lock = lock_to_sign(changed, compute_pins(changed, read_spec(changed)))
    approve(changed, lock, key=approved.parent / "key", principal=None)
    assert check(project) == ()
    again = read_lock(changed.lock_path)
    assert again is not None and again.sequence == 2 and again.previous is not None


def test_a_clock_set_back_makes_no_expired_key_valid_again(project: Project) -> None:
    """The clock is before the line's end, the newest commit after it."""
    approvers = project.root / "vstack.approvers"
    text = approvers.read_text()
    limit = (datetime.now(UTC) + timedelta(days=10)).strftime("%Y%m%d%H%MZ")
    approvers.write_text(text.replace('namespaces="', f'valid-before="{limit}",namespaces="'))
    assert check(project) == ()
    later = (datetime.now(UTC) + timedelta(days=20)).isoformat()
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@x.org", "commit", "-q", "--allow-empty", "-m", "later"],
        cwd=project.root,
        env={**os.environ, "GIT_COMMITTER_DATE": later},
        check=True,
    )
    assert [finding.rule for finding in check(project)] == ["approval-not-valid"]
    # A date in the future makes no key valid before its time.
    begin = (datetime.now(UTC) + timedelta(days=15)).strftime("%Y%m%d%H%MZ")
    approvers.write_text(text.replace('namespaces="', f'valid-after="{begin}",namespaces="'))
    assert [finding.rule for finding in check(project)] == ["approval-not-valid"]


def test_signing_again_what_stands_makes_no_new_lock(project: Project, approved: Path) -> None:
    lock = lock_to_sign(project, compute_pins(project, read_spec(project)))
    signed = approve(project, lock, key=approved.parent / "key", principal=None)
    assert (signed.sequence, len(signed.approvals)) == (1, 1)


def test_the_demo_key_is_deleted_and_labelled(project: Project) -> None:
    (project.root / "vstack.lock").unlink()
    approve_for_demo(project, lock_to_sign(project, compute_pins(project, read_spec(project))))
    findings, goals = check_lock(project, compute_pins(project, read_spec(project)))
    assert findings == () and all(goal.demo and goal.note == "demo key: no person approved this" for goal in goals)
    assert "demo key: no person approved this" in project.lock_path.read_text()
    assert "PRIVATE KEY" not in "".join(
        path.read_text() for path in project.root.rglob("*") if path.is_file() and ".git/" not in str(path)
    )


class TestAgainstTheTargetBranch:
    """The gate: the target branch's lock, approvers and policy count."""

    def test_a_lock_that_is_merged_counts_as_approved_there(self, project: Project) -> None:
        assert check(project, read_base(project.root, "main")) == ()

    def touched(self, project: Project, flags: int) -> Base:
        """The project changed and approved with a security key, and a branch that lists that key."""
        edit(project.root, YAML, "distinct_states: 10", "distinct_states: 11")
        changed = load_project(project.root)
        lock = next_lock("toy", compute_pins(changed, read_spec(changed)), read_lock(changed.lock_path))
        signature = security_key.signature(lock.payload("person@example.org", "t"), flags=flags)
        approval = Approval(principal="person@example.org", time="t", signature=signature)
        write_lock(changed.lock_path, lock.model_copy(update={"approvals": (approval,)}))
        base = read_base(project.root, "main")
        return Base(base.ref, base.commit, base.lock, security_key.approvers_entry("person@example.org"), base.policy)

    def test_a_touch_counts(self, project: Project) -> None:
        base = self.touched(project, flags=1)
        assert check(project, base) == ()
        _, goals = check_lock(load_project(project.root), compute_pins(project, read_spec(project)), base=base)
        assert goals[0].touch

    def test_no_touch_does_not_count_unless_the_branchs_policy_says_so(self, project: Project) -> None:
        base = self.touched(project, flags=0)
        assert [finding.rule for finding in check(project, base)] == ["no-touch"]
        edit(project.root, YAML, "software_keys: false", "software_keys: true")
        assert "no-touch" in [finding.rule for finding in check(project, base)]
        edit(project.root, YAML, "software_keys: true", "software_keys: false")
        lenient = Base(base.ref, base.commit, base.lock, base.approvers, Policy(software_keys=True))
        assert check(project, lenient) == ()

    def test_an_approver_added_in_the_working_tree_does_not_count(self, project: Project) -> None:
        base = self.touched(project, flags=1)
        (project.root / "vstack.approvers").write_text(security_key.approvers_entry("person@example.org"))
        assert check(project) == ()
        assert "approval-not-valid" in [finding.rule for finding in check(project, read_base(project.root, base.ref))]

    def test_a_branch_without_approvers_approves_nobody(self, project: Project) -> None:
        base = self.touched(project, flags=1)
        bare = Base(base.ref, base.commit, base.lock, None, base.policy)
        assert [finding.rule for finding in check(project, bare)] == ["no-approvers"]
        damaged = Base(base.ref, base.commit, b"<<<<<<< HEAD\n", base.approvers, base.policy)
        assert [finding.rule for finding in check(project, damaged)] == ["base-lock-unreadable"]

    def test_a_first_lock_is_approved_only_by_whom_the_branch_lists(self, project: Project) -> None:
        def first(base: Base, *, let_in: bool = False) -> tuple[list[tuple[str, str]], list[bool]]:
            here = load_project(project.root)
            findings, goals = check_lock(
                here, compute_pins(here, read_spec(here)), base=base, first_adoption=let_in
            )
            return [(one.rule, one.outcome) for one in findings], [goal.approved for goal in goals]

        base = self.touched(project, flags=1)
        listed = Base(base.ref, base.commit, None, base.approvers, Policy())
        assert first(listed) == ([("first-adoption", "note")], [True, True])
        # Nobody is listed: the project's own word approves nothing, whoever lets it in.
        (project.root / "vstack.approvers").write_text(base.approvers or "")
        unlisted = Base(base.ref, base.commit, None, None, Policy())
        assert first(unlisted) == ([("first-adoption", "refused")], [False, False])
        assert first(unlisted, let_in=True) == ([("first-adoption", "note")], [False, False])
        # Letting first adoptions in lets in nothing else: another's key, a changed goal, a key without touch.
        strangers = Base(base.ref, base.commit, None, "a@example.org ssh-ed25519 AAAA\n", Policy())
        assert first(strangers, let_in=True)[0] == [("approval-not-valid", "refused")]
        edit(project.root, YAML, "distinct_states: 11", "distinct_states: 1")
        assert ("unapproved-change", "refused") in first(unlisted, let_in=True)[0]
        edit(project.root, YAML, "distinct_states: 1\n", "distinct_states: 10\n")
        (project.root / "vstack.lock").write_bytes(read_base(project.root, "main").lock or b"")
        assert ("approval-not-valid", "refused") in first(unlisted, let_in=True)[0]

    def advance(self, project: Project, key: Path, states: int) -> Lock:
        """Approve another floor and commit it to the branch that is checked out."""
        text = (project.root / YAML).read_text()
        (project.root / YAML).write_text(
            text[: text.index("  distinct_states: ")]
            + f"  distinct_states: {states}\n"
            + text[text.index("\n\n# Whose") :]
        )
        changed = load_project(project.root)
        signed = approve(
            changed, lock_to_sign(changed, compute_pins(changed, read_spec(changed))), key=key, principal=None
        )
        git(project.root, "add", ".")
        git(project.root, "commit", "-q", "-m", f"floor {states}")
        return signed

    def test_an_old_lock_replayed_is_refused(self, project: Project, approved: Path) -> None:
        key = approved.parent / "key"
        first = {name: (project.root / name).read_bytes() for name in ("vstack.lock", YAML)}
        self.advance(project, key, 20)
        for name, data in first.items():
            (project.root / name).write_bytes(data)
        assert check(project) == ()
        assert [f.rule for f in check(project, read_base(project.root, "main"))] == ["lock-not-newer", "no-touch"]

    def test_a_lock_from_an_old_branch_point_is_refused(self, project: Project, approved: Path) -> None:
        key = approved.parent / "key"
        git(project.root, "checkout", "-q", "-b", "old")
        git(project.root, "checkout", "-q", "main")
        self.advance(project, key, 20)
        git(project.root, "checkout", "-q", "old")
        self.advance(project, key, 5)
        assert "lock-not-newer" in [f.rule for f in check(project, read_base(project.root, "main"))]
        self.advance(project, key, 4)  # a higher number alone does not make it a successor
        assert "lock-not-successor" in [f.rule for f in check(project, read_base(project.root, "main"))]

    def test_two_approvals_on_one_branch_still_follow_the_target(self, project: Project, approved: Path) -> None:
        git(project.root, "checkout", "-q", "-b", "topic")
        self.advance(project, approved.parent / "key", 20)
        last = self.advance(project, approved.parent / "key", 30)
        assert last.sequence == 3
        assert [f.rule for f in check(project, read_base(project.root, "main"))] == ["no-touch"]
