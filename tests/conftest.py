"""What every test stands on: no test depends on the machine that runs it being a CI job or not."""

from __future__ import annotations

import os

# `spec approve` is refused in a CI job. Tests of that refusal set the variable themselves.
os.environ.pop("CI", None)
