"""The process of a detached run: the command line as given, its exit status left in a file."""

from __future__ import annotations

import sys
from pathlib import Path


def run(folder: Path, argv: list[str]) -> int:
    """Run `vstack ARGV` here and record its exit status in ``folder``/exit, whatever happens."""
    from vstack.cli import main
    from vstack.files import write_atomic

    sys.argv = ["vstack", *argv]
    code = 2
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    finally:
        write_atomic(folder / "exit", str(code))
    return code


if __name__ == "__main__":
    # A shell that is not interactive starts background jobs with SIGINT ignored; `status --stop` needs it.
    import signal

    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run(Path(sys.argv[1]), sys.argv[2:]))
