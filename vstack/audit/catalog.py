"""Every rule by its name: a stable id, what it reads, the cheat it is against, and how to be honest instead.

`python -m vstack.audit.catalog` writes docs/rules.md. The rules themselves stand
where what they read is at hand; a test keeps names here and there the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = "docs/rules.md"
DOCS = Path(__file__).parent.parent.parent / PAGE
LOCK, TREE, GIT, RUNS, MUTANTS = "the lock and its signatures", "the syntax tree", "git", "engine runs", "mutants"
APALACHE = "runs of Apalache"
FORMULAS = "the formulas that a Z3 goal hands over"


@dataclass(frozen=True)
class Rule:
    """``id`` never changes its meaning; ``cheat`` is what someone might do, ``honest`` what to do instead."""

    id: str
    name: str
    reads: str
    cheat: str
    honest: str

    @property
    def checked_in(self) -> tuple[str, ...]:
        """The modules of the package that make its findings."""
        return _checked_in(self.name)


_TABLE = (
    ("VS101", "unapproved-change", LOCK, "a goal, helper, environment action, bound, override, guard list, cell, excuse or trace is changed after its approval", "show it with `vstack spec diff`, and let a person approve it"),
    ("VS102", "no-lock", LOCK, "the lock is deleted, or was never made", "a person approves: `vstack spec approve`"),
    ("VS103", "lock-unreadable", LOCK, "the lock is edited by hand, merged badly or rewritten by git", "take the target branch's lock whole and approve again on top of it"),
    ("VS104", "lock-of-another-project", LOCK, "another project's approved lock is copied here", "restore the project's own"),
    ("VS105", "no-approvers", LOCK, "the file that says whose approval counts is missing", "a code owner adds `vstack.approvers`"),
    ("VS106", "no-approval", LOCK, "a lock is written that no one signed", "a person approves"),
    ("VS107", "approval-not-valid", LOCK, "a signature is over another lock, by a removed approver, for another purpose, or expired", "an approver approves again"),
    ("VS108", "no-touch", LOCK, "a signature is asked of the user's SSH agent", "approve with a security key, or let a code owner merge the lock"),
    ("VS109", "lock-not-newer", LOCK, "an older, weaker lock is brought back", "rebase, and approve on top of the target branch's lock"),
    ("VS110", "lock-not-successor", LOCK, "a rival lock that does not come after the target branch's", "rebase, and approve on top of it"),
    ("VS111", "base-lock-unreadable", GIT, "the target branch's lock is damaged", "a code owner restores it"),
    ("VS112", "environment-not-taken", TREE, "a fault is pinned, and Next does not take it", "let Next take it by its name"),
    ("VS113", "lock-removed", GIT, "a commit deletes the lock", "keep it; a code owner removes a project on the target branch"),
    ("VS114", "project-gone", GIT, "a pull request deletes a project, or puts a link in its place", "restore it, or let a code owner remove it"),
    ("VS115", "first-adoption", GIT, "a project that nobody on the target branch has seen passes for an approved one", "let a code owner of the target branch read its goals and merge `vstack.approvers` and `vstack.lock`"),
    ("VS116", "other-vstack", GIT, "another vstack than the target branch asks for judges the pull request", "install the one that its policy names"),
    ("VS117", "tools-changed", GIT, "a pull request brings its own Java or jar, which would run with the gate's rights", "let the workflow install them, or change them on the target branch first"),
    ("VS118", "could-not-check", GIT, "a project that can't be read is passed over", "mend what the message names"),
    ("VS201", "anchor-missing", TREE, "an action stands for no code", "anchor it to the code, or mark it `@ours` or `@environment`"),
    ("VS202", "anchor-process", TREE, "an action names no process, or two", "name the one that runs it"),
    ("VS203", "anchor-environment", TREE, "an action of the code passes for one of the environment, or the other way", "mark what it is"),
    ("VS204", "anchor-ours", TREE, "a variant of our own design passes for upstream code, or the other way", "say `ours: true`, or anchor it"),
    ("VS205", "anchor-stray", TREE, "an anchor stands above no action of Next", "move it to the action it belongs to"),
    ("VS206", "anchor-contradiction", TREE, "two marks of one action contradict each other", "keep one"),
    ("VS207", "anchor-unchecked", GIT, "an anchor's lines were compared with no checkout, where the policy asks for it", "name a checkout with --repo"),
    ("VS208", "anchor-hash", GIT, "the anchored lines are not those that the hash was taken from", "read the code again, and mend the model"),
    ("VS215", "anchor-commit", GIT, "an anchor names a commit that its repository lacks", "give the commit that has these lines"),
    ("VS216", "anchor-file", GIT, "an anchor names a file that its commit lacks", "give the file's path at that commit"),
    ("VS217", "anchor-empty", GIT, "an anchor points at comments or blank lines", "anchor the lines that do it"),
    ("VS218", "anchor-repo", TREE, "an anchor names a repository that the project does not declare", "declare it under `repos`"),
    ("VS209", "guard-anchor", TREE, "a variant has a guard that its commit's code does not", "anchor the guard in that commit"),
    ("VS210", "not-atomic", GIT, "one action claims several steps of the code", "split it, or have the excuse approved"),
    ("VS211", "scope-empty", GIT, "the scope names no code", "name the files and functions that the model speaks for"),
    ("VS212", "scope-function", GIT, "a function in scope does not exist", "name the one meant"),
    ("VS213", "scope-outside", GIT, "an anchor lies outside the scope", "widen the scope"),
    ("VS214", "scope-uncovered", GIT, "code in scope has no anchor and no approved omission", "anchor it, or have the omission approved"),
    ("VS219", "anchor-stale", GIT, "a pull request changes the code under an action, and the model goes on about the old code", "read the code again, mend the model, anchor it again"),
    ("VS220", "changed-beside-anchor", GIT, "the step that races is put beside the anchored lines, where no model sees it", "see whether the model says it"),
    ("VS221", "changed-without-anchor", GIT, "code in scope grows where no action stands for it", "see whether the model should say it"),
    ("VS222", "model-changed", GIT, "the model is changed, or anchored again to code that does something else, and nobody looks", "read the model's diff beside the code's"),
    ("VS301", "guard-constant", TREE, "a bug is wired in by hand: a guard's constant switches a corruption on", "let it enable a step or choose a branch of an anchored action"),
    ("VS302", "side-effect", TREE, "a formula acts on TLC, depends on its search, draws at random, or reads files", "keep the value in a variable, or model the choice with \\E"),
    ("VS303", "fairness-shape", TREE, "a temporal conjunct that is no fairness of an action forbids the behaviours that break a goal", "state WF or SF of Next's own actions, or have the reason approved"),
    ("VS304", "fair-environment", TREE, "a fault is made to happen, so that a goal which needs it is kept", "leave the fault free not to happen, or list it under `fair` of the environments in which it must"),
    ("VS310", "choice-narrowed", TREE, "a step takes one of several values with CHOOSE, so that the others are never tried", "model the choice with \\E, or have the reason approved under `model.choices`"),
    ("VS311", "stutter-hides-deadlock", TREE, "a step that changes nothing is always there, so that no state is a deadlock", "list the action under `environment_actions`, so that its body is approved"),
    ("VS312", "knob-elsewhere", TREE, "a variant runs in a world of its own, or a guard is switched in a kill, a trace or an environment", "let environments set the world's constants and the lists of guards the guards'"),
    ("VS313", "deceiving-text", TREE, "control, direction or unseen characters show a person another text than the one that is approved", "take the character out"),
    ("VS401", "matrix-gap", RUNS, "a variant or goal has no cell", "state what is expected"),
    ("VS402", "action-never-fires", RUNS, "a condition that no state meets makes an action vanish", "mend it, or list the action under `lacks`"),
    ("VS403", "guard-kills-nothing", RUNS, "a guard that no goal needs passes for one that matters", "state a goal that needs it, or have its excuse approved"),
    ("VS404", "guard-not-tried", RUNS, "a guard is never taken away", "add it to `kills`"),
    ("VS405", "pairs-not-compared", RUNS, "two guards that mask each other were not compared", "see why, and run again"),
    ("VS406", "mutation-control", MUTANTS, "mutants are counted though the controls did not come out", "mend the model first"),
    ("VS407", "mutation-floor", MUTANTS, "the list of mutants is shortened", "keep at least as many as approved"),
    ("VS408", "mutant-survived", MUTANTS, "the goals do not notice a mistake", "state a goal that does, or have the excuse approved"),
    ("VS409", "mutant-undecided", MUTANTS, "a timeout passes for a kill", "raise the budget, or have the excuse approved"),
    ("VS410", "mutant-broken", MUTANTS, "an error passes for a kill", "have the excuse approved"),
    ("VS411", "goal-cannot-fail", MUTANTS, "a goal is true whatever the code does: a typo, an empty range, a tautology, a variable never set", "mend the formula, or have the reason approved"),
    ("VS412", "guard-not-decided", RUNS, "a run without an answer passes for a guard that is needed", "raise the budget, or make the bounds smaller"),
    ("VS413", "kill-proves-nothing", RUNS, "a goal that fails with the guard too passes for one that needs it", "name a goal that holds with the guard and fails without it"),
    ("VS420", "witness-not-reached", RUNS, "a goal holds for nothing: its condition is never met in a variant that is to keep it", "mend the formula or the model, or have the reason approved"),
    ("VS421", "goal-not-independent", MUTANTS, "a goal that notices nothing by itself makes up the number", "strike it or make it stronger, or have the reason approved"),
    ("VS422", "no-fair-behaviour", RUNS, "fairness that no behaviour satisfies makes every temporal goal hold", "mend the fairness: each action in it must be a step that Next can take"),
    ("VS414", "instance-never-fires", RUNS, "an action never happens for one value of its parameter: a request that nothing starts, an answer that never fails", "mend what keeps it from happening, or have the reason approved under `model.partial`"),
    ("VS501", "trace-refused", "the log and its mapping", "a log is edited or thinned, its mapping loosened, or what recorded it has changed", "record it again"),
    ("VS502", "trace-differs", RUNS, "the real code does what the model does not", "mend the model"),
    ("VS511", "tlaps-unproved", TREE, "a proof is OMITTED, a step or lemma has none, or a module inside another is read by no run", "prove it, or take it out of the modules that the proof reaches"),
    ("VS512", "tlaps-theorem", TREE, "the goal's theorem is missing, stands after `====` or in another module, or has no proof of its own", "state and prove it in the proof's module"),
    ("VS513", "tlaps-shadow", TREE, "a file of the project has the name of a library module", "rename it, and extend the library's own"),
    ("VS514", "tlaps-string", TREE, "text inside a string reaches a solver's input as formulas", "use letters, digits, blanks and plain signs in strings"),
    ("VS515", "tlaps-backend", TREE, "a proof calls a back-end or tactic that is not allowed, or gives tlapm a command of its own", "use the operators of TLAPS, or have `proof.backends` approved"),
    ("VS516", "tlaps-assumed", TREE, "an ASSUME or AXIOM says the goal", "prove it"),
    ("VS517", "tlaps-vacuous", "the syntax tree, and tlapm's control", "a hypothesis or an assumption is false, so that anything follows", "state the theorem under hypotheses that some behaviour meets"),
    ("VS518", "tlaps-recursive", TREE, "an operator that tlapm can't read passes for a failed proof", "state it as a recursive function"),
    ("VS519", "tlaps-floor", "the syntax tree, and tlapm's runs", "fewer modules or obligations are proved than were approved", "restore them, or have the new floor approved"),
    ("VS520", "tlaps-run", "tlapm's runs", "a run over a part, from a cache, cut short or made up passes for a proof of all", "let vstack run tlapm"),
    ("VS521", "tlaps-transcript", "a recorded run", "a recorded run is of other texts, another command line or another goal", "record it again"),
    ("VS522", "tlaps-readings", TREE, "a file that SANY reads as one module and tlapm as another", "begin the file with its `---- MODULE NAME ----`, and use plain line ends"),
    ("VS531", "apalache-empty", APALACHE, "an initial predicate, a choice of constants or an inductive invariant that nothing meets, so that anything holds", "mend it: a state must meet it"),
    ("VS532", "apalache-record", APALACHE, "a transcript of another run: other options, modules or configuration", "record it again where Apalache is installed"),
    ("VS533", "apalache-config", APALACHE, "a configuration in a folder above leaves steps or invariants out of the search", "remove it"),
    ("VS534", "apalache-other", APALACHE, "the tool took other predicates than it was asked to", "install Apalache as its release has it"),
    ("VS551", "z3-contradiction", FORMULAS, "assumptions that contradict each other, so that anything follows", "take back the one that is not true"),
    ("VS552", "z3-assumed", FORMULAS, "the goal is assumed: in the same words, in others, in halves, or under a condition that is assumed too", "assume what the code is given, or have the goal's `excuse` approved"),
    ("VS553", "z3-cannot-fail", FORMULAS, "a goal that is true of all values: a tautology, or one whose condition contradicts itself", "state as assumptions what it needs, or have the goal's `excuse` approved"),
    ("VS554", "z3-vacuous", FORMULAS, "a condition in front of the goal that the assumptions rule out, or an alternative that always holds", "state the part that matters, or have the goal's `excuse` approved"),
    ("VS555", "z3-unapproved", FORMULAS, "an assumption or goal is added, weakened, or given another sort after the approval", "show it with `vstack spec diff`, and let a person approve it"),
    ("VS556", "z3-fewer", FORMULAS, "an obligation is lost, or there is none", "state it again"),
    ("VS557", "z3-reach", "what a Z3 goal's script does", "a script edits the lock, the cache or the solver, reads the project, or starts a program", "let it state formulas and nothing else"),
    ("VS558", "z3-tampered", "what a Z3 goal's script does", "a script replaces functions of z3 or of vstack, so that its formulas are not what it seems to say", "use z3 as it is"),
    ("VS559", "z3-text", FORMULAS, "SMT-LIB text holds commands that steer the solver, or assertions without a name", "keep to declarations, definitions and named assertions"),
    ("VS561", "refinement-constant", TREE, "a refinement maps the abstract variables to constants, so that it holds of any model", "map each to an expression that follows the model's state"),
    ("VS562", "refinement-frozen", RUNS, "a refinement's mapping never moves in any run, or leaves out what the abstract specification does", "map each abstract variable to an expression that follows the model's state"),
    ("VS601", "cell", RUNS, "a cell came out otherwise than stated", "find out who is wrong: the code, the model or the goal"),
    ("VS602", "waiver-date", LOCK, "a waiver goes on after its date, or has one so far off that it never ends", "mend what it waives, or have a date within a year approved"),
    ("VS603", "waiver-class", RUNS, "a waiver for one bug covers another of the same goal", "mend the other bug, or have a waiver of its own approved"),
    ("VS604", "clock-behind", GIT, "the clock is set back, so that an expired waiver counts", "set the clock right"),
)  # fmt: skip

RULES: dict[str, Rule] = {name: Rule(id, name, reads, cheat, honest) for id, name, reads, cheat, honest in _TABLE}


def rule_id(name: str) -> str:
    """The id of the rule called ``name``."""
    return RULES[name].id


_SOURCES = Path(__file__).parent.parent
# These are chosen by an expression there.
_CHOSEN = {
    "cell": ("vstack/keep/outcome.py",),
    "trace-refused": ("vstack/validate/traces/replay.py",),
    "trace-differs": ("vstack/validate/traces/replay.py",),
    **dict.fromkeys(("mutant-survived", "mutant-undecided", "mutant-broken"), ("vstack/keep/findings.py",)),
}
# Where rules are told, or asked for again, but not made.
_TELLING = frozenset({"audit", "forge", "report"})


def _checked_in(name: str) -> tuple[str, ...]:
    if name in _CHOSEN:
        return _CHOSEN[name]
    found = []
    for file, text in _texts().items():
        if f'"{name}"' in text or f"[{name}]" in text:
            found.append(file)
    return tuple(found)


@cache
def _texts() -> dict[str, str]:
    paths = sorted(path for path in _SOURCES.rglob("*.py") if path.relative_to(_SOURCES).parts[0] not in _TELLING)
    places = {
        f"vstack/{path.relative_to(_SOURCES).as_posix()}": path
        for path in paths
        if path.name not in ("audit.py", "spec_show.py")
    }
    return {place: path.read_text(encoding="utf-8") for place, path in places.items()}


def page() -> str:
    """docs/rules.md."""
    lines = [
        "# Rules",
        "",
        "Every finding names its rule. An id keeps its meaning for ever; SARIF and pull request annotations carry it.",
        "`vstack audit` asks those that need no engine run, `vstack check` and `vstack ci` all of them; `vstack audit VS301`",
        "explains one. Written by `python -m vstack.audit.catalog`.",
    ]
    for rule in RULES.values():
        lines += [
            "",
            f'## <a id="{rule.id.lower()}"></a>{rule.id} {rule.name}',
            f"Against: {rule.cheat}.",
            "",
            f"Reads {rule.reads}. To be honest: {rule.honest}.",
            "",
            f"Checked in {', '.join(f'`{place}`' for place in rule.checked_in)}.",
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    from vstack.files import write_atomic

    write_atomic(DOCS, page())
