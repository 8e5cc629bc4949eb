"""Approvals: SSH signatures over a lock, made and checked with `ssh-keygen -Y`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.specify.approvers import NAMESPACE, parse_approvers
from vstack.specify.lock import DEMO_LABEL, DEMO_PRINCIPAL, Approval, Lock
from vstack.specify.sshsig import parse_signature

_VERIFY_SECONDS = 30.0
# A person looks for the key and touches it; ssh-keygen itself waits for ever.
_SIGN_SECONDS = 300.0


@dataclass(frozen=True)
class Verified:
    """An approval whose signature is genuine and whose signer is an approver."""

    principal: str
    time: str
    key_type: str
    touch: bool
    verified: bool

    @property
    def is_demo(self) -> bool:
        """Whether a throwaway key signed, and so no person."""
        return self.principal == DEMO_PRINCIPAL

    @property
    def words(self) -> str:
        """Who approved, and how much that proves."""
        if self.is_demo:
            return DEMO_LABEL
        proof = (
            "touch and PIN proved" if self.touch and self.verified else "touch proved" if self.touch else "software key"
        )
        return f"{self.principal} ({proof}, {self.time})"


def sign(lock: Lock, *, key: Path, principal: str) -> Lock:
    """``lock`` with an approval by ``principal`` added, signed with the private key (or agent key) at ``key``.

    `ssh-keygen` may ask for a passphrase, a PIN or a touch on the terminal.

    Raises:
        VstackError: `ssh-keygen` is missing, or could not sign.
    """
    time = datetime.now(UTC).isoformat(timespec="seconds")
    with tempfile.TemporaryDirectory(prefix="vstack-sign-") as folder:
        message = Path(folder) / "payload"
        message.write_bytes(lock.payload(principal, time))
        argv = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(message)]
        try:
            ended = subprocess.run(
                argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, timeout=_SIGN_SECONDS
            )
        except FileNotFoundError:
            raise _no_ssh_keygen() from None
        except subprocess.TimeoutExpired:
            raise VstackError(
                "Signing took longer than 5 minutes", where=str(key), todo="Try again and touch the key"
            ) from None
        signature = message.with_suffix(".sig")
        if ended.returncode != 0 or not signature.exists():
            said = ended.stderr.strip().splitlines()
            raise VstackError(
                f"ssh-keygen could not sign: {said[-1] if said else 'no message'}",
                where=str(key),
                todo="Name a private key, or the public key of one that the SSH agent holds",
            )
        armored = signature.read_text(encoding="ascii")
    label = DEMO_LABEL if principal == DEMO_PRINCIPAL else None
    approval = Approval(principal=principal, time=time, label=label, signature=armored)
    return lock.model_copy(update={"approvals": (*lock.approvals, approval)})


def make_demo_key(folder: Path) -> Path:
    """A throwaway key pair in ``folder``; who calls deletes it after one signature.

    Raises:
        VstackError: `ssh-keygen` is missing or fails.
    """
    key = folder / "demo-key"
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)]
    try:
        subprocess.run(argv, check=True, capture_output=True, timeout=_VERIFY_SECONDS)
    except FileNotFoundError:
        raise _no_ssh_keygen() from None
    except subprocess.CalledProcessError as error:
        raise VstackError(
            f"ssh-keygen could not make a demo key: {error.stderr.decode(errors='replace').strip()}"
        ) from None
    return key


def verify(lock: Lock, approval: Approval, approvers: str, *, where: str) -> Verified:
    """Check one approval of ``lock`` against the text of an approvers file (``where`` names that file).

    Raises:
        RefusedError: the signature is broken, is not over this lock, or its
            signer is not an approver (any more).
        VstackError: the approvers file doesn't parse, or `ssh-keygen` is missing.
    """
    signature = parse_signature(approval.signature)
    if signature.namespace != NAMESPACE:
        raise RefusedError(f"The signature was made for `{signature.namespace}`, not for `{NAMESPACE}`", where=where)
    listed = parse_approvers(approvers, where=where)
    if not any(entry.public_key == signature.public_key for entry in listed):
        raise RefusedError(
            f"The key that approved as {approval.principal} is not in the approvers file",
            where=where,
            todo="An approver must approve again, or a code owner must add the key to that file",
        )
    with tempfile.TemporaryDirectory(prefix="vstack-verify-") as folder:
        allowed, signed = Path(folder) / "approvers", Path(folder) / "signature"
        allowed.write_text(approvers, encoding="utf-8")
        signed.write_text(approval.signature, encoding="ascii", errors="replace")
        argv = [
            "ssh-keygen",
            "-Y",
            "verify",
            "-f",
            str(allowed),
            "-I",
            approval.principal,
            "-n",
            NAMESPACE,
            "-s",
            str(signed),
        ]
        try:
            ended = subprocess.run(
                argv,
                input=lock.payload(approval.principal, approval.time),
                capture_output=True,
                timeout=_VERIFY_SECONDS,
                env={**os.environ, "LC_ALL": "C"},
            )
        except FileNotFoundError:
            raise _no_ssh_keygen() from None
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).decode(errors="replace").strip().splitlines()
        raise RefusedError(
            f"The approval by {approval.principal} is not valid for this lock: {said[0] if said else 'ssh-keygen refused it'}",
            where=where,
            todo="The lock was edited after its approval, or the key may not approve: restore it, or approve again",
        )
    return Verified(approval.principal, approval.time, signature.key_type, signature.touch, signature.verified)


def _no_ssh_keygen() -> VstackError:
    return VstackError(
        "Approvals need `ssh-keygen` (OpenSSH 8.9 or later), which is not on the PATH",
        todo="Install the OpenSSH client (Debian: openssh-client)",
    )
