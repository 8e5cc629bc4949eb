"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from urllib.parse import quote

from vstack import __version__
from vstack.audit.catalog import RULES
from vstack.forge.problems import Problem

# What GitHub takes of one run is 25,000 results; what it shows of them is this many.
_SHOWN = 5_000
_GRAVEST_FIRST = ("error", "warning", "note")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(found: Sequence[Problem]) -> str:
    """One run of vstack with a result for each problem; fingerprints do not depend on line numbers."""
    found = sorted(found, key=lambda problem: _GRAVEST_FIRST.index(problem.level))[:_SHOWN]
    used = sorted({problem.name for problem in found}, key=lambda name: RULES[name].id)
    seen: dict[str, int] = {}
    run = {
        "tool": {
            "driver": {
                "name": "vstack",
                "version": __version__,
                "rules": [
                    {
                        "id": RULES[name].id,
                        "name": name,
                        "shortDescription": {"text": f"Against: {RULES[name].cheat}."},
                        "help": {"text": f"To be honest: {RULES[name].honest}."},
                    }
                    for name in used
                ],
            }
        },
        "results": [_result(problem, seen) for problem in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _result(problem: Problem, seen: dict[str, int]) -> dict[str, object]:
    content = hashlib.sha256(f"{problem.rule}\n{problem.file}\n{problem.message}".encode()).hexdigest()
    seen[content] = seen.get(content, 0) + 1
    return {
        "ruleId": problem.rule,
        "level": problem.level,
        "message": {"text": problem.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(problem.file)},
                    "region": {"startLine": problem.line},
                }
            }
        ],
        "partialFingerprints": {"vstackProblem/v1": f"{content}:{seen[content]}"},
    }
