"""Shell commands that plainly write a protected file, approve, or step round the hooks.

What is not recognised passes: a program of any kind can write any file. Those are
found afterwards, by the bytes (`vstack.guard.watch`).
"""

from __future__ import annotations

import os

from vstack.guard.patches import patched
from vstack.guard.protect import Protected
from vstack.guard.shell_words import UNKNOWN, Command, Unreadable, parse
from vstack.guard.targets import Targets, literal
from vstack.guard.writers import SHELLS, WRITERS, operands

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Callable

APPROVAL = (
    "Approving is a person's act. Show what changed with `vstack spec diff`, stop, and ask a person to run "
    "`vstack spec approve`."
)
_SKIPS = "It would leave out vstack's commit hook. Commit with it, and mend what it reports."
_NAMESPACE = "vstack-approval"
# They run what their words, or what is fed to them, say.
_HANDING_ON = ("script", "xargs", "watch", "at", "expect", "su", "runuser")
_KEYWORDS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "!", "\4", "}", "time", "coproc"))
_WRAPPERS = {
    "env": ("-u", "-C", "-S"), "sudo": ("-u", "-g", "-C"), "doas": ("-u",), "command": (), "builtin": (),
    "exec": ("-a",), "nohup": (), "setsid": (), "nice": ("-n",), "ionice": ("-c", "-n"), "stdbuf": ("-i", "-o", "-e"),
    "chronic": (), "uvx": (), "caffeinate": (), "unbuffer": (), "busybox": (), "watch": ("-n",), "parallel": ("-j",),
    "time": ("-f", "-o"),
}  # fmt: skip
_RUNNERS = {"uv": "run", "pipx": "run", "poetry": "run", "pdm": "run", "hatch": "run", "rye": "run", "npx": ""}
_DEEPEST = 8


def why_shell(text: str, protected: Protected, cwd: str) -> str | None:
    """Why the command line ``text``, run in ``cwd``, may not run; None if nothing in it plainly writes."""
    return _Line(Targets(protected, cwd), 0).why(text)


