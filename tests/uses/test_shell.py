from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.projects import shown
from daybreak.upgrade.downstream.shell import shell_file
from timing import cpu
from uses.reading import WANTED, read, short

SERVE = "vllm serve"
LAUNCH = "python -m sglang.launch_server"

FLAGS = {
    "a flag with its value": ("vllm serve m --max-model-len 4096", ["--max-model-len=4096@1"]),
    "a flag with an equals sign": ("vllm serve m --max-model-len=4096", ["--max-model-len=4096@1"]),
    "a flag without value": ("vllm serve m --enforce-eager", ["--enforce-eager@1"]),
    "a negative number is a value": ("vllm serve m --seed -1", ["--seed=-1@1"]),
    "a short flag": ("vllm serve m -tp 4", ["-tp=4@1"]),
    "continued lines keep their own line": ("vllm serve m \\\n  --a 1 \\\n  --b", ["--a=1@2", "--b@3"]),
    "a program with its folder": ("/opt/venv/bin/vllm serve --a", ["--a@1"]),
    "variables before the program": ("CUDA_VISIBLE_DEVICES=0 HF_HOME=/x vllm serve --a", ["--a@1"]),
    "through other programs": ("sudo -E timeout 30 numactl -N 0 vllm serve --a", ["--a@1"]),
    "a script that ends with its arguments": ("./with_gpu.sh vllm serve --a", ["--a@1"]),
    "after keywords": ("if ! vllm serve --a; then exit 1; fi", ["--a@1"]),
    "in the background with output elsewhere": ("nohup vllm serve --a > log 2>&1 &", ["--a@1"]),
    "only until the pipe": ("vllm serve --a | tee --append log", ["--a@1"]),
    "only until the next command": ("vllm serve --a && curl --fail x; ls --all", ["--a@1"]),
    "a text given to a shell": ('bash -c "cd /x && vllm serve --a"', ["--a@1"]),
    "a text over lines given to a shell": ("ssh host '\ncd /x\nvllm serve --a\n'", ["--a@3"]),
    "a command given to eval": ('eval "vllm serve \\\n  --a 1 \\\n  --b"', ["--a=1@2", "--b@3"]),
    "eval joins its words": ('eval vllm "serve --a 1" --b', ["--a=1@1", "--b@1"]),
    "a quoted key inside an expansion": ('n=${counts["${key}"]}\nvllm serve --a', ["--a@2"]),
    "in a substitution": ("pid=$(vllm serve --a)", ["--a@1"]),
    "an array": ('ARGS=(--a 1\n  --b)\nvllm serve "${ARGS[@]}"', ["--a=1@1", "--b@2"]),
    "an array that grows": ('ARGS=(--a)\nARGS+=(--b)\nvllm serve "${ARGS[@]}"', ["--a@1", "--b@2"]),
    "a variable with flags": ('EXTRA="--a 1 --b"\nvllm serve $EXTRA', ["--a=1@1", "--b@1"]),
    "a variable with the command": ('CMD="vllm serve m --a"\n$CMD --b', ["--a@1", "--b@2"]),
    "a container of a watched image": ("docker run --gpus all -p 1:1 vllm/vllm-openai:v1 --a 1", ["--a=1@1"]),
    "a script that is written": ("cat > run.sh <<'EOF'\nvllm serve --a\nEOF\n", ["--a@2"]),
    "a template mark is a word": ("vllm serve {{ .Values.model | quote }} --a", ["--a@1"]),
    "a function that hands its arguments on": ('go() {\n  vllm serve "$@"\n}\ngo --a 1\n', ["--a=1@4"]),
    "an array of a function": ('go() {\n  local x=(--a)\n  vllm serve "${x[@]}"\n}\n', ["--a@2"]),
    "wrapped for a queue": ('sbatch --wrap="vllm serve --a"', ["--a@1"]),
    "a pod": ("kubectl run x --image=vllm/vllm-openai:v1 -- --a", ["--a@1"]),
    "a function that keeps its arguments": ("go() {\n  vllm serve m\n}\ngo --a 1\n", []),
    "uv runs it": ("uv run vllm serve --a", ["--a@1"]),
    # what is not ours
    "a flag of curl": ("curl --max-model-len 1 http://x", []),
    "a flag of docker": ("docker run --enforce-eager nginx", []),
    "a flag of pip": ("pip install --upgrade vllm --pre", []),
    "a comment": ("# vllm serve --a", []),
    "a comment after a command": ("ls # vllm serve --a", []),
    "only echoed": ('echo "vllm serve --a"', []),
    "only printed with its flags": ("printf '%s' vllm serve --a", []),
    "only shown": ("cat <<EOF\nvllm serve --a\nEOF\n", []),
    "a command that is never run": ('CMD="vllm serve --a"\necho "$CMD"', []),
    "only looked for": ("pgrep -f vllm serve --a", []),
    "the name of a backend": ("python bench.py --backend vllm --dataset x", []),
    "the name of a container": ("docker exec vllm pip uninstall vllm -y", []),
    "another program with a longer name": ("vllm-router --a", []),
    "another module": ("python -m vllmx.server --a", []),
}  # fmt: skip


