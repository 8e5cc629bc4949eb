"""Shell commands: each that plainly writes a protected file is denied, and its honest twin passes."""

from __future__ import annotations

import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.guard.world import git
from vstack.guard.protect import Protected, protected_around
from vstack.guard.shell import why_shell

# Left: denied. Right: nearly the same, and an agent's honest work.
PAIRS = [
    ("echo x > goals/Goals.tla", "grep -n '>' goals/Goals.tla"),
    ("echo x >> goals/Goals.tla", "cat goals/Goals.tla >> /tmp/notes.txt"),
    ("echo x >| 'goals/Goals.tla'", 'echo "> goals/Goals.tla"'),
    ("make 2>goals/Goals.tla", "make 2>&1 | grep goals/Goals.tla"),
    ("make &> goals/Goals.tla", "make &> build.log; cat goals/Goals.tla"),
    ("cat > goals/Goals.tla <<'EOF'\nIsolation == TRUE\nEOF", "cat <<'EOF'\necho x > goals/Goals.tla\nEOF"),
    ("sed -i 's/a/b/' goals/Goals.tla", "sed -n '1,20p' goals/Goals.tla"),
    ("sed -Ei.bak 's/a/b/' goals/Goals.tla", "sed -E 's/a/b/' goals/Goals.tla"),
    ("sed --in-place -e s/a/b/ goals/*.tla", "sed -i s/a/b/ model/*.tla"),
    ("sed -n 'w goals/Goals.tla' model/Handover.tla", "sed -n 's/w goals//p' model/Handover.tla"),
    ("perl -pi -e 's/a/b/' goals/Goals.tla", "perl -ne 'print if /a/' goals/Goals.tla"),
    ("awk -i inplace '{print}' goals/Goals.tla", "awk '$1 > 3' goals/Goals.tla"),
    ("awk '{print > \"goals/Goals.tla\"}' x", "awk '{print > \"out.txt\"}' goals/Goals.tla"),
    ("cat x | tee goals/Goals.tla", "cat goals/Goals.tla | tee copy.tla"),
    ("cat x | tee -a ./goals/../goals/Goals.tla", "tee < goals/Goals.tla copy.tla"),
    ("cp /tmp/x goals/Goals.tla", "cp goals/Goals.tla /tmp/x"),
    ("cp /tmp/Goals.tla goals", "cp goals/Goals.tla model/Copy.tla"),
    ("cp -t goals /tmp/Goals.tla", "cp -t /tmp goals/Goals.tla"),
    ("mv goals/Goals.tla old.tla", "mv model/Old.tla model/New.tla"),
    ("mv goals elsewhere", "ls goals elsewhere"),
    ("rm goals/Goals.tla", "rm model/Old.tla"),
    ("rm -rf goals", "rm -rf build"),
    ("rm -rf .", "ls -la ."),
    ("ln -sf /tmp/x goals/Goals.tla", "ln -s goals/Goals.tla alias.tla"),
    ("dd if=/dev/zero of=goals/Goals.tla", "dd if=goals/Goals.tla of=/tmp/x"),
    ("install -m 644 /tmp/x goals/Goals.tla", "install -m 644 goals/Goals.tla /tmp/x"),
    ("truncate -s 0 goals/Goals.tla", "truncate -s 0 build.log"),
    ("chmod 777 vstack.lock", "stat vstack.lock"),
    ("chmod -x .git/hooks/pre-commit", "chmod +x run.sh"),
    ("curl -sSo vstack.lock https://example.org/x", "curl -sS https://example.org/x"),
    ("su -c 'rm goals/Goals.tla'", "su -c 'cat goals/Goals.tla'"),
    ("busybox rm goals/Goals.tla", "busybox cat goals/Goals.tla"),
    ("curl -o vstack.lock https://example.org/x", "curl https://example.org/vstack.lock"),
    ("vim -c wq goals/Goals.tla", "less goals/Goals.tla"),
    ("cd goals && echo x > Goals.tla", "cd model && echo x > Notes.tla"),
    ("(cd model; ls) && echo x > goals/Goals.tla", "(cd goals; ls) && echo x > Goals.tla"),
    ("F=goals/Goals.tla; echo x > $F", "F=goals/Goals.tla; cat $F"),
    ("for f in goals/*.tla; do sed -i s/a/b/ $f; done", "for f in goals/*.tla; do cat $f; done"),
    ('for f in a; do echo x > "$DIR/Goals.tla"; done', 'for f in a; do echo x > "$DIR/notes.txt"; done'),
    ("rm {goals/Goals,model/Old}.tla", "rm {model/New,model/Old}.tla"),
    ("python /x/vstack/__main__.py spec approve --demo --yes", "python /x/vstack/__main__.py spec check"),
    ("python -c 'from vstack.cli import main; main()' spec approve", "python -c 'from vstack.cli import main; main()' check"),
    ("script -c 'vstack spec approve' /dev/null", "script -c 'vstack check' /dev/null"),
    ("xargs vstack spec <<< approve", "xargs vstack check <<< ."),
    ("git config alias.c '!vstack spec approve'", "git config alias.st 'status -s'"),
    ("git config alias.c 'commit --no-verify'", "git config --get alias.c"),
    ("git -c alias.c='commit -n' c -m x", "git -c alias.l='log -3' l"),
    ("GIT_CONFIG_GLOBAL=/tmp/cfg git commit -m x", "GIT_CONFIG_GLOBAL=/dev/null git log"),
    ("git quick x", "git look"),
    ("git update-ref refs/heads/main HEAD", "git update-ref -d refs/heads/gone"),
    ("git read-tree -u -m HEAD~1", "git read-tree -m HEAD"),
    ("parallel vstack spec ::: approve", "parallel vstack check ::: a b"),
    ("python -c \"import sys; sys.argv = ['vstack', 'spec', 'approve']; from vstack.cli import main; main()\"", "python -c \"print('vstack spec approve')\""),
    ("tar xf weak.tar", "tar xf other.tar"),
    ("tar -C . --extract --file=weak.tar goals/Goals.tla", "tar tf weak.tar"),
    ("git archive HEAD~1 | tar x", "git archive HEAD~1 | tar x -C /tmp"),
    ("tar czf goals.tgz goals && tar xzf unseen.tgz", "tar czf goals.tgz goals"),
    ("unzip -o weak.zip -d goals", "unzip -l weak.zip"),
    ("rsync -a weak/ .", "rsync -a other/ ."),
    ("cp -r weak/. .", "cp -r other/. ."),
    ("patch -p1 -i weaker.patch", "patch --help"),
    ("patch -p1 --input=weaker.patch", "cat weaker.patch"),
    ("trap 'echo > goals/Goals.tla' EXIT", "trap 'rm -f build.log' EXIT"),
    ("alias t='tee goals/Goals.tla'; t", "alias t='cat goals/Goals.tla'; t"),
    ("tee $'\\x47oals.tla' goals/$'\\107oals.tla'", "cat goals/$'\\107oals.tla'"),
    ("tee ~+/goals/Goals.tla", "cat ~+/goals/Goals.tla"),
    ("export GIT_CONFIG_GLOBAL=/tmp/cfg; git commit -m x", "export GIT_PAGER=cat; git commit -m x"),
    ("git update-ref refs/heads/main $(git commit-tree -m x HEAD^{tree})", "git cat-file -p HEAD^{tree}"),
    ("git branch -f main HEAD", "git branch -f topic HEAD"),
    ("bash -c 'echo x > goals/Goals.tla'", "bash -c 'cat goals/Goals.tla'"),
    ('sh -xec "rm goals/Goals.tla"', 'sh -xec "wc -l goals/Goals.tla"'),
    ("eval 'rm goals/Goals.tla'", "eval 'cat goals/Goals.tla'"),
    ("bash <<'EOF'\nrm goals/Goals.tla\nEOF", "bash <<'EOF'\ncat goals/Goals.tla\nEOF"),
    ("echo 'rm goals/Goals.tla' | sh", "echo 'cat goals/Goals.tla' | sh"),
    ("echo $(rm goals/Goals.tla)", "echo $(cat goals/Goals.tla)"),
    ("echo `rm goals/Goals.tla`", "echo `cat goals/Goals.tla`"),
    ("sudo env A=b nice -n 5 rm goals/Goals.tla", "sudo env A=b nice -n 5 cat goals/Goals.tla"),
    ("timeout 5 rm goals/Goals.tla", "timeout 5 cat goals/Goals.tla"),
    ("ls goals/Goals.tla | xargs rm", "ls goals/Goals.tla | xargs wc -l"),
    ("find goals -name '*.tla' | xargs sed -i s/a/b/", "find model -name '*.tla' | xargs sed -i s/a/b/"),
    ("find . -name '*.tla' -exec sed -i s/a/b/ {} +", "find . -name '*.tla' -exec grep a {} +"),
    ("find . -name '*.lock' -delete", "find . -name '*.pyc' -delete"),
    ("python3 -c \"open('goals/Goals.tla','w').write('x')\"", "python3 -c \"print(open('goals/Goals.tla').read())\""),
    (
        "python3 -c \"from pathlib import Path; (Path('goals') / 'Goals.tla').write_text('x')\"",
        "python3 -c \"from pathlib import Path; print((Path('goals') / 'Goals.tla').read_text().replace('a', 'b'))\"",
    ),
    (
        "python3 - <<'EOF'\nimport os\nos.replace('/tmp/x', 'goals/Goals.tla')\nEOF",
        "python3 - <<'EOF'\nprint(open('goals/Goals.tla').read())\nEOF",
    ),
    ("python3 -c \"import os; os.system('rm goals/Goals.tla')\"", "python3 -c \"open('out.txt','w').write('goals')\""),
    (
        "node -e \"fs.writeFileSync('goals/Goals.tla','')\"",
        "node -e \"console.log(fs.readFileSync('goals/Goals.tla'))\"",
    ),
    ("git rm goals/Goals.tla", "git rm --cached model/Handover.tla"),
    ("git mv goals/Goals.tla goals/Old.tla", "git mv model/Handover.tla model/New.tla"),
    ("git checkout HEAD~1 -- goals/Goals.tla", "git checkout -b work"),
    ("git restore --source=HEAD~1 goals", "git restore --staged goals"),
    ("git checkout HEAD~1 -- .", "git checkout main"),
    ("git -C goals checkout HEAD~1 -- Goals.tla", "git -C goals log -p Goals.tla"),
    ("git reset --hard HEAD~1", "git reset --soft HEAD~1"),
    ("git stash pop", "git stash list"),
    ("git apply weaker.patch", "git apply model.patch"),
    ("git apply <<'EOF'\n--- a/goals/Goals.tla\n+++ b/goals/Goals.tla\nEOF", "git diff goals/Goals.tla"),
    ("patch -p1 < weaker.patch", "patch -p1 < model.patch"),
    ("cat weaker.patch | git apply -", "cat model.patch | git apply -"),
    (
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: goals/Goals.tla\nEOF",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: model/M.tla\nEOF",
    ),
    ("git clean -fdx", "git clean -fd"),
    ("git update-index --assume-unchanged goals/Goals.tla", "git update-index --refresh"),
    ("git commit --no-verify -m x", "git commit -m 'no --no-verify here'"),
    ("git commit -anm x", "git commit -am n"),
    ("git commit --no-veri -m x", "git commit --no-edit --amend"),
    ("git push --no-verify origin main", "git push -n origin main"),
    ("git -c core.hooksPath=/dev/null commit -m x", "git -c user.name=x commit -m x"),
    ("git config core.hooksPath /dev/null", "git config core.hooksPath"),
    ("SKIP=vstack-spec-guard git commit -m x", "SKIP=ruff git commit -m x"),
    ("pre-commit uninstall", "pre-commit run --all-files"),
    ("rm .git/hooks/pre-commit", "cat .git/hooks/pre-commit"),
    ("vstack spec approve --demo --yes", "vstack spec show"),
    ("python -m vstack spec approve", "python -m vstack spec diff"),
    ("uv run vstack spec approve --yes", "uv run vstack spec check"),
    (".venv/bin/vstack spec approve", "vstack spec approve --help"),
    ("ssh-keygen -Y sign -f k -n vstack-approval x", "ssh-keygen -Y sign -f k -n git x"),
    ("rm -r .vstack", "ls .vstack"),
    ("echo '{}' > .vstack/evidence/x.json", "cat .vstack/report.json"),
    ("echo 'x > goals/Goals.tla", "echo 'x > notes.txt"),
    ("echo x > GOALS/GOALS.TLA", "echo x > GOALS.md"),
    ('rm $(git ls-files goals) && rm -rf "$PWD/goals/Goals.tla"', "wc -l $(git ls-files goals)"),
]


