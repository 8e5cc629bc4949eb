"""`vstack.approvers`: whose signatures count, in OpenSSH's allowed-signers format."""

from __future__ import annotations

import base64
import binascii
import shlex
from dataclasses import dataclass
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import read_text, write_atomic
from vstack.specify.lock import DEMO_PRINCIPAL

APPROVERS_FILE = "vstack.approvers"
NAMESPACE = "vstack-approval"
_HEADER = """\
# Who may approve goals: OpenSSH's allowed-signers format (man ssh-keygen, ALLOWED SIGNERS).
# The copy on the target branch is the one that counts.
"""


@dataclass(frozen=True)
class Approver:
    """One line: the principals as written (may hold `*`), the key's type and its bytes."""

    principals: tuple[str, ...]
    key_type: str
    public_key: bytes
    line: int


def parse_approvers(text: str, *, where: str) -> tuple[Approver, ...]:
    """The approvers in ``text``.

    Raises:
        VstackError: a line that is not `principals [options] keytype key`, with ``file:line``.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            words = shlex.split(line)
            place = next(i for i, word in enumerate(words) if i and word.startswith(("ssh-", "sk-", "ecdsa-")))
            key = base64.b64decode(words[place + 1], validate=True)
        except (ValueError, StopIteration, IndexError, binascii.Error):
            raise VstackError(
                "A line of the approvers file is not `principal keytype key`",
                where=f"{where}:{number}",
                todo="Write it as in the public key's file, with the principal (an e-mail address) in front",
            ) from None
        found.append(Approver(tuple(words[0].split(",")), words[place], key, number))
    return tuple(found)


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
