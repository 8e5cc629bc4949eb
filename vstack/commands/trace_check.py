"""`vstack trace check`: replay recorded traces through the model."""

from __future__ import annotations

import json
from pathlib import Path

import click

from vstack.context import open_project
from vstack.results import TraceRow
from vstack.validate.traces.replay import replay, trace_mapping
from vstack.verdicts import EXIT_CODES, worst


def run(folder: Path, names: tuple[str, ...], *, log: Path | None, as_json: bool) -> int:
    """Replay the traces ``names`` (all, if none is named) and print a report on each.

    Raises:
        VstackError: a trace is not declared, or a log or mapping can't be read.
    """
    context = open_project(folder)
    for name in names:
        trace_mapping(context.project, name)
    wanted = names or tuple(context.project.file.traces)
    if not wanted:
        click.echo("No trace recorded: `traces` in vstack.yaml declares none.")
        return 3
    rows = [replay(context.project, context.spec, context.actions, name, context.tools, log) for name in wanted]
    if as_json:
        click.echo(json.dumps([row.model_dump(mode="json") for row in rows], indent=1))
    else:
        for row in rows:
            click.echo(describe(row))
    return EXIT_CODES[worst([row.verdict for row in rows])]


def describe(row: TraceRow) -> str:
    """The report on one trace as text."""
    verdict = "replayed" if row.verdict == "holds" else str(row.verdict)
    lines = [f"{row.name} ({row.variant}): {verdict}, {row.matched}/{row.total} events matched, {row.ignored} ignored"]
    lines.append(f"  {row.reason}")
    failure = row.failure
    if failure:
        lines.append(f"  event: {json.dumps(failure['event'], ensure_ascii=False)}")
        for state in failure["states"]:
            lines.append("  last matched state:")
            lines += [f"    {name} = {value}" for name, value in state.items()]
        for field in failure["difference"]:
            lines.append(f"  - model    {field['expression']} = {' or '.join(field['model'])}")
            lines.append(f"  + recorded {field['expression']} = {field['recorded']}")
        lines.append(f"  enabled in the model there: {', '.join(failure['enabled']) or 'nothing'}")
    if row.never_exercised:
        lines.append(f"  actions that the trace never exercises: {', '.join(row.never_exercised)}")
    if row.total:
        lines.append(f"  {row.seconds:.1f} s, {1000 * row.seconds / row.total:.2f} s per thousand events")
    return "\n".join(lines)


@click.command("check", short_help="Replay recorded traces, with a corrupted one as control.")
@click.argument("names", nargs=-1)
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--log", type=click.Path(path_type=Path), help="Replay this log instead of the declared one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(names: tuple[str, ...], folder: Path, log: Path | None, as_json: bool) -> int:
    """Replay recorded traces (NAMES as in vstack.yaml; all of them without a name).

    A trace is accepted when the model can take every recorded event in order;
    in the same run corrupted events must be rejected. Otherwise the first event
    that fails is shown with the state before it and what the model would do.

    \b
    Example: vstack trace check worker --log /tmp/worker.jsonl
    """
    return run(folder, names, log=log, as_json=as_json)
