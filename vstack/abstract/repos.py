"""Which git repository answers for an anchor: a checkout the user names, or a shallow fetch into a cache."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from vstack.abstract.git_objects import GitRepo, run_git
from vstack.errors import VstackError
from vstack.project import Project

FETCH_SECONDS = 300.0


@dataclass(frozen=True)
class NoRepo:
    """Why no repository can answer.

    ``state``: ``not checked`` (nothing here knows), or ``missing`` (a complete
    repository says there is no such commit).
    """

    state: str
    reason: str


@dataclass
class Repos:
    """The repositories of one project: those named with `--repo`, and remotes fetched into ``cache``.

    With ``fetch`` false no remote is asked. ``here`` names those that the
    project itself lies in, of which only the history of HEAD counts.
    """

    urls: Mapping[str, str]
    local: Mapping[str, GitRepo]
    cache: Path
    fetch: bool = True
    here: frozenset[str] = frozenset()
    _answers: dict[tuple[str, str], GitRepo | NoRepo] = field(default_factory=dict, repr=False)

    def at(self, name: str, commit: str) -> GitRepo | NoRepo:
        """The repository ``name`` that has ``commit``, or why there is none."""
        if (name, commit) not in self._answers:
            self._answers[name, commit] = self._at(name, commit)
        return self._answers[name, commit]

    def _at(self, name: str, commit: str) -> GitRepo | NoRepo:
        here = self.local.get(name)
        if here is not None:
            if here.has_commit(commit):
                return self._landed(name, here, commit)
            if here.is_shallow():
                todo = f"git -C '{here.folder}' fetch --depth 1 origin {commit}"
                return NoRepo(
                    "not checked", f"the shallow repository {here.folder} lacks commit {commit}; run `{todo}`"
                )
            return NoRepo("missing", f"the repository {here.folder} has no commit {commit}")
        if name in self.here:
            return NoRepo("not checked", "the project lies in no git repository")
        url = self.urls.get(name, "")
        if not url:
            todo = f"name one with `--repo {name}=PATH`, or give repos.{name}.url (or `here: true`, if the code lies in this repository)"
            return NoRepo("not checked", f"no checkout: {todo}")
        if not self.fetch:
            return NoRepo("not checked", f"no checkout, and fetching is off: name one with `--repo {name}=PATH`")
        return fetch_commit(name, url, commit, self.cache)

    def _landed(self, name: str, repo: GitRepo, commit: str) -> GitRepo | NoRepo:
        """``repo``, unless it is the project's own and ``commit`` is not in its history: what never landed says nothing."""
        if name not in self.here or repo.is_ancestor(commit, "HEAD"):
            return repo
        return NoRepo("missing", f"commit {commit} is not in the history of HEAD")

    def url_of(self, name: str, commit: str, path: str, first: int, last: int) -> str | None:
        """A permalink to the lines on the forge, or ``None`` if its form of links is not known."""
        base = web_base(self.urls.get(name, ""))
        if base is None:
            return None
        middle = "/-/blob/" if "gitlab" in base.split("/")[2] else "/blob/"
        until = f"-L{last}" if middle == "/blob/" else f"-{last}"
        return f"{base}{middle}{commit}/{quote(path)}#L{first}" + (until if last > first else "")


def web_base(url: str) -> str | None:
    """`https://host/owner/name` of a GitHub or GitLab remote in any of git's spellings, else ``None``."""
    for prefix in ("https://", "http://", "ssh://git@", "git://", "git@"):
        if url.startswith(prefix):
            host, _, path = url.removeprefix(prefix).replace(":", "/", 1 if prefix == "git@" else 0).partition("/")
            if "github" in host or "gitlab" in host:
                return f"https://{host}/{path.rstrip('/').removesuffix('.git')}"
    return None


def open_repos(
    project: Project, named: tuple[str, ...] = (), *, fetch: bool = True, cache: Path | None = None
) -> Repos:
    """The repositories of ``project``; ``named`` holds `--repo` arguments, `NAME=PATH`.

    ``cache`` is the folder to fetch into, by default one in the project's
    `.vstack`. A gate gives its own: a bare repository found there may have come
    with a pull request, and git runs the programs that its configuration names.

    Raises:
        VstackError: an argument in another form, a name that `repos` does not
            have, or a path that is no git repository.
    """
    urls = {name: repo.url for name, repo in project.file.repos.items()}
    local: dict[str, GitRepo] = {}
    for argument in named:
        name, equals, path = argument.partition("=")
        if not equals or not path:
            raise VstackError(f"`--repo {argument}` names no path", todo="Write `--repo NAME=PATH`")
        if name not in urls:
            known = ", ".join(urls) or "none"
            raise VstackError(
                f"`--repo {argument}`: the project has no repository `{name}` (it has: {known})",
                todo="Add it under `repos` in vstack.yaml",
            )
        local[name] = open_local(name, Path(path).expanduser())
    own = {name for name, repo in project.file.repos.items() if repo.here and name not in local}
    for name in own:
        if (repository := _own_repository(name, project.root)) is not None:
            local[name] = repository
    return Repos(urls, local, cache or project.state / "repos", fetch, frozenset(own))


def _own_repository(name: str, root: Path) -> GitRepo | None:
    """The repository that the project itself lies in, by its top; None where it lies in none."""
    code, top, _ = run_git(["-C", str(root), "rev-parse", "--show-toplevel"])
    return GitRepo(name, Path(os.fsdecode(top).strip())) if code == 0 else None


def open_local(name: str, folder: Path) -> GitRepo:
    """The repository at ``folder``, bare or with a work tree.

    Raises:
        VstackError: there is none, or git refuses to read it.
    """
    if not folder.exists():
        raise VstackError(f"`--repo {name}`: the folder does not exist", where=str(folder))
    code, _, message = (
        run_git(["-C", str(folder), "rev-parse", "--git-dir"]) if folder.is_dir() else (1, b"", "not a folder")
    )
    if code != 0:
        raise VstackError(
            f"`--repo {name}`: git can't use this folder: {message}",
            where=str(folder),
            todo="Name a git checkout or a bare repository",
        )
    return GitRepo(name, folder)


def fetch_commit(name: str, url: str, commit: str, cache: Path) -> GitRepo | NoRepo:
    """One commit of a remote, without history, in a bare repository under ``cache``.

    Raises:
        VstackError: the cache can't be made.
    """
    folder = cache / f"{name}.git"
    if not (folder / "HEAD").exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise VstackError(f"The cache of repositories can't be made: {error.strerror}", where=str(folder)) from None
        form = ["--object-format=sha256"] if len(commit) == 64 else []
        code, _, message = run_git(["init", "--quiet", "--bare", *form, str(folder)])
        if code != 0:
            raise VstackError(f"The cache of repositories can't be made: {message}", where=str(folder))
    repo = GitRepo(name, folder)
    if repo.has_commit(commit):
        return repo
    try:
        code, _, message = run_git(
            [
                "-C",
                str(folder),
                "-c",
                "protocol.ext.allow=never",
                "fetch",
                "--quiet",
                "--no-tags",
                "--depth",
                "1",
                "--end-of-options",
                url,
                commit,
            ],
            seconds=FETCH_SECONDS,
        )
    except VstackError as error:
        return NoRepo("not checked", error.what)
    if code != 0 or not repo.has_commit(commit):
        if "not our ref" in message:
            return NoRepo("missing", f"the remote {url} has no commit {commit}")
        last = message.splitlines()[-1] if message else "the remote did not send it"
        return NoRepo("not checked", f"git could not fetch {commit} from {url}: {last}")
    return repo
