"""git on a command line: what steps round the hooks, or writes a protected file from somewhere else."""

from __future__ import annotations

import os

from vstack.guard.patches import patched
from vstack.guard.places import key, spellings
from vstack.guard.targets import Targets

_HOOKS = (
    "The commit hooks check that nothing approved was changed: commit and push with them, and mend what they report."
)
_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")


# Aliases are looked up for no command that git has.
_KNOWN = frozenset(
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry-pick clean"
    " clone commit commit-tree config describe diff diff-tree difftool fetch for-each-ref format-patch fsck gc grep"
    " hash-object help init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull push range-diff"
    " read-tree rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show show-ref sparse-checkout"
    " stash status submodule switch symbolic-ref tag update-index update-ref version worktree write-tree".split()
)
# They only read.
_NO_HOOKS = frozenset(
    "blame branch cat-file config describe diff fetch for-each-ref grep help log ls-files ls-remote ls-tree merge-base"
    " reflog remote rev-list rev-parse shortlog show show-ref status version".split()
)
_BASE = (
    "It moves a branch without a commit's hooks, and pull requests are compared with what branches hold."
    " Commit on your own branch, and let a person merge."
)


def why_git(words: list[str], targets: Targets, environment: dict[str, str]) -> str | None:
    """Why the git command ``words`` (without `git` itself) may not run; None if it may."""
    folder, at = targets.cwd, 0
    while at < len(words) and words[at].startswith("-"):
        option, _, value = words[at].partition("=")
        if option in _WITH_VALUE:
            if not value and at + 1 < len(words):
                at += 1
                value = words[at]
            elif option == "-c":
                value = words[at]
            name, _, setting = value.partition("=")
            if option in ("-c", "--config-env") and ("hookspath" in name.lower() or _is_alias(name, setting)):
                return _HOOKS
            if option == "-C":
                folder = os.path.normpath(os.path.join(folder, value)) if folder else None
        at += 1
    if any("hookspath" in value.lower() for name, value in environment.items() if name.startswith("GIT_CONFIG")):
        return _HOOKS
    if at == len(words) or not targets.protected.indexes:
        return None
    verb, rest = words[at], words[at + 1 :]
    if {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} & {*environment, *targets.variables} and verb not in _NO_HOOKS:
        return _HOOKS
    if verb not in _KNOWN:
        named = _alias_of(verb, folder or "/")
        if _is_alias("alias.", named) or (named and why_git([*named.split(), *rest], targets, environment)):
            return _HOOKS
    inner = Targets(targets.protected, folder or "/")
    inner.cwd, inner.variables = folder, targets.variables
    return _skips_hooks(verb, rest) or _writes(verb, rest, inner)


def _alias_of(verb: str, folder: str) -> str:
    """What git's configuration has under that name; empty if nothing."""
    from vstack.guard.committed import git

    told = git(folder, "config", "--get", f"alias.{verb}") if verb.replace("-", "").isalnum() else None
    return os.fsdecode(told.stdout).strip() if told is not None and told.returncode == 0 else ""


def _is_alias(name: str, value: str) -> bool:
    """Whether this setting is another name for a command line of a shell, or for one that the hooks look at."""
    first = value.strip().partition(" ")[0]
    return name.lower().startswith("alias.") and (first.startswith("!") or first in ("commit", "push", "update-ref"))


def _skips_hooks(verb: str, rest: list[str]) -> str | None:
    if verb == "commit-tree":
        return _HOOKS
    plain = [word for word in rest if not word.startswith("-")]
    is_branch = "--stdin" in rest or any(word.startswith("refs/heads/") for word in plain)
    if verb == "update-ref" and "-d" not in rest and is_branch:
        return _BASE
    if verb == "branch" and {"-f", "--force", "-M"} & set(rest) and {"main", "master"} & set(rest):
        return _BASE
    if verb == "config" and any(_is_alias(name, value) for name, value in zip(plain, plain[1:])):
        return _HOOKS
    options = rest[: rest.index("--")] if "--" in rest else rest
    # git takes any beginning of a long option that is no other's.
    if any(len(word) >= 6 and "--no-verify".startswith(word) for word in options):
        return _HOOKS
    if verb == "commit" and any(_short_n(word) for word in _not_values(options)):
        return _HOOKS
    if (
        verb == "config"
        and any("hookspath" in word.lower() for word in rest)
        and not {"--get", "get", "-l"} & set(rest)
    ):
        # A name alone asks for the value.
        return _HOOKS if len([word for word in rest if not word.startswith("-")]) > 1 or "--unset" in rest else None
    return None


def _not_values(options: list[str]) -> list[str]:
    """The words that are not the value of the option before them."""
    return [
        word
        for number, word in enumerate(options)
        if number == 0 or options[number - 1] not in ("-m", "-F", "-C", "-c", "-t", "--message")
    ]


def _short_n(word: str) -> bool:
    """Whether a cluster of short options holds `n`, before one that takes the rest as its value."""
    if not word.startswith("-") or word.startswith("--"):
        return False
    for char in word[1:]:
        if char == "n":
            return True
        if char in "mFCctuS":
            return False
    return False


