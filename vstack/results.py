"""Results as data: what every stage hands to the evidence store, the tables and the HTML page."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from vstack.verdicts import Strength, Verdict


class Result(BaseModel):
    """Base of all results: frozen, and no key that the reader doesn't know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Numbers(Result):
    """State-space numbers of a TLC run (states; depth in steps; time in seconds)."""

    distinct: int = 0
    generated: int = 0
    queue: int = 0
    depth: int = 0
    seconds: float = 0.0


class Evidence(Result):
    """The record of one engine run, stored under the hash of all that went in.

    ``inputs`` maps each input (file, cfg, option) to its SHA-256; ``subject``
    says what was run (variant, environment, goal, guards off, mutant, ...);
    ``trace`` is ``vstack.tlc.trace.Trace.to_json()`` of a counterexample.
    """

    schema_version: Literal[1] = 1
    key: str
    engine: str
    subject: dict[str, Any]
    inputs: dict[str, str]
    tool: str
    tool_sha256: str = ""
    command: list[str] = []
    bounds: dict[str, str] = {}
    verdict: Verdict
    reason: str = ""
    violated: str | None = None
    strength: Strength | None = None
    numbers: Numbers = Numbers()
    fired: dict[str, tuple[int, int]] = {}
    warnings: list[str] = []
    trace: dict[str, Any] | None = None
    detail: dict[str, Any] = {}
    machine: str = ""
    started: str = ""


class Cell(Result):
    """One cell of the matrix, variant x environment x goal, or a kill's run with guards taken away.

    ``waived`` says until when, by whom and why a violation is accepted though the cell is to hold; empty if it is not.
    """

    variant: str
    environment: str
    goal: str
    removed: tuple[str, ...] = ()
    expected: Literal["holds", "violated"] | None = None
    waived: str = ""
    evidence: Evidence

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one (an undecided run never is)."""
        return self.expected is not None and self.evidence.verdict == self.expected

    @property
    def accepted(self) -> bool:
        """Whether the cell is as expected, or violated under a waiver that covers it."""
        return self.as_expected or (bool(self.waived) and self.evidence.verdict == Verdict.VIOLATED)


class KillRow(Result):
    """One guard removed: what was expected to fail, and the run of each goal."""

    guard: str
    variant: str
    environment: str
    expected: tuple[str, ...]
    cells: tuple[Cell, ...]
    excuse: str | None = None

    @property
    def killed_by(self) -> tuple[str, ...]:
        """The goals with a counterexample."""
        return tuple(cell.goal for cell in self.cells if cell.evidence.verdict == Verdict.VIOLATED)


class PairRow(Result):
    """Two guards removed together: ``masked`` names a goal each pair member alone breaks or spares differently."""

    guards: tuple[str, str]
    variant: str
    environment: str
    alone: dict[str, tuple[str, ...]]
    together: tuple[str, ...]
    note: str


class MutantRow(Result):
    """One automatic mutant of the model and what became of it.

    ``killed``: a counterexample to ``killed_by``; ``equivalent``: the same
    reachable steps as the original within the bounds; ``survived``: neither;
    ``broken``: TLC could not evaluate it (never counted as killed);
    ``undecided``: budget ran out.
    """

    id: str
    operator: str
    action: str
    where: str
    before: str
    after: str
    environment: str
    status: Literal["killed", "equivalent", "survived", "broken", "undecided"]
    killed_by: tuple[str, ...] = ()
    reason: str = ""
    excuse: str | None = None
    depth: int = 0


class MutationReport(Result):
    """The mutants of one variant, with the two controls that ran first.

    ``made`` counts all mutants; with a ``shard`` (`K/N`) only those of that part
    were run, and ``rows`` holds no others.
    """

    variant: str
    clean_passes: bool
    forced_failure_dies: bool
    rows: tuple[MutantRow, ...]
    made: int
    shard: str | None = None
    seconds: float = 0.0


class FoundToFail(Result):
    """Where a goal fails: ``where`` names a cell, a guard's removal or a mutant; None if nothing of ``tried`` breaks it."""

    goal: str
    where: str | None
    tried: int = 0
    excuse: str | None = None


class WitnessRow(Result):
    """A state or step that a goal speaks of, and where runs come to it.

    ``text`` is a state formula that the goal declares, or a condition in its formula (``inner``: behind another one).
    ``reached``, ``missed`` and ``undecided`` are the cases in which the goal is to hold, as `variant/environment`.
    """

    goal: str
    text: str
    declared: bool
    inner: bool = False
    reached: tuple[str, ...]
    missed: tuple[str, ...]
    undecided: tuple[str, ...] = ()
    excuse: str | None = None


class WaiverRow(Result):
    """A known violation that is accepted until a date, and whether it covers what was found.

    ``status``: ``live``, it covers the cell's violation; ``not needed``, the cell
    holds; ``another class``, what breaks the goal is not (only) what it waives;
    ``not approved``; ``undecided``. ``text`` says why it is not live.
    """

    variant: str
    environment: str
    goal: str
    state: str
    steps: tuple[str, ...] = ()
    reason: str
    until: str
    by: str = ""
    status: Literal["live", "not needed", "another class", "not approved", "undecided"]
    text: str = ""

    @property
    def words(self) -> str:
        """The waiver in one line."""
        return f"waived until {self.until} by {self.by or 'nobody'} ({self.state}): {self.reason}"