class _Line:
    """One command line; those inside it (`sh -c`, `$(...)`) are lines of their own with the same variables."""

    def __init__(self, targets: Targets, deep: int) -> None:
        self.targets = targets
        self.deep = deep
        self.folders: list[str | None] = []

    def why(self, text: str) -> str | None:
        """The reason, or None."""
        if self.deep > _DEEPEST:
            return "The command is nested too deeply to be understood. Write it plainly."
        try:
            commands = parse(text)
        except Unreadable:
            return self._by_mention(text)
        pipeline: list[str] = []
        for command in commands:
            self._enter(command.depth)
            pipeline = pipeline if command.piped else []
            told = self._command(command, pipeline)
            if told is not None:
                return told
            pipeline = [*pipeline, *command.words, *command.here]
        return None

    def _enter(self, depth: int) -> None:
        """A subshell's `cd` ends with it."""
        while len(self.folders) < depth:
            self.folders.append(self.targets.cwd)
        while len(self.folders) > max(depth, 0):
            self.targets.cwd = self.folders.pop()

    def _inside(self, text: str) -> str | None:
        inner = Targets(self.targets.protected, self.targets.cwd or "/")
        inner.cwd, inner.variables = self.targets.cwd, self.targets.variables
        return _Line(inner, self.deep + 1).why(text)

    def _command(self, command: Command, pipeline: list[str]) -> str | None:
        for word in command.writes:
            told = self.targets.why(word)
            if told is not None:
                return told
        for text in command.inner:
            told = self._inside(text)
            if told is not None:
                return told
        return self._simple(command.words, command, pipeline)

    def _simple(self, words: list[str], command: Command, pipeline: list[str]) -> str | None:
        targets = self.targets
        environment: dict[str, str] = {}
        words = list(words)
        while words:
            name, equals, value = words[0].partition("=")
            if equals and name.isidentifier():
                environment[name] = targets.plain(value)
                if len(words) == 1 or all("=" in word for word in words):
                    targets.variables[name] = targets.expand(value)
                words.pop(0)
            elif words[0] in _KEYWORDS:
                words.pop(0)
            else:
                break
        if not words:
            return None
        name = os.path.basename(targets.plain(words[0])) or UNKNOWN
        arguments = words[1:]
        if name in _WRAPPERS:
            return self._wrapped(name, arguments, command, pipeline, environment)
        if name in ("timeout", "flock"):
            rest = [word for word in operands(arguments, ("-s", "-k", "-w"), stop=True)]
            return self._simple(rest[1:], command, pipeline)
        if name in _RUNNERS:
            runner = _RUNNERS[name]
            rest = arguments[1:] if runner and arguments[:1] == [runner] else arguments
            return self._simple(
                operands(rest, ("--with", "--from", "-p", "--python", "--extra"), stop=True), command, pipeline
            )
        if name in ("for", "select") and len(arguments) > 2 and arguments[1] == "in":
            targets.variables[arguments[0]] = [text for word in arguments[2:] for text in targets.expand(word)]
            return None
        if name in ("export", "declare", "local", "readonly", "typeset"):
            for word in arguments:
                variable, equals, value = word.partition("=")
                if equals:
                    targets.variables[variable] = targets.expand(value)
            return None
        if name in ("cd", "pushd", "chdir"):
            place = operands(arguments)
            targets.cwd = targets.folder(place[0]) if place else os.path.expanduser("~")
            return None
        told = self._approves(name, arguments, environment)
        if told is not None:
            return told
        return self._runs(name, arguments, command, pipeline, environment)

    def _wrapped(
        self, name: str, arguments: list[str], command: Command, pipeline: list[str], environment: dict[str, str]
    ) -> str | None:
        rest = operands(arguments, _WRAPPERS[name], stop=True)
        if environment:
            rest = [*(f"{key}={value}" for key, value in environment.items()), *rest]
        return self._simple(rest, command, pipeline)

    def _runs(
        self, name: str, arguments: list[str], command: Command, pipeline: list[str], environment: dict[str, str]
    ) -> str | None:
        targets = self.targets
        if name in SHELLS:
            return self._shell(name, arguments, command, pipeline)
        if name in ("eval", "source", "."):
            return self._inside(" ".join(map(targets.plain, arguments))) if name == "eval" else None
        if name == "trap":
            return self._inside(targets.plain(arguments[0])) if len(arguments) > 1 else None
        if name == "alias":
            values = (targets.plain(word).partition("=")[2] for word in arguments)
            return next(filter(None, map(self._inside, values)), None)
        if name == "git":
            from vstack.guard.git_commands import why_git

            plain = [literal(text) for word in arguments for text in targets.expand(word)]
            told = why_git(plain, targets, environment)
            if told is None and plain[:1] in (["apply"], ["am"]):
                told = self._patch(command, pipeline)
            return told
        if name in ("patch", "apply_patch", "applypatch"):
            told = self._patch(command, pipeline)
            if told is not None:
                return told
        if name == "xargs":
            rest = operands(arguments, ("-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s"), stop=True)
            if rest and pipeline[:1] == ["find"]:
                return self._find([*pipeline[1:], "-exec", *rest, "{}", ";"], command)
            return (
                self._simple([*rest, *(word for word in pipeline[1:] if word not in rest)], command, [])
                if rest
                else None
            )
        if name == "find":
            return self._find(arguments, command)
        if name in ("tar", "bsdtar", "gtar", "unzip"):
            from vstack.guard.archives import why_tar, why_unzip

            return why_unzip(arguments, targets) if name == "unzip" else why_tar(arguments, targets)
        if name.startswith(("python", "pypy")) or name in (
            "perl",
            "ruby",
            "node",
            "deno",
            "bun",
            "php",
            "lua",
            "osascript",
        ):
            return self._program(name, arguments, command, pipeline)
        writer: Callable[[list[str], Targets], str | None] | None = WRITERS.get(name)
        return writer(arguments, targets) if writer is not None else None

    def _shell(self, name: str, arguments: list[str], command: Command, pipeline: list[str]) -> str | None:
        for number, word in enumerate(arguments):
            if word.startswith("-") and not word.startswith("--") and "c" in word[1:]:
                rest = [one for one in arguments[number + 1 :] if not one.startswith("-")]
                return self._inside(self.targets.plain(rest[0])) if rest else None
        if operands(arguments):
            return None
        texts = [*command.here]
        if command.piped and pipeline[:1] in (["echo"], ["printf"], ["cat"]):
            texts.append(" ".join(map(self.targets.plain, pipeline[1:])))
        return next(filter(None, map(self._inside, texts)), None)

    def _program(self, name: str, arguments: list[str], command: Command, pipeline: list[str]) -> str | None:
        from vstack.guard.programs import why_other, why_python

        is_python = name.startswith(("python", "pypy"))
        look = why_python if is_python else why_other
        flags = ("-c",) if is_python else ("-e", "-E", "--eval", "-r", "-p")
        for number, word in enumerate(arguments):
            if is_python and word == "-m":
                return self._simple(arguments[number + 1 :], command, pipeline)
            short = word.startswith("-") and not word.startswith("--")
            if number + 1 < len(arguments) and (word in flags or (short and word[-1:] in "ceE")):
                told = look(self.targets.plain(arguments[number + 1]), self.targets)
                if told is not None:
                    return told
            if not is_python and name in ("perl", "ruby") and short and "i" in word:
                for other in operands(arguments, ("-e", "-E")):
                    told = self.targets.why(other)
                    if told is not None:
                        return told
        return next(filter(None, (look(text, self.targets) for text in command.here)), None)

    def _patch(self, command: Command, pipeline: list[str]) -> str | None:
        texts = [*command.here, *command.words[1:], *(pipeline[1:] if command.piped else [])]
        for text in texts:
            told = next(filter(None, map(self.targets.why, patched(text))), None)
            if told is not None:
                return told
        from vstack.guard.git_commands import why_patch_files

        # What is fed in from a file: by `<`, by `cat`, or by an option.
        words = [*command.reads, *command.words[1:], *(pipeline[1:] if command.piped else [])]
        return why_patch_files([word.removeprefix("--input=").removeprefix("-i") for word in words], self.targets)

    def _find(self, arguments: list[str], command: Command) -> str | None:
        """`find ROOTS -name PATTERN -delete` or `-exec WRITER`: by the protected files that it would meet."""
        import fnmatch

        roots = []
        for word in arguments:
            if word.startswith("-") or word in ("(", "!"):
                break
            roots.append(word)
        plain = list(map(self.targets.plain, arguments))
        names = [plain[n + 1] for n, word in enumerate(plain[:-1]) if word in ("-name", "-iname")]
        starts = [n for n, word in enumerate(plain) if word in ("-exec", "-execdir", "-ok", "-okdir")]
        if "-delete" not in plain and not starts:
            return None
        for place in filter(None, (self.targets.folder(root) for root in roots or ["."])):
            below = place.casefold().rstrip("/") + "/"
            for known, path in self.targets.protected.paths.items():
                fits = not names or any(
                    fnmatch.fnmatch(os.path.basename(path).casefold(), name.casefold()) for name in names
                )
                if not (fits and (known.startswith(below) or known == place.casefold())):
                    continue
                if "-delete" in plain:
                    return self.targets.protected.why(path, "/")
                for start in starts:
                    end = next((n for n in range(start, len(plain)) if plain[n] in (";", "+")), len(plain))
                    words = [path if word == "{}" or word == "\4}" else word for word in arguments[start + 1 : end]]
                    told = self._simple(words, command, [])
                    if told is not None:
                        return told
        return None

    def _approves(self, name: str, arguments: list[str], environment: dict[str, str]) -> str | None:
        plain = list(map(self.targets.plain, arguments))
        asked = "approve" in plain and "spec" in plain and not {"--help", "-h"} & set(plain)
        # Python is another way to start the same program.
        if asked and (name in ("vstack", "vstack.cli") or name.startswith("python")):
            return APPROVAL
        if name in _HANDING_ON and any("vstack" in word for word in plain) and any("spec" in word for word in plain):
            return APPROVAL
        if name == "ssh-keygen" and "sign" in plain and any(_NAMESPACE in word for word in plain):
            return APPROVAL
        if name == "pre-commit" and plain[:1] == ["uninstall"] and self.targets.protected.indexes:
            return _SKIPS
        skipped = environment.get("SKIP", "") + " ".join(self.targets.variables.get("SKIP", []))
        if name == "git" and ("vstack" in skipped or "PRE_COMMIT_ALLOW_NO_CONFIG" in environment):
            return _SKIPS
        return None

    def _by_mention(self, text: str) -> str | None:
        """A line that can't be taken apart is refused where it names what is protected."""
        from vstack.guard.programs import why_other

        told = why_other(text, self.targets)
        if told is None and ("spec approve" in text or "--no-verify" in text) and self.targets.protected.indexes:
            return APPROVAL if "approve" in text else _SKIPS
        return (
            None
            if told is None
            else f"The command can't be taken apart (a quote is not closed), and it names a protected file. {told}"
        )
