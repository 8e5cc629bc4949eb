"""A diff of the code, told as what it means for the model: real git, with the code beside the model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.abstract.conftest import MODEL, OLD, PATH, YAML, commit_file, git
from vstack.abstract.changed import Change, change_findings, changes, own_repositories
from vstack.abstract.diff import parse_range, read_diff
from vstack.abstract.marks import read_marks
from vstack.abstract.repos import open_repos
from vstack.commands import scope
from vstack.context import open_project
from vstack.errors import VstackError

SCOPE = f'scope: [{{repo: code, path: "{PATH}", functions: [step, both]}}]\nomissions: [{{what: both, reason: it does not race}}]'


@dataclass
class Monorepo:
    """Code, and a project in `verify/` whose action Step is anchored to two lines of `Worker.step`."""

    folder: Path

    def change(self, old: str, new: str, *, path: str = PATH) -> None:
        text = (self.folder / path).read_text()
        assert text.count(old) >= 1
        commit_file(self.folder, path, text.replace(old, new, 1).encode(), "work")

    def told(self) -> list[Change]:
        context = open_project(self.folder / "verify")
        repos = open_repos(context.project, fetch=False)
        marks, _ = read_marks(context.project, context.spec)
        diffs = {
            name: read_diff(repo, "main", "HEAD") for name, repo in own_repositories(context.project, repos).items()
        }
        assert list(diffs) == ["code"]
        self.findings = change_findings(changes(context.project, marks, repos, diffs), diffs, refuse_stale=True)
        return list(changes(context.project, marks, repos, diffs))


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mono repo")
    git(folder, "init", "-q", "-b", "main")
    commit = commit_file(folder, PATH, OLD, "code")
    lines = OLD.splitlines(keepends=True)
    first = lines.index(b"        with self.lock:\n") + 1
    digest = hashlib.sha256(b"".join(lines[first - 1 : first + 1])).hexdigest()
    marks = f"\\* @process worker\n\\* @anchor code:{PATH}:{first}-{first + 1}@{commit} sha256:{digest}"
    project = folder / "verify"
    project.mkdir()
    (project / "Model.tla").write_text(MODEL.format(first=marks, second="\\* @environment a packet is lost"))
    yaml = YAML.format(more=SCOPE).replace('{url: "https://github.com/someone/code.git"}', "{here: true}")
    (project / "vstack.yaml").write_text(yaml)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "model")
    git(folder, "branch", "work")
    return folder


@pytest.fixture
def mono(start: Path, tmp_path: Path) -> Monorepo:
    git(tmp_path, "clone", "-q", str(start), str(tmp_path / "mono repo"))
    folder = tmp_path / "mono repo"
    git(folder, "checkout", "-q", "-b", "work")
    return Monorepo(folder)


LINE = next(n for n, line in enumerate(OLD.decode().split("\n"), 1) if "with self.lock" in line)
ANCHORED = "        with self.lock:\n            self.done.add(room)\n        self.sock.send(room)\n"


def test_changed_anchored_lines_make_the_model_stale_at_the_line_of_the_diff(mono: Monorepo) -> None:
    mono.change(ANCHORED, ANCHORED.replace("self.done.add(room)", "self.done.update([room])"))
    assert mono.told() == [Change("stale", "code", PATH, LINE + 1, ("Step",))]
    (finding,) = mono.findings
    assert (finding.rule, finding.outcome) == ("anchor-stale", "refused")
    assert (
        finding.where == f"{mono.folder}/{PATH}:{LINE + 1}" and "Step stands for: the model is stale" in finding.message
    )


def test_a_line_put_between_anchored_ones_is_a_change_of_them_and_one_before_or_after_is_beside(mono: Monorepo) -> None:
    mono.change(ANCHORED, ANCHORED.replace("lock:\n", "lock:\n            self.queue.append(room)\n"))
    assert [(one.kind, one.line) for one in mono.told()] == [("stale", LINE + 1)]
    git(mono.folder, "reset", "-q", "--hard", "origin/main")
    mono.change(ANCHORED, "        self.queue.append(room)\n" + ANCHORED)
    assert mono.told() == [Change("beside", "code", PATH, LINE, ("Step",), "Worker.step")]
    git(mono.folder, "reset", "-q", "--hard", "origin/main")
    mono.change("        self.sock.send(room)\n", "")
    assert mono.told() == [Change("beside", "code", PATH, LINE + 1, ("Step",), "Worker.step")]
    assert [one.outcome for one in mono.findings] == ["note"]


def test_code_in_scope_without_an_anchor_is_named_with_what_was_said_of_it(mono: Monorepo) -> None:
    mono.change("        self.queue.append(room)\n", "        self.queue.insert(0, room)\n")
    (change,) = mono.told()
    assert (change.kind, change.function, change.note) == (
        "without anchor",
        "Worker.both",
        "left out because: it does not race",
    )
    # Out of scope, a comment, another file: nobody's matter.
    git(mono.folder, "reset", "-q", "--hard", "origin/main")
    mono.change("        self.queue.clear()\n", "        self.queue = []\n")
    mono.change("    def step(self, room):\n", "    # Takes a step.\n    def step(self, room):\n\n")
    commit_file(mono.folder, "other.py", b"x = 1\n", "another file")
    assert mono.told() == []


def test_lines_that_moved_are_told_as_moved_and_a_copy_does_not_hide_a_change(mono: Monorepo) -> None:
    # The racing code changes. The same two lines stood in another function before; a dead copy is put in a new file.
    mono.change(ANCHORED, ANCHORED.replace("with self.lock:\n            self.done.add(room)", "self.done.add(room)"))
    text = (mono.folder / PATH).read_text()
    commit_file(mono.folder, "dead.py", f"class Dead:\n    def never(self, room):\n{ANCHORED}".encode(), "copy")
    assert text.count("with self.lock") == 1
    assert [(one.kind, one.line) for one in mono.told()] == [("stale", LINE)]
    git(mono.folder, "reset", "-q", "--hard", "origin/main")
    git(mono.folder, "mv", PATH, "moved.py")
    git(mono.folder, "commit", "-q", "-m", "renamed")
    assert [(one.kind, one.note) for one in mono.told()] == [("moved", f"the same lines now stand at moved.py:{LINE}")]


def test_a_deleted_file_leaves_its_actions_stale(mono: Monorepo) -> None:
    git(mono.folder, "rm", "-q", PATH)
    git(mono.folder, "commit", "-q", "-m", "gone")
    assert ("stale", 1) in [(one.kind, one.line) for one in mono.told()]


def test_the_pull_requests_own_attributes_and_an_older_target_hide_nothing(mono: Monorepo) -> None:
    (mono.folder / ".gitattributes").write_text("*.py -diff -text diff=none\n")
    mono.change(ANCHORED, ANCHORED.replace("self.done.add(room)", "pass"))
    assert [one.kind for one in mono.told()] == ["stale"]
    # The target branch goes on and changes other code: that is not this pull request's.
    git(mono.folder, "checkout", "-q", "main")
    mono.change("        self.queue.append(room)\n", "        self.queue.insert(0, room)\n")
    git(mono.folder, "checkout", "-q", "work")
    assert [one.kind for one in mono.told()] == ["stale"]


def test_a_model_that_was_mended_with_the_code_is_not_stale(mono: Monorepo) -> None:
    mono.change(ANCHORED, ANCHORED.replace("self.done.add(room)", "pass"))
    commit = git(mono.folder, "rev-parse", "HEAD")
    model = mono.folder / "verify" / "Model.tla"
    digest = hashlib.sha256(b"        with self.lock:\n            pass\n").hexdigest()
    text = model.read_text().split("\n")
    place = next(n for n, line in enumerate(text) if "@anchor" in line)
    text[place] = f"\\* @anchor code:{PATH}:{LINE}-{LINE + 1}@{commit} sha256:{digest}"
    model.write_text("\n".join(text))
    git(mono.folder, "commit", "-q", "-a", "-m", "the model too")
    assert mono.told() == []


def test_the_command_shows_it_and_says_when_nothing_changed(mono: Monorepo) -> None:
    def call(*arguments: str) -> tuple[int, str]:
        where = ("-p", str(mono.folder / "verify"), "--no-fetch", *arguments)
        result = CliRunner().invoke(scope.cli, where, standalone_mode=False, catch_exceptions=False)
        return result.return_value, result.output

    assert call("--diff", "main..HEAD") == (0, "Nothing that the model speaks for has changed.\n")
    mono.change(ANCHORED, ANCHORED.replace("self.done.add(room)", "pass"))
    code, text = call("--diff", "main")
    assert (
        code == 1
        and "[VS219 anchor-stale]" in text
        and "1 change of code that the model speaks for; 1 left it stale." in text
    )
    code, text = call("--diff", "main...HEAD", "--json", "--repo", f"code={mono.folder / 'verify'}")
    assert code == 1 and json.loads(text)["changes"][0]["line"] == LINE + 1
    assert json.loads(text)["findings"][0]["where"] == f"{mono.folder}/{PATH}:{LINE + 1}"
    with pytest.raises(VstackError, match="has no commit nowhere"):
        call("--diff", "nowhere..HEAD")


def test_a_range_has_two_ends() -> None:
    assert parse_range("main") == parse_range("main..HEAD") == parse_range("main...HEAD") == ("main", "HEAD")
    for text in ("", "..HEAD", "main..", "--output=x..HEAD", "main..-x"):
        with pytest.raises(VstackError, match="is no range"):
            parse_range(text)
