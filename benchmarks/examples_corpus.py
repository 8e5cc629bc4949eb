"""How much of the public tlaplus/Examples collection the TLA+ front end reads, and why it doesn't read the rest.

Usage: python benchmarks/examples_corpus.py --checkout PATH [--search DIR ...] [--verbose]
"""

from __future__ import annotations

import argparse
import collections
import datetime
import platform
import re
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vstack.errors import VstackError
from vstack.files import read_text
from vstack.tla.actions import Action, split_next
from vstack.tla.behaviour import behaviour
from vstack.tla.cfg import format_cfg, parse_cfg
from vstack.tla.closure import closure
from vstack.tla.comments import comments_above
from vstack.tla.sany import load
from vstack.tla.tree import Apply, Node, Number, Spec, Substituted, children
from vstack.tools.find import find_tools

PROCESSES = 2


@dataclass(frozen=True)
class Outcome:
    """One file: for each step taken, "ok" or why not; ``crash`` marks an error that is ours."""

    path: str
    steps: dict[str, str]
    seconds: float
    crash: str = ""


def relation_of(spec: Spec) -> str | None:
    """The next-state relation: of the formula ``Spec`` if the module has one, else ``Next``."""
    if spec.has("Spec"):
        try:
            named = behaviour(spec, "Spec").next_name
        except VstackError:
            named = None
        if named:
            return named
    return "Next" if spec.has("Next") and not spec.definition("Next").params else None


def accounted(action: Action) -> set[str]:
    """The variables that an action updates or says are unchanged."""
    return {item.variable for item in action.updates} | set(action.unchanged)


def wrong_span(spec: Spec) -> str | None:
    """A name or number of the root module that is not the text at its span; None if there is none."""
    pending: list[Node] = [item.body for item in spec.root.own_definitions() if item.body is not None]
    while pending:
        node = pending.pop()
        # A substitution that INSTANCE implies (x <- x) has the span of the INSTANCE: no text of its own.
        pending += [node.body] if isinstance(node, Substituted) else children(node)
        if node.span.module != spec.root.name:
            continue
        if isinstance(node, Apply) and not node.operands and not node.bound and node.operator.kind != "builtin":
            told = node.operator.name
        elif isinstance(node, Number):
            told = str(node.value)
        else:
            continue
        text = re.sub(r"\(.*?\)|\s", "", spec.text(node.span), flags=re.DOTALL)
        if text != told and not (text.startswith("\\") and isinstance(node, Number)) and text.lstrip("0") != told:
            return f"line {node.span.line}: {text!r} is not {told!r}"
    return None


def read_module(path: Path, search: tuple[Path, ...], cache: Path | None) -> Outcome:
    """Load one module, compare its spans, hash its definitions, split its next-state relation, read its comments."""
    started, steps = time.monotonic(), {}
    tools = find_tools()
    try:
        try:
            spec = load(path, search=search, java=tools.java, jar=tools.jar, cache=cache)
        except VstackError as error:
            return Outcome(str(path), {"read": error.paragraph()}, time.monotonic() - started)
        steps["read"] = "ok"
        steps["spans"] = wrong_span(spec) or "ok"
        for definition in spec.root.own_definitions():
            if definition.body is not None:
                closure(spec, definition.name)
                comments_above(spec.root.text, definition.span)
        steps["hash"] = "ok"
        relation = relation_of(spec)
        if relation is not None:
            try:
                actions = split_next(spec, relation)
            except VstackError as error:
                steps["split"] = error.paragraph()
            else:
                bare = [item.name for item in actions if not item.updates and not item.unchanged and not item.other]
                steps["split"] = "ok"
                steps["actions"] = str(len(actions))
                names = {item.name for item in spec.root.variables}
                whole = [item for item in actions if names <= accounted(item)]
                steps["whole"] = str(len(whole))
                open_names = [
                    f"{item.name} ({', '.join(sorted(names - accounted(item)))})"
                    for item in actions
                    if item not in whole
                ]
                if open_names:
                    steps["variables not accounted for"] = "; ".join(open_names)
                if bare and spec.definition(relation).level == 2:
                    steps["without an update"] = ", ".join(bare)
    except Exception as error:  # what is not expected is what this run is for
        return Outcome(str(path), steps, time.monotonic() - started, f"{type(error).__name__}: {error}")
    return Outcome(str(path), steps, time.monotonic() - started)


