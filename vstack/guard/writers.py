"""Programs that write the files named on their command line, and which of the words those are."""

from __future__ import annotations

import os

from vstack.guard.targets import Targets

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Callable, Iterable, Sequence

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "su"))


def operands(words: Sequence[str], with_value: Iterable[str] = (), *, stop: bool = False) -> list[str]:
    """The words that are no options; ``with_value`` are options whose value is the next word.

    With ``stop`` all after the first operand are operands, as for a program that runs another.
    """
    found: list[str] = []
    values = frozenset(with_value)
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return [*found, *words[at + 1 :]]
        if word in values:
            at += 1
        elif not word.startswith("-") or word == "-":
            if stop:
                return list(words[at:])
            found.append(word)
        at += 1
    return found


def _first(reasons: Iterable[str | None]) -> str | None:
    return next(filter(None, reasons), None)


def _all(*with_value: str, below: bool = False) -> Callable[[list[str], Targets], str | None]:
    """A program that writes every operand (a mode or an owner among them is the name of no protected file)."""

    def why(arguments: list[str], targets: Targets) -> str | None:
        return _first(targets.why(word, below=below) for word in operands(arguments, with_value))

    return why


def _copies(*with_value: str, moves: bool = False) -> Callable[[list[str], Targets], str | None]:
    """`cp`, `mv`, `ln`, `install`: the last operand, or the folder of `-t`, is written; `mv` takes its sources away."""

    def why(arguments: list[str], targets: Targets) -> str | None:
        names = operands(arguments, (*with_value, "-t", "--target-directory"))
        into = [arguments[n + 1] for n, word in enumerate(arguments[:-1]) if word in ("-t", "--target-directory")]
        into += [word.partition("=")[2] for word in arguments if word.startswith("--target-directory=")]
        sources, target = (names, into[0]) if into else (names[:-1], names[-1] if len(names) > 1 else "")
        whole = any(
            "r" in word.lower() or "a" in word
            for word in arguments
            if word.startswith("-") and not word.startswith("--")
        )
        told = _first(targets.why(word, below=True) for word in sources) if moves else None
        if told is not None or not target:
            return told
        inside = [source for source in sources if source.endswith(("/", "/."))]
        if inside and whole and not moves:
            from vstack.guard.archives import why_tree

            return why_tree(inside, target, targets)
        told = targets.why(target)
        place = targets.folder(target)
        if told is None and (into or target.endswith("/") or (place is not None and os.path.isdir(place))):
            ends = [f"{target.rstrip('/')}/{os.path.basename(source.rstrip('/'))}" for source in sources]
            told = _first(targets.why(word, below=whole or moves) for word in ends)
        return told

    return why


def _sed(arguments: list[str], targets: Targets) -> str | None:
    plain = list(map(targets.plain, arguments))
    in_place = any(word.startswith("--in-place") or _cluster(word, "i", "efl") for word in plain)
    if in_place:
        told = _first(targets.why(word) for word in operands(arguments, ("-e", "-f", "-l")))
        if told is not None:
            return told
    # `w FILE` in a script writes too.
    return _first(
        targets.named(part.split("\n")[0].split(";")[0].strip()) for word in plain for part in word.split("w ")[1:]
    )


def _cluster(word: str, letter: str, with_value: str) -> bool:
    """Whether a cluster of short options holds ``letter`` before one that takes the rest as its value."""
    if not word.startswith("-") or word.startswith("--"):
        return False
    for char in word[1:]:
        if char == letter:
            return True
        if char in with_value:
            return False
    return False


def _awk(arguments: list[str], targets: Targets) -> str | None:
    plain = list(map(targets.plain, arguments))
    if any(word in ("inplace", "-iinplace") for word in plain):
        return _first(map(targets.why, operands(arguments, ("-i", "-v", "-F", "-f"))))
    return _first(targets.named(part.strip(' ">').split('"')[0]) for word in plain for part in word.split(">")[1:])


def _dd(arguments: list[str], targets: Targets) -> str | None:
    return _first(targets.why(word[3:]) for word in arguments if word.startswith("of="))


def _output(*options: str) -> Callable[[list[str], Targets], str | None]:
    """A program that writes the file of one of these options."""

    def why(arguments: list[str], targets: Targets) -> str | None:
        letters = tuple(option[1] for option in options if len(option) == 2)
        cluster = [word.startswith("-") and not word.startswith("--") and word.endswith(letters) for word in arguments]
        named = [arguments[n + 1] for n, word in enumerate(arguments[:-1]) if word in options or cluster[n]]
        named += [word.partition("=")[2] for word in arguments if word.partition("=")[0] in options and "=" in word]
        named += [
            word[2:]
            for word in arguments
            for option in options
            if len(option) == 2 and word.startswith(option) and len(word) > 2
        ]
        return _first(map(targets.why, named))

    return why


WRITERS: dict[str, Callable[[list[str], Targets], str | None]] = {
    "tee": _all(),
    "sponge": _all(),
    "truncate": _all("-s", "-r", "--size", "--reference"),
    "fallocate": _all("-l", "-o"),
    "shred": _all("-n", "-s"),
    "rm": _all(below=True),
    "unlink": _all(),
    "rmdir": _all(below=True),
    "trash": _all(below=True),
    "chmod": _all(),
    "chown": _all(),
    "chattr": _all(),
    "dos2unix": _all(),
    "unix2dos": _all(),
    "patch": _all("-p", "-i", "-d"),
    "ed": _all(),
    "ex": _all("-c", "-S"),
    "vi": _all("-c", "-S"),
    "vim": _all("-c", "-S"),
    "nvim": _all("-c", "-S"),
    "nano": _all(),
    "emacs": _all(),
    "cp": _copies("-S"),
    "install": _copies("-m", "-o", "-g", "-S"),
    "ln": _copies("-S"),
    "rsync": _copies("-e", "--exclude", "--include"),
    "scp": _copies("-i", "-P", "-o", "-F"),
    "mv": _copies("-S", moves=True),
    "sed": _sed,
    "gsed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "dd": _dd,
    "curl": _output("-o", "--output"),
    "wget": _output("-O", "--output-document"),
    "sort": _output("-o", "--output"),
    "cc": _output("-o"),
    "gcc": _output("-o"),
    "jq": _output("-o"),
}
