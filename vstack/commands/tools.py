"""`vstack tools`: the Java and the TLC jar that vstack found, and what they can do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import click

from vstack import __version__
from vstack.keep.evidence import package_digest
from vstack.tools.find import find_tools
from vstack.tools.probe import Features


def run(*, jar: Path | None, java: Path | None, as_json: bool) -> int:
    """Print the tools with versions and hashes.

    Raises:
        VstackError: one is missing or does not run.
        RefusedError: the jar was tampered with.
    """
    tools = find_tools(jar=jar, java=java)
    data = {
        "vstack": __version__,
        "vstack sha256": package_digest(),
        "java": " ".join(tools.java),
        "java version": tools.java_version,
        "jar": str(tools.jar),
        "jar sha256": tools.jar_sha256,
        "TLC": tools.tlc_version,
        "Z3": metadata.version("z3-solver"),
        "features": {name: "yes" if present else "no" for name, present in _features(tools.features)},
    }
    if as_json:
        click.echo(json.dumps(data, indent=1))
        return 0
    for name, value in data.items():
        if isinstance(value, dict):
            click.echo(f"{name}:")
            for feature, present in value.items():
                click.echo(f"  {feature}: {present}")
        else:
            click.echo(f"{name}: {value}")
    return 0


def _features(features: Features) -> Iterator[tuple[str, bool]]:
    for keyword in ("CHECK_DEADLOCK", "ALIAS", "POSTCONDITION"):
        yield f"cfg keyword {keyword}", features.cfg_keyword(keyword)
    yield "-dumpTrace json", features.dump_trace
    yield "-workers auto", features.workers_auto
    yield "module Json", features.json


@click.command("tools", short_help="Show the tools that vstack found, and what they can do.")
@click.option("--jar", type=click.Path(path_type=Path), help="A tla2tools.jar instead of the wheel's.")
@click.option("--java", type=click.Path(path_type=Path), help="A java program or JAVA_HOME.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(jar: Path | None, java: Path | None, as_json: bool) -> int:
    """Show the Java and the TLC jar in use, with versions, hashes and probed features.

    \b
    Example: vstack tools --jar ~/tla2tools.jar
    """
    return run(jar=jar, java=java, as_json=as_json)