def read_cfg(path: Path) -> Outcome:
    """Parse one configuration, write it for both jars, and parse what was written."""
    started = time.monotonic()
    try:
        cfg = parse_cfg(read_text(path), where=str(path))
        if parse_cfg(format_cfg(cfg, old_jar=False)[0], where=str(path)) != cfg:
            return Outcome(str(path), {}, 0.0, "written and read again, it differs")
        format_cfg(cfg, old_jar=True)
    except VstackError as error:
        return Outcome(str(path), {"cfg": error.paragraph()}, time.monotonic() - started)
    return Outcome(str(path), {"cfg": "ok"}, time.monotonic() - started)


def reason(text: str) -> str:
    """What an error comes down to, for counting."""
    missing = re.match(r"There is no module (\w+)", text)
    if missing:
        return f"needs module {missing[1]}, which is in no folder given"
    return re.sub(r"\(?/\S+?:?\d*\)?[.:]?(?= |$)", "", text)[:110].strip()


def describe_machine() -> str:
    """Processor, system and Python, in words."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    return f"{processor}, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def main() -> int:
    """Run over the checkout and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, required=True, help="a folder with the collection's files")
    parser.add_argument("--search", type=Path, action="append", default=[], help="a further folder with modules")
    parser.add_argument("--cache", type=Path, help="keep SANY's exports here, and use those that are there")
    parser.add_argument("--verbose", action="store_true", help="name each file that is not read")
    arguments = parser.parse_args()
    modules = sorted(arguments.checkout.rglob("*.tla"))
    cfgs = sorted(arguments.checkout.rglob("*.cfg"))
    started = time.monotonic()
    with ProcessPoolExecutor(PROCESSES) as pool:
        count = len(modules)
        folders, caches = [tuple(arguments.search)] * count, [arguments.cache] * count
        read = list(pool.map(read_module, modules, folders, caches, chunksize=4))
    parsed = [read_cfg(path) for path in cfgs]
    elapsed = time.monotonic() - started
    head = subprocess.run(
        ["git", "-C", str(arguments.checkout), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    tools = find_tools()
    print(f"Date: {datetime.date.today()}; machine: {describe_machine()}; {tools.tlc_version}")
    print(f"Collection: {head.stdout.strip() or arguments.checkout}; {PROCESSES} processes, {elapsed:.0f} s")
    print()
    print("| step | files | without error | not |")
    print("|---|---|---|---|")
    for step, outcomes in (("read", read), ("spans", read), ("hash", read), ("split", read), ("cfg", parsed)):
        tried = [item for item in outcomes if step in item.steps or item.crash]
        good = sum(item.steps.get(step) == "ok" for item in tried)
        print(f"| {step} | {len(tried)} | {good} | {len(tried) - good} |")
    found, whole = (sum(int(item.steps.get(step, 0)) for item in read) for step in ("actions", "whole"))
    print(f"\nActions found: {found}; every variable updated or unchanged in {whole}")
    reasons = collections.Counter(
        reason(text)
        for item in (*read, *parsed)
        for step, text in item.steps.items()
        if step in ("read", "spans", "split", "cfg") and text != "ok"
    )
    print("\n| why not | files |\n|---|---|")
    for text, count in reasons.most_common():
        print(f"| {text} | {count} |")
    crashes = [item for item in (*read, *parsed) if item.crash]
    for item in crashes:
        print(f"CRASH {item.path}: {item.crash}")
    if arguments.verbose:
        for item in (*read, *parsed):
            for step, text in item.steps.items():
                if step not in ("actions", "whole") and text != "ok":
                    print(f"{item.path}: {step}: {text}")
        slow = sorted(read, key=lambda item: -item.seconds)[:5]
        print("Slowest:", ", ".join(f"{item.path} {item.seconds:.1f} s" for item in slow))
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
