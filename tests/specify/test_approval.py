"""Approvals made by the real ssh-keygen and checked by vstack: who may, over what, and what a forger can't do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.specify import security_key
from tests.specify.keys import make_key, needs_ssh_keygen
from tests.specify.test_lock import PINS
from vstack.errors import RefusedError, VstackError
from vstack.specify.approval import sign, verify
from vstack.specify.approvers import approver_line, parse_approvers, principals_of, put_demo_key, read_public_key
from vstack.specify.lock import Approval, Lock

PERSON = "person@example.org"
LOCK = Lock(project="p", sequence=2, previous="11" * 32, pins=PINS)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_key(tmp_path_factory.mktemp("keys") / "a key")


@pytest.fixture(scope="module")
def approvers(key: Path) -> str:
    return "# people\n\n" + approver_line(PERSON, *read_public_key(key)) + "\n"


@pytest.fixture(scope="module")
def signed(key: Path) -> Lock:
    return sign(LOCK, key=key, principal=PERSON)


def test_a_person_approves(signed: Lock, approvers: str) -> None:
    verified = verify(signed, signed.approvals[0], approvers, where="vstack.approvers")
    assert (verified.principal, verified.key_type, verified.touch) == (PERSON, "ssh-ed25519", False)
    assert "software key" in verified.words and not verified.is_demo


@pytest.mark.parametrize(
    "change",
    [
        {"project": "q"},
        {"sequence": 3},
        {"previous": "22" * 32},
        {"pins": PINS.model_copy(update={"settings": {}})},
        {"pins": PINS.model_copy(update={"definitions": {}})},
    ],
)
def test_a_changed_lock_is_not_approved(signed: Lock, approvers: str, change: dict[str, object]) -> None:
    forged = signed.model_copy(update=change)
    with pytest.raises(RefusedError, match="not valid for this lock"):
        verify(forged, signed.approvals[0], approvers, where="vstack.approvers")


def test_an_approval_under_another_name_or_time_is_not_valid(signed: Lock, approvers: str) -> None:
    for change in ({"principal": "other@example.org"}, {"time": "2020-01-01T00:00:00+00:00"}):
        forged = signed.approvals[0].model_copy(update=change)
        with pytest.raises(RefusedError):
            verify(signed, forged, approvers + approvers.replace(PERSON, "other@example.org"), where="vstack.approvers")


def test_a_removed_approver_no_longer_counts(signed: Lock) -> None:
    with pytest.raises(RefusedError, match="not in the approvers file"):
        verify(signed, signed.approvals[0], "# nobody\n", where="vstack.approvers")


def test_an_approver_for_another_purpose_or_out_of_date_does_not_count(signed: Lock, key: Path) -> None:
    kind, data = read_public_key(key)
    for options in ('namespaces="git"', 'namespaces="*,!vstack-*"', 'valid-before="20200101"', 'valid-after="29990101Z"'):
        with pytest.raises(RefusedError, match="not valid"):
            verify(signed, signed.approvals[0], f"{PERSON} {options} {kind} {data}\n", where="vstack.approvers")


def test_a_signature_made_for_git_does_not_approve(signed: Lock, approvers: str) -> None:
    other = security_key.signature(signed.payload(PERSON, "t"), flags=1, namespace="git")
    approval = Approval(principal=PERSON, time="t", signature=other)
    with pytest.raises(RefusedError, match="made for `git`"):
        verify(signed, approval, security_key.approvers_entry(PERSON), where="vstack.approvers")


@pytest.mark.parametrize(("flags", "words"), [(0, "software key"), (1, "touch proved"), (5, "touch and PIN proved")])
def test_proof_of_touch_is_recorded(flags: int, words: str) -> None:
    approval = Approval(
        principal=PERSON, time="t", signature=security_key.signature(LOCK.payload(PERSON, "t"), flags=flags)
    )
    verified = verify(LOCK, approval, security_key.approvers_entry(PERSON), where="vstack.approvers")
    assert verified.touch is (flags & 1 == 1) and words in verified.words


def test_the_demo_key_is_labelled(tmp_path: Path, key: Path) -> None:
    path = tmp_path / "vstack.approvers"
    put_demo_key(path, *read_public_key(key))
    put_demo_key(path, *read_public_key(key))
    assert path.read_text().count("demo-key@vstack.invalid") == 1
    demo = sign(LOCK, key=key, principal="demo-key@vstack.invalid")
    assert demo.approvals[0].label == "demo key: no person approved this"
    verified = verify(demo, demo.approvals[0], path.read_text(), where=str(path))
    assert verified.is_demo and verified.words == "demo key: no person approved this"


@needs_ssh_keygen
def test_signing_with_what_is_no_key_says_so(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("not a key\n")
    with pytest.raises(VstackError, match="could not sign"):
        sign(LOCK, key=tmp_path / "key", principal=PERSON)


def test_an_approver_may_be_a_pattern(signed: Lock, key: Path) -> None:
    kind, data = read_public_key(key)
    for pattern, options in (("*@example.org", 'valid-after="202001010000Z",namespaces="git,vstack-*"'), ("p?rson@*", "")):
        assert verify(signed, signed.approvals[0], f"{pattern} {options} {kind} {data}\n", where="f").principal == PERSON
    for pattern in ("*@example.com", "*,!person@*", "[p]erson@example.org"):
        with pytest.raises(RefusedError, match="lists its key for another name"):
            verify(signed, signed.approvals[0], f"{pattern} {kind} {data}\n", where="f")


@pytest.mark.parametrize("option", ["cert-authority", 'valid-after="yesterday"', 'since="20200101"'])
def test_an_option_that_is_not_known_refuses_the_file(signed: Lock, key: Path, option: str) -> None:
    kind, data = read_public_key(key)
    with pytest.raises(VstackError, match="f:1"):
        verify(signed, signed.approvals[0], f"{PERSON} {option} {kind} {data}\n", where="f")


def test_approvers_are_read_with_options_and_found_by_key(key: Path) -> None:
    kind, data = read_public_key(key)
    text = f'a@x.org,b@x.org namespaces="git,vstack-approval",valid-after="20200101" {kind} {data} a comment\n'
    listed = parse_approvers(text, where="f")
    assert listed[0].principals == ("a@x.org", "b@x.org") and listed[0].key_type == kind
    assert principals_of(listed, data) == ("a@x.org", "b@x.org")


@pytest.mark.parametrize("line", ["person@example.org", "person@example.org ssh-ed25519", "a ssh-ed25519 !!!", 'a "b'])
def test_a_bad_line_of_the_approvers_file_is_named(line: str) -> None:
    with pytest.raises(VstackError, match="f:2"):
        parse_approvers(f"# people\n{line}\n", where="f")
