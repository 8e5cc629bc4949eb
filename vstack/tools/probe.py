"""What a TLC jar can do, asked of the jar itself and remembered by its hash; a version number proves nothing."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from vstack.process import run
from vstack.tools.cache import recall, remember
from vstack.tools.java import clean_environment

_PROBE_SECONDS = 60.0
_NAME = "VstackProbe"
_MODULE = """---- MODULE {name} ----
EXTENDS Naturals{extends}
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Always == TRUE
Shown == [y |-> x]
====
"""
_CFG = "INIT Init\nNEXT Next\n"
_KEYWORDS = {"CHECK_DEADLOCK": "FALSE", "ALIAS": "Shown", "POSTCONDITION": "Always"}


@dataclass(frozen=True)
class Features:
    """The features of one jar. Each is probed by one small real run, once for this jar's hash."""

    java: tuple[str, ...]
    jar: Path
    jar_sha256: str

    def cfg_keyword(self, keyword: str) -> bool:
        """Whether a ``.cfg`` may say ``keyword`` (CHECK_DEADLOCK, ALIAS, POSTCONDITION)."""
        line = f"{keyword} {_KEYWORDS[keyword]}\n"
        return self._ask(f"cfg {keyword}", cfg=_CFG + line)

    def option(self, *option: str) -> bool:
        """Whether TLC takes this option with these arguments, such as ``-workers auto`` or ``-noGenerateSpecTE``."""
        return self._ask("option " + " ".join(option), options=option)

    def module(self, name: str) -> bool:
        """Whether a module may EXTEND ``name`` (Json, IOUtils, TLCExt) with this jar alone."""
        return self._ask(f"module {name}", extends=f", {name}")

    @property
    def check_deadlock(self) -> bool:
        """Whether the configuration keyword CHECK_DEADLOCK is known."""
        return self.cfg_keyword("CHECK_DEADLOCK")

    @property
    def dump_trace(self) -> bool:
        """Whether ``-dumpTrace json FILE`` is known."""
        return self.option("-dumpTrace", "json", "trace.json")

    @property
    def workers_auto(self) -> bool:
        """Whether ``-workers auto`` is known."""
        return self.option("-workers", "auto")

    @property
    def json(self) -> bool:
        """Whether the module Json comes with the jar."""
        return self.module("Json")

    def _ask(self, key: str, *, cfg: str = _CFG, options: tuple[str, ...] = (), extends: str = "") -> bool:
        known = recall("jar", self.jar_sha256, key)
        if isinstance(known, bool):
            return known
        with tempfile.TemporaryDirectory(prefix="vstack-probe-") as name:
            folder = Path(name)
            (folder / f"{_NAME}.tla").write_text(_MODULE.format(name=_NAME, extends=extends), encoding="utf-8")
            (folder / "probe.cfg").write_text(cfg, encoding="utf-8")
            command = [*self.java, "-Xmx256m", f"-Djava.io.tmpdir={folder}", "-cp", str(self.jar), "tlc2.TLC"]
            command += ["-tool", "-metadir", str(folder / "states"), "-config", str(folder / "probe.cfg")]
            finished = run(
                [*command, *options, _NAME], cwd=folder, env=clean_environment(folder), seconds=_PROBE_SECONDS
            )
        answer = finished.returncode == 0 and bool(re.search(r"STARTMSG 2193:", finished.stdout))
        # Only an answer is remembered: a probe that was stopped, or found no Java, says nothing of the jar.
        if finished.stopped is None and "@!@!@STARTMSG" in finished.stdout:
            remember("jar", self.jar_sha256, key, answer)
        return answer
