"""Counterexamples driven through a small real threaded program, at the commit with the race and at its fix."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.reproduce.world import World, make_world
from tests.specify.test_base import git
from vstack.commands import reproduce, trace_check, verify
from vstack.context import open_project
from vstack.errors import VstackError
from vstack.project import Project, load_project
from vstack.reproduce.checkout import check_checkout
from vstack.reproduce.rows import driven_rows
from vstack.reproduce.saved import read_saved, stale
from vstack.results import DrivenRow
from vstack.tla.tree import Spec


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = make_world(tmp_path_factory.mktemp("world"))
    drive(world)  # The counterexample is then kept as evidence.
    return world


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    shutil.copytree(made.project, tmp_path / "project")
    return World(tmp_path / "project", made.buggy, made.fixed)


def drive(world: World, **changes: object) -> int:
    options: dict[str, object] = {
        "variant": "before",
        "environment": None,
        "goal": None,
        "schedule": None,
        "counterexample": None,
        "checkout": world.buggy,
        "python": Path(sys.executable),
        "runs": 1,
        "keep": False,
        "record": (),
        "make_environment": False,
        "emit": None,
        "as_json": False,
        "quiet": True,
    }
    return reproduce.run(world.project, **{**options, **changes})  # type: ignore[arg-type]


def opened(world: World) -> tuple[Project, Spec]:
    context = open_project(world.project)
    return context.project, context.spec


def rows(world: World) -> tuple[DrivenRow, ...]:
    return driven_rows(*opened(world))


def test_the_race_is_reproduced_and_the_fix_parts_from_its_schedule(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drive(world, runs=3, keep=True, as_json=True) == 0
    cell = json.loads(capsys.readouterr().out)["cells"][0]
    assert cell["agree"] and cell["as_expected"]
    assert [run["outcome"] for run in cell["runs"]] == ["reproduced"] * 3
    run = cell["runs"][0]
    assert run["steps"] == len(cell["steps"]) == 3 and run["compared"] == 9
    assert run["seen"] == "the transfer of r1 runs, and the page is free"
    assert drive(world, variant="after", checkout=world.fixed, keep=True) == 0
    shown = capsys.readouterr().out
    assert "not reproduced: it parts from the schedule of before, as it must" in shown
    assert "step 3, Free(r1): free() refuses while the transfer runs" in shown
    assert '  * page: model "free", real code "r1"' in shown and '    transfer: "r1" in both' in shown
    assert git(world.buggy, "status", "--porcelain", "--ignored") == ""

    project = load_project(world.project)
    saved = read_saved(project).cells
    assert [(cell.variant, cell.expected, cell.as_expected, cell.runs) for cell in saved] == [
        ("after", "parts", True, 1),
        ("before", "reproduced", True, 3),
    ]
    assert saved[1].actions == ("Abort", "Free", "Start") and not stale(*opened(world), saved[0])
    assert [row.state for row in rows(world)] == ["reproduced", "parts"]
    world.edit(lambda data: data["matrix"]["before"]["aborts"].update(Finality="violated"))
    assert [(row.state, row.text) for row in rows(world)][2:] == [
        ("not driven", "no reason given")
    ]
    world.edit(lambda data: data["reproduce"].update(not_driven=[{"variant": "before", "why": "too slow"}]))
    assert rows(world)[2].text == "too slow"
    model = world.project / "model" / "Handover.tla"
    model.write_text(model.read_text().replace("vars ==", "\\* A comment.\nvars =="))
    assert [row.state for row in rows(world)] == ["reproduced", "parts", "not driven"]
    world.driver("Drives", "It drives")
    assert stale(*opened(world), saved[0])
    assert [row.state for row in rows(world)] == ["stale", "stale", "not driven"]


def test_a_counterexample_from_a_file_is_driven(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence = verify_json(world, "before", "aborts", "Isolation", capsys)
    path = tmp_path / "counterexample.json"
    path.write_text(json.dumps(evidence))
    assert drive(world, counterexample=path) == 0
    assert "before/aborts/Isolation: reproduced" in capsys.readouterr().out
    assert drive(world, variant="after", checkout=world.fixed, counterexample=path) == 0
    assert "parts from the schedule of before" in capsys.readouterr().out
    path.write_text(json.dumps({**evidence, "subject": {**evidence["subject"], "variant": "other"}}))
    with pytest.raises(VstackError, match="a cell that this project lacks: other/aborts/Isolation"):
        drive(world, counterexample=path)
    path.write_text("{}")
    with pytest.raises(VstackError, match="no counterexample"):
        drive(world, counterexample=path)


def verify_json(
    world: World, variant: str, environment: str, goal: str, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    capsys.readouterr()
    verify.run(
        world.project,
        (goal,),
        variant=variant,
        environment=environment,
        jobs=1,
        distributed=False,
        as_json=True,
        quiet=True,
    )
    return json.loads(capsys.readouterr().out)[0]


def test_an_action_without_parameters_is_driven(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    goals = world.project / "goals" / "Goals.tla"
    goals.write_text(goals.read_text().replace("\\* Every request", 'Waiting == \\A r \\in Requests : phase[r] # "ready"\n\n\\* Every request'))
    world.edit(lambda data: data["goals"].update(Waiting={"english": "no data comes", "formula": "Waiting"}))
    world.driver("        return None\n\n    def free_run", "        ready = [r for r, p in self.server.phase.items() if p == 'ready']\n"
                 "        return f'{ready[0]} has its data' if ready and goal == 'Waiting' else None\n\n    def free_run")
    assert drive(world, environment="calm", goal="Waiting") == 0
    assert "all 2 steps agree; r1 has its data" in capsys.readouterr().out


def test_a_driver_that_shows_nothing_reproduces_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.driver('            return f"the transfer', '            return None and f"the transfer')
    assert drive(world) == 1
    assert "shows no violation of Isolation at the end" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('server.owner or "free"', '"r2"', 'page: model "r1", real code "r2"'),
        ('"transfer": server.coming[0]', '"transfer": not server.coming[0]', "transfer: model"),
        ("self.server.abort(r)", "pass", "the code parts from the model at step 2, Abort(r1)"),
    ],
)
def test_what_differs_is_shown_with_both_states(
    world: World, capsys: pytest.CaptureFixture[str], before: str, after: str, said: str
) -> None:
    world.driver(before, after)
    assert drive(world) == 1
    shown = capsys.readouterr().out
    assert "not reproduced" in shown and said in shown


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("    def seen(self, goal):\n", '    def seen(self, goal):\n        return "always"\n', "before the first step"),
        ('            "page"', '            "pages"', "`pages`, which is no variable of the model"),
        ("        return {\n", "        return {}\n        return {\n", "nothing was observed after step 1"),
        ("    def seen(self, goal):\n", "    def seen(self, goal):\n        return 7\n", "seen() must return a sentence"),
        ("        return {\n", "        return [1]\n        return {\n", "observe() must return a dict"),
        (
            "        self.server.abort(r)\n",
            "        import glob, os\n        path = glob.glob('/tmp/**/vstack-reproduce-*/report', recursive=True)\n"
            "        path += glob.glob(os.environ.get('TMPDIR', '/tmp') + '/vstack-reproduce-*/report')\n"
            "        for one in path:\n            with open(one, 'a') as f:\n"
            "                f.write('{\"kind\": \"step\", \"at\": 2, \"observed\": {\"page\": \"r1\"}, \"seen\": null}\\n' * 2)\n"
            "                f.write('{\"kind\": \"seen\", \"text\": \"forged\"}\\n{\"kind\": \"end\", \"threads\": []}\\n')\n"
            "        os._exit(0)\n",
            "something else wrote into it",
        ),
        ('"Abort": self.abort', '"Abortion": self.abort', "does not know the action Abort (step 2)"),
        ("        self.server.abort(r)\n", "        raise KeyError(r)\n", "the driver failed at step 2: KeyError: 'r1'"),
        ("        self.server.abort(r)\n", "        import os; os._exit(3)\n", "the interpreter died: exit status 3"),
        ("import queue\n", "import queue, torch_of_another_name\n", "did not start: ModuleNotFoundError"),
        ('("receiver",)', '("other",)', None),
        (
            "        if self.server.coming:\n            self.land()",
            "        pass",
            None,
        ),
        (
            "    def close(self):\n",
            "    def close(self):\n        import threading, time\n"
            "        threading.Thread(target=time.sleep, args=(99,), name='left').start()\n",
            "left threads behind: left",
        ),
    ],
)
def test_a_driver_that_fails_never_reproduces(
    world: World, capsys: pytest.CaptureFixture[str], before: str, after: str, said: str | None
) -> None:
    world.driver(before, after)
    code = drive(world)
    shown = capsys.readouterr().out
    if said is None:  # Threads named as the engine's own may stay, others that ended are nobody's.
        assert code == 0 and ": reproduced" in shown
    else:
        assert code == 2 and "could not run" in shown and said in shown and ": reproduced" not in shown


def test_a_driver_that_hangs_is_stopped_and_its_stacks_are_shown(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.driver("        self.server.abort(r)\n", "        queue.Queue().get()\n")
    world.edit(lambda data: data["reproduce"].update(seconds=3))
    assert drive(world) == 2
    shown = capsys.readouterr().out
    assert "hung in step 2 and was stopped after 3 s" in shown and 'in abort' in shown


def test_runs_that_disagree_are_no_reproduction(world: World, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mark = tmp_path / "ran before"
    world.driver(
        "        self.server.abort(r)\n",
        f"        import pathlib\n        mark = pathlib.Path({str(mark)!r})\n"
        "        self.server.abort(r if mark.exists() else 'r2') if r in self.server.phase else None\n"
        "        mark.touch()\n",
    )
    world.driver("        self.server.abort(r if", "        self.server.phase.setdefault('r2', 'new')\n        self.server.abort(r if")
    assert drive(world, runs=2) == 1
    assert "the runs disagree (2 runs" in capsys.readouterr().out


def test_a_checkout_that_does_not_serve_is_refused(world: World, tmp_path: Path) -> None:
    def refused(match: str, **changes: object) -> None:
        with pytest.raises(VstackError, match=match):
            drive(world, **changes)

    other = tmp_path / "other"
    other.mkdir()
    refused("is not a git checkout", checkout=other)
    git(other, "init", "-q")
    (other / "handover.py").write_text("x = 1\n")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "another project")
    refused("another project than code", checkout=other)
    refused("does not exist", checkout=tmp_path / "missing")
    refused("worktree add", checkout=world.fixed)
    changed = tmp_path / "changed"
    git(tmp_path, "clone", "-q", str(world.buggy), str(changed))
    git(changed, "checkout", "-q", git(world.buggy, "rev-parse", "HEAD"))
    (changed / "queue.py").write_text("")
    refused("local changes: queue.py", checkout=changed)
    (changed / "queue.py").unlink()
    (changed / ".git" / "info" / "exclude").write_text("queue.py\n")
    (changed / "queue.py").write_text("")
    refused("local changes: queue.py", checkout=changed)
    (changed / "queue.py").unlink()
    (changed / "handover").mkdir()
    (changed / "handover" / "__init__.pyc").write_bytes(b"")
    refused("local changes: handover", checkout=changed)
    shutil.rmtree(changed / "handover")
    for flag in ("--assume-unchanged", "--skip-worktree"):
        git(changed, "update-index", flag, "handover.py")
        refused(r"handover.py \(marked", checkout=changed)
        git(changed, "update-index", flag.replace("--", "--no-"), "handover.py")
    # What a sparse checkout leaves out is no change.
    git(changed, "update-index", "--skip-worktree", "handover.py")
    (changed / "handover.py").unlink()
    assert check_checkout(load_project(world.project), "before", changed) == git(changed, "rev-parse", "HEAD")
    (tmp_path / "a:b").mkdir()
    refused("can't import from a path", checkout=tmp_path / "a:b")
    refused("No checkout", checkout=None)
    refused("does not exist", python=tmp_path / "python")
    refused("not a Python interpreter", python=Path("/bin/true"))
    refused("did you mean `before`", variant="befor")
    refused("No driven cell of before fits", goal="Finality")
    refused("no counterexample to drive: holds", variant="after", goal="Isolation", environment="calm", checkout=world.fixed)
    refused("Nothing to drive", variant=None)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"pythonpath": ["../elsewhere"]}, "leaves the checkout"),
        ({"pythonpath": ["/usr/lib"]}, "leaves the checkout"),
        ({"variables": {"PYTHONPATH": "/x"}}, "may not set PYTHONPATH"),
        ({"variables": {"LD_PRELOAD": "/x"}}, "may not set LD_PRELOAD"),
    ],
)
def test_the_section_can_not_bring_other_code(world: World, section: dict[str, Any], said: str) -> None:
    world.edit(lambda data: data["reproduce"].update(section))
    with pytest.raises(VstackError, match=said):
        drive(world)


@pytest.mark.parametrize("name", ["handover.py", "handover/__init__.py", "handover.pyc"])
def test_a_module_beside_the_driver_can_not_pass_for_the_checkouts(world: World, name: str) -> None:
    path = world.project / "reproduce" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text((world.buggy / "handover.py").read_text())
    with pytest.raises(VstackError, match="would be imported instead of the checkout's handover"):
        drive(world)


def test_an_interpreter_is_made_with_the_pinned_packages(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(VstackError, match="--prepare"):
        drive(world, python=None)
    assert drive(world, python=None, make_environment=True) == 0
    assert ": reproduced" in capsys.readouterr().out


def test_recorded_traces_replay_until_what_they_rest_on_changes(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert drive(world, variant=None, record=("along", "free")) == 0
    capsys.readouterr()
    assert trace_check.run(world.project, (), log=None, as_json=False) == 0
    shown = capsys.readouterr().out
    assert "along (before): replayed, 3/3 events matched" in shown and "free (before): replayed, 8/8" in shown
    log = world.project / "traces" / "along.jsonl"
    assert json.loads(log.read_text().splitlines()[0])["commit"] == git(world.buggy, "rev-parse", "HEAD")

    def stale_because(reason: str) -> None:
        assert trace_check.run(world.project, ("along",), log=None, as_json=False) == 1
        assert f"The trace is stale: {reason}" in capsys.readouterr().out

    whole = log.read_text()
    log.write_text(whole.split("\n", 1)[1])
    stale_because("its first line does not say")
    log.write_text(whole)
    world.driver("import queue\n", "import queue  # the same\n")
    stale_because("the driver has changed")
    world.driver("import queue  # the same\n", "import queue\n")
    world.edit(lambda data: data["traces"]["along"]["events"].pop("aborted"))
    stale_because("its mapping in vstack.yaml has changed")
    world.edit(lambda data: data["traces"].update(along={**data["traces"]["free"], "log": "traces/along.jsonl"}))
    assert trace_check.run(world.project, ("along",), log=None, as_json=False) == 0
    world.edit(lambda data: data["variants"]["before"].update(commit="0" * 40))
    stale_because("it was recorded at commit")
    log.write_text(log.read_text().replace('"repo": "code"', '"repo": "elsewhere"'))
    stale_because("it is a recording of elsewhere")


def test_a_test_for_the_codes_own_suite_fails_at_the_race_and_passes_at_the_fix(world: World, tmp_path: Path) -> None:
    target = tmp_path / "test_handover.py"
    assert drive(world, checkout=None, python=None, emit=target) == 0

    def passes(checkout: Path) -> bool:
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(target)]
        ended = subprocess.run(argv, cwd=tmp_path, env={"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True)
        assert ended.returncode in (0, 1), ended.stdout
        return ended.returncode == 0

    assert not passes(world.buggy) and passes(world.fixed)
    with pytest.raises(VstackError, match="exists already"):
        drive(world, checkout=None, emit=target)
    (world.project / "reproduce" / "test.py.j2").write_text("{{ nobody }}")
    with pytest.raises(VstackError, match="gives no test"):
        drive(world, checkout=None, emit=tmp_path / "other.py")
    assert not (tmp_path / "other.py").exists()
