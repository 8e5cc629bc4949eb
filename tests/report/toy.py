"""Invented reports that the rendering tests draw: `toy-lease` exists nowhere and is evidence for nothing."""

from __future__ import annotations

from typing import Any

from vstack.results import (
    AnchorRow,
    AtomicityRow,
    CaseReport,
    Cell,
    Evidence,
    Finding,
    GoalRow,
    KillRow,
    MutantRow,
    MutationReport,
    Numbers,
    PairRow,
    TraceRow,
)
from vstack.tla.tree import Span
from vstack.tla.values import FnValue, ModelValue
from vstack.tlc.trace import INITIAL, Step, Trace
from vstack.verdicts import Strength, Verdict

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NONE = ModelValue("none")
R1, R2, P1, P2 = (ModelValue(name) for name in ("r1", "r2", "p1", "p2"))

ENGLISH = {
    "Isolation": "A copy lands only in a page that still belongs to the request it was started for.",
    "Integrity": "A request is served only from a page that was filled for it.",
    "Finality": "Every request that was given up gets its page taken back in the end.",
}
GOALS = tuple(ENGLISH)


def anchor(lines: str, path: str = "toy/lender.py") -> dict[str, str]:
    """An anchor as `CaseReport.actions` holds it."""
    return {
        "text": f"toy:{path}:{lines}@{COMMIT}",
        "url": f"https://example.org/toy/blob/{COMMIT}/{path}#L{lines.replace('-', '-L')}",
    }


ACTIONS: dict[str, dict[str, Any]] = {
    "Lend": {
        "process": "lender",
        "english": "The lender gives page {p} to request {r} and orders its contents",
        "anchors": [anchor("40-52")],
        "sends": "order(r) to courier",
        "split": ["the order is put into a queue here and taken from it in StartCopy"],
    },
    "StartCopy": {
        "process": "courier",
        "english": "The courier takes the order of {r} and starts to copy into its page",
        "anchors": [anchor("12-20", "toy/courier.py")],
        "receives": "order(r)",
        "starts": "copy(r)",
    },
    "GiveUp": {
        "process": "borrower",
        "english": "The borrower no longer wants {r} and says so",
        "anchors": [anchor("77-80", "toy/borrower.py")],
        "sends": "giveup(r) to lender",
    },
    "TakeBack": {
        "process": "lender",
        "english": "The lender takes the page of {r} back",
        "anchors": [anchor("90-97"), anchor("101")],
        "receives": "giveup(r)",
    },
    "CopyLands": {
        "process": "courier",
        "english": "The copy of {r} arrives, in the page it was started for",
        "anchors": [anchor("31", "toy/courier.py")],
        "lands": "copy(r)",
    },
    "LoseCopy": {
        "process": "environment",
        "environment": True,
        "environment_words": "hosts may die",
        "english": "The courier's host dies; the copy of {r} never arrives",
    },
    "Retry": {
        "process": "borrower",
        "english": "The borrower asks about {r} again",
        "anchors": [anchor("60", "toy/borrower.py")],
    },
}


def behaviour(*moves: tuple[str, dict[str, Any], dict[str, Any]], **ends: Any) -> dict[str, Any]:
    """A trace as JSON: each move is (action, parameters, new values of variables)."""
    state: dict[str, Any] = {
        "owner": FnValue({P1: NONE, P2: NONE}),
        "status": FnValue({R1: "new", R2: "new"}),
        "orders": (),
        "copying": frozenset(),
        "filled": FnValue({P1: NONE, P2: NONE}),
    }
    steps = [Step(1, INITIAL, None, None, dict(state))]
    for number, (action, params, values) in enumerate(moves, start=2):
        state.update(values)
        steps.append(Step(number, action, params, Span("ToyLease", 10 * number, 1, 10 * number + 4, 9), dict(state)))
    return Trace(tuple(steps), **ends).to_json()


def owners(first: ModelValue, second: ModelValue = NONE) -> FnValue:
    """Who owns p1 and p2."""
    return FnValue({P1: first, P2: second})


def statuses(first: str, second: str = "new") -> FnValue:
    """The status of r1 and r2."""
    return FnValue({R1: first, R2: second})


