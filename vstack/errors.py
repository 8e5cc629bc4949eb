"""The one class of expected errors: what went wrong, where, and what to do about it."""

from __future__ import annotations


class VstackError(Exception):
    """An error a user can meet and mend.

    Shown as one paragraph and mapped to ``exit_code`` at the one boundary in
    ``vstack.cli``. ``what`` says what went wrong, ``where`` names a file,
    ``file:line`` or command, ``todo`` says what the reader can do next.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, todo: str | None = None) -> None:
        self.what = what
        self.where = where
        self.todo = todo
        super().__init__(self.paragraph())

    def paragraph(self) -> str:
        """The error as one paragraph of plain text."""
        parts = [self.what.rstrip(".") + (f" ({self.where})." if self.where else ".")]
        if self.todo:
            parts.append(self.todo.rstrip(".") + ".")
        return " ".join(parts)


class RefusedError(VstackError):
    """Something a rule refuses (an unapproved change, a forged file): exit code 1."""

    exit_code = 1
