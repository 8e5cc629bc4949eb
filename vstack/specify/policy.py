"""The policy: whose signature is enough where, and what a gate refuses; the section `policy` of `vstack.yaml`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from vstack.errors import VstackError


class Policy(BaseModel):
    """``software_keys``: a signature without proof of touch counts in CI too.

    ``unchecked_anchors``: whether an anchor that could not be checked (no
    checkout) is only counted, or refused; `vstack.abstract.check` reads it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    software_keys: bool = False
    unchecked_anchors: Literal["count", "refuse"] = "count"


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
        raise VstackError(f"vstack.yaml: policy.{key}: {first['msg']}", where=where, todo="Mend that entry") from None
