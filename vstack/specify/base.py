"""The target branch's lock, approvers and policy, read with git: what a working tree can't change."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vstack.errors import VstackError
from vstack.project import LOCK_FILE, PROJECT_FILE
from vstack.specify.approvers import APPROVERS_FILE
from vstack.specify.policy import Policy, read_policy
from vstack.strict_yaml import parse_yaml

_GIT_SECONDS = 60.0
_INVALID = "vstack.yaml on the target branch is not valid YAML"


@dataclass(frozen=True)
class Base:
    """Files of the project at ``commit`` (the full hash); None where that commit has no such file.

    ``tools`` are the tools that its `vstack.yaml` names; ``is_known``: whether it has one.
    """

    ref: str
    commit: str
    lock: bytes | None
    approvers: str | None
    policy: Policy
    tools: Mapping[str, str] = field(default_factory=dict)
    is_known: bool = True


def read_base(root: Path, ref: str) -> Base:
    """The project folder ``root`` as it is at git's ``ref`` (a branch, tag or commit).

    Raises:
        VstackError: git is missing, this is no repository, the ref is ambiguous or does
            not exist (a shallow clone is named as such), or its `vstack.yaml` doesn't parse.
    """
    commit = _resolve(root, ref)
    lock = base_file(root, commit, LOCK_FILE)
    approvers = base_file(root, commit, APPROVERS_FILE)
    project = base_file(root, commit, PROJECT_FILE)
    policy, tools = Policy(), {}
    if project is not None:
        where = f"{ref}:{PROJECT_FILE}"
        try:
            data = parse_yaml(project.decode(), where, what=_INVALID)
        except UnicodeDecodeError as error:
            raise VstackError(f"{_INVALID}: byte {error.start} is not UTF-8", where=where) from None
        policy = read_policy(_section(data, "policy"), where=where)
        tools = {name: str(value) for name, value in _section(data, "tools").items() if value is not None}
    text = approvers.decode(errors="replace") if approvers is not None else None
    return Base(ref, commit, lock, text, policy, tools, project is not None)


def _section(data: object, name: str) -> dict[str, Any]:
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _resolve(root: Path, ref: str) -> str:
    if ref.startswith("-"):
        raise VstackError(f"`{ref}` is not the name of a branch, tag or commit")
    ended = _git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if ended.returncode == 0:
        # git would take a tag of that name before the branch, and a working tree can make one.
        named = _git(
            root,
            "for-each-ref",
            "--format=%(refname)",
            *(f"refs/{kind}{ref}" for kind in ("", "tags/", "heads/", "remotes/")),
        )
        meanings = [line for line in named.stdout.decode(errors="replace").splitlines() if line.endswith(f"/{ref}")]
        if len(meanings) > 1:
            raise VstackError(
                f"`{ref}` is ambiguous: {', '.join(meanings)}",
                where=str(root),
                todo="Name the whole ref, such as refs/remotes/origin/main",
            )
        return ended.stdout.decode().strip()
    inside = _git(root, "rev-parse", "--is-shallow-repository")
    if inside.returncode != 0:
        raise VstackError(
            "The project is not in a git repository, so there is no base to compare with", where=str(root)
        )
    shallow = inside.stdout.strip() == b"true"
    raise VstackError(
        f"git does not know `{ref}`" + (" in this shallow clone" if shallow else ""),
        where=str(root),
        todo="Fetch the history: `git fetch --unshallow origin`"
        if shallow
        else f"Fetch it: `git fetch origin {ref.removeprefix('origin/')}`",
    )


def base_file(root: Path, commit: str, name: str) -> bytes | None:
    """The bytes of ``name`` (relative to ``root``) at ``commit``, or None if there is no such file.

    Raises:
        VstackError: git can't read it.
    """
    # `./` makes the path relative to the folder git runs in, not to the repository's top.
    listed = _git(root, "ls-tree", "--name-only", commit, f"./{name}")
    if listed.returncode != 0:
        raise VstackError(f"git can't list {name} at {commit[:12]}: {_said(listed)}", where=str(root))
    if not listed.stdout.strip():
        return None
    shown = _git(root, "cat-file", "blob", f"{commit}:./{name}")
    if shown.returncode != 0:
        raise VstackError(f"git can't read {name} at {commit[:12]}: {_said(shown)}", where=str(root))
    return shown.stdout


def _said(ended: subprocess.CompletedProcess[bytes]) -> str:
    return ended.stderr.decode(errors="replace").strip()


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """git's output as bytes: the hash of a lock is over its bytes, line ends included."""
    # Replacement refs and grafts of the working clone must not stand in for the branch.
    environment = {**os.environ, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=root,
            env=environment,
            capture_output=True,
            timeout=_GIT_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise VstackError("git is not on the PATH", todo="Install git") from None
    except subprocess.TimeoutExpired:
        raise VstackError(f"git did not end within {_GIT_SECONDS:g} s", where=str(root)) from None
