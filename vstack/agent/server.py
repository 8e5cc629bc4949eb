"""The MCP server: the verbs as tools over standard input and output, for any agent that speaks the protocol."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from anyio import to_thread
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from vstack import __version__
from vstack.agent.call import Answer, call
from vstack.agent.verbs import VERBS, Verb, input_schema
from vstack.process import stop_all

INSTRUCTIONS = """\
vstack says what holds of a model of your code; you never do. Report each answer's `meaning`, and do not call
`undecided` or `as expected` that a goal holds. Order of work: init, spec_draft, spec_show, then a PERSON approves in
a terminal (`vstack spec approve`; there is no such tool here, and a draft is not an approval), anchor_check, scope,
validate, verify, check, explain, reproduce. A call that comes back `still running` goes on: ask `status` for it.
"""


def tool(verb: Verb) -> types.Tool:
    """The verb as the protocol describes a tool."""
    return types.Tool(
        name=verb.name,
        title=f"vstack {' '.join(verb.path)}",
        description=verb.description,
        input_schema=input_schema(verb.name),
        output_schema=Answer.model_json_schema(),
        # Nothing is ever deleted, and runs write evidence of their own; hosts may ask before verbs that write.
        annotations=types.ToolAnnotations(
            read_only_hint=not verb.writes and not verb.long, destructive_hint=False, open_world_hint=False
        ),
    )


def make_server(root: Path) -> Server[dict[str, Any]]:
    """A server whose verbs work in the folder ``root``."""
    running = anyio.Semaphore(4)

    async def list_tools(
        context: ServerRequestContext[dict[str, Any]], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool(verb) for verb in VERBS.values()])

    async def call_tool(
        context: ServerRequestContext[dict[str, Any]], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in VERBS:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool `{params.name}`; there are: {', '.join(VERBS)}.")
        async with running:
            # A client that gives up waits no longer; the command goes on to its own end.
            work = partial(call, params.name, params.arguments or {}, root)
            answer = await to_thread.run_sync(work, abandon_on_cancel=True)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.model_dump_json(exclude_none=True))],
            structured_content=answer.model_dump(mode="json"),
            is_error=answer.error is not None,
        )

    return Server(
        "vstack",
        version=__version__,
        title="vstack",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve(root: Path) -> None:
    """Serve until standard input ends; commands that still run in this process's name are stopped then."""

    async def main() -> None:
        server = make_server(root)
        async with stdio_server() as (read_stream, write_stream):
            await server.run(read_stream, write_stream, server.create_initialization_options())

    try:
        anyio.run(main)
    finally:
        stop_all(for_good=True)
