"""The command line: a table of commands whose modules are imported only when they run."""

from __future__ import annotations

import importlib
import os
import signal
import sys

import click

from vstack import __version__

# name -> (module, one-line help). `tests/test_cli.py` keeps the help equal to the command's own.
COMMANDS = {
    "init": ("init", "Write a small complete project to start from."),
    "check": ("check", "Run all five stages and say whether the project holds, or is as expected."),
    "validate": ("validate", "Run the matrix, guard removals, mutants and traces of a project."),
    "verify": ("verify", "Decide the goals of a project with TLC, Z3 and TLAPS."),
    "audit": ("audit", "Ask every rule that needs no engine run, or explain a rule."),
    "explain": ("explain", "Tell a counterexample in plain words, with the schedule for a unit test."),
    "reproduce": ("reproduce", "Drive a counterexample through the real code."),
    "report": ("report", "Write the HTML page of one or more checked projects."),
    "ci": ("ci", "Check a pull request against the base branch's lock."),
    "scope": ("scope", "List the code in scope and what of it has no anchor."),
    "status": ("status", "Show detached runs and their output."),
    "tools": ("tools", "Show the tools that vstack found, and what they can do."),
    "guard": ("guard", "Answer a hook of an agent's host, or of git."),
    "mcp": ("mcp", "Serve the verbs to agents over MCP (standard input and output)."),
    "agent": ("agent", "Let a model work on a project, with the verbs as its only tools."),
}
GROUPS = {
    "spec": (
        "Draft, show, approve and compare goals.",
        {
            "draft": ("spec_draft", "Add an unapproved goal to the project."),
            "show": ("spec_show", "Show goals with their formula, helpers, pin and approval."),
            "approve": ("spec_approve", "Approve the goals as they stand, with an SSH signature."),
            "check": ("spec_check", "Compare the goals with the approved lock."),
            "diff": ("spec_diff", "Show what changed since the approval, and whether it is stronger or weaker."),
        },
    ),
    "anchor": (
        "Check and refresh the anchors that tie actions to code.",
        {
            "check": ("anchor_check", "Check every anchor against git checkouts."),
            "refresh": ("anchor_refresh", "Propose new lines for anchors after the code has moved."),
        },
    ),
    "trace": (
        "Replay recorded traces through the model.",
        {"check": ("trace_check", "Replay recorded traces, with a corrupted one as control.")},
    ),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only to run it or to show its own help."""

    def __init__(self, *args: object, table: dict[str, tuple[str, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table, then groups."""
        return [*self.table, *self.commands]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command itself, imported now."""
        if name in self.table:
            return importlib.import_module(f"vstack.commands.{self.table[name][0]}").cli
        return super().get_command(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest command named when there is none."""
        name = args[0]
        if name not in self.table and name not in self.commands and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, [*self.table, *self.commands], n=1)
            hint = f" Did you mean `{near[0]}`?" if near else ""
            ctx.fail(f"No such command `{name}`.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, without importing anything."""
        rows = [(name, text) for name, (_, text) in self.table.items()]
        rows += [(name, group.get_short_help_str(100)) for name, group in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vstack")
def main_group() -> None:
    """Make verification claims believable: specify, abstract, validate, verify, keep checking.

    \b
    Example: vstack init, then vstack check
    Exit codes: 0 everything asked for holds or is as expected; 1 violated,
    refused or not as expected; 2 could not run; 3 undecided.
    """


for _name, (_help, _table) in GROUPS.items():
    main_group.add_command(LazyGroup(name=_name, help=_help, table=_table))


def main() -> None:
    """Run the command line; the one boundary where expected errors become exit codes."""
    # Killed or hung up on, we still end our engines: Python's default would leave them running.
    # What `nohup` or a shell's `&` has told us to ignore stays ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    try:
        code = main_group.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("Stopped. Nothing is left half-written; run the command again to go on.", err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = 2
    except KeyboardInterrupt:
        click.echo("Stopped. Nothing is left half-written; run the command again to go on.", err=True)
        code = 130
    except BrokenPipeError:
        # The reader (head, less) has gone; devnull keeps the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except Exception as error:
        code = report_error(error)
    sys.exit(code if isinstance(code, int) else 0)


def _stop(number: int, frame: object) -> None:
    # Worker threads wait for engines of their own, which no exception in this thread would end.
    process = sys.modules.get("vstack.process")
    if process is not None:
        process.stop_all(for_good=True)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def report_error(error: Exception) -> int:
    """Show an expected error as one paragraph; keep an unexpected one in a log that can be pasted."""
    from vstack.errors import VstackError

    if isinstance(error, VstackError):
        click.echo(f"Error: {error.paragraph()}", err=True)
        return error.exit_code
    import tempfile
    import traceback

    handle, path = tempfile.mkstemp(prefix="vstack-error-", suffix=".log", text=True)
    with os.fdopen(handle, "w") as stream:
        stream.write(f"vstack {__version__}, Python {sys.version}\nargv: {sys.argv}\n\n")
        stream.write("".join(traceback.format_exception(error)))
    click.echo(
        f"Error: a fault in vstack itself: {type(error).__name__}: {error}. "
        f"The log is in {path}; please report it with that file.",
        err=True,
    )
    return 2


if __name__ == "__main__":
    main()
