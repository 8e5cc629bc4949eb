"""The `--at` option: which revision to look for lines in, for all repositories or for one."""

from __future__ import annotations

from vstack.errors import VstackError


def parse_at(arguments: tuple[str, ...]) -> dict[str, str]:
    """Revision per repository name; the key ``""`` stands for all that are not named.

    Raises:
        VstackError: an argument is empty, or two speak of the same repository.
    """
    found: dict[str, str] = {}
    for argument in arguments:
        name, equals, revision = argument.rpartition("=")
        if not revision or (equals and not name):
            raise VstackError(f"`--at {argument}` names no revision", todo="Write `--at REV` or `--at NAME=REV`")
        if name in found:
            raise VstackError(f"`--at {argument}`: two revisions for the same repository", todo="Give one")
        found[name] = revision
    return found
