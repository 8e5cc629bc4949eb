"""The binary form of an SSH signature: which key made it, and whether it proves a person's touch."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from vstack.errors import RefusedError

BEGIN = "-----BEGIN SSH SIGNATURE-----"
END = "-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG"
# Security-key types: their signatures end in a flags byte and a counter (OpenSSH's PROTOCOL.u2f).
SECURITY_KEYS = frozenset({"sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"})
USER_PRESENT = 0x01
USER_VERIFIED = 0x04


@dataclass(frozen=True)
class SshSignature:
    """``touch``: the key's hardware saw a touch; ``verified``: it also saw a PIN or a fingerprint.

    Both are only as good as the cryptographic check of the same bytes, which
    `ssh-keygen -Y verify` does: the flags are part of what the key signs.
    """

    key_type: str
    public_key: bytes
    namespace: str
    touch: bool
    verified: bool


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def take(self, size: int) -> bytes:
        piece = self.data[self.position : self.position + size]
        if len(piece) != size:
            raise RefusedError("The signature is cut short", todo="Approve again: `vstack spec approve`")
        self.position += size
        return piece

    def number(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        return self.string().decode("utf-8", errors="replace")

    def end(self) -> None:
        if self.position != len(self.data):
            raise RefusedError("The signature has bytes too many", todo="Approve again: `vstack spec approve`")


def parse_signature(armored: str) -> SshSignature:
    """The signature in ``armored`` (the text between the SSH SIGNATURE lines).

    The format is OpenSSH's PROTOCOL.sshsig; for security keys the inner
    signature is followed by one byte of flags and four of a counter.

    Raises:
        RefusedError: not an SSH signature, cut short, of a key type other than
            its own public key's, or with bytes left over.
    """
    reader = _Reader(_dearmor(armored))
    if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != 1:
        raise RefusedError("The signature is not an SSH signature of version 1")
    public_key = reader.string()
    namespace = reader.text()
    reader.string()  # reserved
    reader.text()  # hash algorithm
    inner = _Reader(reader.string())
    reader.end()
    key_type = _Reader(public_key).text()
    signature_type = inner.text()
    inner.string()
    touch = verified = False
    if key_type in SECURITY_KEYS:
        if signature_type != key_type:
            raise RefusedError(f"The signature is of type {signature_type}, its key of type {key_type}")
        flags = inner.take(1)[0]
        inner.number()  # the key's signature counter
        touch, verified = bool(flags & USER_PRESENT), bool(flags & USER_VERIFIED)
    inner.end()
    return SshSignature(key_type, public_key, namespace, touch, verified)


def _dearmor(armored: str) -> bytes:
    lines = [line.strip() for line in armored.strip().splitlines()]
    if len(lines) < 3 or lines[0] != BEGIN or lines[-1] != END:
        raise RefusedError("The signature does not stand between SSH SIGNATURE lines")
    try:
        return base64.b64decode("".join(lines[1:-1]), validate=True)
    except binascii.Error:
        raise RefusedError("The signature is not base64") from None