@pytest.fixture(scope="module")
def world(approved: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Protected]:
    import shutil

    folder = tmp_path_factory.mktemp("shell") / "project"
    shutil.copytree(approved, folder, symlinks=True)
    goals, model = folder / "goals" / "Goals.tla", folder / "model" / "Handover.tla"
    # A commit before the approved one, in which the goal was weaker; stashed and as a patch too.
    git(folder, "config", "alias.quick", "commit -n -m")
    git(folder, "config", "alias.look", "log -1")
    for name, where in (("weak", "goals/Goals.tla"), ("other", "model/Other.tla")):
        (folder / name / where).parent.mkdir(parents=True)
        (folder / name / where).write_text("weaker")
        with tarfile.open(folder / f"{name}.tar", "w") as archive:
            archive.add(folder / name, ".")
    with zipfile.ZipFile(folder / "weak.zip", "w") as zipped:
        zipped.writestr("Goals.tla", "weaker")
    text = goals.read_text()
    goals.write_text(text.replace("page = transfer", "TRUE"))
    (folder / "weaker.patch").write_text(git(folder, "diff").stdout)
    git(folder, "commit", "-q", "-a", "-m", "weaker")
    goals.write_text(text)
    git(folder, "commit", "-q", "-a", "-m", "as approved")
    goals.write_text(text.replace("page = transfer", "TRUE"))
    git(folder, "stash", "-q")
    model.write_text(model.read_text() + "\n")
    (folder / "model.patch").write_text(git(folder, "diff").stdout)
    git(folder, "checkout", "-q", "HEAD", "--", "model")
    return folder, protected_around([str(folder)])


