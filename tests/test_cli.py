"""The command line: every command documented, errors as one paragraph, exit codes as promised."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import click
import pytest

from vstack.cli import COMMANDS, GROUPS

ALL = {name: entry for name, entry in COMMANDS.items()} | {
    f"{group} {name}": entry for group, (_, table) in GROUPS.items() for name, entry in table.items()
}


def vstack(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vstack", *arguments], capture_output=True, text=True, cwd=cwd, check=False
    )


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_its_line_its_help_and_an_example(name: str) -> None:
    module, line = ALL[name]
    command = importlib.import_module(f"vstack.commands.{module}").cli
    assert isinstance(command, click.Command)
    assert command.get_short_help_str(200) == line
    text = command.get_help(click.Context(command))
    assert f"Example: vstack {name}" in text
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"--{parameter.name} of {name} has no help"


@pytest.mark.parametrize("name", ALL)
def test_every_command_stands_in_the_readme(name: str) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text()
    assert f"`vstack {name}" in readme


def test_help_imports_no_command_and_nothing_heavy() -> None:
    code = "import sys; sys.argv = ['vstack', '--help']\ntry:\n import vstack.cli as c; c.main()\nexcept SystemExit: pass\n"
    code += "print([m for m in ('pydantic', 'git', 'z3', 'rich', 'yaml', 'jinja2', 'vstack.project') if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_an_unknown_command_names_the_nearest() -> None:
    ended = vstack("chek")
    assert ended.returncode == 2
    assert "Did you mean `check`?" in ended.stderr


def test_an_expected_error_is_one_paragraph_and_exit_code_2(tmp_path: Path) -> None:
    for arguments in (["check"], ["verify"], ["validate"], ["explain"], ["report"], ["trace", "check"], ["spec", "check"]):
        ended = vstack(*arguments, cwd=tmp_path)
        assert ended.returncode == 2, arguments
        assert ended.stderr.startswith("Error: No vstack.yaml here"), arguments
        assert len(ended.stderr.splitlines()) == 1
        assert "Traceback" not in ended.stderr


def test_what_nohup_ignores_stays_ignored() -> None:
    program = (
        "import os, signal, vstack.cli as cli\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "cli.main_group.main = lambda **options: os.kill(os.getpid(), signal.SIGHUP)\n"
        "cli.main()\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
