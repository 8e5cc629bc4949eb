"""Files written whole or not at all, content hashes, and a lock between runs in one project."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from vstack.errors import VstackError


def sha256_bytes(data: bytes) -> str:
    """Hexadecimal SHA-256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Hexadecimal SHA-256 of the file at ``path``, read in 1 MiB pieces."""
    digest = hashlib.sha256()
    with open_regular(path) as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def open_regular(path: Path | str) -> BinaryIO:
    """The file at ``path``, open for reading; a pipe or a device, which might never end, is refused.

    Raises:
        OSError: it is missing or unreadable, or no regular file.
    """
    # Without waiting: a pipe that nobody writes to would not even open.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            kind = "a named pipe" if stat.S_ISFIFO(mode) else "a device"
            raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", str(path))
        return os.fdopen(handle, "rb")
    except OSError:
        os.close(handle)
        raise


def read_bytes(path: Path | str) -> bytes:
    """All of the regular file at ``path``.

    Raises:
        OSError: as ``open_regular``.
    """
    with open_regular(path) as stream:
        return stream.read()


def read_text(path: Path) -> str:
    """The UTF-8 text of ``path``.

    Raises:
        VstackError: the file is missing, unreadable, not a regular file or not UTF-8.
    """
    try:
        with io.TextIOWrapper(open_regular(path), encoding="utf-8") as stream:
            return stream.read()
    except FileNotFoundError:
        raise VstackError("The file does not exist", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise VstackError(
            f"The file is not UTF-8 text (byte {error.start})", where=str(path), todo="Save it as UTF-8"
        ) from None
    except OSError as error:
        raise VstackError(f"The file can't be read: {error.strerror}", where=str(path)) from None


def write_atomic(path: Path, data: str | bytes) -> None:
    """Write ``data`` to ``path`` so that a reader sees the old file or the new one, whole.

    The temp file is in the target's own folder because ``os.replace`` is atomic
    only within one file system.

    Raises:
        VstackError: the folder is read-only, the disk is full, or the write failed otherwise.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes the file private; what it replaces, or what umask would give, is the honest mode.
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise VstackError(
            f"The file can't be written: {error.strerror}",
            where=str(path),
            todo="Make room or make the folder writable, then run the command again; the old file is untouched",
        ) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def exclusive(path: Path, *, what: str) -> Iterator[None]:
    """Hold an advisory lock on ``path`` so that two runs in one project don't mix.

    Raises:
        VstackError: another process holds it, or the folder can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("a+")
    except OSError as error:
        raise VstackError(f"The lock file can't be opened: {error.strerror}", where=str(path)) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise VstackError(
                f"Another run is at work on {what}",
                where=str(path),
                todo="Wait for it to end (`vstack status` lists detached runs) and try again",
            ) from None
        yield
