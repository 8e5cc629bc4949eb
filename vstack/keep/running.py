"""Whether the vstack that runs is one that the target branch lets judge."""

from __future__ import annotations

import operator

from vstack import __version__
from vstack.keep.evidence import package_digest
from vstack.project import PROJECT_FILE
from vstack.results import Finding
from vstack.specify.base import Base
from vstack.specify.policy import TERM

_COMPARE = {"==": operator.eq, ">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt}


def other_vstack(base: Base, *, version: str = __version__, digest: str | None = None) -> tuple[Finding, ...]:
    """A finding if ``policy: vstack`` of the target branch names another vstack than this one.

    An older vstack lacks rules, and one that a pull request brings along may
    lack all of them: the same files would then come out otherwise.
    """
    wanted = base.policy.vstack
    running = digest or (package_digest() if wanted else "")
    if wanted is None or all(_fits(term.strip(), version, running) for term in wanted.split(",")):
        return ()
    return (
        Finding(
            rule="other-vstack",
            where=f"{base.ref}:{PROJECT_FILE}",
            message=f"This is vstack {version} (sha256:{running[:16]}), and the policy on {base.ref} asks for {wanted}",
            todo="Let the workflow install the vstack that the target branch names",
        ),
    )


def _fits(term: str, version: str, digest: str) -> bool:
    form = TERM.fullmatch(term)
    if form is None:
        return False
    if form["sha256"]:
        return digest.startswith(form["sha256"])
    ours, theirs = _numbers(version), _numbers(form["version"])
    size = max(len(ours), len(theirs))
    return _COMPARE[form["compare"]](ours + (0,) * (size - len(ours)), theirs + (0,) * (size - len(theirs)))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
