"""One question to TLC that is no goal of the project: a generated module over the model, its answer kept as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vstack.files import sha256_bytes
from vstack.keep.evidence import evidence_key, machine, now
from vstack.results import Evidence, Numbers
from vstack.tla.cfg import format_cfg
from vstack.tlc.parameters import recover_parameters
from vstack.tlc.run import run_tlc
from vstack.validate.cells import Setting, cell_job, constants_of, describe
from vstack.validate.runs import Runner
from vstack.verdicts import Verdict

_MODULE = "VsProbe"


def probe(
    runner: Runner,
    setting: Setting,
    definitions: Sequence[str],
    *,
    asked: str,
    invariants: tuple[str, ...] = (),
    properties: tuple[str, ...] = (),
) -> Evidence:
    """TLC's answer on ``invariants`` and ``properties`` of ``definitions``, which see all that the model's root module does.

    ``asked`` is the question in words. What could not be decided is asked again
    the next time.
    """
    plain = cell_job(runner.project, setting, [])
    text = "\n".join([f"---- MODULE {_MODULE} ----", f"EXTENDS {plain.module.stem}", *definitions, "====", ""])
    job = replace(
        plain,
        module=plain.module.parent / f"{_MODULE}.tla",
        cfg=replace(plain.cfg, invariants=invariants, properties=properties),
        check_deadlock=False,
        coverage=False,
        extra_files={f"{_MODULE}.tla": text},
    )
    cfg = format_cfg(job.cfg, old_jar=False)[0]
    parts = {"jar": runner.tools.jar_sha256, "java": runner.tools.java_version, "modules": runner.modules}
    key = evidence_key(
        {"engine": "tlc", "stage": "probe", **parts, "root": plain.module.stem, "text": text, "cfg": cfg}
    )
    known = runner.store.get(key)
    if known is not None:
        return known
    runner.on_event(f"{setting.variant} / {setting.environment}: {asked}")
    result = run_tlc(job, runner.tools)
    if result.trace is not None and not properties:
        result = replace(result, trace=recover_parameters(result.trace, job, runner.actions, runner.tools))
    record = Evidence(
        key=key,
        engine="tlc",
        subject={**describe(setting), "asked": asked},
        inputs={**runner.modules, "cfg": sha256_bytes(cfg.encode()), "generated": sha256_bytes(text.encode())},
        tool=f"TLC {runner.tools.tlc_version}, Java {runner.tools.java_version}",
        tool_sha256=runner.tools.jar_sha256,
        command=list(result.command),
        bounds=constants_of(runner.project, setting),
        verdict=result.verdict,
        reason=result.reason,
        violated=result.violated,
        numbers=Numbers(
            distinct=result.distinct, generated=result.generated, depth=result.depth, seconds=round(result.seconds, 3)
        ),
        trace=result.trace.to_json() if result.trace is not None else None,
        machine=machine(),
        started=now(),
    )
    if record.verdict in (Verdict.HOLDS, Verdict.VIOLATED):
        runner.store.put(record)
    return record
