"""Answers in the words of each host: Claude Code and Cursor."""

from __future__ import annotations

import sys

HOSTS = ("claude", "cursor")


def allow(host: str) -> int:
    """Nothing to say. Claude Code is never told `allow`: that would leave out the user's own prompts."""
    if host == "cursor":
        print('{"permission": "allow"}')
    return 0


def deny(host: str, reason: str) -> int:
    """The tool may not run, and why."""
    if host == "cursor":
        _say({"permission": "deny", "user_message": reason, "agent_message": reason})
    else:
        answer = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
        _say({"hookSpecificOutput": answer})
    return 0


def fault(host: str, reason: str) -> int:
    """The guard itself could not decide: exit status 2 blocks in both hosts, every other one would let the tool run."""
    if host == "cursor":
        _say({"permission": "deny", "user_message": reason, "agent_message": reason})
    print(reason, file=sys.stderr)
    return 2


def tell(host: str, reason: str) -> int:
    """After a tool ran: what it did to pinned files, for the agent to mend."""
    if host == "cursor":
        _say({"permission": "allow", "user_message": reason, "agent_message": reason})
    else:
        _say({"decision": "block", "reason": reason})
    return 0


def go_on(host: str, reason: str) -> int:
    """At stop: the agent should go on and mend it."""
    _say({"followup_message": reason} if host == "cursor" else {"decision": "block", "reason": reason})
    return 0


def note(host: str, text: str) -> int:
    """At stop: something that a person should know, and no reason to go on."""
    if host == "cursor" or not text:
        print("{}")
    else:
        _say({"systemMessage": text})
    return 0


def _say(answer: dict[str, object]) -> None:
    import json

    print(json.dumps(answer))
