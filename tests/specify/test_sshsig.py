"""The binary form of SSH signatures: real ones of ssh-keygen, and a security key's built byte by byte."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest

from tests.specify import security_key
from tests.specify.keys import make_key, needs_ssh_keygen
from vstack.errors import RefusedError
from vstack.specify.sshsig import parse_signature


def software_signature(folder: Path, *key_options: str) -> str:
    key, message = folder / "key", folder / "message"
    make_key(key, *key_options)
    message.write_bytes(b"hello")
    subprocess.run(["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", "test", str(message)], check=True)
    return message.with_suffix(".sig").read_text()


@pytest.mark.parametrize(
    ("options", "key_type"),
    [
        (("-t", "ed25519"), "ssh-ed25519"),
        (("-t", "ecdsa"), "ecdsa-sha2-nistp256"),
        (("-t", "rsa", "-b", "2048"), "ssh-rsa"),
    ],
)
def test_a_software_key_proves_no_touch(tmp_path: Path, options: tuple[str, ...], key_type: str) -> None:
    parsed = parse_signature(software_signature(tmp_path, *options))
    assert (parsed.key_type, parsed.namespace, parsed.touch, parsed.verified) == (key_type, "test", False, False)
    assert (tmp_path / "key.pub").read_text().split()[1] == base64.b64encode(parsed.public_key).decode()


@pytest.mark.parametrize(
    ("flags", "touch", "verified"), [(0x00, False, False), (0x01, True, False), (0x04, False, True), (0x05, True, True)]
)
def test_the_flags_of_a_security_key_are_read(flags: int, touch: bool, verified: bool) -> None:
    parsed = parse_signature(security_key.signature(b"hello", flags=flags))
    assert (parsed.key_type, parsed.touch, parsed.verified) == ("sk-ssh-ed25519@openssh.com", touch, verified)


@needs_ssh_keygen
@pytest.mark.parametrize("flags", [0x00, 0x01, 0x05])
def test_ssh_keygen_accepts_the_handmade_signature_whatever_its_flags(tmp_path: Path, flags: int) -> None:
    """So the byte layout is OpenSSH's, and the check of the flags has to be our own."""
    (tmp_path / "approvers").write_text(security_key.approvers_entry("person@example.org"))
    (tmp_path / "sig").write_text(security_key.signature(b"hello", flags=flags))
    argv = ["ssh-keygen", "-Y", "verify", "-f", str(tmp_path / "approvers"), "-I", "person@example.org"]
    argv += ["-n", "vstack-approval", "-s", str(tmp_path / "sig")]
    assert subprocess.run(argv, input=b"hello", capture_output=True).returncode == 0
    assert subprocess.run(argv, input=b"hullo", capture_output=True).returncode != 0


@needs_ssh_keygen
def test_flags_can_not_be_raised_afterwards(tmp_path: Path) -> None:
    """The flags are under the signature: setting the touch bit in a finished signature voids it."""
    untouched = security_key.signature(b"hello", flags=0x00)
    raw = bytearray(base64.b64decode("".join(untouched.splitlines()[1:-1])))
    raw[-5] = 0x01
    forged = "\n".join(["-----BEGIN SSH SIGNATURE-----", base64.b64encode(raw).decode(), "-----END SSH SIGNATURE-----"])
    assert parse_signature(forged).touch
    (tmp_path / "approvers").write_text(security_key.approvers_entry("person@example.org"))
    (tmp_path / "sig").write_text(forged + "\n")
    argv = ["ssh-keygen", "-Y", "verify", "-f", str(tmp_path / "approvers"), "-I", "person@example.org"]
    argv += ["-n", "vstack-approval", "-s", str(tmp_path / "sig")]
    assert subprocess.run(argv, input=b"hello", capture_output=True).returncode != 0


def test_broken_signatures_are_refused() -> None:
    whole = security_key.signature(b"hello", flags=1)
    raw = base64.b64decode("".join(whole.splitlines()[1:-1]))

    def armor(data: bytes) -> str:
        return f"-----BEGIN SSH SIGNATURE-----\n{base64.b64encode(data).decode()}\n-----END SSH SIGNATURE-----\n"

    broken = [
        "",
        "hello",
        whole.replace("BEGIN", "BEGUN"),
        armor(raw[:-1]),
        armor(raw + b"x"),
        armor(b"SSHSAG" + raw[6:]),
    ]
    broken += [armor(raw[:40]), whole.replace("U", "!", 1)]
    for text in broken:
        with pytest.raises(RefusedError):
            parse_signature(text)
