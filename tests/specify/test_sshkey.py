"""Who signed what: vstack's check beside the real `ssh-keygen -Y`, in both directions and for each kind of key."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.specify import security_key
from tests.specify.keys import make_key, needs_ssh_keygen
from vstack.errors import RefusedError
from vstack.specify.sshkey import ThrowawayKey, is_genuine
from vstack.specify.sshsig import armor, parse_signature, string

KINDS = [
    ("-t", "ed25519"),
    ("-t", "ecdsa", "-b", "256"),
    ("-t", "ecdsa", "-b", "384"),
    ("-t", "ecdsa", "-b", "521"),
    ("-t", "rsa", "-b", "2048"),
]


def signed_by_ssh_keygen(folder: Path, *options: str) -> str:
    key, message = make_key(folder / "key", *options), folder / "message"
    message.write_bytes(b"hello")
    subprocess.run(["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", "test", str(message)], check=True)
    return message.with_suffix(".sig").read_text()


def tampered(text: str, at: int) -> str:
    raw = bytearray(base64.b64decode("".join(text.splitlines()[1:-1])))
    raw[at] ^= 1
    return armor(bytes(raw))


@pytest.mark.parametrize("options", KINDS, ids=" ".join)
def test_what_ssh_keygen_signs_is_genuine_and_nothing_else_is(tmp_path: Path, options: tuple[str, ...]) -> None:
    text = signed_by_ssh_keygen(tmp_path, *options)
    signature = parse_signature(text)
    assert is_genuine(signature, b"hello")
    assert not is_genuine(signature, b"hullo")
    assert not is_genuine(parse_signature(tampered(text, -2)), b"hello")


@needs_ssh_keygen
def test_ssh_keygen_accepts_what_a_throwaway_key_signs(tmp_path: Path) -> None:
    key = ThrowawayKey()
    (tmp_path / "approvers").write_text(f"demo@example.org {key.key_type} {key.public}\n")
    (tmp_path / "sig").write_text(key.sign(b"hello", "test"))
    argv = ["ssh-keygen", "-Y", "verify", "-f", str(tmp_path / "approvers"), "-I", "demo@example.org", "-n", "test"]
    argv += ["-s", str(tmp_path / "sig")]
    assert subprocess.run(argv, input=b"hello", capture_output=True).returncode == 0
    assert subprocess.run(argv, input=b"hullo", capture_output=True).returncode != 0


@pytest.mark.parametrize("flags", [0x00, 0x01, 0x05])
def test_a_security_key_signs_its_flags(flags: int) -> None:
    text = security_key.signature(b"hello", flags=flags)
    assert is_genuine(parse_signature(text), b"hello")
    assert not is_genuine(parse_signature(text), b"hullo")
    raised = parse_signature(tampered(text, -5))
    assert raised.touch is not bool(flags & 1) and not is_genuine(raised, b"hello")


def test_an_ecdsa_security_key_is_checked_too() -> None:
    """Its signature (two integers) is over the same bytes as that of the Ed25519 form (PROTOCOL.u2f)."""
    kind, key = b"sk-ecdsa-sha2-nistp256@openssh.com", ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    public = string(kind) + string(b"nistp256") + string(point) + string(b"ssh:")
    body = b"SSHSIG" + string(b"test") + string(b"") + string(b"sha512") + string(hashlib.sha512(b"hello").digest())
    tail = bytes([1]) + (9).to_bytes(4, "big")
    signed = hashlib.sha256(b"ssh:").digest() + tail + hashlib.sha256(body).digest()
    numbers = decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))
    bare = b"".join(string(number.to_bytes(33, "big")) for number in numbers)
    head = b"SSHSIG" + (1).to_bytes(4, "big") + string(public) + string(b"test") + string(b"") + string(b"sha512")
    text = armor(head + string(string(kind) + string(bare) + tail))
    assert parse_signature(text).touch and is_genuine(parse_signature(text), b"hello")
    assert not is_genuine(parse_signature(text), b"hullo")
    assert not is_genuine(parse_signature(tampered(text, -1)), b"hello")


def test_a_short_rsa_key_and_an_old_hash_do_not_count(tmp_path: Path) -> None:
    short = tmp_path / "short"
    short.mkdir()
    with pytest.raises(RefusedError, match="2048 bits"):
        is_genuine(parse_signature(signed_by_ssh_keygen(short, "-t", "rsa", "-b", "1024")), b"hello")
    text = signed_by_ssh_keygen(tmp_path, "-t", "rsa", "-b", "2048")
    raw = base64.b64decode("".join(text.splitlines()[1:-1]))
    old = raw.replace(string(b"rsa-sha2-512"), string(b"rsa-sha1-512"))
    with pytest.raises(RefusedError, match="SHA-2"):
        is_genuine(parse_signature(armor(old)), b"hello")


def test_a_key_of_an_unknown_kind_is_refused() -> None:
    text = ThrowawayKey().sign(b"hello", "test")
    raw = base64.b64decode("".join(text.splitlines()[1:-1]))
    with pytest.raises(RefusedError, match="ssh-ed25518 can't approve"):
        is_genuine(parse_signature(armor(raw.replace(b"ssh-ed25519", b"ssh-ed25518"))), b"hello")
    with pytest.raises(RefusedError, match="its key of type"):
        parse_signature(armor(raw.replace(b"ssh-ed25519", b"ssh-ed25518", 1)))
