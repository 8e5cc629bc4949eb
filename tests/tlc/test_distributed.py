"""The jar's own server and workers, on this machine."""

import pytest

from tests.tlc.models import job
from vstack.errors import VstackError
from vstack.sections import Distributed
from vstack.tlc.distributed import run_distributed
from vstack.tlc.job import Requirements
from vstack.verdicts import Verdict

CFG = "CONSTANT N = 40\nSPECIFICATION Spec\n"
TWO = Distributed(local_workers=2)


def test_server_and_two_workers(tmp_path, tools):
    result = run_distributed(job(tmp_path, CFG + "INVARIANT Bounded\n"), tools, TWO)
    assert result.verdict is Verdict.HOLDS, result.reason
    assert (result.distinct, result.queue) == (82, 0)
    assert not result.fired


def test_required_actions_cannot_be_seen(tmp_path, tools):
    result = run_distributed(
        job(tmp_path, CFG + "INVARIANT Bounded\n"),
        tools,
        Distributed(local_workers=1),
        requirements=Requirements(1, ("Inc",)),
    )
    assert result.verdict is Verdict.UNDECIDED
    assert "without coverage" in result.reason


def test_a_violation_is_found_again_on_one_machine(tmp_path, tools):
    # The server exits with 0, names nothing, and prints a behaviour that lacks its beginning.
    result = run_distributed(job(tmp_path, CFG + "INVARIANT Small\n"), tools, TWO)
    assert (result.verdict, result.violated) == (Verdict.VIOLATED, "Small")
    assert [step.state["x"] for step in result.trace.steps] == [0, 1, 3, 5]


def test_what_the_server_leaves_unchecked_is_an_error(tmp_path, tools):
    with pytest.raises(VstackError, match="does not check temporal properties"):
        run_distributed(job(tmp_path, CFG + "PROPERTY Ends\n"), tools, TWO)
    with pytest.raises(VstackError, match="no workers"):
        run_distributed(job(tmp_path, CFG), tools, Distributed())


def test_workers_that_cannot_start_are_told(tmp_path, tools):
    machines = Distributed(hosts=["nowhere.invalid"], launch=["false", "{host}"])
    result = run_distributed(job(tmp_path, CFG), tools, machines)
    assert result.verdict is Verdict.UNDECIDED
    assert "all distributed workers ended" in result.reason
