from __future__ import annotations

import contextlib
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.projects import Unreadable, shown
from daybreak.upgrade.downstream.nodes import json_tree
from daybreak.upgrade.downstream.yaml import yaml_trees
from timing import cpu
from uses.reading import read, short

CASES = {
    "a container's command and arguments": (
        """\
        spec:
          containers:
          - name: main
            image: vllm/vllm-openai:v0.14.1
            args: ["--max-model-len", "4096"]
            env:
            - name: VLLM_A
              value: "1"
        """,
        ["pin vllm===0.14.1@4", "cli_flag --max-model-len=4096@5", "env VLLM_A=1@7"],
    ),
    "a list of arguments, one a line": (
        "image: vllm/vllm-openai:latest\nargs:\n- --a\n- '1'\n- --b=2\n",
        ["pin vllm=latest@1", "cli_flag --a=1@3", "cli_flag --b=2@5"],
    ),
    "a shell in the command": (
        "command: [/bin/sh, -c]\nargs:\n- |\n  set -e\n  vllm serve m \\\n    --a 1\n",
        ["cli_flag --a=1@6"],
    ),
    "a folded text for a shell": (
        "command: [sh, -c]\nargs:\n- >-\n  vllm serve m\n  --a 1\n  --b\n",
        ["cli_flag --a=1@5", "cli_flag --b@6"],
    ),
    "a folded text for a shell in one list": (
        "command:\n- bash\n- -c\n- >\n  exec vllm serve m \\\n  --a 1\n\n  other --b\n",
        ["cli_flag --a=1@6"],
    ),
    "a folded value": (
        'image: vllm/vllm-openai:latest\nargs:\n- --x-config\n- >-\n  {"a": 1,\n  "b": 2}',
        ["pin vllm=latest@1", 'cli_flag --x-config={"a": 1,\n"b": 2}@3', "config_key x-config.a=1@5", "config_key x-config.b=2@6"],
    ),
    "a folded command": ("command: >-\n  vllm serve m\n  --a 1\n  --b\n", ["cli_flag --a=1@3", "cli_flag --b@4"]),
    "a plain command over lines": ("command: vllm serve m\n  --a 1\n", ["cli_flag --a=1@2"]),
    "a schema of fields is no use of them, and the lines behind it keep their numbers": (
        ("kind: CustomResourceDefinition\nspec:\n  image: vllm/vllm-openai:v0.1.0\n---\nimage: vllm/vllm-openai:v0.2.0\n"
        "---\nspec:\n  command: vllm serve m --a\nkind: CustomResourceDefinition\n---\nimage: vllm/vllm-openai:v0.3.0\n"),
        ["pin vllm===0.2.0@5", "pin vllm===0.3.0@11"],
    ),
    "documents of one file do not share what they say": (
        "image: vllm/vllm-openai:v0.1.0\nargs: [--a]\n---\nimage: lmsysorg/sglang:v0.5.6\nargs: [--b]\n--- # third\nimage: x\nargs: [--c]\n",
        ["pin vllm===0.1.0@1", "cli_flag --a@2", "pin sglang===0.5.6@4"],
    ),
    "a compose file": (
        ("services:\n  llm:\n    image: lmsysorg/sglang:v0.5.6\n    environment:\n      - SGLANG_A=1\n"
        "    command: python3 -m sglang.launch_server --tp-size 2\n"),
        ["pin sglang===0.5.6@3", "env SGLANG_A=1@5", "cli_flag --tp-size=2@6"],
    ),
    "flags alone, for the image": (
        "image: vllm/vllm-openai:latest\ncommand: >\n  --a 1\n  --b\n", ["pin vllm=latest@1", "cli_flag --a=1@3", "cli_flag --b@4"],
    ),
    "entry point and command": ("entrypoint: [vllm, serve]\ncommand: [m, --a]\n", ["cli_flag --a@2"]),
    "a check that is run": ("healthcheck:\n  test: [CMD, curl, http://localhost:8000/health]\n", ["route /health@2"]),
    "a map of variables": ("environment:\n  VLLM_A: 1\n  OTHER: 2\n", ["env VLLM_A=1@2"]),
    "a workflow": (
        "jobs:\n  x:\n    steps:\n    - run: |\n        pip install vllm==0.14.1\n        vllm serve --a\n      env:\n        VLLM_A: 1\n",
        ["pin vllm===0.14.1@5", "cli_flag --a@6", "env VLLM_A=1@8"],
    ),
    "a chart's values": (
        "image:\n  repository: vllm/vllm-openai\n  tag: v0.14.1\nextraArgs:\n- --a\n",
        ["pin vllm===0.14.1@3", "cli_flag --a@5"],
    ),
    "a chart's template": (
        ('{{- if .Values.vllm }}\ncontainers:\n- image: "{{ .Values.image }}"\n  args:\n  {{- range .Values.x }}\n  - {{ . }}\n'
        "  {{- end }}\n  - --max-model-len={{ .Values.len }}\n  - --kv-cache-dtype=fp8\n{{- end }}\n"),
        ["cli_flag --max-model-len={{ .Values.len }}@8", "cli_flag --kv-cache-dtype=fp8@9"],
    ),
    "an image of our own that takes the program's flags": (
        "image: registry.acme.io/llm:3\nargs: [--max-model-len=1, --tensor-parallel-size=2, --rare]\n",
        ["cli_flag --max-model-len=1@2", "cli_flag --rare@2", "cli_flag --tensor-parallel-size=2@2"],
    ),
    "settings": (
        "model: m\ntensor-parallel-size: 2\nmax-model-len: 10\n",
        ["config_key model=m@1", "config_key tensor-parallel-size=2@2", "config_key max-model-len=10@3"],
    ),
    "settings of an engine": (
        "# vllm\nllm_configs:\n- engine_kwargs:\n    max_model_len: 10\n",
        ["config_key max_model_len=10@4"],
    ),
    "a probe": ("# vllm\nlivenessProbe:\n  httpGet:\n    path: /health\n", ["route /health@4"]),
    "a script in a map of files": ("data:\n  run.sh: |\n    vllm serve --a\n", ["cli_flag --a@3"]),
    "a repository nobody wrote down": ("image: acme/lantern:v1.2\nargs: [--a]\n", ["pin lantern===1.2@1", "cli_flag --a@2"]),
    "a conda environment": ("dependencies:\n- vllm=0.14.1\n- pip:\n  - sglang>=0.5\n", ["pin vllm===0.14.1@2", "pin sglang=>=0.5@4"]),
    "a checkout": ("with:\n  repository: vllm-project/vllm\n  ref: v0.14.1\n", ["pin vllm=@v0.14.1@3"]),
    # what is not ours
    "a flag of another container": ("image: nginx:1\nargs: [--a, --max-model-len]\n", []),
    "a side-car below a watched image": ("image: vllm/vllm-openai:v1.0\nsidecar:\n  image: nginx\n  args: [--a]\n", ["pin vllm===1.0@1"]),
    "a comment": ("# command: vllm serve --a\nx: y # VLLM_A=1\n", []),
    "a description": ("description: run vllm serve --a\n", []),
    "a folder on a disk": ("# vllm\nhostPath:\n  path: /health\n", []),
    "a variable of another project": ("env:\n- name: NCCL_A\n  value: 1\n", []),
    "a value that looks like a variable": ("backend: CUTLASS_MLA\n", []),
    "one setting alone is no settings file": ("max-model-len: 10\nname: x\n", []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_manifests(case: str) -> None:
    text, expected = CASES[case]
    assert short("x.yaml", textwrap.dedent(text)) == expected


def test_a_flag_in_a_manifest_names_its_program() -> None:
    text = "image: vllm/vllm-openai:v1\nargs: [--a]\n"
    assert [use.program for use in read("x.yaml", text) if use.kind == "cli_flag"] == ["vllm serve"]


def test_a_launch_configuration() -> None:
    text = '{"configurations": [{"module": "vllm.entrypoints.openai.api_server",\n "args": ["--a", "1"], // note\n}]}'
    assert [(use.name, use.value, use.line, use.program) for use in read("launch.json", text)] == [
        ("--a", "1", 2, "python -m vllm.entrypoints.openai.api_server")
    ]


def test_json_that_is_none_is_named() -> None:
    with pytest.raises(Unreadable, match="not JSON"):
        read("x.json", '{"vllm": [1, 2}')


def test_a_model_names_its_architecture() -> None:
    assert short("config.json", '{"architectures": ["LlamaForCausalLM"]}') == ["model LlamaForCausalLM@1"]


PIECES = st.sampled_from(
    ["a: ", "- ", "\n", "  ", "    ", "{", "}", "[", "]", ",", '"', "'", "|", ">", "|\n", "#", "{{ x }}", "{{- if x }}\n", "---\n", "image: ",
     "vllm/vllm-openai:v1", "args:\n", "- --a\n", "env:\n", "VLLM_A", "command: ", "vllm serve --b", "&x ", "*x", "<<: ", "\t", "\r\n", ":", "?", "é",
     "max-model-len: 1\n", "block-size: 2\n", "expr: vllm:x_total", "\\n"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=300))
def test_any_text_is_read_and_a_use_stands_on_its_line(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for use in read("x.yaml", text):
        assert use.text == shown(lines[use.line - 1])
    try:
        for use in read("x.json", text):
            assert use.text == shown(lines[use.line - 1])
    except Unreadable:
        pass


@pytest.mark.parametrize(
    "piece",
    ["[", "- ", "a: {", "a:\n ", '"a\n', 'a: "x\n  ', "a: '\n ", "{{", '{"a":', "a: {\n", "- {a: [\n", '"', ": ", "{\n}\n", "a\n", " #", "a: |\n  x\n", "/*", "{'",
     "'", "- - ", "a: &b "],
)  # fmt: skip
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def both(count: int) -> None:
        yaml_trees(piece * count)
        with contextlib.suppress(ValueError):
            json_tree(piece * count)

    def cost(count: int) -> float:
        return cpu(lambda: both(count))

    cost(100)
    small, large = cost(400), cost(6_400)
    assert large < 0.3 or large < 60 * max(small, 0.002)
