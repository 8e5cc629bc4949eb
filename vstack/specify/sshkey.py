"""Whether an SSH key made a signature, and signatures by a throwaway key: the cryptography is the `cryptography` package's."""

from __future__ import annotations

import base64
import hashlib

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_public_key

from vstack.errors import RefusedError
from vstack.specify.sshsig import SECURITY_KEYS, Reader, SshSignature, armor, string

_MAGIC = b"SSHSIG"
_HASHES = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}
# PROTOCOL.sshsig: an RSA key signs with SHA-2; its old SHA-1 form (`ssh-rsa`) does not count.
_RSA = {"rsa-sha2-256": hashes.SHA256, "rsa-sha2-512": hashes.SHA512}
_CURVES: dict[str, hashes.HashAlgorithm] = {
    "nistp256": hashes.SHA256(),
    "nistp384": hashes.SHA384(),
    "nistp521": hashes.SHA512(),
}
# As OpenSSH's default RequiredRSASize and more: a shorter key is no proof.
_RSA_BITS = 2048


def is_genuine(signature: SshSignature, message: bytes) -> bool:
    """Whether the key inside ``signature`` signed ``message``, flags and counter of a security key included.

    Ed25519, ECDSA and RSA (2048 bits or more, SHA-2) keys, and the security-key
    forms of the first two (OpenSSH's PROTOCOL.sshsig and PROTOCOL.u2f).

    Raises:
        RefusedError: a key or hash of another kind.
    """
    if signature.hash_name not in _HASHES:
        raise RefusedError(f"The signature hashes with {signature.hash_name}, which SSH signatures do not use")
    signed = _signed(signature.namespace, signature.hash_name, message)
    if signature.key_type in SECURITY_KEYS:
        # PROTOCOL.u2f: the key signs the hash of its application, the flags and counter, and the hash of the data.
        signed = hashlib.sha256(_application(signature)).digest() + signature.tail + hashlib.sha256(signed).digest()
    try:
        key = load_ssh_public_key(f"{signature.key_type} {base64.b64encode(signature.public_key).decode()}".encode())
    except (ValueError, UnsupportedAlgorithm):
        raise RefusedError(
            f"A key of type {signature.key_type} can't approve",
            todo="Use an Ed25519, ECDSA or RSA key, or a security key",
        ) from None
    try:
        if isinstance(key, Ed25519PublicKey):
            key.verify(signature.signature, signed)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(_dss(signature.signature), signed, ec.ECDSA(_curve_hash(signature.key_type)))
        elif isinstance(key, rsa.RSAPublicKey):
            if key.key_size < _RSA_BITS or signature.signature_type not in _RSA:
                raise RefusedError(f"An RSA key approves with {_RSA_BITS} bits or more, and with SHA-2")
            key.verify(signature.signature, signed, padding.PKCS1v15(), _RSA[signature.signature_type]())
        else:
            raise RefusedError(f"A key of type {signature.key_type} can't approve")
    except InvalidSignature:
        return False
    return True


class ThrowawayKey:
    """An Ed25519 key that never leaves memory."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.generate()
        words = self._key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode().split()
        self.key_type, self.public = words[0], words[1]

    def sign(self, message: bytes, namespace: str) -> str:
        """The armored SSH signature of ``message``, as `ssh-keygen -Y sign` would make it."""
        bare = self._key.sign(_signed(namespace, "sha512", message))
        inner = string(self.key_type.encode()) + string(bare)
        blob = _MAGIC + (1).to_bytes(4, "big") + string(base64.b64decode(self.public)) + string(namespace.encode())
        return armor(blob + string(b"") + string(b"sha512") + string(inner))


def _signed(namespace: str, hash_name: str, message: bytes) -> bytes:
    digest = _HASHES[hash_name](message).digest()
    return _MAGIC + string(namespace.encode()) + string(b"") + string(hash_name.encode()) + string(digest)


def _application(signature: SshSignature) -> bytes:
    """The last field of a security key's public key: what it was made for, `ssh:` by default."""
    reader, last = Reader(signature.public_key), b""
    while reader.position < len(reader.data):
        last = reader.string()
    return last


def _dss(blob: bytes) -> bytes:
    reader = Reader(blob)
    r, s = (int.from_bytes(reader.string(), "big", signed=True) for _ in range(2))
    reader.end()
    if r <= 0 or s <= 0:
        raise InvalidSignature
    return encode_dss_signature(r, s)


def _curve_hash(key_type: str) -> hashes.HashAlgorithm:
    # A key's type, and so its curve, is that of its own bytes: the loader refuses any other.
    return next(algorithm for curve, algorithm in _CURVES.items() if curve in key_type)
