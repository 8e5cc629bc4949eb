"""`vstack audit`: every rule that needs no engine run, and what each rule is."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from vstack.audit.catalog import PAGE, RULES, Rule
from vstack.errors import VstackError

EXIT = {"nothing found": 0, "refused": 1, "not as expected": 1, "undecided": 3}


def run(folder: Path, *, base_ref: str | None, repos: tuple[str, ...], fetch: bool, as_json: bool) -> int:
    """Ask the rules and tell what each came to; the exit code (0 nothing found, 1 refused or not as expected, 3 undecided).

    Raises:
        VstackError: the project, a module, a tool or the base can't be read.
    """
    from vstack.commands.console import progress
    from vstack.context import open_project
    from vstack.keep.audit import audit_project
    from vstack.keep.check import Options
    from vstack.specify.base import read_base

    # With a base this is a gate, which must not believe what an agent could have put into the cache.
    context = open_project(folder, fresh=base_ref is not None)
    base = read_base(context.project.root, base_ref) if base_ref is not None else None
    with progress("audit", quiet=as_json) as on_event:
        audit = audit_project(context, Options(repos=repos, fetch=fetch, base=base), on_event)
    if as_json:
        data = {
            "project": context.project.file.project,
            "outcome": audit.outcome,
            "findings": [{"id": RULES[f.rule].id, **f.model_dump()} for f in audit.findings],
            "rules": [{"id": row.id, **asdict(row)} for row in audit.rules],
            "records": {"at hand": audit.cells, "cells": audit.asked},
        }
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
    else:
        _show(context.project.file.project, context.project.root, audit)
    return EXIT[audit.outcome]


def _show(project: str, root: Path, audit: object) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from vstack.keep.audit import Audit

    assert isinstance(audit, Audit)
    console = Console(highlight=False)
    table = Table("rule", "came to", box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for row in audit.rules:
        if row.state == "found":
            table.add_row(f"{row.id} {row.rule}", Text(f"{row.count} found", style="bold red"))
    for why in dict.fromkeys(row.why for row in audit.rules if row.state == "open"):
        names = [f"{row.id} {row.rule}" for row in audit.rules if row.state == "open" and row.why == why]
        table.add_row(Text("\n".join(names)), Text(f"not looked at everywhere: {why}", style="yellow"))
    clean = [row.id for row in audit.rules if row.state == "clean"]
    table.add_row(Text(", ".join(clean) or "-"), Text("nothing found", style="green"))
    console.print(table)
    for finding in audit.findings:
        where = finding.where.removeprefix(f"{root}/")
        todo = f" {finding.todo.rstrip('.')}." if finding.todo else ""
        rule = RULES[finding.rule]
        console.print(Text(f"{where}: {rule.id} {rule.name}: {finding.message.rstrip('.')}.{todo}"), soft_wrap=True)
    if audit.asked:
        console.print(
            f"Evidence at hand: {audit.cells} of {audit.asked} cells have a record of exactly these inputs."
            " A record is attested here; `vstack check` runs what has none, `vstack ci` all of it."
        )
    words = {"nothing found": "No rule found anything. This says nothing about whether the goals hold."}
    console.print(f"{project}: {words.get(audit.outcome, audit.outcome.upper())}")


def find_rule(asked: str) -> Rule:
    """The rule with this id or name.

    Raises:
        VstackError: there is none.
    """
    found = [rule for rule in RULES.values() if asked.upper() == rule.id or asked.lower() == rule.name]
    if not found:
        import difflib

        ids = {rule.id for rule in RULES.values()}
        near = difflib.get_close_matches(asked.upper(), ids, n=3, cutoff=0.5) if asked[:2].upper() == "VS" else []
        near = near or difflib.get_close_matches(asked.lower(), [rule.name for rule in RULES.values()], n=3, cutoff=0.5)
        raise VstackError(
            f"There is no rule `{asked}`",
            todo=f"The nearest: {', '.join(near)}" if near else "`vstack audit --rules` lists all",
        )
    return found[0]


def tell(rules: list[Rule], *, as_json: bool, whole: bool) -> int:
    """Print rules: a line each, or with ``whole`` all that is known of them."""
    if as_json:
        click.echo(
            json.dumps(
                [{**asdict(rule), "page": f"{PAGE}#{rule.id.lower()}"} for rule in rules], indent=1, ensure_ascii=False
            )
        )
        return 0
    for rule in rules:
        if not whole:
            click.echo(f"{rule.id} {rule.name:<24} reads {rule.reads}")
            continue
        click.echo(f"{rule.id} {rule.name}")
        click.echo(f"  against: {rule.cheat}")
        click.echo(f"  reads: {rule.reads}")
        click.echo(f"  to be honest: {rule.honest}")
        click.echo(f"  checked in: {', '.join(rule.checked_in)}")
        click.echo(f"  page: {PAGE}#{rule.id.lower()}")
    return 0


@click.command("audit", short_help="Ask every rule that needs no engine run, or explain a rule.")
@click.argument("names", nargs=-1, metavar="[RULE]...")
@click.option("--project", "-p", "folder", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--rules", "listed", is_flag=True, help="List the rules: id, name and what each reads.")
@click.option("--base", "base_ref", metavar="REF", help="The target branch: its lock, approvers and policy count.")
@click.option("--repo", "repos", multiple=True, metavar="NAME=PATH", help="A git checkout that anchors are checked in.")
@click.option("--fetch", is_flag=True, help="Fetch the commits of anchors from the remotes in vstack.yaml (shallow).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(
    names: tuple[str, ...],
    folder: Path,
    listed: bool,
    base_ref: str | None,
    repos: tuple[str, ...],
    fetch: bool,
    as_json: bool,
) -> int:
    """Ask every rule that needs no engine run: lock, syntax tree, configuration, git, and the evidence at hand.

    With RULE (an id such as VS301, or a name) explain that rule instead. The
    same rules are part of check and ci, which run the engines too.
    Exit code: 0 nothing found, 1 refused or not as expected, 2 could not run,
    3 something found is undecided.

    \b
    Example: vstack audit -p examples/upstream/vllm-32255 --repo vllm=~/src/vllm
    """
    if listed or names:
        return tell([find_rule(one) for one in names] or list(RULES.values()), as_json=as_json, whole=bool(names))
    return run(folder, base_ref=base_ref, repos=repos, fetch=fetch, as_json=as_json)
