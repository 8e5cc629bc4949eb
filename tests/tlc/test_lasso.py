"""A liveness counterexample is believed where its own behaviour bears it out."""

from tests.tlc.models import CFG, COUNTER, job
from vstack.tlc.run import run_tlc
from vstack.verdicts import Verdict

REFINED = COUNTER.replace(
    "====",
    "Fair == Init /\\ [][Next]_vars /\\ WF_vars(Inc(1)) /\\ SF_vars(Flip)\nEndless == []<><<TRUE>>_vars\n====",
)


def test_a_counterexample_to_what_is_always_true_is_not_believed(tmp_path, tools):
    result = run_tlc(job(tmp_path, CFG + "SPECIFICATION Stopping\nPROPERTY Trivial\n"), tools)
    assert result.returncode == 13, "TLC 2.15 says that <>TRUE is violated"
    assert result.verdict is Verdict.UNDECIDED
    assert "contradicts itself" in result.reason
    assert (result.violated, result.trace) == (None, None)


def test_the_violated_one_of_several_is_named(tmp_path, tools):
    # TLC says only that properties were violated; Often holds on the behaviour, Ends doesn't.
    result = run_tlc(job(tmp_path, CFG + "SPECIFICATION Spec\nPROPERTY Often Ends\n"), tools)
    assert (result.verdict, result.violated) == (Verdict.VIOLATED, "Ends")
    assert result.warnings == ()


def test_a_property_whose_negation_tlc_cannot_check_keeps_its_violation_and_a_warning(tmp_path, tools):
    # A behaviour of Spec may stop flipping for ever, which Fair forbids.
    result = run_tlc(job(tmp_path, CFG + "SPECIFICATION Spec\nPROPERTY Fair\n", REFINED), tools)
    assert (result.verdict, result.violated, result.kind) == (Verdict.VIOLATED, "Fair", "temporal")
    assert any("rests on TLC's liveness search alone" in warning for warning in result.warnings)