def _writes(verb: str, rest: list[str], targets: Targets) -> str | None:
    if verb in ("checkout", "restore"):
        return _restores(verb, rest, targets)
    if verb == "reset" and ({"--hard", "--merge", "--keep"} & set(rest)):
        names = [word for word in rest if not word.startswith("-")]
        return _moves_to(targets, names[0] if names else "HEAD")
    if verb == "stash":
        action = next((word for word in rest if not word.startswith("-")), "push")
        if action in ("pop", "apply"):
            return _touches(
                targets, "stash", "show", "--name-only", "-z", *[word for word in rest[1:] if not word.startswith("-")]
            )
        if action in ("push", "save"):
            return _touches(targets, "diff", "--name-only", "-z", "HEAD")
        return None
    if verb == "read-tree" and "-u" in rest:
        names = [word for word in rest if not word.startswith("-")]
        return _moves_to(targets, names[-1] if names else "HEAD")
    if verb in ("apply", "am"):
        return why_patch_files([word for word in rest if not word.startswith("-")], targets)
    if verb == "clean":
        letters = "".join(word[1:] for word in rest if word.startswith("-") and not word.startswith("--"))
        if (
            ("x" in letters or "X" in letters)
            and "n" not in letters
            and "--dry-run" not in rest
            and ".vstack" not in " ".join(rest)
        ):
            return next(iter(targets.protected.folders.values()), None) and _evidence(targets)
        return None
    if verb in ("rm", "mv") and "--cached" not in rest:
        return next(filter(None, (targets.why(word, below=True) for word in rest if not word.startswith("-"))), None)
    if verb == "rm" or (
        verb == "update-index"
        and any("unchanged" in word or "skip-worktree" in word or "cacheinfo" in word for word in rest)
    ):
        return next(
            filter(
                None, (targets.why(word.rpartition(",")[2], below=True) for word in rest if not word.startswith("-"))
            ),
            None,
        )
    return None


def _evidence(targets: Targets) -> str | None:
    for index in targets.protected.indexes:
        told = targets.protected.why(os.path.join(index.root, ".vstack"), "/")
        if told is not None:
            return told + " (`git clean -e .vstack` leaves it.)"
    return None


def why_patch_files(names: list[str], targets: Targets) -> str | None:
    """Why one of the patch files may not be applied: it changes a protected file."""
    for name in names:
        place = targets.folder(name)
        if place is None or not os.path.isfile(place):
            continue
        with open(place, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
        told = next(filter(None, map(targets.why, patched(text))), None)
        if told is not None:
            return told
    return None


def _restores(verb: str, rest: list[str], targets: Targets) -> str | None:
    """`git checkout [TREE] [--] PATHS`, `git restore PATHS`: allowed where what git writes is what was approved."""
    if verb == "restore" and ({"--staged", "-S"} & set(rest)) and not ({"--worktree", "-W"} & set(rest)):
        return None
    source, at = "", 0
    paths: list[str] = []
    while at < len(rest):
        word = rest[at]
        if word == "--":
            if verb == "checkout" and paths:
                source, paths = paths[0], []
            paths += rest[at + 1 :]
            break
        if verb == "restore" and word in ("-s", "--source"):
            at += 1
            source = rest[at] if at < len(rest) else ""
        elif verb == "restore" and word.startswith("--source="):
            source = word[9:]
        elif verb == "checkout" and word in ("-b", "-B", "--orphan"):
            return None
        elif not word.startswith("-"):
            paths.append(word)
        at += 1
    if verb == "checkout" and "--" not in rest and paths:
        place = targets.folder(paths[0])
        if place is None or not os.path.lexists(place):  # a branch or commit, with or without paths after it
            source, paths = paths[0], paths[1:]
    told = None
    for path in paths:
        covered = _covered(targets, path)
        told = told or next((why for place, why in covered if not _approved(targets, place, source)), None)
    return told


def _covered(targets: Targets, path: str) -> list[tuple[str, str]]:
    """The pinned files that the pathspec ``path`` means, each with its reason."""
    protected = targets.protected
    found = []
    for text in targets.expand(path.removeprefix(":/")):
        for place in spellings(text, targets.cwd or "/"):
            whole = key(place)
            found += [
                (protected.paths[known], why)
                for known, why in protected.files.items()
                if known == whole or known.startswith(whole.rstrip("/") + "/")
            ]
    told = None if found else targets.why(path)
    return found if told is None else [(spellings(targets.plain(path), targets.cwd or "/")[0], told)]


def _approved(targets: Targets, place: str, source: str) -> bool:
    """Whether git would write the approved bytes (or leave the file as it is)."""
    from vstack.guard.committed import blob_sha256, top_of

    top = top_of(os.path.dirname(place))
    if top is None:
        return False
    name = os.path.relpath(place, top)
    written = blob_sha256(top, f"{source}:{name}")
    if written is None:
        return not os.path.exists(place)
    for index in targets.protected.indexes:
        for known, entry in index.files.items():
            if key(os.path.normpath(os.path.join(index.root, known))) == key(place):
                # A damaged lock has no approved bytes: what HEAD holds is the way back.
                return written == entry.sha256 or (bool(index.refused) and source in ("", "HEAD"))
        if index.refused and key(place).startswith(key(index.root) + "/"):
            return source in ("", "HEAD")
    return False


def _moves_to(targets: Targets, commit: str) -> str | None:
    """`git reset --hard COMMIT`: the protected files that differ from it would be written."""
    return _touches(targets, "diff", "--name-only", "-z", commit, source=commit)


def _touches(targets: Targets, *command: str, source: str = "HEAD") -> str | None:
    from vstack.guard.committed import git, top_of

    top = top_of(targets.cwd or "/")
    listed = git(top, *command) if top else None
    if listed is None or listed.returncode != 0 or top is None:
        return None
    for name in map(os.fsdecode, listed.stdout.split(b"\0")):
        place = os.path.join(top, name)
        told = targets.protected.why(place, top) if name else None
        if told is not None and not (command[0] != "stash" and _approved(targets, place, source)):
            return told
    return None
