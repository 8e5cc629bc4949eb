"""One part of a project's engine runs, for one job of several: records for the job that joins them, and no outcome."""

from __future__ import annotations

from collections.abc import Callable

from vstack.context import Context
from vstack.keep.check import Gathering, Options, abstract, make_runner, specify, unfit_to_run
from vstack.results import Finding
from vstack.shard import Shard
from vstack.validate.guards import kill_plan
from vstack.validate.matrix import matrix_plan
from vstack.validate.mutation import run_mutation
from vstack.validate.pairs import run_pairs


def run_part(context: Context, options: Options, shard: Shard, on_event: Callable[[str], None]) -> tuple[Finding, ...]:
    """Make the runs of ``shard`` among matrix, kills, pairs of guards and mutants, into the store of ``options``.

    What is refused is refused here too, before anything is run: those findings
    are returned. Without one nothing is said of the project: the whole check
    is made by whoever joins the parts, and makes what is missing itself.

    Raises:
        VstackError: the project, a module or a tool can't be read or run.
    """
    refused = unfit_to_run(context, options)
    if refused or context.project.file.model is None:
        return refused
    gathering = Gathering(context, options, on_event)
    specify(gathering)
    abstract(gathering)
    if gathering.refused:
        return tuple(finding for finding in gathering.findings if finding.outcome == "refused")
    runner = make_runner(context, options, on_event)
    plan = [*(run for run, _ in matrix_plan(runner)), *kill_plan(runner)]
    runner.run([run for run in plan if shard.has(runner.key(run, run.goals[0]))])
    run_pairs(runner, context.spec, shard)
    if context.project.file.mutation is not None:
        run_mutation(
            context.project,
            context.spec,
            context.tools,
            load=runner.store.get,
            save=runner.store.put,
            on_progress=on_event,
            jobs=options.jobs,
            shard=shard,
        )
    return ()