_START = (
    ("Lend", {"r": R1, "p": P1}, {"owner": owners(R1), "status": statuses("waiting"), "orders": (R1,)}),
    ("StartCopy", {"r": R1}, {"orders": (), "copying": frozenset({(R1, P1)})}),
    ("GiveUp", {"r": R1}, {"status": statuses("given up")}),
)
OVERWRITTEN = behaviour(
    *_START,
    ("TakeBack", {"r": R1}, {"owner": owners(NONE)}),
    ("Lend", {"r": R2, "p": P1}, {"owner": owners(R2), "status": statuses("given up", "waiting"), "orders": (R2,)}),
    ("CopyLands", {"r": R1}, {"copying": frozenset(), "filled": FnValue({P1: R1, P2: NONE})}),
)
STUCK = behaviour(*_START, ("LoseCopy", {"r": R1}, {"copying": frozenset()}), stuttering=True)
LOOP = behaviour(
    *_START,
    ("Retry", {"r": R1}, {"status": statuses("asking")}),
    ("GiveUp", {"r": R1}, {"status": statuses("given up")}),
    loop_to=4,
)

# Many lanes, long names, flights that cross, overtake and go both ways: the diagram at its hardest.
_CROWD_ACTIONS = {
    "SchedulerAdmitsRequest": {"process": "scheduler", "sends": ["prepare(r) to prefill", "note(r) to journal"]},
    "PrefillAcceptsAndReserves": {"process": "prefill", "receives": "prepare(r)", "sends": "ready(r) to scheduler"},
    "SchedulerHearsReady": {"process": "scheduler", "receives": "ready(r)"},
    "WorkerStartsChunk": {"process": "prefill worker pool", "starts": ["chunk(r, c)", "metadata(r)"]},
    "ChunkLands": {"process": "decode memory", "lands": "chunk(r, c)"},
    "MetadataLands": {"process": "decode memory", "lands": "metadata(r)"},
    "PeerDies": {"environment": True, "english": "The peer dies"},
}


