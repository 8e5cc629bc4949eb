"""What tlapm brings along: the modules of its library, and the operators of TLAPS that name a back-end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vstack.errors import VstackError
from vstack.files import read_text

# Names that no module of a project may have: tlapm (or SANY) would read one file, and a person think of the other.
LIBRARY = frozenset(
    {
        *("Bags", "FiniteSets", "Integers", "Naturals", "Randomization", "RealTime", "Reals", "Sequences", "TLC"),
        *("TLCExt", "Toolbox", "TLAPS", "NaturalsInduction", "WellFoundedInduction", "FiniteSetTheorems"),
        *("SequenceTheorems", "BagsTheorems", "Functions", "Folds", "FunctionTheorems", "FoldsTheorems"),
        *("NaturalsInduction_proofs", "WellFoundedInduction_proofs", "FiniteSetTheorems_proofs"),
        *("SequenceTheorems_proofs", "BagsTheorems_proofs", "FunctionTheorems_proofs", "FoldsTheorems_proofs"),
    }
)

# The operators of module TLAPS with their arities. Those in DEFAULT need no approval: a solver that fails
# proves nothing, and none of them takes a text that a prover would execute.
_SMT = ("SMT", "CVC3", "CVC4", "Yices", "Zipper", "Z3", "Spass")
_SPEEDS = ("", "Slow", "Slower", "Slowest")
DEFAULT: Mapping[str, int] = {
    **{name: 0 for name in (*_SMT, "veriT", "SimpleArithmetic")},
    **{f"{name}T": 1 for name in (*_SMT, "veriT", "LS4", "Zenon")},
    **{name: 0 for name in ("LS4", "PTL", "Zenon", "SlowZenon", "SlowerZenon", "VerySlowZenon", "SlowestZenon")},
    **{
        name: 0
        for name in ("Isa", "Trivial", "IsaWithSetExtensionality", "AllProvers", "AllSMT", "AllIsa", "AutoBlast")
    },
    **{name: 1 for name in ("IsaT", "AllProversT", "AllSMTT", "AllIsaT")},
    **{
        f"{speed}{name}": 0
        for speed in _SPEEDS
        for name in ("Auto", "Force", "Blast", "Simplification", "SimplifyAndSolve")
    },
}
# These need an approved `proof.backends`: a tactic is any text for Isabelle, and the
# others rewrite the obligation (ENABLED, action composition) before it is proved.
SPECIAL: Mapping[str, int] = {
    "IsaM": 1,
    "IsaMT": 2,
    **{name: 0 for name in ("ExpandENABLED", "ExpandCdot", "AutoUSE", "Lambdify", "ENABLEDaxioms", "LevelComparison")},
}
PRAGMAS: Mapping[str, int] = {**DEFAULT, **SPECIAL}


def interface() -> str:
    """A module TLAPS with all its names, so that SANY can read a proof where tlapm is not installed."""
    lines = ["---- MODULE TLAPS ----"]
    for name, arity in PRAGMAS.items():
        parameters = f"({', '.join(f'x{n}' for n in range(1, arity + 1))})" if arity else ""
        lines.append(f"{name}{parameters} == TRUE")
    lines.append("THEOREM SetExtensionality == \\A S, T : (\\A x : x \\in S <=> x \\in T) => S = T")
    lines.append("THEOREM NoSetContainsEverything == \\A S : \\E x : x \\notin S")
    return "\n".join([*lines, "===="]) + "\n"


def library_texts(folder: Path | None) -> dict[str, str]:
    """Texts of the library's modules by name: those in ``folder``, tlapm's own, else the interface of TLAPS alone.

    Raises:
        VstackError: the folder has no TLAPS.tla, or can't be read.
    """
    if folder is None:
        return {"TLAPS": interface()}
    found = {path.stem: read_text(path) for path in sorted(folder.glob("*.tla"))}
    if "TLAPS" not in found:
        raise VstackError("tlapm's library has no TLAPS.tla", where=str(folder), todo="Install tlapm again")
    return found
