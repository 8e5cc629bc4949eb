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

    Both are only as good as the cryptographic check of the same bytes (``is_genuine``):
    the flags are part of what the key signs.

    ``signature`` is the bare signature of type ``signature_type``; ``tail``, of
    security keys alone, is the flags byte and the counter that stand under it.
    """

    key_type: str
    public_key: bytes
    namespace: str
    hash_name: str
    signature_type: str
    signature: bytes
    tail: bytes
    touch: bool
    verified: bool


class Reader:
    """SSH's wire format (RFC 4251, section 5), read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def take(self, size: int) -> bytes:
        """The next ``size`` bytes."""
        piece = self.data[self.position : self.position + size]
        if len(piece) != size:
            raise RefusedError("The signature is cut short", todo="Approve again: `vstack spec approve`")
        self.position += size
        return piece

    def number(self) -> int:
        """A uint32."""
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        """Bytes with their length in front."""
        return self.take(self.number())

    def text(self) -> str:
        """A string as UTF-8."""
        return self.string().decode("utf-8", errors="replace")

    def end(self) -> None:
        """Refuse what is left over."""
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
    reader = Reader(_dearmor(armored))
    if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != 1:
        raise RefusedError("The signature is not an SSH signature of version 1")
    public_key = reader.string()
    namespace = reader.text()
    reader.string()  # reserved
    hash_name = reader.text()
    inner = Reader(reader.string())
    reader.end()
    key_type = Reader(public_key).text()
    signature_type = inner.text()
    signature, tail = inner.string(), b""
    touch = verified = False
    if signature_type != key_type and key_type != "ssh-rsa":  # an RSA key's signatures name their hash instead
        raise RefusedError(f"The signature is of type {signature_type}, its key of type {key_type}")
    if key_type in SECURITY_KEYS:
        tail = inner.take(5)  # flags, and the key's signature counter
        flags = tail[0]
        touch, verified = bool(flags & USER_PRESENT), bool(flags & USER_VERIFIED)
    inner.end()
    return SshSignature(
        key_type, public_key, namespace, hash_name, signature_type, signature, tail, touch, verified
    )


def string(data: bytes) -> bytes:
    """``data`` with its length in front, as SSH writes a string."""
    return len(data).to_bytes(4, "big") + data


def armor(blob: bytes) -> str:
    """A binary signature between the SSH SIGNATURE lines."""
    text = base64.b64encode(blob).decode()
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return "\n".join([BEGIN, *lines, END]) + "\n"


def _dearmor(armored: str) -> bytes:
    lines = [line.strip() for line in armored.strip().splitlines()]
    if len(lines) < 3 or lines[0] != BEGIN or lines[-1] != END:
        raise RefusedError("The signature does not stand between SSH SIGNATURE lines")
    try:
        return base64.b64decode("".join(lines[1:-1]), validate=True)
    except binascii.Error:
        raise RefusedError("The signature is not base64") from None