def crowded() -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Actions and a trace of 24 steps over six lanes."""
    c1, c2 = ModelValue("c1"), ModelValue("c2")
    moves: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
    for r in (R1, R2):
        moves += [(name, {"r": r}, {}) for name in list(_CROWD_ACTIONS)[:3]]
        moves += [("WorkerStartsChunk", {"r": r, "c": c}, {}) for c in (c1, c2)]
    moves += [("ChunkLands", {"r": R2, "c": c1}, {}), ("MetadataLands", {"r": R1}, {}), ("PeerDies", {}, {})]
    moves += [("ChunkLands", {"r": R1, "c": c2}, {}), ("ChunkLands", {"r": R1, "c": c1}, {})]
    moves += [(name, {"r": R1}, {}) for name in list(_CROWD_ACTIONS)[:3]] * 3
    return _CROWD_ACTIONS, behaviour(*moves)


def run(verdict: Verdict, goal: str = "Isolation", trace: dict[str, Any] | None = None, **more: Any) -> Evidence:
    """One invented engine run."""
    subject = {"goal": goal, **more.pop("subject", {})}
    return Evidence(
        key=more.pop("key", "-".join(str(value) for value in subject.values())),
        engine=more.pop("engine", "TLC"),
        subject=subject,
        inputs={"ToyLease.tla": "ab" * 32},
        tool="TLC 2.15",
        command=["java", "-cp", "tla2tools.jar", "tlc2.TLC", "ToyLease"],
        bounds={"Requests": "{r1, r2}", "Pages": "{p1, p2}"},
        verdict=verdict,
        violated=goal if verdict == Verdict.VIOLATED else None,
        strength=Strength.BOUNDED if verdict == Verdict.HOLDS else None,
        numbers=Numbers(distinct=1234567, generated=4567890, depth=21, seconds=12.3),
        trace=trace,
        started="2026-01-02T03:04:05Z",
        machine="2 cores",
        **more,
    )


def cell(
    variant: str, environment: str, goal: str, expected: str, trace: dict[str, Any] | None = None, **more: Any
) -> Cell:
    """A cell whose verdict is violated exactly if it has a trace, unless ``verdict`` says otherwise."""
    verdict = more.pop("verdict", Verdict.VIOLATED if trace else Verdict.HOLDS)
    removed = more.get("removed", ())
    subject = {"variant": variant, "environment": environment, "removed": list(removed)}
    reason = more.pop("reason", "")
    return Cell(
        variant=variant,
        environment=environment,
        goal=goal,
        expected=expected,
        evidence=run(verdict, goal, trace, subject=subject, reason=reason),
        **more,
    )


CELLS = (
    cell("eager", "calm", "Isolation", "violated", OVERWRITTEN),
    cell("eager", "calm", "Integrity", "holds"),
    cell("eager", "calm", "Finality", "holds"),
    cell("eager", "host may die", "Isolation", "violated", OVERWRITTEN),
    cell("eager", "host may die", "Integrity", "holds"),
    cell("eager", "host may die", "Finality", "violated", LOOP),
    cell("patient", "calm", "Isolation", "holds"),
    cell("patient", "calm", "Integrity", "holds"),
    cell("patient", "calm", "Finality", "holds"),
    cell("patient", "host may die", "Isolation", "holds"),
    cell("patient", "host may die", "Integrity", "holds"),
    cell("patient", "host may die", "Finality", "violated", STUCK),
    *(cell("quarantine", world, goal, "holds") for world in ("calm", "host may die") for goal in GOALS),
)

KILLS = (
    KillRow(
        guard="Hold",
        variant="patient",
        environment="calm",
        expected=("Isolation",),
        cells=(
            cell("patient", "calm", "Isolation", "violated", OVERWRITTEN, removed=("Hold",)),
            cell("patient", "calm", "Integrity", "holds", removed=("Hold",)),
            cell("patient", "calm", "Finality", "holds", removed=("Hold",)),
        ),
    ),
    KillRow(
        guard="Recheck",
        variant="patient",
        environment="calm",
        expected=(),
        cells=tuple(cell("patient", "calm", goal, "holds", removed=("Recheck",)) for goal in GOALS),
        excuse="Needed only once pages are shared, which this model leaves out.",
    ),
)

MUTANTS = MutationReport(
    variant="patient",
    clean_passes=True,
    forced_failure_dies=True,
    made=4,
    seconds=8.5,
    rows=(
        MutantRow(
            id="m1",
            operator="drop a conjunct",
            action="TakeBack",
            where="ToyLease.tla:52",
            before="/\\ <<r, owner[p]>> \\notin copying",
            after="",
            environment="calm",
            status="killed",
            killed_by=("Isolation",),
            depth=7,
        ),
        MutantRow(
            id="m2",
            operator="weaken a comparison",
            action="Lend",
            where="ToyLease.tla:23",
            before="Len(orders) < 2",
            after="Len(orders) <= 2",
            environment="calm",
            status="equivalent",
        ),
        MutantRow(
            id="m3",
            operator="drop an update",
            action="Retry",
            where="ToyLease.tla:61",
            before='status\' = [status EXCEPT ![r] = "asking"]',
            after="UNCHANGED status",
            environment="calm",
            status="survived",
            excuse="The status is for people to read only.",
        ),
    ),
)

CASE = CaseReport(
    project="toy-lease",
    title="Toy lease: a page is given away while a copy is on its way",
    root="examples/toy",
    outcome="as expected",
    reasons=(),
    goals=tuple(
        GoalRow(
            name=name,
            family=name.lower(),
            kind="temporal" if name == "Finality" else "invariant",
            english=ENGLISH[name],
            sources=("toy issue 12",),
            formula='\\A r \\in Requests : status[r] = "given up" ~> owner[p] # r'
            if name == "Finality"
            else "\\A p \\in Pages : filled[p] \\in {none, owner[p]}",
            digest=f"{index}f" * 32,
            where=f"ToyGoals.tla:{10 + index}",
            approved=True,
            approver="demo",
            demo=True,
        )
        for index, name in enumerate(GOALS, start=1)
    ),
    environments={
        "calm": "Copies may take any time, but every one arrives.",
        "host may die": "As calm, and the courier's host may die with copies on their way.",
    },
    variants={
        "eager": "The code before the fix: a page is taken back as soon as its request is given up.",
        "patient": "The fix: a page is held until its copy has arrived.",
        "quarantine": "Pages whose copy may still arrive are set aside and never lent again.",
    },
    ours=("quarantine",),
    guards={
        "Hold": "TakeBack waits while a copy into the page is on its way.",
        "Recheck": "A copy that arrives looks again at who owns the page.",
    },
    guard_anchors={"Hold": (f"toy:toy/lender.py:90-97@{COMMIT}",)},
    variant_guards={"eager": (), "patient": ("Hold", "Recheck"), "quarantine": ("Hold", "Recheck")},
    cells=CELLS,
    kills=KILLS,
    pairs=(
        PairRow(
            guards=("Hold", "Recheck"),
            variant="patient",
            environment="calm",
            alone={"Hold": ("Isolation",), "Recheck": ()},
            together=("Isolation", "Integrity"),
            note="Hold hides what Recheck protects: Integrity breaks only without both.",
        ),
    ),
    mutation=MUTANTS,
    anchors=(
        AnchorRow(
            action="Lend",
            process="lender",
            anchor=anchor("40-52")["text"],
            state="exact",
            where="ToyLease.tla:20",
            url=anchor("40-52")["url"],
        ),
        AnchorRow(
            action="StartCopy",
            process="courier",
            anchor=anchor("12-20", "toy/courier.py")["text"],
            state="moved",
            now="toy:toy/courier.py:15-23@fedcba9876543210fedcba9876543210fedcba98",
            where="ToyLease.tla:31",
            url=anchor("12-20", "toy/courier.py")["url"],
        ),
        AnchorRow(
            action="TakeBack",
            process="lender",
            anchor=anchor("101")["text"],
            state="not checked",
            where="ToyLease.tla:50",
        ),
    ),
    atomicity=(
        AtomicityRow(
            action="Lend",
            where="ToyLease.tla:20",
            finding="spans a send (toy/lender.py:51)",
            excuse="The send only puts into a queue.",
        ),
    ),
    assumptions=("A copy, once started, can't be called back.", "The borrower never reuses a request's name."),
    omissions=(("the lender's restart", "its pages are mapped anew, so no copy can hit them"),),
    processes={
        "borrower": "a thread of the client that asks for pages",
        "lender": "the server's event loop, which owns all pages",
        "courier": "a pool of workers that copy contents over the network",
        "environment": "the world",
    },
    actions=ACTIONS,
    tools={"TLC": "2.15 (rev d5b5a7f), sha256 58c6…129a", "Java": "25.0.1", "vstack": "0.1.0"},
    machine="2 cores, 24 GB",
    made="2026-01-02 03:04:05 UTC",
)

_CROWD = crowded()
CROWDED = CASE.model_copy(
    update={
        "project": "toy-crowd",
        "title": "Toy crowd",
        "actions": _CROWD[0],
        "processes": dict.fromkeys(["scheduler", "prefill", "prefill worker pool", "decode memory", "journal"], ""),
        "cells": (cell("crowd", "calm", "Isolation", "violated", _CROWD[1]),),
        "kills": (),
        "pairs": (),
        "mutation": None,
        "traces": (),
    }
)

TROUBLED = CASE.model_copy(
    update={
        "project": "toy-troubled",
        "title": 'Toy lease with <b>trouble</b> & "quotes"',
        "outcome": "not as expected",
        "reasons": ("patient / calm / Isolation: expected holds, got violated", "Finality of eager is undecided"),
        "cells": (
            cell("patient", "calm", "Isolation", "holds", OVERWRITTEN),
            cell("patient", "calm", "Integrity", "violated"),
            cell(
                "patient",
                "calm",
                "Finality",
                "holds",
                verdict=Verdict.UNDECIDED,
                reason="stopped after 600 s with 12,345 states left",
            ),
        ),
        "kills": (),
        "pairs": (),
        "mutation": None,
        "goals": tuple(goal.model_copy(update={"approved": False, "demo": False}) for goal in CASE.goals),
        "traces": (
            TraceRow(
                name="run-1.jsonl",
                variant="patient",
                verdict=Verdict.VIOLATED,
                reason="event 7 (CopyLands) is not enabled",
                matched=6,
                total=12,
                ignored=1,
                control_rejected=True,
                never_exercised=("LoseCopy",),
                failure={"line": 7, "event": {"kind": "lands", "r": "<script>alert(1)</script>"}},
            ),
        ),
        "z3": (
            run(
                Verdict.HOLDS,
                "Capacity",
                key="z3-capacity",
                engine="Z3",
                detail={"assumptions": ["pages >= 1"], "smt_rechecked": True},
            ),
            run(Verdict.UNDECIDED, "Overflow", key="z3-overflow", engine="Z3", reason="Z3 answered unknown (timeout)"),
        ),
        "findings": (
            Finding(
                rule="guard-constant",
                where="ToyLease.tla:88",
                message="The guard constant Hold occurs in Init.",
                todo="Use it only in enabling conditions and branches of anchored actions.",
            ),
        ),
    }
)