@pytest.mark.parametrize("case", FLAGS)
def test_flags_belong_to_the_program_that_takes_them(case: str) -> None:
    text, expected = FLAGS[case]
    assert [one.removeprefix("cli_flag ") for one in short("a.sh", text, "cli_flag")] == expected


PROGRAMS = {
    "vllm serve m --a": SERVE,
    "vllm bench serve --a": "vllm bench serve",
    "python3.12 -u -m sglang.launch_server --a": LAUNCH,
    "torchrun --nproc-per-node 2 -m sglang.launch_server --a": LAUNCH,
    "docker run vllm/vllm-openai --a": SERVE,
    "docker run ghcr.io/mirror/vllm/vllm-openai:v0.14.1 --a": SERVE,
    "docker run lmsysorg/sglang:latest python3 -m sglang.launch_server --a": LAUNCH,
    "lantern-serve --a": "lantern-serve",
    "srun lantern-serve --a": "lantern-serve",
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_flag_names_its_program(text: str) -> None:
    assert [use.program for use in read("a.sh", text) if use.name == "--a"] == [PROGRAMS[text]]


VARIABLES = {
    "exported": ("export VLLM_A=1 OTHER=2", ["VLLM_A=1@1"]),
    "before a command": ("VLLM_A=1 python x.py", ["VLLM_A=1@1"]),
    "given by env": ("env -u VLLM_B VLLM_A=1 python x.py", ["VLLM_A=1@1", "VLLM_B@1"]),
    "given to a container": ("docker run -e VLLM_A=1 --env=VLLM_B=2 -e VLLM_C nginx", ["VLLM_A=1@1", "VLLM_B=2@1", "VLLM_C@1"]),
    "read": ('if [ -n "${VLLM_A:-}" ]; then :; fi', ["VLLM_A@1"]),
    "unset": ("unset VLLM_A", ["VLLM_A@1"]),
    "csh": ("setenv VLLM_A 1", ["VLLM_A=1@1"]),
    # what is not ours
    "of another project": ("export TRANSFORMERS_A=1", []),
    "in single quotes": ("echo '$VLLM_A'", []),
    "commented out": ("#export VLLM_A=1", []),
    "only spoken of": ('echo "set VLLM_A to 1"', []),
}  # fmt: skip


@pytest.mark.parametrize("case", VARIABLES)
def test_variables(case: str) -> None:
    text, expected = VARIABLES[case]
    assert [one.removeprefix("env ") for one in short("a.sh", text, "env")] == expected


def test_settings_inside_a_flag() -> None:
    text = """vllm serve m --compilation-config '{"mode": 3,
      "pass_config": {"deep": 1}}' --kv-transfer-config.kv_role=both"""
    assert short("a.sh", text, "config_key") == [
        "config_key compilation-config.mode=3@1",
        "config_key compilation-config.pass_config@2",
        "config_key kv-transfer-config.kv_role=both@2",
    ]


def test_requests() -> None:
    text = """curl -H 'Content-Type: application/json' http://localhost:8000/v1/completions -d '{
  "model": "'"$M"'",
  "guided_json": {"inner": 1}
}'
curl https://api.openai.com/v1/models
curl https://api.acme.org/v1/chat -d '{"best_of": 1}'
curl -o /x/y https://files.example.org/a/b.tar.gz
"""
    assert short("a.sh", text, "route", "request_field") == [
        "route /v1/completions@1",
        "request_field model=$M@2",
        "request_field guided_json@3",
    ]


FILES = {
    "Makefile": (
        "ARGS := --a 1 \\\n  --b\nexport VLLM_A = 1\nserve: dep\n\t@vllm serve $(ARGS) --c $$P\n# vllm serve --d\n",
        ["cli_flag --a=1@1", "cli_flag --b@2", "env VLLM_A=1@3", "cli_flag --c=$P@5"],
    ),
    "GNUmakefile": (
        ("F = --z 2\nserve:\n\tVLLM_A=1 python -m vllm.entrypoints.api_server --a 1 \\\n\t\t--b \\\n\t\t$(F)\n"
         "\t-vllm serve --c\n\t@ - vllm serve --d\nlint:\n\truff check --e -m x\n"),
        ["cli_flag --z=2@1", "cli_flag --a=1@3", "env VLLM_A=1@3", "cli_flag --b@4", "cli_flag --c@6", "cli_flag --d@7"],
    ),
    "Procfile": ("web: vllm serve --a\n", ["cli_flag --a@1"]),
    "x.service": (
        '[Service]\nEnvironment="VLLM_A=1" VLLM_B=2\nExecStart=/usr/bin/vllm serve m \\\n  --a\n#ExecStart=vllm serve --b\n',
        ["env VLLM_A=1@2", "env VLLM_B=2@2", "cli_flag --a@4"],
    ),
    "run.sh.j2": ("{% if x %}\nvllm serve {{ model }} --a\n{% endif %}\n", ["cli_flag --a@2"]),
    "launch": ("#!/usr/bin/env bash\nvllm serve --a\n", ["cli_flag --a@2"]),
    ".env": ('VLLM_A="1"\n#VLLM_B=2\nVLLM_EXTRA_ARGS=--a 1 --b\n',
             ["env VLLM_A=1@1", "cli_flag --a=1@3", "cli_flag --b@3", "env VLLM_EXTRA_ARGS=--a 1 --b@3"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_whose_lines_are_commands(name: str) -> None:
    text, expected = FILES[name]
    assert short(name, text) == expected


PIECES = st.sampled_from(
    ["vllm serve", "python -m sglang.launch_server", "--a", "=1", "\n", "\\\n", " ", '"', "'", "$(", ")", "`", "{{", "}}", "<<EOF",
     "EOF", "#", "(", "A=(", "${A[@]}", "$A", "A=", "VLLM_X", "docker run", "vllm/vllm-openai:v1", "|", "curl ", "http://x/v1/y", "-d",
     '{"k": 1}', "env ", "\t", "\r\n", "é", "\x00", "[", "pip install vllm==1"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=300))
def test_any_text_is_read_and_a_use_stands_on_its_line(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for name in ("a.sh", "Makefile", "x.service", "Procfile", ".env"):
        for use in read(name, text):
            assert use.text == shown(lines[use.line - 1])


@pytest.mark.parametrize(
    "piece",
    ['"', "'", "$(", "`(", "<<A\n", "{{", "${", '$("a', "env ", "A=(", "docker run vllm/vllm-tpu ", "$A ", "A=$A ", "VLLM_A=1 ", "\\\n",
     "vllm serve --a ", 'bash -c "', "--compilation-config '{"],
)  # fmt: skip
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def cost(count: int) -> float:
        return cpu(lambda: list(shell_file("a.sh", piece * count, WANTED)))

    cost(100)
    small, large = cost(400), cost(6_400)
    assert large < 0.3 or large < 60 * max(small, 0.002)
