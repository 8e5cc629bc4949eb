"""`vstack guard`: the entry of agents' hooks, as a command."""

from __future__ import annotations

import click

from vstack.guard.commit import run_commit
from vstack.guard.hook import MOMENTS, run
from vstack.guard.hosts import HOSTS


@click.command("guard", short_help="Answer a hook of an agent's host, or of git.")
@click.argument("moment", type=click.Choice([*MOMENTS, "commit"]))
@click.option("--host", type=click.Choice(HOSTS), default="claude", show_default=True, help="Whose hook this is.")
def cli(moment: str, host: str) -> int:
    """Answer a hook: pre, post and stop of an agent's host, commit of git.

    The payload is read from standard input. The hooks that come with the plugin
    start the same guard by its path, without the command line: that is faster.
    Exit code: 0 answered, 2 the guard could not tell, so that the tool is not
    run; for commit 1 if the commit is rejected.

    \b
    Example: vstack guard pre --host claude < payload.json
    """
    return run_commit([]) if moment == "commit" else run(moment, host)
