"""What the page shows of one case: reports regrouped into rows, columns, links and counterexamples."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from vstack.report.behaviour import Behaviour, read_behaviour
from vstack.report.diagram import sequence_diagram
from vstack.report.flights import Flight, Kind, find_flights, told
from vstack.report.story import ending, schedule
from vstack.report.words import listed, subject_words, verdict_word
from vstack.results import CaseReport, Cell, Evidence
from vstack.verdicts import Verdict

# The widest diagram, in pixels, that leaves room for the story beside it on a laptop's screen.
_BESIDE = 740


@dataclass(frozen=True)
class Counterexample:
    """One schedule that breaks a goal, ready to be drawn.

    ``anchor`` is its id on the page, ``keys`` are those of the runs that found
    it, ``commit`` that of all linked code if it is one.
    """

    anchor: str
    title: str
    group: str
    subject: str
    expected: bool | None
    keys: tuple[str, ...]
    commit: str | None
    behaviour: Behaviour
    flights: tuple[Flight, ...]
    diagram: str
    narrow: bool
    ending: str
    schedule: str

    def told(self, number: int) -> tuple[tuple[Kind, str], ...]:
        """What is said of transfers and messages at step ``number``."""
        return told(self.behaviour.steps[number - 1], self.flights)


@dataclass(frozen=True)
class Tally:
    """One variant's verdict on one goal over all environments, for the summary."""

    goal: str
    verdict: str
    environments: tuple[str, ...]
    everywhere: bool
    as_expected: bool
    link: str | None
    waived: str = ""


@dataclass(frozen=True)
class View:
    """One case as the templates read it; ``anchor`` starts all its ids."""

    anchor: str
    report: CaseReport
    goals: tuple[str, ...]
    variants: tuple[str, ...]
    environments: tuple[str, ...]
    counterexamples: tuple[Counterexample, ...]
    links: dict[str, str]
    urls: dict[str, str]

    def cell(self, variant: str, environment: str, goal: str) -> Cell | None:
        """The matrix cell, or None where none was asked for."""
        for cell in self.report.cells:
            if (cell.variant, cell.environment, cell.goal) == (variant, environment, goal):
                return cell
        return None

    def link(self, evidence: Evidence) -> str | None:
        """The id of the counterexample of ``evidence``, if it has one."""
        return self.links.get(evidence.key)

    def guard_code(self, guard: str) -> tuple[tuple[str, str | None], ...]:
        """The lines that a guard stands for: (place, page of it), without their hash."""
        places = [text.split()[0] for text in self.report.guard_anchors.get(guard, ())]
        return tuple((place, self.urls.get(place)) for place in places)

    def steps(self, evidence: Evidence) -> int:
        """How many steps the counterexample of ``evidence`` takes."""
        return len((evidence.trace or {}).get("steps", ())) - 1

    def tallies(self, variant: str) -> tuple[Tally, ...]:
        """The summary of ``variant``: one entry per goal and verdict, the broken ones first."""
        groups: dict[tuple[str, str, str], list[Cell]] = {}
        for cell in self.report.cells:
            if cell.variant == variant:
                groups.setdefault((cell.goal, verdict_word(cell.evidence), cell.waived), []).append(cell)
        found = []
        for (goal, verdict, waived), cells in groups.items():
            found.append(
                Tally(
                    waived=waived,
                    goal=goal,
                    verdict=verdict,
                    environments=tuple(cell.environment for cell in cells),
                    # Of all environments: one that the goal was not asked in must not pass for one it holds in.
                    everywhere=len(cells) == len(self.environments),
                    as_expected=all(cell.as_expected for cell in cells),
                    link=next((link for cell in cells if (link := self.link(cell.evidence))), None),
                )
            )
        order = ["error", "refused", "violated", "undecided", "attested", "holds"]
        return tuple(sorted(found, key=lambda tally: order.index(tally.verdict)))

    def runs(self) -> tuple[tuple[str, Evidence], ...]:
        """Every run with what it was for: the matrix, guards taken away, Z3."""
        cells = [(cell.goal, cell.evidence) for cell in self.report.cells]
        kills = [(cell.goal, cell.evidence) for row in self.report.kills for cell in row.cells]
        return (*cells, *kills, *((str(run.subject.get("goal", "")), run) for run in (*self.report.z3, *self.report.theorems)))

    def sections(self) -> tuple[tuple[str, str], ...]:
        """The sections that have something to say: (id, heading), the id naming the template."""
        report = self.report
        has = (
            ("matrix", "Results: variant by goal", report.cells),
            ("guards", "Which guard is needed for what", report.kills),
            ("counterexamples", "Counterexamples, step by step", self.counterexamples),
            ("driven", "Shown on the real code", report.driven),
            ("mutants", "Would the goals notice a mistake?", report.mutation),
            ("code", "The model and the code", report.anchors or report.actions),
            ("basis", "What every claim rests on", report.cells or report.assumptions),
            ("goals", "The goals", report.goals),
            ("traces", "Recorded runs", True),
            ("z3", "Goals decided by Z3", report.z3),
            ("theorems", "Theorems proved by TLAPS", report.theorems),
            ("apalache", "Goals checked by Apalache", report.apalache),
            ("runs", "Runs, tools and machine", True),
        )
        return tuple((name, heading) for name, heading, present in has if present)

    def tools(self) -> tuple[tuple[str, str], ...]:
        """Tools with version, the machine and the date."""
        places = (("machine", self.report.machine), ("made", self.report.made))
        return (*self.report.tools.items(), *((name, text) for name, text in places if text))


