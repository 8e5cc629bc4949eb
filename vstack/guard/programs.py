"""Programs given on a command line (`python -c`, `perl -e`, here-documents): do they plainly write a protected file?"""

from __future__ import annotations

from vstack.guard.targets import Targets

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take longer to import than this takes to run
    from collections.abc import Iterator

_WRITING_ATTRIBUTES = frozenset(
    "write_text write_bytes unlink rename renames truncate rmtree copy copy2 copyfile copytree move symlink link"
    " symlink_to hardlink_to link_to remove removedirs rmdir touch system popen run call check_call check_output Popen"
    " getoutput fdopen execv execvp sendfile".split()
)
_OPAQUE = frozenset(("exec", "eval", "compile", "__import__", "getattr"))
_WORDS = (
    "write", "unlink", "rename", "truncate", "copy", "remove", "append", "system", "exec", "spawn", "delete", "rm", ">",
    "move", "symlink", "'w'", '"w"', "'a'", '"a"',
)  # fmt: skip


def why_python(code: str, targets: Targets) -> str | None:
    """Why the Python ``code`` may not run: it names a protected file and calls what writes."""
    import ast

    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return why_other(code, targets)
    told = None
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if "vstack" in code and {"spec", "approve"} <= {part for word in words for part in word.split()}:
        if any(isinstance(node, ast.Call) and _starts(node) for node in ast.walk(tree)):
            from vstack.guard.shell import APPROVAL

            return APPROVAL
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
            text = node.value if isinstance(node.value, str) else node.value.decode(errors="replace")
            # A command line inside the program names files among other words.
            told = told or targets.named(text) or next(filter(None, map(targets.named, text.split())), None)
    if told is None:
        return None
    return told if any(isinstance(node, ast.Call) and _writes(node) for node in ast.walk(tree)) else None


def why_other(code: str, targets: Targets) -> str | None:
    """The same for a program in another language, by its words."""
    if not any(word in code for word in _WORDS):
        return None
    return next(filter(None, map(targets.named, _strings(code))), None)


def _called(call: object) -> str:
    import ast

    assert isinstance(call, ast.Call)
    function = call.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _starts(call: object) -> bool:
    """Whether the call starts a program, or vstack's own entry."""
    return _called(call) in ("main", "cli", "run_module", "run_path") or _writes(call)


def _writes(call: object) -> bool:
    import ast

    assert isinstance(call, ast.Call)
    function, name = call.func, _called(call)
    if name == "open":
        given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("mode", "flags"))]
        modes = [node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        # `os.open` with flags, or a mode that is computed, may write.
        owner = (
            function.value.id if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) else ""
        )
        computed = len(call.args) > 1 and not isinstance(call.args[1], ast.Constant)
        return owner == "os" or computed or any(len(mode) <= 3 and set(mode) & set("wax+") for mode in modes)
    if name == "replace":
        # `text.replace(old, new)` changes no file; `path.replace(target)` and `os.replace(a, b)` do.
        is_os = (
            isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "os"
        )
        return is_os or len(call.args) == 1
    return name in _WRITING_ATTRIBUTES or (isinstance(function, ast.Name) and name in _OPAQUE)


def _strings(code: str) -> Iterator[str]:
    """What may be a path: the words between quotes, blanks and brackets."""
    word = ""
    for char in code + " ":
        if char in " \t\n'\"`()[]{},;<>=|&":
            if word:
                yield word
            word = ""
        else:
            word += char
