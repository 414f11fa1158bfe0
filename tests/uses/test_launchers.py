"""Programs of yours that hand their options on, and arguments that an operator or a chart hands on by the name of a key."""

from __future__ import annotations

import pytest

from daybreak.core.projects import Wanted, wanted_for, with_launchers
from daybreak.upgrade.downstream.readers import uses

PLAIN = wanted_for(["vllm-project/vllm", "sgl-project/sglang"])
WANTED = with_launchers(
    PLAIN,
    {
        "our-serve": "vllm serve",
        "dynamo.vllm": "vllm serve",
        "scripts/launch.py": "python -m sglang.launch_server",
        "registry.acme.dev/team/llm": "vllm serve",
        "unrelated": "nginx",
    },
)
CASES = {
    "a program in a script": ("run.sh", "our-serve m --swap-space 4\n", "vllm serve --swap-space@1"),
    "a program by its path": ("run.sh", "exec /opt/bin/our-serve --swap-space 4\n", "vllm serve --swap-space@1"),
    "a module": ("run.sh", "python3 -m dynamo.vllm --swap-space 4\n", "vllm serve --swap-space@1"),
    "a script": ("run.sh", "python -u scripts/launch.py --tp 2\n", "python -m sglang.launch_server --tp@1"),
    "a module in an operator's arguments": (
        "graph.yaml", "command: [python3]\nargs:\n- -m\n- dynamo.vllm\n- --swap-space\n- '4'\n", "vllm serve --swap-space@5"),
    "an image of yours": (
        "pod.yaml", "image: registry.acme.dev/team/llm:1.2\nargs: ['--swap-space', '4']\n", "vllm serve --swap-space@2"),
    "a command in Python": ("app.py", "import os\nos.system('our-serve m --swap-space 4')\n", "vllm serve --swap-space@2"),
    "what starts nothing watched": ("run.sh", "unrelated --swap-space 4\n", ""),
}  # fmt: skip
KEYS = {
    "values of a chart": ("values.yaml", "vllm:\n  extraArgs:\n  - --swap-space\n  - '4'\n", "vllm serve --swap-space@3"),
    "a key that joins the name": ("values.yaml", "vllmConfig:\n  args: [--swap-space, '4']\n", "vllm serve --swap-space@2"),
    "arguments named for the program": ("cr.yaml", "spec:\n  vllmArgs:\n  - --swap-space=4\n", "vllm serve --swap-space@3"),
    "an operator that names its engine": (
        "cr.yaml", "spec:\n  engine: vllm\n  worker:\n    args: ['--swap-space=4']\n", "vllm serve --swap-space@4"),
    "arguments of something else": ("values.yaml", "redis:\n  args: ['--swap-space=4']\nvllm: {}\n", ""),
}  # fmt: skip


def flags(path: str, text: str, wanted: Wanted) -> str:
    return " ".join(
        f"{use.program} {use.name}@{use.line}" for use in uses(path, text, wanted) if use.kind == "cli_flag"
    )


@pytest.mark.parametrize(("path", "text", "expected"), CASES.values(), ids=CASES.keys())
def test_options_go_to_the_program_that_a_launcher_hands_them_to(path: str, text: str, expected: str) -> None:
    assert flags(path, text, WANTED) == expected
    assert flags(path, text, PLAIN) == ""


@pytest.mark.parametrize(("path", "text", "expected"), KEYS.values(), ids=KEYS.keys())
def test_arguments_belong_to_the_program_that_a_key_names(path: str, text: str, expected: str) -> None:
    assert flags(path, text, PLAIN) == expected
