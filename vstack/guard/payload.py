"""What a host sends on standard input, as one event: paths, command lines and patches that a tool is about to use."""

from __future__ import annotations

import os

from vstack.guard.patches import is_patch, patched
from vstack.guard.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterator

MOST_BYTES = 64 << 20
_PATH_KEYS = frozenset(
    "filepath path paths notebookpath targetfile filename file files uri destination dest dst target newpath oldpath"
    " source src relativepath relativeworkspacepath".split()
)
_COMMAND_KEYS = frozenset("command cmd script".split())
_ARGUMENTS = frozenset("args argv arguments".split())
_EDITORS = frozenset("write edit multiedit notebookedit strreplace create delete editfile searchreplace".split())
_READERS = frozenset(
    "read readfile grep glob ls list notebookread webfetch websearch todowrite task agent skill bashoutput killshell"
    " search codebasesearch".split()
)
_TAKING_AWAY = ("delete", "remove", "move", "rename", "trash")
_WORKING_FOLDER = ("working_directory", "workingDirectory", "workdir", "cwd")
_READING = ("read", "get", "list", "search", "find", "view", "fetch", "describe", "show", "stat")


class NotUnderstood(Exception):
    """The payload can't be read; the text says why."""


class Event:
    """One call of the guard. Paths are as given; ``cwd`` is absolute, ``places`` are folders that the host works in.

    ``below`` says that what lies under the paths goes with them; ``unclear``
    why it can't be told what a tool would do, empty if it can.

    A plain class: `dataclasses` takes longer to import than the whole guard takes to run.
    """

    def __init__(self, cwd: str, places: list[str]) -> None:
        self.cwd = cwd
        self.places = places
        self.paths: list[str] = []
        self.below = False
        self.commands: list[str] = []
        self.session = ""
        self.name = ""
        self.unclear = ""


def read_event(raw: bytes) -> Event:
    """The event in what a host sent, of which at most `MOST_BYTES` and one byte more were read.

    Raises:
        NotUnderstood: empty, larger than 64 MiB, neither a JSON object nor a patch.
    """
    if len(raw) > MOST_BYTES:
        raise NotUnderstood(f"the payload is larger than {MOST_BYTES >> 20} MiB")
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotUnderstood(f"the payload is not UTF-8 text (byte {error.start})") from None
    if not text.strip():
        raise NotUnderstood("the payload is empty")
    try:
        data = loads(text)
    except (ValueError, RecursionError):
        if text.lstrip().startswith(("*** Begin Patch", "diff --git ", "--- ")):
            event = Event(_cwd({}), _places({}))
            event.paths += patched(text)
            return event
        raise NotUnderstood("the payload is neither JSON nor a patch") from None
    if not isinstance(data, dict):
        raise NotUnderstood("the payload is not a JSON object")
    return _event(data)


def _event(data: dict[str, object]) -> Event:
    event = Event(_cwd(data), _places(data))
    event.session = str(data.get("session_id") or data.get("conversation_id") or "")
    event.name = str(data.get("hook_event_name") or "")
    name = str(data.get("tool_name") or data.get("toolName") or "")
    given = data.get("tool_input", data.get("toolInput"))
    if isinstance(given, str):
        try:
            given = loads(given)
        except (ValueError, RecursionError):
            event.paths += patched(str(given)) if is_patch(str(given)) else ()
    if given is None:  # hosts that put command or path beside the event's own fields
        own = ("cwd", "transcript_path", "workspace_roots", "hook_event_name", "tool_response", "tool_output")
        given = {key: value for key, value in data.items() if key not in own}
    server, _, verb = name.removeprefix("MCP:").removeprefix("mcp__").rpartition("__")
    short = _plain(verb or name)
    is_own = server in ("vstack", "plugin_vstack_vstack") and name.startswith("mcp__")
    is_mcp = bool(server) or event.name == "beforeMCPExecution"
    if is_own or short in _READERS or (is_mcp and (verb or name).lower().startswith(_READING)):
        return event
    event.unclear = _unclear(data, short, given)
    event.below = short.startswith(_TAKING_AWAY)
    if isinstance(given, dict):
        asked = next((given[key] for key in _WORKING_FOLDER if isinstance(given.get(key), str)), "")
        event.cwd = os.path.join(event.cwd, asked)
    if isinstance(given, dict):
        event.commands += _whole_lines(given)
    for key, value in _strings(given):
        if key in _COMMAND_KEYS:
            event.commands.append(value)
        elif key in _PATH_KEYS:
            event.paths.append(value.removeprefix("file://"))
        # What is written into a file may well speak of patches; anything else that looks like one is one.
        if short not in _EDITORS and key not in _COMMAND_KEYS and is_patch(value):
            event.paths += patched(value)
    return event


def _whole_lines(given: dict[str, object]) -> list[str]:
    """A program under one key and its words under another, as one line; program text as what Python is given."""
    named = [(_plain(str(name)), value) for name, value in given.items()]
    lists = [list(map(str, value)) for name, value in named if name in _ARGUMENTS and isinstance(value, list)]
    programs = [value for name, value in named if name in _COMMAND_KEYS and isinstance(value, str)]
    texts = [value for name, value in named if name in ("code", "source") and isinstance(value, str)]
    lines = [f"{program} {_line(rest)}" for program in programs for rest in lists]
    return [*lines, *(_line(["python3", "-c", text]) for text in texts)]


def _line(words: list[str]) -> str:
    """A line of words would lose their borders: each goes in quotes of its own."""
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def _unclear(data: dict[str, object], short: str, given: object) -> str:
    named = data.get("tool_name", data.get("toolName", ""))
    if not isinstance(named, str):
        return "the tool's name is no text"
    found = list(_strings(given))
    has_command = any(key in _COMMAND_KEYS for key, _ in found)
    has_path = any(key in _PATH_KEYS for key, _ in found)
    if not named and not has_command and not has_path:
        return "the payload names no tool, no path and no command"
    if short in ("bash", "shell") and not has_command:
        return "the payload of a shell holds no command"
    if short in _EDITORS and not has_path and not any(is_patch(text) for _, text in found):
        return "the payload of an edit names no file"
    return ""


def _strings(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Each string below ``value`` with the key it stands under; a list of words under a command's key as one line."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, _plain(str(name)))
    elif isinstance(value, list):
        is_line = key in _COMMAND_KEYS or key in _ARGUMENTS
        if is_line and value and all(isinstance(item, str) for item in value):
            yield "command", _line(value)
            return
        for item in value:
            yield from _strings(item, key)


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _cwd(data: dict[str, object]) -> str:
    for place in (data.get("cwd"), *_places(data)):
        if isinstance(place, str) and os.path.isabs(place) and os.path.isdir(place):
            return place
    return os.getcwd()


def _places(data: dict[str, object]) -> list[str]:
    """The folders that the host says it works in."""
    roots = data.get("workspace_roots")
    named = [root for root in roots if isinstance(root, str)] if isinstance(roots, list) else []
    named += [os.environ.get(name, "") for name in ("CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR")]
    return [place for place in named if os.path.isabs(place)]
