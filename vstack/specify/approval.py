"""Approvals: SSH signatures over a lock. A person signs with `ssh-keygen -Y sign`; vstack checks them itself."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vstack.errors import RefusedError, VstackError
from vstack.specify.approvers import NAMESPACE, parse_approvers
from vstack.specify.lock import DEMO_LABEL, DEMO_PRINCIPAL, Approval, Lock
from vstack.specify.sshkey import ThrowawayKey, is_genuine
from vstack.specify.sshsig import parse_signature

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
            raise VstackError(
                "Signing with your key needs `ssh-keygen` (OpenSSH 8.9 or later), which is not on the PATH",
                todo="Install the OpenSSH client (Debian: openssh-client)",
            ) from None
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
    return _approved(lock, principal, time, armored)


def sign_for_demo(lock: Lock, key: ThrowawayKey) -> Lock:
    """``lock`` with an approval by a throwaway key added, labelled as no person's."""
    time = datetime.now(UTC).isoformat(timespec="seconds")
    return _approved(lock, DEMO_PRINCIPAL, time, key.sign(lock.payload(DEMO_PRINCIPAL, time), NAMESPACE))


def verify(
    lock: Lock, approval: Approval, approvers: str, *, where: str, proven: datetime | None = None
) -> Verified:
    """Check one approval of ``lock`` against the text of an approvers file (``where`` names that file).

    ``proven`` is a time that has passed whatever the clock says.

    Raises:
        RefusedError: the signature is broken, is not over this lock, or its
            signer is not an approver (any more).
        VstackError: the approvers file doesn't parse.
    """
    signature = parse_signature(approval.signature)
    if signature.namespace != NAMESPACE:
        raise RefusedError(f"The signature was made for `{signature.namespace}`, not for `{NAMESPACE}`", where=where)
    own = [entry for entry in parse_approvers(approvers, where=where) if entry.public_key == signature.public_key]
    if not own:
        raise RefusedError(
            f"The key that approved as {approval.principal} is not in the approvers file",
            where=where,
            todo="An approver must approve again, or a code owner must add the key to that file",
        )
    now = datetime.now(UTC)
    if not any(entry.may_approve(approval.principal, now, proven) for entry in own):
        raise RefusedError(
            f"The approval by {approval.principal} is not valid for this lock: the approvers file lists its key"
            " for another name or purpose, or for another time",
            where=f"{where}:{own[0].line}",
            todo="An approver must approve again, or a code owner must change that line",
        )
    if not is_genuine(signature, lock.payload(approval.principal, approval.time)):
        raise RefusedError(
            f"The approval by {approval.principal} is not valid for this lock: its signature is over something else",
            where=where,
            todo="The lock was edited after its approval: restore it with git, or approve again",
        )
    return Verified(approval.principal, approval.time, signature.key_type, signature.touch, signature.verified)


def _approved(lock: Lock, principal: str, time: str, signature: str) -> Lock:
    label = DEMO_LABEL if principal == DEMO_PRINCIPAL else None
    approval = Approval(principal=principal, time=time, label=label, signature=signature)
    return lock.model_copy(update={"approvals": (*lock.approvals, approval)})
