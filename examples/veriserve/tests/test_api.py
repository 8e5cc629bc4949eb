"""The HTTP API by real requests to a real server process: answers, streams, limits, and everything wrong."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import torch

from veriserve.cli import main

NAME = "SmolLM2-135M-Instruct"
CAPITAL = {"messages": [{"role": "user", "content": "What is the capital of France?"}], "temperature": 0}


def serve(*options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "veriserve.cli", "serve", "--single", "--threads", "1", *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def server() -> Iterator[httpx.Client]:
    process = serve("--port", "0", "--kv-tokens", "4096", "--max-model-len", "1024")
    assert process.stderr is not None
    told = process.stderr.readline()
    found = re.search(r"http://\S+", told)
    assert found, told
    with httpx.Client(base_url=found[0], timeout=120) as client:
        yield client
    process.terminate()
    process.wait(20)
    process.stderr.close()


def complete(server: httpx.Client, **fields: Any) -> dict[str, Any]:
    fields = {"model": NAME, "prompt": "One, two, three,", "temperature": 0, "max_tokens": 6} | fields
    response = server.post("/v1/completions", json=fields)
    assert response.status_code == 200, response.text
    return response.json()


def stream(server: httpx.Client, path: str, **fields: Any) -> list[dict[str, Any]]:
    with server.stream("POST", path, json={"model": NAME, "stream": True} | fields) as response:
        lines = [line for line in response.iter_lines() if line]
    assert response.headers["content-type"].startswith("text/event-stream")
    assert lines[-1] == "data: [DONE]" and all(line.startswith("data: ") for line in lines)
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


def test_chat(server: httpx.Client) -> None:
    answer = server.post("/v1/chat/completions", json={"model": NAME} | CAPITAL).json()
    assert answer["object"] == "chat.completion"
    (choice,) = answer["choices"]
    assert choice["message"] == {"role": "assistant", "content": "The capital of France is Paris."}
    assert choice["finish_reason"] == "stop"
    assert answer["usage"]["prompt_tokens"] + answer["usage"]["completion_tokens"] == answer["usage"]["total_tokens"]


def test_a_chat_streams_the_same_text(server: httpx.Client) -> None:
    pieces = stream(server, "/v1/chat/completions", stream_options={"include_usage": True}, **CAPITAL)
    *pieces, last = pieces
    text = "".join(piece["choices"][0]["delta"]["content"] for piece in pieces)
    assert text == "The capital of France is Paris."
    assert [piece["choices"][0]["finish_reason"] for piece in pieces][-1] == "stop"
    assert last["choices"] == [] and last["usage"]["completion_tokens"] == 8


def test_completion_ends_at_its_limit(server: httpx.Client) -> None:
    answer = complete(server)
    assert answer["choices"][0] == {
        "index": 0,
        "text": " four, five, six,",
        "finish_reason": "length",
        "logprobs": None,
    }
    assert answer["usage"]["completion_tokens"] == 6


@pytest.mark.parametrize("stop", [" six", ["nothing", "ve, s", " six"]])
def test_stop_strings_end_it_and_are_left_out(server: httpx.Client, stop: Any) -> None:
    whole = complete(server, stop=stop, max_tokens=30)["choices"][0]
    text = " four, five, six,"
    first = min(text.find(each) for each in ([stop] if isinstance(stop, str) else stop) if each in text)
    assert (whole["text"], whole["finish_reason"]) == (text[:first], "stop")
    pieces = stream(server, "/v1/completions", prompt="One, two, three,", temperature=0, max_tokens=30, stop=stop)
    assert "".join(piece["choices"][0]["text"] for piece in pieces) == text[:first]


def test_seed_fixes_what_is_drawn(server: httpx.Client) -> None:
    one, same, other = (
        [choice["text"] for choice in complete(server, temperature=1, top_p=0.95, seed=seed, n=2)["choices"]]
        for seed in (1, 1, 3)
    )
    assert one == same != other
    assert one[0] != one[1]


def test_prompts_as_text_and_as_tokens_and_many(server: httpx.Client) -> None:
    texts = ["One, two, three,", "Roses are red, violets are"]
    alone = [complete(server, prompt=text)["choices"][0]["text"] for text in texts]
    together = complete(server, prompt=texts)
    assert [(choice["index"], choice["text"]) for choice in together["choices"]] == list(enumerate(alone))
    tokens = [2705, 28, 827, 28, 1296, 28]  # the first text
    assert complete(server, prompt=tokens)["choices"][0]["text"] == alone[0]
    assert (
        together["usage"]["prompt_tokens"] > len(tokens) == complete(server, prompt=[tokens])["usage"]["prompt_tokens"]
    )


def test_the_prefix_cache_is_told_in_the_usage(server: httpx.Client) -> None:
    prompt = "The quick brown fox jumps over the lazy dog. " * 12
    cold, warm = (complete(server, prompt=prompt) for _ in range(2))
    assert warm["choices"] == cold["choices"]
    assert warm["usage"]["prompt_tokens_details"]["cached_tokens"] >= 96


def test_models_health_and_metrics(server: httpx.Client) -> None:
    assert [model["id"] for model in server.get("/v1/models").json()["data"]] == [NAME]
    assert server.get("/health").status_code == 200
    complete(server)
    text = server.get("/metrics").text
    assert 'veriserve_pages{state="PRIVATE"} 0.0' in text
    assert re.search(r'veriserve_requests_total\{status="200"\} [1-9]', text)
    assert re.search(r"veriserve_first_token_seconds_count [1-9]", text)


GOOD = {"model": NAME, "prompt": "Hi", "max_tokens": 1}
CHAT = {"model": NAME, "messages": [{"role": "user", "content": "Hi"}]}
BAD: dict[str, tuple[str, Any, int, str | None]] = {
    "empty prompt": ("completions", GOOD | {"prompt": ""}, 400, "prompt"),
    "no prompt": ("completions", {"model": NAME}, 400, "prompt"),
    "too long": ("completions", GOOD | {"prompt": "word " * 2000}, 400, "prompt"),
    "too many tokens": ("completions", GOOD | {"max_tokens": 5000}, 400, "prompt"),
    "negative tokens": ("completions", GOOD | {"max_tokens": -1}, 400, "max_tokens"),
    "tokens as text": ("completions", GOOD | {"max_tokens": "5"}, 400, "max_tokens"),
    "a truth as tokens": ("completions", GOOD | {"max_tokens": True}, 400, "max_tokens"),
    "negative temperature": ("completions", GOOD | {"temperature": -0.1}, 400, "temperature"),
    "top_p zero": ("completions", GOOD | {"top_p": 0}, 400, "top_p"),
    "huge seed": ("completions", GOOD | {"seed": 2**64}, 400, "seed"),
    "n zero": ("completions", GOOD | {"n": 0}, 400, "n"),
    "many stops": ("completions", GOOD | {"stop": ["x"] * 10_000}, 400, "stop"),
    "empty stop": ("completions", GOOD | {"stop": [""]}, 400, "stop"),
    "unknown model": ("completions", GOOD | {"model": "gpt-5"}, 404, "model"),
    "unknown field": ("completions", GOOD | {"top_kk": 1}, 400, "top_kk"),
    "unserved option": ("completions", GOOD | {"logprobs": 0}, 400, "logprobs"),
    "foreign token": ("completions", GOOD | {"prompt": [49_152]}, 400, "prompt"),
    "negative token": ("completions", GOOD | {"prompt": [-1]}, 400, "prompt"),
    "no messages": ("chat/completions", CHAT | {"messages": []}, 400, "messages"),
    "unknown role": ("chat/completions", CHAT | {"messages": [{"role": "x", "content": ""}]}, 400, "messages"),
    "an image": (
        "chat/completions",
        CHAT | {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]},
        400,
        "messages",
    ),
    "half a surrogate": ("completions", b'{"model": "%s", "prompt": "\\ud800"}' % NAME.encode(), 400, None),
    "not UTF-8": ("completions", b'{"model": "\xff\xfe"}', 400, None),
    "not JSON": ("completions", b"{", 400, None),
    "deep JSON": ("completions", b"[" * 100_000, 400, None),
    "a list": ("completions", b"[]", 400, None),
    "infinity": (
        "completions",
        b'{"model": "%s", "prompt": "x", "temperature": Infinity}' % NAME.encode(),
        400,
        "temperature",
    ),
    "long number": ("completions", b'{"seed": %s}' % (b"9" * 5000), 400, None),
    "nothing": ("completions", b"", 400, None),
    "huge body": ("completions", b" " * (5 << 20), 413, None),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_openai_words(server: httpx.Client, case: str) -> None:
    path, body, status, param = BAD[case]
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = server.post(f"/v1/{path}", content=content)
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert error["message"] and error["type"] == "invalid_request_error" and error["param"] == param
    assert len(response.text) < 2000


def test_no_such_route_or_method(server: httpx.Client) -> None:
    assert server.get("/v1/nothing").json()["error"]["type"] == "invalid_request_error"
    assert server.get("/v1/completions").status_code == 405


@pytest.mark.parametrize("streaming", [True, False])
def test_a_client_that_hangs_up_ends_its_request(server: httpx.Client, streaming: bool) -> None:
    fields = {"model": NAME, "prompt": "Once", "max_tokens": 900, "ignore_eos": True, "stream": streaming}
    with (
        pytest.raises(httpx.TimeoutException),
        server.stream("POST", "/v1/completions", json=fields, timeout=3) as reply,
    ):
        next(reply.iter_lines())
        raise httpx.ReadTimeout("seen enough")
    for _ in range(100):
        text = server.get("/metrics").text
        if "veriserve_running 0.0" in text and "veriserve_waiting 0.0" in text:
            break
        time.sleep(0.1)
    assert 'veriserve_pages{state="PRIVATE"} 0.0' in text
    assert complete(server)["choices"][0]["text"] == " four, five, six,"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--model", "no/such/folder"], "no model here"),
        (["--attention", "magic"], "attention backend"),
        (["--kv-tokens", "3"], "kv_tokens"),
        (["--page-size", "16", "--device", "cuda"], "no CUDA device"),
    ],
)
def test_a_start_that_can_not_be_is_one_paragraph(
    options: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "cuda" in options and torch.cuda.is_available():
        pytest.skip("here it can be")
    monkeypatch.setattr(sys, "argv", ["veriserve", "serve", "--single", "--port", "0", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    stderr = capsys.readouterr().err
    assert ended.value.code == 2 and told in stderr and stderr.count("\n") == 1


def test_a_port_in_use_is_one_paragraph() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = serve("--port", str(taken.getsockname()[1]))
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2 and "Can't listen" in stderr and stderr.count("\n") == 1


def test_every_module_says_what_it_is_for() -> None:
    modules = sorted(Path(__file__).parents[1].glob("veriserve/*.py"))
    assert modules and all(module.read_text().startswith('"""') for module in modules)
