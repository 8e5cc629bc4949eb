"""Real keys of the real `ssh-keygen`, for what a person does with one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

MISSING = shutil.which("ssh-keygen") is None
REASON = "a person's key needs ssh-keygen (Debian: openssh-client)"
needs_ssh_keygen = pytest.mark.skipif(MISSING, reason=REASON)


def make_key(path: Path, *options: str) -> Path:
    """A key pair without a passphrase at ``path``; Ed25519 unless ``options`` say otherwise.

    A test that calls it is skipped where `ssh-keygen` is missing.
    """
    if MISSING:
        pytest.skip(REASON)
    argv = ["ssh-keygen", "-q", *(options or ("-t", "ed25519")), "-N", "", "-C", "note", "-f", str(path)]
    subprocess.run(argv, check=True)
    return path
