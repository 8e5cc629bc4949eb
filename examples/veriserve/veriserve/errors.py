"""The two classes of expected errors: what stops a start, and what ends one request."""

from __future__ import annotations


class VeriserveError(Exception):
    """Something a person who starts the engine can meet and mend, shown as one paragraph.

    ``what`` went wrong, ``where`` (a file, a port), and what to do about it (``todo``).
    """

    def __init__(self, what: str, *, where: str | None = None, todo: str | None = None) -> None:
        parts = [what.rstrip(".") + (f" ({where})." if where else ".")]
        super().__init__(" ".join([*parts, todo.rstrip(".") + "."] if todo else parts))


class RequestError(Exception):
    """One request can't be served; the engine goes on with the others.

    ``status`` is the HTTP status, ``code`` a machine-readable word, ``param`` the field at fault.
    """

    def __init__(self, message: str, *, status: int = 400, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param

    def body(self) -> dict[str, object]:
        """The error as OpenAI's API words it."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}
