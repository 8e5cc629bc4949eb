"""What a report tells about the actions of a model: process, English, anchors, transfers; read from its comments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vstack.abstract.anchors import TRAFFIC, WORDED, Marks
from vstack.abstract.repos import Repos
from vstack.tla.actions import Action
from vstack.tla.comments import comments_above
from vstack.tla.tree import Spec


def action_facts(spec: Spec, actions: Sequence[Action], marks: Sequence[Marks], repos: Repos) -> dict[str, dict[str, Any]]:
    """For each action: ``process``, ``english``, ``anchors`` (text and url), ``split``, ``environment``, ``ours``, traffic, ``span``.

    The English is the prose of the comment directly above the definition, without its marks.
    """
    by_name = {each.action: each for each in marks}
    facts: dict[str, dict[str, Any]] = {}
    for action in actions:
        each = by_name.get(action.name)
        if each is None or action.name in facts:
            continue
        facts[action.name] = {
            "process": ", ".join(each.processes) or ("environment" if each.environment else "model"),
            "english": english_above(spec, action) or _sentence(each.environment or each.ours or ""),
            "anchors": [
                {"text": a.place, "url": repos.url_of(a.repo, a.commit, a.path, a.first, a.last)} for a in each.anchors
            ],
            "split": list(each.splits),
            "environment": each.environment is not None,
            "environment_words": each.environment or "",
            "ours": each.ours or "",
            **{kind: [text for name, text in each.traffic if name == kind] for kind in TRAFFIC},
            "span": {"module": action.span.module, "line": action.span.line},
        }
    return facts


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def english_above(spec: Spec, action: Action) -> str:
    """The prose above the action's definition, on one line; empty if there is none.

    Lines that go on with the words of a mark (`WORDED`) are no prose.
    """
    module = spec.modules.get(action.span.module) or spec.root
    prose: list[str] = []
    worded = False
    for comment in comments_above(module.text, action.span):
        line = comment.text
        if line.startswith("@"):
            worded = line[1:].split(None, 1)[0] in WORDED
        elif not worded and not set(line) <= set("*-="):
            prose.append(line)
    return " ".join(prose)
