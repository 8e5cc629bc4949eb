"""Which vstack may judge: what the target branch's policy names, by version or by the hash of the sources."""

from __future__ import annotations

import pytest

from vstack import __version__
from vstack.keep.evidence import package_digest
from vstack.keep.running import other_vstack
from vstack.specify.base import Base
from vstack.specify.policy import Policy

DIGEST = "ab" * 32


def fits(wanted: str | None, version: str = "0.10.2", digest: str = DIGEST) -> bool:
    base = Base("main", "c" * 40, None, None, Policy(vstack=wanted))
    return other_vstack(base, version=version, digest=digest) == ()


@pytest.mark.parametrize(
    "wanted",
    [
        None,
        "==0.10.2",
        ">=0.9",
        ">=0.10.2,<0.11",
        "<=0.10.2",
        "< 1",
        ">0.10",
        f"sha256:{DIGEST[:16]}",
        f">=0.1, sha256:{DIGEST}",
    ],
)
def test_one_that_fits_may_judge(wanted: str | None) -> None:
    assert fits(wanted)


@pytest.mark.parametrize(
    "wanted", ["==0.10", "==0.1.0", ">=0.11", ">0.10.2", "<0.10.2", f"sha256:{'cd' * 8}", f">=0.1,sha256:{'cd' * 32}"]
)
def test_one_that_does_not_fit_is_refused_with_what_runs_and_what_is_asked(wanted: str) -> None:
    base = Base("main", "c" * 40, None, None, Policy(vstack=wanted))
    (finding,) = other_vstack(base, version="0.10.2", digest=DIGEST)
    assert (finding.rule, finding.outcome, finding.where) == ("other-vstack", "refused", "main:vstack.yaml")
    assert "0.10.2 (sha256:abababababababab)" in finding.message and wanted in finding.message


def test_equal_versions_of_other_length_are_equal() -> None:
    assert fits("==0.1", "0.1.0") and fits("==0.1.0.0", "0.1") and not fits(">0.1", "0.1.0")


def test_the_vstack_that_runs_is_the_default() -> None:
    base = Base("main", "c" * 40, None, None, Policy(vstack=f"=={__version__},sha256:{package_digest()}"))
    assert other_vstack(base) == ()
