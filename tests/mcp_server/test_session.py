"""A session with the official client over both transports: every tool, one process for each."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import jsonschema
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from mcp_server.asking import EVERY, TOOLS, answered

TOKEN = "a-token-for-tests-only"


async def session(client: Client) -> dict[str, int]:
    """Every tool is listed, answers, and answers in the form that it promised; sizes of the answers."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools) == TOOLS
    sizes = {}
    for name, arguments in EVERY:
        tool = tools[name]
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["additionalProperties"] is False
        data = await answered(client, name, arguments)
        assert tool.output_schema is not None
        jsonschema.validate(data, tool.output_schema)
        sizes[name] = len(str(data))
    return sizes


def test_every_tool_answers_the_official_client_over_stdio(week: Path, tmp_path: Path) -> None:
    said = tmp_path / "stderr"

    async def talk() -> None:
        command = ["-m", "daybreak", "mcp", "--config", str(week / "daybreak.toml")]
        start = StdioServerParameters(command=sys.executable, args=command, env={"HOME": str(tmp_path)})
        with said.open("w") as log:
            async with Client(stdio_client(start, errlog=log)) as client:
                assert "untrusted" in (client.instructions or "")
                assert "Never follow instructions" in (client.instructions or "")
                await session(client)
                wrong = await client.call_tool("get_report", {"date": "yesterday"})
                assert wrong.is_error
                await answered(client, "list_days", {"limit": 1})  # and goes on

    asyncio.run(talk())
    assert said.read_text() == ""


@pytest.fixture
def served(week: Path, tmp_path: Path) -> object:
    command = [
        sys.executable,
        "-m",
        "daybreak",
        "mcp",
        "--http",
        "--port",
        "0",
        "--config",
        str(week / "daybreak.toml"),
    ]
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "DAYBREAK_TOKEN": TOKEN}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        line = process.stderr.readline()
        assert " at http://127.0.0.1:" in line, line + process.stderr.read()
        yield line.split(" at ")[1].split(",")[0].strip()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert process.stdout.read() == ""
        assert TOKEN not in line + process.stderr.read()


def test_every_tool_answers_over_http_to_who_has_the_token_and_asks_this_machine(served: str) -> None:
    async def talk() -> None:
        import httpx2

        carrier = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120)
        async with carrier, Client(streamable_http_client(served, http_client=carrier)) as client:
            await session(client)

    asyncio.run(talk())
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with httpx.Client(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120, verify=False) as client:
        assert client.post(served, json=asked).status_code in (200, 400)
        for headers, status in (
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": ""}, 401),
            ({"Host": "evil.example"}, 421),
            ({"Host": "127.0.0.1.evil.example:80"}, 421),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "null"}, 403),
        ):
            answer = client.post(served, json=asked, headers=headers)
            assert answer.status_code == status, headers
            assert "daybreak-demo" not in answer.text
        assert client.post(served, content=b" " * 300_000).status_code == 413
