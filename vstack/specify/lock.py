"""`vstack.lock`: the pins that were approved, the order of locks, and the signatures under them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ValidationError, model_validator

from vstack.errors import RefusedError, VstackError
from vstack.files import read_bytes, write_atomic
from vstack.specify.pins import Frozen, Pins, canonical, digest_of
from vstack.strict_yaml import parse_yaml
from vstack.tla.normal import NORMAL_FORM

LOCK_FORMAT: Literal[1] = 1
DEMO_PRINCIPAL = "demo-key@vstack.invalid"
DEMO_LABEL = "demo key: no person approved this"
_HEADER = """\
# What was approved, written by `vstack spec approve`. Edits by hand void the approval.
# `vstack spec show` tells it in words, `vstack spec diff` what has changed since.
"""
_CONFLICT = (b"<<<<<<< ", b"=======\n", b">>>>>>> ")


class Approval(Frozen):
    """One person's signature over the lock: principal of the approvers file, UTC time, armored SSH signature."""

    principal: str
    time: str
    label: str | None = None
    signature: str

    @model_validator(mode="after")
    def demo_is_labelled(self) -> Approval:
        """The label is for readers of the file; it follows from the principal, so that removing it is seen."""
        if (self.label == DEMO_LABEL) != self.is_demo:
            raise ValueError(f"an approval by {DEMO_PRINCIPAL} must carry the label `{DEMO_LABEL}`, and no other may")
        return self

    @property
    def is_demo(self) -> bool:
        """Whether a throwaway key signed, and so no person."""
        return self.principal == DEMO_PRINCIPAL


class Lock(Frozen):
    """The whole lock. ``previous`` is the digest of the lock before this one, ``earlier`` those of the ones before it.

    ``normal_form`` is the version of our own form of definitions, so that a
    newer SANY doesn't void approvals.
    """

    format: Literal[1] = LOCK_FORMAT
    normal_form: int = NORMAL_FORM
    project: str
    sequence: int
    previous: str | None = None
    earlier: tuple[str, ...] = ()
    pins: Pins
    approvals: tuple[Approval, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of all of the lock but its approvals: one more signature makes no other lock."""
        return digest_of(self.model_dump(mode="json", exclude={"approvals"}))

    def payload(self, principal: str, time: str) -> bytes:
        """The bytes that an approval signs: the whole lock by digest, and who approves when."""
        return canonical(
            {
                "vstack approval": LOCK_FORMAT,
                "project": self.project,
                "sequence": self.sequence,
                "previous": self.previous,
                "lock": self.digest,
                "principal": principal,
                "time": time,
            }
        )

    def follows(self, older: Lock) -> bool:
        """Whether this lock grew out of ``older``."""
        return older.digest in (self.previous, *self.earlier)


def parse_lock(data: bytes, *, where: str) -> Lock:
    """The lock in ``data``; ``where`` names the file in errors.

    Raises:
        RefusedError: conflict markers, CRLF line ends, not YAML, an unknown key,
            or a format or normal form that this vstack doesn't know.
    """
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        if line.startswith(_CONFLICT):
            raise RefusedError(
                "The lock holds git's conflict markers",
                where=f"{where}:{number}",
                todo="Take the target branch's lock whole, then approve again on top of it",
            )
    if b"\r\n" in data:
        raise RefusedError(
            "The lock has CRLF line ends: git or an editor has rewritten it",
            where=where,
            todo="Put `vstack.lock -text` into .gitattributes and check the file out again",
        )
    try:
        raw = parse_yaml(data.decode("utf-8"), where, what="The lock is not valid YAML")
    except UnicodeDecodeError as error:
        raise RefusedError(
            f"The lock is not UTF-8 text (byte {error.start})", where=where, todo="Restore it with git"
        ) from None
    except VstackError as error:
        raise RefusedError(error.what, where=error.where, todo="Restore it with git") from None
    if not isinstance(raw, dict):
        what = "The lock is empty" if raw is None else "The lock is not as vstack wrote it: it is no mapping"
        raise RefusedError(what, where=where, todo="Restore it with git")
    if raw.get("format") not in (None, LOCK_FORMAT):
        raise RefusedError(f"The lock has format {raw['format']}, this vstack knows {LOCK_FORMAT}", where=where)
    try:
        lock = Lock.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise RefusedError(
            f"The lock is not as vstack wrote it: {place + ': ' if place else ''}{message}", where=where, todo="Restore it with git"
        ) from None
    if lock.normal_form != NORMAL_FORM:
        raise RefusedError(
            f"The lock's hashes are of normal form {lock.normal_form}, this vstack makes {NORMAL_FORM}",
            where=where,
            todo="Use the vstack version that wrote it, or approve again",
        )
    return lock


def read_lock(path: Path) -> Lock | None:
    """The lock at ``path``, or None where there is none.

    Raises:
        RefusedError: as ``parse_lock``.
        VstackError: it can't be read.
    """
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VstackError(f"The lock can't be read: {error.strerror}", where=str(path)) from None
    return parse_lock(data, where=str(path))


def format_lock(lock: Lock) -> str:
    """The lock as YAML that a person can review: multi-line texts as blocks, keys in the models' order."""
    data = lock.model_dump(mode="json", exclude_defaults=True, exclude={"format", "normal_form"})
    data = {"format": lock.format, "normal_form": lock.normal_form, **data}
    return _HEADER + yaml.dump(data, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=1000)


def write_lock(path: Path, lock: Lock) -> None:
    """Write the lock whole or not at all.

    Raises:
        VstackError: the folder is read-only or the disk is full.
    """
    text = format_lock(lock)
    if parse_lock(text.encode(), where=str(path)) != lock:
        raise AssertionError("the lock does not read back as it was written")
    write_atomic(path, text)


def next_lock(project: str, pins: Pins, current: Lock | None) -> Lock:
    """The unsigned lock that comes after ``current`` (the first one if there is none)."""
    if current is None:
        return Lock(project=project, sequence=1, pins=pins)
    earlier = (current.previous, *current.earlier) if current.previous else ()
    return Lock(project=project, sequence=current.sequence + 1, previous=current.digest, earlier=earlier, pins=pins)


@functools.cache
def _dumper() -> type[yaml.SafeDumper]:
    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
        style = "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return Dumper
