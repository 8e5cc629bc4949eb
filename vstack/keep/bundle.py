"""Evidence from one CI run to the next: a signed bundle that only trusted runs of the target branch write.

A record says what an engine answered to inputs that its key names by hash, so
an old one is as true as a new one, if it was made honestly. Whoever can write
the cache can't sign: a bundle is believed only whole, and only with a
signature by a key that the target branch lists for that purpose alone.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from vstack.errors import VstackError
from vstack.files import sha256_bytes, write_atomic
from vstack.keep.evidence import EvidenceStore, package_digest
from vstack.project import Project
from vstack.results import Evidence, Result
from vstack.shard import Shard, parse_shard
from vstack.specify.approvers import parse_approvers
from vstack.specify.base import Base
from vstack.specify.sshkey import is_genuine
from vstack.specify.sshsig import parse_signature

NAMESPACE = "vstack-evidence"
_MOST_BYTES = 512 << 20


class Bundle(Result):
    """All records that one run of ``project`` in ``folder`` (of the repository) at ``commit`` rested on.

    ``vstack`` is the hash of the sources that judged: another vstack may judge
    otherwise. ``part`` is `K/N` where one job of several made it.
    """

    format: Literal[1] = 1
    project: str
    folder: str
    commit: str
    vstack: str
    part: str | None = None
    records: tuple[Evidence, ...]


@dataclass(frozen=True)
class Believed:
    """Records by key, and in words where they come from or why there are none."""

    records: Mapping[str, Evidence] = field(default_factory=dict)
    words: str = ""

    def joined(self, other: Believed) -> Believed:
        """These records and the others."""
        words = [each.words for each in (self, other) if each.records]
        return Believed({**self.records, **other.records}, " or ".join(words) or self.words)


class BelievingStore(EvidenceStore):
    """Records made now, in ``folder``, and those that are ``believed``; ``used`` are the keys of all that were asked for."""

    def __init__(self, folder: Path, believed: Mapping[str, Evidence]) -> None:
        super().__init__(folder)
        self.believed = believed
        self.used: set[str] = set()

    def get(self, key: str) -> Evidence | None:
        """The record of ``key``, made now or believed."""
        found = super().get(key) or self.believed.get(key)
        if found is not None:
            self.used.add(key)
        return found

    def put(self, record: Evidence) -> None:
        """Store ``record``."""
        super().put(record)
        self.used.add(record.key)

    @property
    def recalled(self) -> int:
        """How many of the records that were used are believed ones."""
        return len(self.used & self.believed.keys())

    def records(self) -> tuple[Evidence, ...]:
        """All records that were used, in the order of their keys."""
        found = (self.get(key) for key in sorted(self.used))
        return tuple(record for record in found if record is not None)


def bundle_path(cache: Path, project: Project, folder: str, part: Shard | None = None) -> Path:
    """Where the bundle of ``project``, or a part of it, is: two projects of one name lie in different folders."""
    which = f".{part.number}of{part.of}" if part else ""
    return cache / f"{project.file.project}-{sha256_bytes(folder.encode())[:12]}{which}.json"


def read_bundle(cache: Path, project: Project, folder: str, base: Base) -> Believed:
    """The records of the bundle in ``cache``, if the target branch's word stands behind all of it.

    A bundle that is missing, damaged, unsigned, or another's is no error:
    then everything is run.
    """
    path = bundle_path(cache, project, folder)
    try:
        data = _read(path)
        signer = _signer(path, data, base)
        bundle = Bundle.model_validate_json(data)
        expected = (project.file.project, folder)
        if (bundle.project, bundle.folder) != expected or bundle.part is not None:
            raise VstackError(f"it is of the project {bundle.project} in {bundle.folder}")
    except ValidationError:
        return Believed(words="evidence of the cache is not believed: it is not as vstack wrote it")
    except VstackError as error:
        return Believed(words=f"evidence of the cache is not believed: {error.what}")
    if bundle.vstack != package_digest():
        return Believed(words="evidence of the cache is not believed: another vstack judged it")
    words = f"evidence of {base.ref} at {bundle.commit[:12]}, signed by {signer}"
    return Believed({record.key: record for record in bundle.records}, words)


def read_parts(parts: Path, project: Project, folder: str, commit: str) -> Believed:
    """The records of all parts that the jobs of this run made of ``project`` at ``commit``.

    Nothing signs them: they are as trusted as the jobs that made them and the
    way they came here.

    Raises:
        VstackError: a part is missing or damaged, or was made of another commit or by another vstack.
    """
    stem = bundle_path(parts, project, folder).stem
    found: dict[Shard, Bundle] = {}
    for path in sorted(parts.glob(f"{glob.escape(stem)}.*of*.json")):
        try:
            bundle = Bundle.model_validate_json(_read(path))
        except ValidationError:
            raise VstackError("A part is not as vstack wrote it", where=str(path), todo="Run that job again") from None
        part = _part(bundle, path)
        made = (bundle.project, bundle.folder, bundle.commit, bundle.vstack)
        if made != (project.file.project, folder, commit, package_digest()) or part is None:
            raise VstackError(
                "A part was made of another commit or project, or by another vstack",
                where=str(path),
                todo="Join the parts that the jobs of one run made",
            )
        found[part] = bundle
    _must_be_whole(project.file.project, found.keys(), parts)
    records = {record.key: record for bundle in found.values() for record in bundle.records}
    return Believed(
        records, f"of the {len(found)} parts that jobs of this run made (not signed: as trusted as those jobs)"
    )


def _part(bundle: Bundle, path: Path) -> Shard | None:
    try:
        return None if bundle.part is None else parse_shard(bundle.part)
    except VstackError as error:
        raise VstackError(
            f"A part is not as vstack wrote it: {error.what}", where=str(path), todo="Run that job again"
        ) from None


def _must_be_whole(project: str, found: Collection[Shard], parts: Path) -> None:
    """All of one number of parts, and none of another."""
    counts = {part.of for part in found} or {1}
    wanted = {Shard(number, count) for count in counts for number in range(1, count + 1)}
    missing = sorted(wanted - set(found), key=lambda part: (part.of, part.number))
    if missing or len(counts) > 1:
        what = f"the part {missing[0]} is missing" if missing else "there are parts of several wholes"
        raise VstackError(
            f"Of {project} {what}" + (f", and {len(missing) - 1} more" if missing[1:] else ""),
            where=str(parts),
            todo="Each job of the matrix has to end well and hand over its part, all of one run",
        )


def write_bundle(
    cache: Path, project: Project, folder: str, commit: str, store: BelievingStore, part: Shard | None = None
) -> Path:
    """Write the records of a trusted run, to be signed by whoever holds the key, or of a ``part`` to be joined; the file.

    The key is not asked for here: while a project's files are read and run, it
    should not be where they are.

    Raises:
        VstackError: the file can't be written.
    """
    bundle = Bundle(
        project=project.file.project,
        folder=folder,
        commit=commit,
        vstack=package_digest(),
        part=str(part) if part else None,
        records=store.records(),
    )
    path = bundle_path(cache, project, folder, part)
    write_atomic(path, bundle.model_dump_json() + "\n")
    return path


def evidence_words(believed: Believed, store: BelievingStore) -> str:
    """How many records come from the cache, and whose word that is; or why none do."""
    if not believed.records:
        return believed.words
    return f"{store.recalled} of {len(store.used)} records are {believed.words}; the rest was run here"


def _signature(path: Path) -> Path:
    return path.with_name(path.name + ".sig")


def _read(path: Path) -> bytes:
    """The file's bytes, read once: what is checked is what is believed."""
    try:
        # Without waiting: a pipe that somebody put there would never end.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            data = stream.read(_MOST_BYTES + 1) if regular else b""
    except OSError:
        raise VstackError(f"there is no {path.name} that can be read") from None
    if not data or len(data) > _MOST_BYTES:
        raise VstackError(f"{path.name} is empty or too large")
    return data


def _signer(path: Path, data: bytes, base: Base) -> str:
    """The principal whose key signed ``data``, as the target branch's approvers file lists it for evidence.

    Raises:
        VstackError: there is no such signature.
    """
    if base.approvers is None:
        raise VstackError(f"{base.ref} has no approvers file that lists a key for {NAMESPACE}")
    signature = parse_signature(_read(_signature(path)).decode("ascii", "replace"))
    now = datetime.now(UTC)
    listed = [
        entry
        for entry in parse_approvers(base.approvers, where=f"{base.ref}:vstack.approvers")
        # By name alone: a person's key, listed for anything, is one that an agent may reach.
        if entry.public_key == signature.public_key
        and NAMESPACE in entry.namespaces
        and (entry.valid_after is None or entry.valid_after <= now)
        and (entry.valid_before is None or now < entry.valid_before)
    ]
    if signature.namespace != NAMESPACE:
        raise VstackError(f"its signature was made for `{signature.namespace}`, not for `{NAMESPACE}`")
    if not listed:
        raise VstackError(f"{base.ref} does not list the key that signed it for {NAMESPACE}")
    if not is_genuine(signature, data):
        raise VstackError("its signature is over something else")
    return ",".join(listed[0].principals)
