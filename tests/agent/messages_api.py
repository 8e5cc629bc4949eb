"""A server on this machine that speaks the Messages API: it streams what a test scripts, and refuses bad requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

Event = tuple[str, dict[str, Any]]


@dataclass
class Say:
    """A whole reply: text, then tool calls as (name, arguments); ``cut`` events are streamed if it is given."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    stop: str = ""
    cut: int | None = None
    read: int = 100
    written: int = 20


@dataclass
class Fail:
    """An error by HTTP status."""

    status: int
    kind: str
    message: str = "as scripted"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class FailInside:
    """A stream that begins and then holds an error event."""

    kind: str


Step = Say | Fail | FailInside | Callable[[dict[str, Any]], "Say"]


@dataclass
class Script:
    """What the server answers, in order, and the requests that it got."""

    steps: list[Step]
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(*steps: Step) -> Iterator[Script]:
    """Serve ``steps`` on a port of this machine."""
    script = Script(list(steps))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments: object) -> None:
            pass

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            script.keys.append(self.headers.get("authorization"))
            script.requests.append(request)
            wrong = problem(request) if self.path.partition("?")[0] == "/v1/messages" else "no such path"
            if wrong:
                self._fail(Fail(400, "invalid_request_error", wrong))
                return
            step = script.steps.pop(0) if script.steps else Fail(500, "api_error", "the script has ended")
            step = step(request) if callable(step) else step
            if isinstance(step, Fail):
                self._fail(step)
            else:
                self._stream(step)

        def _fail(self, fault: Fail) -> None:
            body = json.dumps({"type": "error", "error": {"type": fault.kind, "message": fault.message}}).encode()
            self.send_response(fault.status)
            for name, value in (*fault.headers, ("content-type", "application/json"), ("content-length", len(body))):
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, step: Say | FailInside) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            told = list(events(step, len(script.requests)))
            cut = step.cut if isinstance(step, Say) else None
            for name, data in told[:cut]:
                piece = f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
            if cut is None:
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True  # In the middle of a chunked body: a broken stream.

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def events(step: Say | FailInside, number: int) -> Iterator[Event]:
    """The events of a reply, text and JSON in pieces."""
    read = step.read if isinstance(step, Say) else 1
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": 1},
    }
    yield "message_start", {"type": "message_start", "message": message}
    yield "ping", {"type": "ping"}
    if isinstance(step, FailInside):
        yield "error", {"type": "error", "error": {"type": step.kind, "message": "as scripted"}}
        return
    index = 0
    if step.text:
        yield from _block(index, {"type": "text", "text": ""}, "text_delta", "text", step.text)
        index += 1
    for place, (name, arguments) in enumerate(step.calls):
        block = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": {}}
        yield from _block(index, block, "input_json_delta", "partial_json", json.dumps(arguments))
        index += 1
    stop = step.stop or ("tool_use" if step.calls else "end_turn")
    delta = {"stop_reason": stop, "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": step.written}}
    yield "message_stop", {"type": "message_stop"}


def _block(index: int, block: dict[str, Any], kind: str, key: str, text: str) -> Iterator[Event]:
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": block}
    for start in range(0, len(text), 7):
        delta = {"type": kind, key: text[start : start + 7]}
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def problem(request: dict[str, Any]) -> str | None:
    """What the real service would refuse in a request: roles, empty contents, tool calls without their results."""
    messages = request["messages"]
    if not request.get("stream"):
        return "not streamed"
    if request["max_tokens"] < 1:
        return "max_tokens: must be positive"
    if not messages or messages[0]["role"] != "user":
        return "messages: the first must be the user's"
    for before, after in pairwise(messages):
        if before["role"] == after["role"]:
            return "messages: roles must alternate"
    known = {tool["name"] for tool in request["tools"]}
    asked: list[str] = []
    for message in messages:
        if not message["content"]:
            return "messages: empty content"
        answered = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if sorted(answered) != sorted(asked):
            return f"messages: tool_use ids {asked} were answered by {answered}"
        asked = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if any(
            set(block) - {"type", "text", "id", "name", "input", "tool_use_id", "content", "is_error"}
            for block in message["content"]
        ):
            return "messages: extra inputs are not permitted"
    if not known:
        return "tools: none"
    return None if messages[-1]["role"] == "user" else "messages: the last must be the user's"
