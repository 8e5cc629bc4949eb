"""Every kind by its number."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from tests.redteam import kinds

KINDS: dict[int, ModuleType] = {
    module.KIND: module
    for module in (
        importlib.import_module(f"{kinds.__name__}.{found.name}") for found in pkgutil.iter_modules(kinds.__path__)
    )
}
