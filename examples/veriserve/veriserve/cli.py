"""The command line: `veriserve serve`."""

from __future__ import annotations

import contextlib
import logging
import socket
import sys
from collections.abc import AsyncIterator

import click
import torch
import uvicorn
from starlette.applications import Starlette

from veriserve import __version__
from veriserve.api import Api
from veriserve.backend import LocalBackend
from veriserve.config import DTYPES, PAGE_SIZES, EngineConfig
from veriserve.engine import Engine
from veriserve.errors import VeriserveError


@click.group()
@click.version_option(__version__)
def cli() -> None:
    """A small LLM serving engine whose every KV page is accounted for."""


@cli.command()
@click.option("--single", is_flag=True, help="One process: API, prefill and decode together.")
@click.option("--model", default="smollm2", show_default=True, help="smollm2, a folder, a .gguf, or random:SHAPE.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Nothing here asks who calls; mind who can.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--device", default="cpu", show_default=True)
@click.option("--dtype", default="auto", show_default=True, type=click.Choice(["auto", *DTYPES]))
@click.option("--page-size", default="16", show_default=True, type=click.Choice([str(size) for size in PAGE_SIZES]))
@click.option("--kv-tokens", default=16_384, show_default=True, help="Tokens that the KV pool holds.")
@click.option("--max-batch", default=32, show_default=True, help="Requests in a step.")
@click.option(
    "--max-step-tokens", default=512, show_default=True, help="Tokens in a step; longer prompts go in chunks."
)
@click.option("--max-model-len", default=0, help="Longest context; 0 for what model and pool allow.")
@click.option("--attention", default="auto", show_default=True, help="The attention backend.")
@click.option("--prefix-cache/--no-prefix-cache", default=True, show_default=True)
@click.option(
    "--deadline-s", default=600.0, show_default=True, help="Seconds after which a request ends with an error."
)
@click.option("--threads", default=0, help="Threads of torch; 0 for its own choice.")
def serve(single: bool, host: str, port: int, threads: int, page_size: str, **options: object) -> None:
    """Serve the OpenAI-compatible API.

    Example: veriserve serve --single --port 8000
    """
    if not single:
        raise VeriserveError("Only one process can be started so far", todo="Add --single")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", stream=sys.stderr)
    if threads:
        torch.set_num_threads(threads)
    listening = listen(host, port)  # before the weights are read, which takes longer
    backend = LocalBackend(Engine(EngineConfig(page_size=int(page_size), **options)))  # type: ignore[arg-type]

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        backend.start()
        click.echo(f"serving {backend.name} on http://{host}:{listening.getsockname()[1]}", err=True)
        yield
        backend.stop()

    settings = uvicorn.Config(Api(backend).app(lifespan), log_level="warning", timeout_graceful_shutdown=5)
    uvicorn.Server(settings).run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to ``host`` and ``port``.

    Raises:
        VeriserveError: the port is in use, or the address is not this machine's.
    """
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        raise VeriserveError(
            f"Can't listen: {error.strerror or error}",
            where=f"{host}:{port}",
            todo="Choose another with --host, --port",
        ) from None
    return sock


def main() -> None:
    """Run the command; an expected error is one paragraph and exit code 2."""
    try:
        cli()
    except VeriserveError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