@pytest.mark.parametrize("command", [bad for bad, _ in PAIRS])
def test_what_plainly_writes_is_denied(world: tuple[Path, Protected], command: str) -> None:
    folder, protected = world
    assert why_shell(command, protected, str(folder)), command


@pytest.mark.parametrize("command", [good for _, good in PAIRS])
def test_its_honest_twin_passes(world: tuple[Path, Protected], command: str) -> None:
    folder, protected = world
    assert why_shell(command, protected, str(folder)) is None, command


def test_the_command_that_a_report_names_is_not_denied(project: Path) -> None:
    goals = project / "goals" / "Goals.tla"
    goals.write_text("weaker")
    protected = protected_around([str(project)])
    for command in (
        "git checkout HEAD -- goals/Goals.tla",
        "git checkout -- goals",
        "git restore goals/Goals.tla",
        "git reset --hard",
    ):
        assert why_shell(command, protected, str(project)) is None, command
    # What is staged is what `checkout --` writes.
    git(project, "add", "-A")
    assert why_shell("git checkout -- goals/Goals.tla", protected, str(project))
    assert why_shell("git checkout HEAD -- goals/Goals.tla", protected, str(project)) is None


def test_where_no_project_is_everything_passes(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    protected = protected_around([str(tmp_path)])
    for command in (
        "git commit --no-verify -m x",
        "rm -rf build",
        "sed -i s/a/b/ goals/Goals.tla",
        "git clean -fdx",
        "rm -r *",
    ):
        assert why_shell(command, protected, str(tmp_path)) is None, command


def test_commands_of_any_shape_end(world: tuple[Path, Protected]) -> None:
    # Every prefix of every command, and nests: taken apart or refused, and never an exception.
    folder, protected = world
    for command, _ in PAIRS:
        for end in range(0, len(command), 3):
            why_shell(command[:end], protected, os.fspath(folder))
    assert why_shell("$(" * 200 + ")" * 200, protected, str(folder))
    assert why_shell("x" * 1_000_000, protected, str(folder)) is None
