"""A security key in software: it signs as OpenSSH's PROTOCOL.u2f says, with flags of the test's choice.

What is real: the Ed25519 signature over the real bytes, which the real
`ssh-keygen -Y verify` checks. What is not: hardware that saw a touch. The
private key of a real one never leaves it, so there the flags can't be chosen.
"""

from __future__ import annotations

import base64
import hashlib

from tests.specify import ed25519
from vstack.specify.approvers import NAMESPACE

SEED = hashlib.sha256(b"the test's security key").digest()
KEY_TYPE = b"sk-ssh-ed25519@openssh.com"
APPLICATION = b"ssh:"


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def public_blob() -> bytes:
    """The public key as it stands, in base64, in an approvers file."""
    return _string(KEY_TYPE) + _string(ed25519.public_key(SEED)) + _string(APPLICATION)


def approvers_entry(principal: str) -> str:
    """The key's line in an approvers file."""
    return f"{principal} {KEY_TYPE.decode()} {base64.b64encode(public_blob()).decode()}\n"


def signature(message: bytes, *, flags: int, counter: int = 7, namespace: str = NAMESPACE) -> str:
    """The armored SSH signature of ``message``, with the flags byte ``flags`` under it."""
    name, hash_name = namespace.encode(), b"sha512"
    signed = b"SSHSIG" + _string(name) + _string(b"") + _string(hash_name) + _string(hashlib.sha512(message).digest())
    tail = bytes([flags]) + counter.to_bytes(4, "big")
    raw = ed25519.sign(SEED, hashlib.sha256(APPLICATION).digest() + tail + hashlib.sha256(signed).digest())
    inner = _string(KEY_TYPE) + _string(raw) + tail
    blob = (
        b"SSHSIG"
        + (1).to_bytes(4, "big")
        + _string(public_blob())
        + _string(name)
        + _string(b"")
        + _string(hash_name)
        + _string(inner)
    )
    text = base64.b64encode(blob).decode()
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----"]) + "\n"
