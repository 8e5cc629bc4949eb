"""Programs that unpack an archive or copy a tree: may what is in it land on a protected file?"""

from __future__ import annotations

import os

from vstack.guard.targets import Targets
from vstack.guard.writers import operands

_MOST = 5_000  # names of one archive or tree; with more it counts as one that can't be read


def why_tar(arguments: list[str], targets: Targets) -> str | None:
    """Why `tar` may not extract: a name in the archive; where that can't be read, what lies in the folder."""
    plain = list(map(targets.plain, arguments))
    # The first word is a cluster of letters even without its dash.
    clusters = [at for at, word in enumerate(plain) if word[:1] == "-" != word[1:2] or (at == 0 and word[:1] != "-")]
    if not any("x" in plain[at] for at in clusters) and not {"--extract", "--get"} & set(plain):
        return None
    archive = _value(plain, "--file", [at for at in clusters if plain[at].endswith("f")])
    folder = _value(plain, "--directory", [at for at in clusters if plain[at].endswith("C")]) or "."
    return _lands(_tar_names(_place(archive, targets)), folder, targets)


def why_unzip(arguments: list[str], targets: Targets) -> str | None:
    """The same for `unzip`."""
    plain = list(map(targets.plain, arguments))
    if any(word.startswith("-") and set(word[1:]) & set("ltpZz") for word in plain):
        return None  # it lists, tests or prints
    names = operands(plain, ("-d", "-x"))
    folder = _value(plain, "", [at for at, word in enumerate(plain) if word == "-d"]) or "."
    return _lands(_zip_names(_place(names[0] if names else "", targets)), folder, targets)


def why_tree(sources: list[str], target: str, targets: Targets) -> str | None:
    """Why what lies in the folders ``sources`` (each written `FOLDER/`) may not be copied into ``target``."""
    for source in sources:
        told = _lands(_tree_names(_place(targets.plain(source), targets)), target, targets)
        if told is not None:
            return told
    return None


def _lands(names: list[str] | None, folder: str, targets: Targets) -> str | None:
    if names is None:
        # What is in it can't be told: in a project it may be anything, above one it hardly is the project.
        place = targets.folder(folder)
        roots = [os.path.realpath(index.root) for index in targets.protected.indexes]
        inside = place is not None and any(f"{os.path.realpath(place)}/".startswith(f"{root}/") for root in roots)
        return targets.why(folder, below=True) if inside else None
    return next(filter(None, (targets.why(f"{folder}/{name}") for name in names)), None)


def _value(plain: list[str], long: str, marks: list[int]) -> str:
    """The value of an option: the word after one of ``marks``, or what stands behind `LONG=`."""
    after = [plain[at + 1] for at in marks if at + 1 < len(plain)]
    behind = [word.partition("=")[2] for word in plain if long and word.startswith(f"{long}=")]
    return next(iter([*after, *behind]), "")


def _place(name: str, targets: Targets) -> str | None:
    """The path of an archive or folder, if it is there now."""
    place = targets.folder(name) if name and name != "-" else None
    return place if place is not None and (os.path.isfile(place) or os.path.isdir(place)) else None


def _tar_names(place: str | None) -> list[str] | None:
    import tarfile

    if place is None:
        return None
    names = []
    try:
        with tarfile.open(place) as archive:
            for member in archive:
                names.append(member.name)
                if len(names) > _MOST:
                    return None
    except (OSError, EOFError, ValueError, tarfile.TarError):
        return None
    return names


def _zip_names(place: str | None) -> list[str] | None:
    import zipfile

    if place is None:
        return None
    try:
        with zipfile.ZipFile(place) as archive:
            names = archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return None
    return names if len(names) <= _MOST else None


def _tree_names(place: str | None) -> list[str] | None:
    if place is None:
        return None
    names: list[str] = []
    for base, _, files in os.walk(place):
        names += [os.path.relpath(os.path.join(base, name), place) for name in files]
        if len(names) > _MOST:
            return None
    return names
