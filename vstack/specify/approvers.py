"""`vstack.approvers`: whose signatures count, in OpenSSH's allowed-signers format."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vstack.errors import VstackError
from vstack.files import read_text, write_atomic
from vstack.specify.lock import DEMO_PRINCIPAL

APPROVERS_FILE = "vstack.approvers"
NAMESPACE = "vstack-approval"
_LINE = re.compile(
    r'(?P<principals>"[^"]+"|[^\s"]+)\s+((?P<options>(?:[^\s"]|"[^"]*")+)\s+)?'
    r"(?P<type>(?:ssh-|sk-|ecdsa-)\S+)\s+(?P<key>\S+)(\s.*)?"
)
_HEADER = """\
# Who may approve goals: OpenSSH's allowed-signers format (man ssh-keygen, ALLOWED SIGNERS).
# The copy on the target branch is the one that counts.
"""


@dataclass(frozen=True)
class Approver:
    """One line: the principals as written (may hold `*`, `?` and `!`), the key's type and bytes, and its limits."""

    principals: tuple[str, ...]
    key_type: str
    public_key: bytes
    line: int
    namespaces: tuple[str, ...] = ("*",)
    valid_after: datetime | None = None
    valid_before: datetime | None = None

    def may_approve(self, principal: str, now: datetime, proven: datetime | None = None) -> bool:
        """Whether this line lets its key approve as ``principal`` at ``now``, by the clock.

        ``proven`` is a time that has passed whatever the clock says.
        """
        return (
            _matches(self.principals, principal)
            and _matches(self.namespaces, NAMESPACE)
            and (self.valid_after is None or self.valid_after <= now)
            and (self.valid_before is None or max(now, proven or now) < self.valid_before)
        )


def parse_approvers(text: str, *, where: str) -> tuple[Approver, ...]:
    """The approvers in ``text``: OpenSSH's allowed-signers format (ssh-keygen(1), ALLOWED SIGNERS).

    Raises:
        VstackError: a line that is not `principals [options] keytype key`, or
            an option that is not known, with ``file:line``.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{where}:{number}"
        form = _LINE.fullmatch(line.strip())
        try:
            if form is None:
                raise ValueError
            key = base64.b64decode(form["key"], validate=True)
        except (ValueError, binascii.Error):
            raise VstackError(
                "A line of the approvers file is not `principal keytype key`",
                where=place,
                todo="Write it as in the public key's file, with the principal (an e-mail address) in front",
            ) from None
        options = _options(form["options"] or "", place)
        found.append(Approver(tuple(form["principals"].strip('"').split(",")), form["type"], key, number, **options))
    return tuple(found)


def _options(text: str, place: str) -> dict[str, Any]:
    """The limits of a line; one that vstack does not know refuses the file, since it may forbid what is asked."""
    options: dict[str, Any] = {}
    for part in re.findall(r'(?:[^,"]|"[^"]*")+', text):
        name, _, value = part.partition("=")
        value = value.strip('"')
        if name.lower() == "namespaces":
            options["namespaces"] = tuple(value.split(","))
        elif name.lower() in ("valid-after", "valid-before"):
            options[name.lower().replace("-", "_")] = _time(value, place)
        else:
            raise VstackError(
                f"The approvers file has the option `{name}`, which vstack does not know",
                where=place,
                todo="Use `namespaces`, `valid-after` and `valid-before` only; list keys themselves, not authorities",
            )
    return options


def _time(text: str, place: str) -> datetime:
    """`YYYYMMDD[HHMM[SS]][Z]`, in local time unless it ends in Z."""
    digits = text.removesuffix("Z")
    form = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}.get(len(digits), "")
    try:
        time = datetime.strptime(digits, form)
    except ValueError:
        raise VstackError(
            f"The approvers file has the time `{text}`",
            where=place,
            todo="Write YYYYMMDD or YYYYMMDDHHMM[SS], with Z for UTC",
        ) from None
    return time.replace(tzinfo=UTC) if text.endswith("Z") else time.astimezone()


def _matches(patterns: Iterable[str], text: str) -> bool:
    """As OpenSSH matches a list: some pattern fits, and none that begins with `!` does; only `*` and `?` are wild."""
    fits = False
    for pattern in patterns:
        wild = pattern.removeprefix("!").replace("[", "[[]")
        if fnmatch.fnmatchcase(text, wild):
            if pattern.startswith("!"):
                return False
            fits = True
    return fits


def read_public_key(path: Path) -> tuple[str, str]:
    """Type and base64 of the public key that belongs to the private key (or is itself the public key) at ``path``.

    Raises:
        VstackError: there is none.
    """
    public = path if path.suffix == ".pub" else path.with_name(path.name + ".pub")
    words = read_text(public).split()
    if len(words) < 2:
        raise VstackError(
            "The file holds no SSH public key", where=str(public), todo="Make one: `ssh-keygen -t ed25519-sk`"
        )
    return words[0], words[1]


def principals_of(approvers: tuple[Approver, ...], key: str) -> tuple[str, ...]:
    """The principals under which ``key`` (base64) is listed, patterns such as `*@example.org` among them."""
    wanted = base64.b64decode(key)
    return tuple(
        principal for approver in approvers if approver.public_key == wanted for principal in approver.principals
    )


def approver_line(principal: str, key_type: str, key: str) -> str:
    """A line for the approvers file that lets this key approve, and nothing else."""
    return f'{principal} namespaces="{NAMESPACE}" {key_type} {key}'


def put_demo_key(path: Path, key_type: str, key: str) -> None:
    """Make ``key`` the one demo key of the approvers file; the lines of persons stay as they are.

    Raises:
        VstackError: the file can't be written.
    """
    lines = (read_text(path) if path.exists() else _HEADER).splitlines()
    kept = [line for line in lines if not line.startswith(DEMO_PRINCIPAL)]
    write_atomic(path, "\n".join([*kept, approver_line(DEMO_PRINCIPAL, key_type, key)]) + "\n")


def start_approvers(path: Path, principal: str, key_type: str, key: str) -> None:
    """Write an approvers file with its first approver.

    Raises:
        VstackError: the file can't be written.
    """
    write_atomic(path, _HEADER + approver_line(principal, key_type, key) + "\n")