def make_view(report: CaseReport, anchor: str) -> View:
    """The view of ``report`` whose ids on the page start with ``anchor``."""
    cells = report.cells
    goals = tuple(dict.fromkeys([*(goal.name for goal in report.goals), *(cell.goal for cell in cells)]))
    counterexamples = tuple(_counterexamples(report, anchor))
    return View(
        anchor=anchor,
        report=report,
        goals=tuple(goal for goal in goals if any(cell.goal == goal for cell in cells)),
        variants=tuple(dict.fromkeys(cell.variant for cell in cells)),
        environments=tuple(dict.fromkeys(cell.environment for cell in cells)),
        counterexamples=counterexamples,
        links={key: item.anchor for item in counterexamples for key in item.keys},
        urls=_urls(report),
    )


def slug(text: str) -> str:
    """``text`` as an HTML id: letters, digits and dashes, starting with a letter."""
    return "c-" + (re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "case")


def _counterexamples(report: CaseReport, anchor: str) -> list[Counterexample]:
    """One for each schedule: cells of several environments that fail the same way share it."""
    groups: dict[str, list[Cell]] = {}
    for cell in (*report.cells, *(cell for row in report.kills for cell in row.cells)):
        if cell.evidence.verdict == Verdict.VIOLATED and cell.evidence.trace:
            same = json.dumps([cell.variant, cell.removed, cell.goal, cell.evidence.trace], sort_keys=True)
            groups.setdefault(same, []).append(cell)
    return [
        _counterexample(report, cells, f"{anchor}-x{number}") for number, cells in enumerate(groups.values(), start=1)
    ]


def _counterexample(report: CaseReport, cells: list[Cell], name: str) -> Counterexample:
    run = cells[0].evidence
    behaviour = read_behaviour(run, report)
    assert behaviour is not None, "chosen for its trace"
    flights = find_flights(behaviour, report)
    diagram = sequence_diagram(behaviour, flights, report, name)
    expected = [cell.as_expected for cell in cells if cell.expected is not None]
    return Counterexample(
        anchor=name,
        title=f"How {behaviour.goal} is broken",
        group=f"Without {listed(cells[0].removed)}" if cells[0].removed else f"Variant {cells[0].variant}",
        subject=subject_words(run, report, list(dict.fromkeys(cell.environment for cell in cells))),
        expected=all(expected) if expected else None,
        keys=tuple(cell.evidence.key for cell in cells),
        commit=_one_commit(behaviour),
        behaviour=behaviour,
        flights=flights,
        diagram=diagram.svg,
        narrow=diagram.width <= _BESIDE,
        ending=ending(behaviour),
        schedule=schedule(run, report),
    )


def _one_commit(behaviour: Behaviour) -> str | None:
    """The commit that all linked code of ``behaviour`` is at, if it is one."""
    commits = {code.text.rpartition("@")[2] for step in behaviour.steps for code in step.code}
    return commits.pop() if len(commits) == 1 else None


def _urls(report: CaseReport) -> dict[str, str]:
    """The page of each anchor, by its text, wherever the report gives one."""
    urls = {row.anchor: row.url for row in report.anchors if row.url}
    for about in report.actions.values():
        urls.update({str(item["text"]): str(item["url"]) for item in about.get("anchors") or () if item.get("url")})
    return urls
