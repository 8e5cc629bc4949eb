"""Guards taken away two at a time: which guard hides that another is needed."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

from vstack.keep.evidence import evidence_key, machine, now
from vstack.results import Evidence, Finding, Numbers, PairRow
from vstack.shard import Shard
from vstack.tla.cfg import format_cfg
from vstack.tla.tree import Spec
from vstack.validate.batch import FIRST, Model, can_batch, run_batch, sort_goals
from vstack.validate.cells import Setting, cell_job, describe
from vstack.validate.runs import Runner
from vstack.validate.schemata import Run
from vstack.verdicts import Verdict

_BATCH = 24
# TLC counts with 32 bits: no run is given up for its size, only for its time.
_NO_LIMIT = 2_000_000_000


def run_pairs(runner: Runner, spec: Spec, shard: Shard | None = None) -> tuple[PairRow, ...]:
    """Every pair of the guards that `kills` takes away from one variant in one environment.

    Goals that one state or step decides are asked, in batches that share a TLC
    process; temporal goals are not. A pair stands in the table when together
    they break what neither breaks alone (each hides that the other is needed),
    or spare what one of them breaks alone. With ``shard`` only that part of the
    sets is run, and no table made of what is not whole.
    """
    rows: list[PairRow] = []
    for variant, environment in dict.fromkeys((kill.variant, kill.environment) for kill in runner.project.file.kills):
        rows += _of(runner, spec, Setting(variant, environment), shard)
    return tuple(rows)


def pair_findings(runner: Runner, spec: Spec) -> tuple[Finding, ...]:
    """Why pairs could not be compared, if so: it must show, not pass for "none hides another"."""
    setting = next((Setting(kill.variant, kill.environment) for kill in runner.project.file.kills), None)
    if setting is None or can_batch(cell_job(runner.project, setting, []).cfg) is None:
        return ()
    reason = can_batch(cell_job(runner.project, setting, []).cfg)
    message = f"Pairs of guards were not compared: {reason}"
    return (Finding(rule="pairs-not-compared", where=str(runner.project.root / "vstack.yaml"), message=message, outcome="undecided"),)


def _of(runner: Runner, spec: Spec, setting: Setting, shard: Shard | None) -> list[PairRow]:
    file = runner.project.file
    job = cell_job(runner.project, setting, [])
    named = [kill.guard for kill in file.kills if (kill.variant, kill.environment) == (setting.variant, setting.environment)]
    guards = list(dict.fromkeys(named))
    if can_batch(job.cfg) is not None or len(guards) < 2:
        return []
    goals = {name: (goal.kind, goal.formula or "") for name, goal in file.goals.items() if goal.is_searched}
    invariants, steps, _ = sort_goals(spec, goals)
    model = Model(spec, runner.actions, runner.project.model.init, runner.project.model.next, invariants, steps, (), job)
    sets = [(guard,) for guard in guards] + list(combinations(guards, 2))
    broken = _broken(runner, model, setting, sets, shard)
    if broken is None:
        return []
    rows = []
    for pair in combinations(guards, 2):
        alone = {guard: broken[(guard,)] for guard in pair}
        either = set(alone[pair[0]]) | set(alone[pair[1]])
        together = set(broken[pair])
        hidden, spared = sorted(together - either), sorted(either - together)
        if hidden or spared:
            note = f"only without both: {', '.join(hidden)}" if hidden else ""
            note += ("; " if hidden and spared else "") + (f"no longer without both: {', '.join(spared)}" if spared else "")
            rows.append(
                PairRow(
                    guards=pair,
                    variant=setting.variant or "",
                    environment=setting.environment or "",
                    alone=alone,
                    together=tuple(sorted(together)),
                    note=note,
                )
            )
    return rows


def _broken(
    runner: Runner, model: Model, setting: Setting, sets: Sequence[tuple[str, ...]], shard: Shard | None
) -> dict[tuple[str, ...], tuple[str, ...]] | None:
    """The goals that break without each set of guards; None where the budget ran out."""
    keys = {removed: _key(runner, setting, removed) for removed in sets}
    known = {removed: record for removed, key in keys.items() if (record := runner.store.get(key)) is not None}
    missing = [removed for removed in sets if removed not in known and (shard is None or shard.has(keys[removed]))]
    chunks = [missing[at : at + _BATCH] for at in range(0, len(missing), _BATCH)]

    def work(chunk: Sequence[tuple[str, ...]]) -> list[Evidence]:
        runner.on_event(f"{setting.variant} / {setting.environment}: {len(chunk)} sets of guards taken away together")
        return _batch(runner, model, setting, chunk, keys)

    with ThreadPoolExecutor(max_workers=runner.jobs) as pool:
        for chunk, records in zip(chunks, pool.map(work, chunks), strict=True):
            known |= dict(zip(chunk, records, strict=False))
    if any(removed not in known for removed in sets):
        return None
    return {removed: tuple(known[removed].detail["broken"]) for removed in sets}


def _batch(
    runner: Runner,
    model: Model,
    setting: Setting,
    chunk: Sequence[tuple[str, ...]],
    keys: dict[tuple[str, ...], str],
) -> list[Evidence]:
    goals = (*model.invariants, *model.steps)
    switches = {guard: runner.project.file.guards[guard].constant for removed in chunk for guard in removed}
    runs = [
        Run(
            FIRST + place,
            goals,
            # A batch switches the same constants in each of its runs.
            constants={switch: "FALSE" if guard in removed else "TRUE" for guard, switch in switches.items()},
        )
        for place, removed in enumerate(chunk)
    ]
    result = run_batch(
        model, runs, runner.tools, limit=_NO_LIMIT, seconds=runner.project.file.budget.seconds, every_goal=True
    )
    if not result.search.complete:
        return []
    records = []
    for run, removed in zip(runs, chunk, strict=True):
        shown = result.of(run.number)
        broken = sorted({goal for one in shown for goal in one.goals})
        record = Evidence(
            key=keys[removed],
            engine="tlc",
            subject={**describe(Setting(setting.variant, setting.environment, removed)), "goals": list(goals)},
            inputs=dict(runner.modules),
            tool=f"TLC {runner.tools.tlc_version}, Java {runner.tools.java_version}",
            tool_sha256=runner.tools.jar_sha256,
            command=list(result.search.command),
            verdict=Verdict.VIOLATED if broken else Verdict.HOLDS,
            reason=f"without {', '.join(removed)}: {', '.join(broken) or 'nothing'} breaks",
            numbers=Numbers(distinct=result.search.distinct, generated=result.search.generated, depth=result.search.depth,
                            seconds=round(result.search.seconds, 3)),  # fmt: skip
            trace=shown[0].trace.to_json() if shown else None,
            detail={"broken": broken, "shared by": len(chunk)},
            machine=machine(),
            started=now(),
        )
        runner.store.put(record)
        records.append(record)
    return records


def _key(runner: Runner, setting: Setting, removed: tuple[str, ...]) -> str:
    file = runner.project.file
    job = cell_job(runner.project, Setting(setting.variant, setting.environment, removed), list(file.goals))
    return evidence_key(
        {
            "engine": "tlc batch, guards removed",
            "jar": runner.tools.jar_sha256,
            "java": runner.tools.java_version,
            "modules": runner.modules,
            "root": runner.project.model.module,
            "cfg": format_cfg(job.cfg, old_jar=False)[0],
        }
    )
