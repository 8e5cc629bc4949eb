"""`vstack mcp`: the verbs as an MCP server over standard input and output."""

from __future__ import annotations

from importlib import util
from pathlib import Path

import click

from vstack.errors import VstackError


def run(root: Path) -> int:
    """Serve the verbs in ``root`` until standard input ends; the exit code (0).

    Raises:
        VstackError: the folder is not there, or the extra `mcp` is not installed.
    """
    if not root.is_dir():
        raise VstackError("There is no such folder", where=str(root), todo="Name one with --root")
    if util.find_spec("mcp") is None:
        raise VstackError("The MCP server needs the package mcp", todo="Install it: pip install 'vstack[mcp]'")
    from vstack.agent.server import serve

    serve(root.resolve())
    return 0


@click.command("mcp", short_help="Serve the verbs to agents over MCP (standard input and output).")
@click.option("--root", type=click.Path(path_type=Path), default=".", help="The folder that projects are named from.")
def cli(root: Path) -> int:
    """Serve the verbs to agents over MCP, on standard input and output.

    The same verbs as the commands, but for `spec approve`: that is for a
    person. Long runs go on in the background and are asked for with `status`.

    \b
    Example: vstack mcp --root ~/src/engine
    """
    return run(root)
