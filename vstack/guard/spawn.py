"""git as a child process, for the commit hook's fast path: importing `subprocess` takes longer than git itself."""

from __future__ import annotations

import os


def output(argv: list[str], *, quiet: bool = False) -> tuple[int, bytes]:
    """Exit status and standard output of ``argv`` (found on the PATH); its errors go where ours go, unless ``quiet``.

    Raises:
        OSError: it can't be started.
    """
    reading, writing = os.pipe()
    try:
        actions: list[tuple[object, ...]] = [(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_CLOSE, reading)]
        if quiet:
            actions.append((os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0))
        # Replacement refs of the working clone must not stand in for what was committed.
        environment = {**os.environ, "GIT_NO_REPLACE_OBJECTS": "1"}
        child = os.posix_spawnp(argv[0], argv, environment, file_actions=actions)  # type: ignore[arg-type]
    finally:
        os.close(writing)
    pieces = []
    while piece := os.read(reading, 1 << 16):
        pieces.append(piece)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), b"".join(pieces)