class NoticedAlone(Result):
    """What breaks a goal and no other that a state or step decides; None if nothing was found.

    ``tried`` mutants were followed to their end, ``given_up`` others had too many states.
    """

    goal: str
    where: str | None
    tried: int = 0
    given_up: int = 0
    excuse: str | None = None


class AnchorRow(Result):
    """One anchor of one action and what git says of it.

    ``state``: ``exact``, ``moved`` (``now`` names the new place), ``changed``
    (the model is stale), ``not checked`` (no checkout), ``missing`` (no such
    file, line or commit in the checkout). ``note`` says why, where the state
    alone does not.
    """

    action: str
    process: str | None
    anchor: str
    state: Literal["exact", "moved", "changed", "not checked", "missing"]
    now: str | None = None
    where: str
    url: str | None = None
    note: str = ""


class AtomicityRow(Result):
    """One finding of the atomicity rule: an action that must be split or excused."""

    action: str
    where: str
    finding: str
    excuse: str | None = None
    checked: bool = True


class TraceRow(Result):
    """One recorded trace replayed through the model."""

    name: str
    variant: str
    verdict: Verdict
    reason: str
    matched: int
    total: int
    ignored: int = 0
    control_rejected: bool | None = None
    failure: dict[str, Any] | None = None
    never_exercised: tuple[str, ...] = ()
    recorded: str = ""
    seconds: float = 0.0


class DrivenRow(Result):
    """One violated cell, or one schedule that a fix must part from, on the real code: attested, never recomputed.

    ``state``: ``reproduced``, ``parts`` (the code left the schedule of the
    variant ``schedule``, as it must), ``not as expected``, ``stale`` (driver,
    model or commit changed since), or ``not driven``; ``text`` says what was
    seen, or why not.
    """

    variant: str
    environment: str
    goal: str
    schedule: str | None = None
    state: Literal["reproduced", "parts", "not as expected", "stale", "not driven"]
    text: str
    runs: int = 0
    seconds: float = 0.0
    recorded: str = ""
    commit: str = ""


class GoalRow(Result):
    """One goal: its words, its pin, and who approved it (``demo`` means no person did).

    ``helpers`` are the texts of the definitions that ``formula`` uses.
    """

    name: str
    family: str | None
    kind: str
    english: str
    sources: tuple[str, ...]
    formula: str
    helpers: tuple[str, ...] = ()
    digest: str
    where: str
    approved: bool
    approver: str | None = None
    demo: bool = False
    touch: bool = False
    note: str = ""
    excuse: str | None = None


class Finding(Result):
    """Something that keeps a project from its good outcome, with its place and what to do.

    ``outcome`` is what the finding makes of the whole: a rule `refused` it, a
    stage came out `not as expected`, or something is left `undecided`. A `note`
    leaves the outcome as it is: it tells a reviewer where to look.
    """

    rule: str
    where: str
    message: str
    todo: str = ""
    outcome: Literal["refused", "not as expected", "undecided", "note"] = "refused"


class CaseReport(Result):
    """Everything `check` found out about one project: the one input of every report.

    ``evidence`` says where records come from that this run did not make, or why none were believed.
    """

    project: str
    title: str
    root: str
    outcome: Literal["as expected", "holds", "not as expected", "violated", "undecided", "refused", "error"]
    reasons: tuple[str, ...] = ()
    goals: tuple[GoalRow, ...] = ()
    environments: dict[str, str] = {}
    variants: dict[str, str] = {}
    ours: tuple[str, ...] = ()
    guards: dict[str, str] = {}
    guard_anchors: dict[str, tuple[str, ...]] = {}
    variant_guards: dict[str, tuple[str, ...]] = {}
    variant_commits: dict[str, str] = {}
    cells: tuple[Cell, ...] = ()
    kills: tuple[KillRow, ...] = ()
    pairs: tuple[PairRow, ...] = ()
    mutation: MutationReport | None = None
    can_fail: tuple[FoundToFail, ...] = ()
    waivers: tuple[WaiverRow, ...] = ()
    witnesses: tuple[WitnessRow, ...] = ()
    noticed_alone: tuple[NoticedAlone, ...] = ()
    anchors: tuple[AnchorRow, ...] = ()
    atomicity: tuple[AtomicityRow, ...] = ()
    traces: tuple[TraceRow, ...] = ()
    driven: tuple[DrivenRow, ...] = ()
    z3: tuple[Evidence, ...] = ()
    theorems: tuple[Evidence, ...] = ()
    apalache: tuple[Cell, ...] = ()
    apalache_required: bool = True
    findings: tuple[Finding, ...] = ()
    assumptions: tuple[str, ...] = ()
    omissions: tuple[tuple[str, str], ...] = ()
    processes: dict[str, str] = {}
    actions: dict[str, dict[str, Any]] = {}
    tools: dict[str, str] = {}
    evidence: str = ""
    machine: str = ""
    made: str = ""
