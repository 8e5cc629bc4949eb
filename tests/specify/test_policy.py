"""The policy section: strict, with the nearest key named."""

from __future__ import annotations

import pytest

from vstack.errors import VstackError
from vstack.specify.policy import Policy, read_policy


def test_the_defaults_are_the_strict_ones_for_signatures() -> None:
    assert read_policy({}, where="f") == Policy(software_keys=False, unchecked_anchors="count")
    assert read_policy({"software_keys": True, "unchecked_anchors": "refuse"}, where="f").software_keys


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"sofware_keys": True}, "nearest known key is `software_keys`"),
        ({"software_keys": "yes"}, "policy.software_keys"),
        ({"software_keys": 1}, "policy.software_keys"),
        ({"unchecked_anchors": "refused"}, "policy.unchecked_anchors"),
        ({"vstack": "latest"}, "policy.vstack: `latest` is no term"),
        ({"vstack": ">=0.1, ~=1"}, "`~=1` is no term"),
        ({"vstack": ""}, "is no term"),
        ({"vstack": 0.1}, "policy.vstack"),
    ],
)
def test_a_wrong_entry_is_named(section: dict[str, object], said: str) -> None:
    with pytest.raises(VstackError, match=said):
        read_policy(section, where="f")
