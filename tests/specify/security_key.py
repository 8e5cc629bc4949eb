"""A security key in software: it signs as OpenSSH's PROTOCOL.u2f says, with flags of the test's choice.

What is real: the Ed25519 signature over the real bytes, which vstack and the
real `ssh-keygen -Y verify` check. What is not: hardware that saw a touch. The
private key of a real one never leaves it, so there the flags can't be chosen.
"""

from __future__ import annotations

import base64
import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from vstack.specify.approvers import NAMESPACE
from vstack.specify.sshsig import armor, string

KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"the test's security key").digest())
KEY_TYPE = b"sk-ssh-ed25519@openssh.com"
APPLICATION = b"ssh:"


def public_blob() -> bytes:
    """The public key as it stands, in base64, in an approvers file."""
    return string(KEY_TYPE) + string(KEY.public_key().public_bytes_raw()) + string(APPLICATION)


def approvers_entry(principal: str) -> str:
    """The key's line in an approvers file."""
    return f"{principal} {KEY_TYPE.decode()} {base64.b64encode(public_blob()).decode()}\n"


def signature(message: bytes, *, flags: int, counter: int = 7, namespace: str = NAMESPACE) -> str:
    """The armored SSH signature of ``message``, with the flags byte ``flags`` under it."""
    name, hash_name = namespace.encode(), b"sha512"
    signed = b"SSHSIG" + string(name) + string(b"") + string(hash_name) + string(hashlib.sha512(message).digest())
    tail = bytes([flags]) + counter.to_bytes(4, "big")
    raw = KEY.sign(hashlib.sha256(APPLICATION).digest() + tail + hashlib.sha256(signed).digest())
    inner = string(KEY_TYPE) + string(raw) + tail
    blob = (
        b"SSHSIG"
        + (1).to_bytes(4, "big")
        + string(public_blob())
        + string(name)
        + string(b"")
        + string(hash_name)
        + string(inner)
    )
    return armor(blob)
