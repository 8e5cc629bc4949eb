"""`python -m vstack.guard MOMENT --host HOST`, and the same by path: a plugin's folder is all that it needs."""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def main(arguments: list[str]) -> int:
    """Run one call; the exit status. Without `commit` this never loads more than the standard library."""
    if arguments[:1] == ["commit"]:
        from vstack.guard.commit import run_commit

        return run_commit(arguments[1:])
    from vstack.guard.hook import MOMENTS, run
    from vstack.guard.hosts import HOSTS

    if len(arguments) == 3 and arguments[0] in MOMENTS and arguments[1] == "--host" and arguments[2] in HOSTS:
        return run(arguments[0], arguments[2])
    print(
        f"vstack guard: usage: {'|'.join(MOMENTS)} --host {'|'.join(HOSTS)}, or commit; not {arguments}",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    # Run by path, Python looks for modules in this folder: the package's own root is what it needs.
    sys.path[:] = [os.path.dirname(os.path.dirname(_HERE)), *(place for place in sys.path if place not in ("", _HERE))]
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BaseException as error:
        print(f"vstack guard: a fault of its own ({type(error).__name__}: {error}).", file=sys.stderr)
        code = 2
    # A buffer that can't be flushed at exit would turn the status into 120, which lets the tool run.
    os._exit(code)
