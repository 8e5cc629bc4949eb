"""Features are what the jar does when asked, not what its version suggests."""

import pytest

from tests.tools.launchers import counting, starts
from vstack.tools.find import find_tools
from vstack.tools.java import find_java


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda features: features.check_deadlock, False),
        (lambda features: features.cfg_keyword("POSTCONDITION"), False),
        (lambda features: features.dump_trace, False),
        (lambda features: features.workers_auto, False),
        (lambda features: features.json, False),
        (lambda features: features.module("TLC"), True),
        (lambda features: features.option("-difftrace"), True),
    ],
)
def test_the_reviewed_jar(ask, answer):
    assert ask(find_tools().features) is answer


def test_an_answer_is_remembered_by_the_jars_hash(tmp_path):
    launcher, log = counting(tmp_path, str(find_java().path))
    tools = find_tools(java=launcher)
    assert tools.features.option("-nowarning")
    before = starts(log)
    assert find_tools(java=launcher).features.option("-nowarning")
    assert starts(log) == before
