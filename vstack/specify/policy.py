"""The policy: whose signature is enough where, and what a gate refuses; the section `policy` of `vstack.yaml`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from vstack.errors import VstackError

# One term of `vstack`: a comparison with a version, or the beginning of the hash of vstack's sources.
TERM = re.compile(r"(?P<compare>==|>=|<=|<|>)\s*(?P<version>\d+(?:\.\d+)*)|sha256:(?P<sha256>[0-9a-f]{16,64})")


class Policy(BaseModel):
    """``software_keys``: a signature without proof of touch counts in CI too.

    ``unchecked_anchors``: whether an anchor that could not be checked (no
    checkout) is only counted, or refused; `vstack.abstract.check` reads it.
    ``stale_anchors``: whether a pull request that changes anchored code without
    the model is told so, or refused.
    ``vstack``: which vstack may judge a pull request, as `==0.1.0`, `>=0.1`,
    `<0.3` or `sha256:HASH` (of its sources), joined by commas; all must fit.
    ``unlisted_fairness``: whether fairness of the environment's own actions
    that no environment lists under `fair` is only told, or refused.
    ``dependent_goals``: whether a goal that nothing shows to notice a mistake by
    itself is only told, or refused.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    software_keys: bool = False
    unchecked_anchors: Literal["count", "refuse"] = "count"
    unlisted_fairness: Literal["count", "refuse"] = "refuse"
    dependent_goals: Literal["count", "refuse"] = "refuse"
    stale_anchors: Literal["note", "refuse"] = "note"
    vstack: str | None = None

    @field_validator("vstack")
    @classmethod
    def terms_are_known(cls, value: str | None) -> str | None:
        """Each term in a form that can be compared: one that nobody understands would bind nobody."""
        for term in (value or "").split(",") if value is not None else ():
            if not TERM.fullmatch(term.strip()):
                raise ValueError(f"`{term.strip()}` is no term: write ==0.1.0, >=0.1, <0.3 or sha256:HASH")
        return value


def read_policy(section: Mapping[str, Any], *, where: str) -> Policy:
    """The policy in ``section``; ``where`` names the file in errors.

    Raises:
        VstackError: an unknown key (with the nearest one) or a value that the key doesn't take.
    """
    try:
        return Policy.model_validate(dict(section))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            near = difflib.get_close_matches(key, Policy.model_fields, n=1, cutoff=0.5)
            hint = f"The nearest known key is `{near[0]}`" if near else "Remove it"
            raise VstackError(f"Unknown key `policy.{key}` in vstack.yaml", where=where, todo=hint) from None
        raise VstackError(f"vstack.yaml: policy.{key}: {first['msg'].removeprefix('Value error, ')}", where=where, todo="Mend that entry") from None
