"""What the process of a project's own script may not do, and which of it the kernel enforces.

Called inside that process, before anything of the project is run. On Linux,
where user namespaces are allowed, the file system is read-only and there is
no network whatever the script does. Everywhere, resource limits forbid files
that grow, and an audit hook refuses writes, reads of files other than the
interpreter's, sockets and programs; native code could get around the hook,
which is why the script's word counts for nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

_NEW_MOUNTS, _NEW_USER, _NEW_NETWORK = 0x00020000, 0x10000000, 0x40000000
_PRIVATE = 0x4000 | 0x40000
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_NO_NEW_PRIVILEGES, _CAPABILITY_VERSION = 38, 0x20080522
# A Python with libz3 maps about this much before it has done anything.
BASE_MB = 768

_REFUSED_PREFIXES = (
    "socket.",
    "subprocess.",
    "shutil.",
    "urllib.",
    "http.",
    "ftplib.",
    "smtplib.",
    "pty.",
    "tempfile.",
)
_REFUSED = frozenset(
    {
        "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.kill",
        "os.killpg", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.chown",
        "os.truncate", "os.utime", "os.setxattr", "os.removexattr", "ctypes.dlopen", "ctypes.dlsym",
        "ctypes.dlsym/handle", "resource.setrlimit", "resource.prlimit", "signal.pthread_kill",
    }
)  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def isolate(*, seconds: float, memory_mb: int) -> list[str]:
    """Give up what a script must not have; what is enforced, in words.

    ``seconds`` of processor time and ``memory_mb`` MiB beyond the interpreter's own.
    """
    done = _namespaces() if sys.platform == "linux" else []
    limit_resources(seconds=seconds, memory_mb=memory_mb)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    return [
        *done,
        f"at most {seconds:g} s of processor time and {memory_mb} MiB",
        "no file can be written to (RLIMIT_FSIZE)",
    ]


def limit_resources(*, seconds: float, memory_mb: int) -> None:
    """Limit this process to ``seconds`` of processor time and ``memory_mb`` MiB beyond the interpreter's own."""
    allowed = (memory_mb + BASE_MB) << 20
    for kind, limit in (
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_AS, allowed),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


def _namespaces() -> list[str]:
    """A read-only view of the file system, no network and no privileges, as far as this kernel lets us."""
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _NEW_MOUNTS | _NEW_NETWORK | (0 if os.geteuid() == 0 else _NEW_USER)
    if libc.unshare(flags) != 0:
        return []
    done = ["no network (own namespace)"]
    attributes = (ctypes.c_uint64 * 4)(_READ_ONLY, 0, 0, 0)
    if (
        libc.mount(None, b"/", None, _PRIVATE, None) == 0
        and libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, attributes, ctypes.sizeof(attributes)) == 0
    ):
        done.append("read-only file system (own namespace)")
    # Without capabilities the two above can't be undone from inside.
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and libc.capset(header, nothing) == 0:
        done.append("no capabilities")
    return done


def watch(readable: tuple[str, ...], script: Path, refused: list[str]) -> str:
    """Refuse by audit hook whatever reaches outside of this process; each refusal is noted in ``refused``.

    Files under the folders ``readable`` may be read, and ``script`` itself (a
    printed traceback does). A hook can't be removed.
    """
    folders = (*(os.path.realpath(folder) + os.sep for folder in readable), os.path.realpath(script))
    sys.addaudithook(_hook(folders, refused))
    return "no writes, sockets, programs or files of the project (audit hook)"


def _hook(folders: tuple[str, ...], refused: list[str]) -> Callable[[str, tuple[object, ...]], None]:
    # Bound now: a script could replace what the names stand for later.
    realpath, permission, fsdecode, writing, text = (
        os.path.realpath,
        PermissionError,
        os.fsdecode,
        _WRITING,
        (str, bytes),
    )

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        what = None
        if event == "open":
            path, mode, flags = arguments
            if isinstance(path, text):
                is_write = (isinstance(flags, int) and flags & writing) or (
                    isinstance(mode, str) and set(mode) & set("wax+")
                )
                shown = fsdecode(path)
                if is_write:
                    what = f"open {shown} for writing"
                elif not realpath(shown).startswith(folders):
                    what = f"read {shown}"
        elif event in _REFUSED or event.startswith(_REFUSED_PREFIXES):
            what = f"{event} {arguments[0] if arguments else ''}".strip()
        if what is not None:
            if len(refused) < 20:
                refused.append(what[:300])
            raise permission(f"a goal's script may not {what}")

    return hook
