"""Z3 goals decided for real: honest ones, and each way to fake one beside its honest twin."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vstack.errors import VstackError
from vstack.project import Project
from vstack.results import Evidence
from vstack.verdicts import Strength, Verdict
from vstack.verify.z3_goal import run_z3_goal, z3_pins

Make = Callable[..., Project]


def decide(project: Project, *, seconds: float = 20, **more) -> tuple[Evidence, ...]:
    return run_z3_goal(project, "G", seconds=seconds, memory_mb=512, **more)


def one(project: Project, **more) -> Evidence:
    (record,) = decide(project, **more)
    return record


HONEST = """
def goal():
    x, y = Ints("x y")
    return Obligation("sum", x + y > 0, {"x": x > 0, "y": y > 0, "small": x < 100})
"""


def test_an_honest_goal_is_proved_and_says_what_it_rests_on(z3_project: Make):
    record = one(z3_project(HONEST))
    assert (record.verdict, record.strength) == (Verdict.HOLDS, Strength.PROVED)
    assert record.subject == {"goal": "G", "obligation": "sum"}
    assert record.detail["rechecked"] is True
    assert record.detail["logic"] == "quantifier-free, Int"
    assert record.detail["canaries"] == {"false goal": "sat", "true goal": "unsat"}
    assert set(record.detail["unsat core"]) == {"x", "y", "(the goal)"}
    assert record.detail["dispensable assumptions"] == ["small"]
    assert "not needed: small" in record.reason
    assert len(record.tool_sha256) == 64


def test_a_false_goal_is_violated_with_values(z3_project: Make):
    record = one(z3_project(HONEST.replace("x + y > 0", "x + y > 2")))
    assert (record.verdict, record.violated, record.strength) == (Verdict.VIOLATED, "G", None)
    assert record.detail["model"] == {"x": "1", "y": "1"}


def test_each_obligation_has_its_record(z3_project: Make):
    records = decide(
        z3_project(
            "def goal():\n    x = Int('x')\n    return [Obligation('a', x > -1, {'n': x > 0}), Obligation('b', x > 0)]"
        )
    )
    assert [(r.subject["obligation"], r.verdict) for r in records] == [("a", Verdict.HOLDS), ("b", Verdict.VIOLATED)]
    assert records[0].detail["rests on"] == ["n"]
    assert records[0].detail["obligations"] == 2
    assert len({r.key for r in records}) == 2


def test_bit_vectors_wrap_and_integers_do_not(z3_project: Make):
    goal = "def goal():\n    x = {}\n    return Obligation('up', x + 1 > 0, {{'x': x > 0}})"
    assert one(z3_project(goal.format("Int('x')"))).verdict is Verdict.HOLDS
    assert one(z3_project(goal.format("BitVec('x', 8)"))).verdict is Verdict.VIOLATED


def test_quantifiers_datatypes_and_arrays_go_through(z3_project: Make):
    record = one(
        z3_project("""
        def goal():
            Page = Datatype("Page"); Page.declare("free"); Page.declare("held", ("by", IntSort())); Page = Page.create()
            table = Array("page table", IntSort(), Page)
            i = Int("i"); k = Int("k")
            return Obligation("all", Page.by(table[k]) > 0, {
                "positive": ForAll([i], And(Page.is_held(table[i]), Page.by(table[i]) > 0))})
        """)
    )
    assert record.verdict is Verdict.HOLDS
    assert record.detail["logic"].startswith("quantifiers")


@pytest.mark.parametrize(
    ("script", "verdict", "why"),
    [
        ("print('PROVED'); print('unsat')", Verdict.ERROR, "no function `goal"),
        ("import os; print('PROVED', flush=True); os._exit(0)", Verdict.ERROR, "without giving its obligations"),
        ("import sys; sys.exit(0)", Verdict.ERROR, "SystemExit"),
        ("def goal():\n    return True", Verdict.ERROR, "not a vstack"),
        ("def goal():\n    return []", Verdict.REFUSED, "z3-fewer"),
        ("def goal():\n    return Obligation('a', 1 == 1)", Verdict.ERROR, "not a Z3 formula"),
        ("def goal():\n    return Obligation('a', BoolVal(True))", Verdict.REFUSED, "z3-cannot-fail"),
        ("def goal():\n    return Obligation('a', IntVal(2) > 1)", Verdict.REFUSED, "z3-cannot-fail"),
        ("def goal(:", Verdict.ERROR, "SyntaxError"),
        ("def goal():\n    x = Int('x')\n    return [Obligation('a', x > -1, {'n': x > 0})] * 2", Verdict.ERROR, "same name"),
        ("def goal():\n    x = Int('x')\n    return Obligation('a', x > 1, {'one': x > 0, 'two': x < 0})", Verdict.REFUSED, "z3-contradiction"),
        ("def goal():\n    x = Int('x')\n    return Obligation('a', x > 1, {'n': x > 0, 'me': And(x < 9, x > 1)})", Verdict.REFUSED, "z3-assumed"),
        ("def goal():\n    x, y, z, n = Ints('x y z n')\n    return Obligation('a', x**n + y**n != z**n, {'p': And(x > 0, y > 0, z > 0), 'n': n > 2})",
         Verdict.UNDECIDED, "does not know"),
    ],
)  # fmt: skip
def test_what_proves_nothing_does_not_hold(z3_project: Make, script: str, verdict: Verdict, why: str):
    record = one(z3_project(script), seconds=6)
    assert record.verdict is verdict, record.reason
    assert why in record.reason
    assert record.strength is None


def test_a_script_that_never_ends_is_undecided(z3_project: Make):
    record = one(z3_project("while True: pass"), seconds=2)
    assert record.verdict is Verdict.UNDECIDED
    assert "did not end" in record.reason


FAKES = {
    "the solver always says unsat": "Solver.check = lambda self, *a: unsat",
    "nothing is refuted": "import z3.z3\nz3.z3.Z3_solver_check = lambda *a: -1\nz3.z3core.Z3_solver_check = lambda *a: -1",
    "negation is taken away": "import z3\nz3.Not = lambda x: BoolVal(False)\nNot = z3.Not",
    "an answer is written to every pipe": (
        'import os\nfor fd in range(3, 20):\n    try: os.write(fd, b\'{"number": 0, "answers": {"negated": "unsat"}}\')\n    except OSError: pass'
    ),
}


@pytest.mark.parametrize("fake", FAKES.values(), ids=FAKES.keys())
def test_a_script_that_patches_the_solver_changes_nothing(z3_project: Make, fake: str):
    record = one(
        z3_project(f"{fake}\ndef goal():\n    x = Int('x')\n    return Obligation('a', x > 1, {{'n': x > 0}})")
    )
    assert record.verdict in (Verdict.VIOLATED, Verdict.REFUSED, Verdict.ERROR), record.reason


@pytest.mark.parametrize("text", ["(assert true)", "(assert false)(exit)", "(assert false)(push)(assert true)"])
def test_an_export_that_is_not_the_obligations_is_refused_or_another_formula(z3_project: Make, text: str):
    script = f"Solver.sexpr = lambda self: '{text}'\ndef goal():\n    x = Int('x')\n    return Obligation('a', x > 1)"
    assert one(z3_project(script)).verdict is Verdict.REFUSED


def test_formulas_that_name_tracking_symbols_prove_nothing(z3_project: Make):
    for name in ("vstack!1!goal", "k!0", "k!1", "vstack_canary"):
        record = one(
            z3_project(
                f"def goal():\n    x = Int('x')\n    return Obligation('a', x > 1, {{'n': Not(Bool('{name}'))}})"
            )
        )
        assert record.verdict is Verdict.VIOLATED


REACHING = {
    "writes the lock": "open('{root}/vstack.lock', 'w')",
    "writes by a low-level call": "import os; os.open('{root}/vstack.lock', os.O_CREAT | os.O_WRONLY)",
    "removes evidence": "import os; os.remove('{root}/vstack.yaml')",
    "renames": "import os; os.rename('{root}/vstack.yaml', '{root}/x')",
    "makes a folder": "import os; os.mkdir('{root}/.vstack')",
    "reads what is not pinned": "open('{root}/vstack.yaml').read()",
    "starts a program": "import subprocess; subprocess.run(['touch', '{root}/vstack.lock'])",
    "starts a shell": "import os; os.system('touch {root}/vstack.lock')",
    "forks": "import os; os.fork()",
    "opens a socket": "import socket; socket.socket()",
    "calls the C library": "import ctypes; ctypes.CDLL(None).unlink('{root}/vstack.yaml'.encode())",
    "and hides it": "try:\n    open('{root}/vstack.lock', 'w')\nexcept Exception: pass",
}


@pytest.mark.parametrize("act", REACHING.values(), ids=REACHING.keys())
def test_a_script_that_reaches_out_is_refused_and_nothing_changed(z3_project: Make, act: str):
    project = z3_project("")
    before = {path.name: path.read_bytes() for path in project.root.iterdir() if path.name != "goal.py"}
    script = (
        act.format(root=project.root)
        + "\ndef goal():\n    x = Int('x')\n    return Obligation('a', x > -1, {'n': x > 0})"
    )
    record = one(z3_project(script))
    assert record.verdict is Verdict.REFUSED, record.reason
    assert "z3-reach" in record.reason
    assert {path.name: path.read_bytes() for path in project.root.iterdir() if path.name != "goal.py"} == before


def test_the_kernel_stops_a_write_that_the_audit_hook_does_not_see(z3_project: Make):
    """Native code found without `dlopen` or `dlsym` gets around the hook; the read-only file system stays."""
    project = z3_project("def goal():\n    x = Int('x')\n    return Obligation('a', x > -1, {'n': x > 0})")
    if "read-only file system (own namespace)" not in one(project).detail["isolation"]:
        pytest.skip("this kernel gives an ordinary process no namespaces of its own")
    script = f"""
    import z3.z3core as core
    def goal():
        Z3_open_log = core.lib().Z3_open_log
        print(Z3_open_log({str(project.root / "vstack.lock")!r}.encode()))
        x = Int('x')
        return Obligation('a', x > -1, {{'n': x > 0}})
    """
    one(z3_project(script))
    assert not (project.root / "vstack.lock").exists()


def test_the_environment_has_no_secrets(z3_project: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    script = "import os\ndef goal():\n    x = Int('x')\n    assert set(os.environ) <= {'HOME', 'TMPDIR', 'LC_ALL', 'PATH', 'LC_CTYPE'}, list(os.environ)\n    return Obligation('a', x > -1, {'n': x > 0})"
    assert one(z3_project(script)).verdict is Verdict.HOLDS


def test_a_z3_module_beside_the_script_is_not_loaded(z3_project: Make, monkeypatch: pytest.MonkeyPatch):
    project = z3_project(HONEST.replace("x + y > 0", "x + y > 2"))
    (project.root / "z3.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(project.root)
    assert one(project).verdict is Verdict.VIOLATED


def test_pins_name_every_assumption_and_see_sorts(z3_project: Make):
    pins = z3_pins(z3_project(HONEST), "G")
    assert set(pins) == {"sum/goal", "sum/assume x", "sum/assume y", "sum/assume small"}
    assert (
        z3_pins(z3_project(HONEST.replace("def goal", "# comment\ndef goal").replace("x > 0", "(x > 0)")), "G") == pins
    )
    assert z3_pins(z3_project(HONEST.replace("Ints", "Reals")), "G").keys() == pins.keys()
    assert not set(z3_pins(z3_project(HONEST.replace("Ints", "Reals")), "G").values()) & set(pins.values())
    with pytest.raises(VstackError):
        z3_pins(z3_project("def goal(): 1 / 0"), "G")


def test_against_approved_pins_nothing_may_be_added_changed_or_lost(z3_project: Make):
    two = HONEST.replace("return", "return [Obligation('more', x > -1, {'n': x > 0}),").rstrip() + "]\n"
    pins = z3_pins(z3_project(two), "G")
    assert {r.verdict for r in decide(z3_project(two), approved=pins)} == {Verdict.HOLDS}
    (sum_only, gone) = decide(z3_project(HONEST), approved=pins)
    assert sum_only.verdict is Verdict.HOLDS
    assert (gone.verdict, "z3-fewer" in gone.reason) == (Verdict.REFUSED, True)
    for change in (("x < 100", "x < 99"), ('"small"', '"other"'), ("x + y > 0", "x + y > -1"), ("Ints", "Reals")):
        records = decide(z3_project(two.replace(*change)), approved=pins)
        assert Verdict.REFUSED in {r.verdict for r in records}, change
        assert any("z3-unapproved" in r.reason for r in records)


def test_an_smtlib_goal_is_decided_the_same_way(z3_project: Make):
    text = """
    ; a comment with (parentheses
    (set-logic QF_BV)
    (declare-const |a b| (_ BitVec 8))
    (define-fun small ((v (_ BitVec 8))) Bool (bvult v #x10))
    (assert (! (small |a b|) :named assume_small))
    (assert (! (bvult (bvadd |a b| #x01) #x11) :named goal))
    (check-sat)
    """
    record = one(z3_project(text, ".smt2"))
    assert (record.verdict, record.strength) == (Verdict.HOLDS, Strength.PROVED)
    assert one(z3_project(text.replace("#x11", "#x10"), ".smt2")).detail["model"] == {"a b": "15"}
    pins = z3_pins(z3_project(text, ".smt2"), "G")
    assert (
        z3_pins(z3_project(text.replace("#x10", "#x12"), ".smt2"), "G")["goal/assume small"]
        != pins["goal/assume small"]
    )
    assert z3_pins(z3_project(text.replace("#x10", "#x12"), ".smt2"), "G")["goal/goal"] == pins["goal/goal"]


def test_text_that_z3_cannot_read_is_an_error(z3_project: Make):
    record = one(z3_project("(declare-const x Foo)\n(assert (! (> x 1) :named goal))", ".smt2"))
    assert record.verdict is Verdict.ERROR
    assert "can't read" in record.reason


NOTHING_NEW = {
    "a tautology": ("Or(x > 0, x <= 0)", "{}", "z3-cannot-fail"),
    "a condition that contradicts itself": ("Implies(And(x > 0, x < 0), y > 7)", "{}", "z3-cannot-fail"),
    "true without its assumptions": ("x * x >= 0", "{'n': x > 0}", "z3-cannot-fail"),
    "a condition that the assumptions rule out": ("Implies(x < 0, y > 7)", "{'n': x > 0}", "z3-vacuous"),
    "the same as a disjunction": ("Or(x >= 0, y > 7)", "{'n': x > 0}", "z3-vacuous"),
    "the same as a choice": ("If(x < 0, y > 7, x > -5)", "{'n': x > 0}", "z3-vacuous"),
    "one of two conditions is never met": ("Implies(And(y > 0, x < 0), y > 7)", "{'n': x > 0}", "z3-vacuous"),
    "under a quantifier": ("ForAll([y], Implies(x + y * y < 0, y > 7))", "{'n': x > 0}", "z3-vacuous"),
    "assumed in other words": ("x > 1", "{'n': Not(x + x <= 3)}", "z3-assumed"),
    "assumed in halves": ("x > 1", "{'one': Implies(y > 0, x > 1), 'two': Implies(y <= 0, x >= 2)}", "z3-assumed"),
    "assumed under a condition that is assumed": (
        "x > 1",
        "{'y': y == 3, 'rule': Implies(y > 2, x >= 2)}",
        "z3-assumed",
    ),
    "assumed beside something": ("x > 1", "{'n': And(y > 0, 2 * x > 3)}", "z3-assumed"),
    "assumed twice": ("x > 1", "{'a': 2 * x > 3, 'b': 3 * x > 5}", "z3-assumed"),
}


@pytest.mark.parametrize(("goal", "assumptions", "rule"), NOTHING_NEW.values(), ids=NOTHING_NEW.keys())
def test_a_goal_that_says_nothing_new_is_refused_unless_excused(
    z3_project: Make, goal: str, assumptions: str, rule: str
):
    text = f"def goal():\n    x, y = Ints('x y')\n    return Obligation('a', {goal}, {assumptions})"
    record = one(z3_project(text))
    assert (record.verdict, rule in record.reason) == (Verdict.REFUSED, True), record.reason
    excused = one(z3_project(text, excuse="a lemma of arithmetic"))
    assert (excused.verdict, "excused: a lemma" in excused.reason) == (Verdict.HOLDS, True), excused.reason


STRONGER = {
    "from two bounds": ("x + y > 0", "{'x': x > 0, 'y': y > 0}", ["x", "y"]),
    "in a chain": ("x < z", "{'xy': x < y, 'yz': y < z}", ["xy", "yz"]),
    "a step that leaves the state as it is": ("z > 0", "{'before': x > 0, 'step': z == x}", ["before", "step"]),
    "under a condition that is met": ("Implies(x > 5, y > 5)", "{'y': y > x}", ["y"]),
    "one of two": ("Or(x > 0, y > 0)", "{'sum': x + y > 1}", ["sum"]),
    "not both": ("Not(And(x > 0, y > 0))", "{'sum': x + y < 1}", ["sum"]),
}


@pytest.mark.parametrize(("goal", "assumptions", "core"), STRONGER.values(), ids=STRONGER.keys())
def test_a_goal_that_says_more_than_each_assumption_holds(
    z3_project: Make, goal: str, assumptions: str, core: list[str]
):
    record = one(
        z3_project(f"def goal():\n    x, y, z = Ints('x y z')\n    return Obligation('a', {goal}, {assumptions})")
    )
    assert (record.verdict, record.detail["rests on"]) == (Verdict.HOLDS, core), record.reason


def test_the_record_holds_the_formulas_that_were_decided(z3_project: Make):
    assert one(z3_project(HONEST)).detail["formulas"]["assume small"] == "(< x 100)"
