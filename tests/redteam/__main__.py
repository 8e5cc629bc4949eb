"""`python -m tests.redteam [--kinds 1,2] [--shard 1/4] [--results FILE]`: the table kind x input, resumable."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path

from tests.redteam.arena import Answer, prepare
from tests.redteam.catalog import KINDS
from tests.redteam.judge import Judged, judge
from vstack.keep.evidence import package_digest


def main() -> int:
    """Run what has no result yet; the exit status is 1 if an input slipped or a twin was refused."""
    parser = argparse.ArgumentParser(prog="python -m tests.redteam")
    parser.add_argument("--kinds", help="numbers, with commas")
    parser.add_argument("--shard", default="1/1", help="K/N: every N-th input, from the K-th on")
    parser.add_argument("--results", type=Path, default=Path(".vstack/redteam.jsonl"))
    options = parser.parse_args()
    wanted = {int(number) for number in options.kinds.split(",")} if options.kinds else set(KINDS)
    part, parts = map(int, options.shard.split("/"))
    inputs = [(number, entry) for number in sorted(wanted) for entry in KINDS[number].INPUTS]
    known = _read(options.results)
    options.results.parent.mkdir(parents=True, exist_ok=True)
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory(prefix="vstack-redteam-") as scratch:
        base: Path | None = None
        answers: dict[str, Answer] = {}
        for place, (number, entry) in enumerate(inputs):
            if place % parts != part - 1:
                continue
            key = _key(number, entry.name)
            if key not in known:
                base = base or prepare(Path(scratch) / "base")
                known[key] = judge(base, Path(scratch) / f"input-{place}", number, entry, answers)
                with options.results.open("a") as file:
                    file.write(json.dumps({"key": key, **known[key].as_dict()}) + "\n")
            judged.append(known[key])
            print(known[key].line(KINDS[number].WHAT), flush=True)
    slipped = [one for one in judged if not one.caught]
    refused = [one for one in judged if not one.twin_passed]
    kinds = len({one.kind for one in judged})
    print(
        f"{kinds} kinds, {len(judged)} inputs: {len(judged) - len(slipped)} caught, {len(slipped)} slipped,"
        f" {len(refused)} honest twins refused"
    )
    return 1 if slipped or refused else 0


def _key(kind: int, name: str) -> str:
    """A result holds for this text of the kind's file and this vstack."""
    source = Path(KINDS[kind].__file__ or "").read_bytes()
    return hashlib.sha256(f"{kind} {name} {package_digest()} ".encode() + source).hexdigest()


def _read(path: Path) -> dict[str, Judged]:
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row.pop("key"): Judged(**row) for row in rows}


if __name__ == "__main__":
    sys.exit(main())
