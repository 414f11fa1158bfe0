from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.projects import shown
from timing import cpu
from uses.reading import read, short

CASES = {
    "a base image": ("FROM vllm/vllm-openai:v0.14.1\n", ["pin vllm===0.14.1@1"]),
    "a base image with platform, registry and stage": (
        "FROM --platform=linux/amd64 docker.io/vllm/vllm-openai:v0.14.1-cu129 AS x\n", ["pin vllm===0.14.1@1"],
    ),
    "a base image with an argument": ("ARG V=0.14.1\nFROM vllm/vllm-openai:v${V}\n", ["pin vllm===0.14.1@2"]),
    "by digest": ("FROM lmsysorg/sglang@sha256:" + "ab" * 32, ["pin sglang=@sha256:" + "ab" * 32 + "@1"]),
    "variables, both forms": (
        "ENV VLLM_A=1 \\\n    VLLM_B=2\nENV VLLM_C some words\nARG OTHER=1\n",
        ["env VLLM_A=1@1", "env VLLM_B=2@2", "env VLLM_C=some words@3"],
    ),
    "arguments of the image's program": ('FROM vllm/vllm-openai:v1.0\nCMD ["--a", "1"]\n', ["pin vllm===1.0@1", "cli_flag --a=1@2"]),
    "of a stage before": ('FROM vllm/vllm-openai:v1.0 AS one\nFROM one\nCMD ["--a"]\n', ["pin vllm===1.0@1", "cli_flag --a@3"]),
    "entry point and command": (
        'FROM python:3\nENTRYPOINT ["vllm", "serve"]\nCMD ["m",\\\n "--a"]\n', ["cli_flag --a@4"],
    ),
    "a command for a shell": ("CMD vllm serve m --a \\\n  # note\n  --b\n", ["cli_flag --a@1", "cli_flag --b@3"]),
    "a shell in exec form": ('CMD ["bash", "-c", "vllm serve --a"]\n', ["cli_flag --a@1"]),
    "installs": (
        "RUN --mount=type=cache,target=/x pip install -U \\\n  'vllm[audio]==0.14.1' \\\n  requests\n", ["pin vllm===0.14.1@2"],
    ),
    "an install with an argument": ("ARG V=0.14.1\nRUN uv pip install vllm==${V}\n", ["pin vllm===0.14.1@2"]),
    "a wheel": ("RUN pip install https://x/vllm-0.14.1+cu129-cp38-abi3-linux_x86_64.whl\n", ["pin vllm===0.14.1+cu129@1"]),
    "a clone": ("RUN git clone -b v0.14.1 https://github.com/vllm-project/vllm.git\n", ["pin vllm=@v0.14.1@1"]),
    "a here-document": ("RUN <<EOF\npip install vllm==1.0\nEOF\nENV VLLM_A=1\n", ["pin vllm===1.0@2", "env VLLM_A=1@4"]),
    "copied from an image": ("COPY --from=vllm/vllm-openai:v0.14.1 /a /b\n", ["pin vllm===0.14.1@1"]),
    # what is not ours
    "another image": ('FROM nginx:1\nCMD ["--a"]\n', []),
    "an image that only sounds like it": ("FROM acme/vllm-openai-proxy:v1\n", []),
    "a comment": ("# FROM vllm/vllm-openai:v0.14.1\n", []),
    "a flag of apt": ("RUN apt-get install --no-install-recommends vllm\n", []),
    "another package": ("RUN pip install vllm-router==1.0\n", []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_dockerfiles(case: str) -> None:
    text, expected = CASES[case]
    assert short("Dockerfile", text) == expected


@pytest.mark.parametrize(
    "name", ["Dockerfile", "Dockerfile.cuda", "serve.Dockerfile", "docker/serve.dockerfile", "Containerfile"]
)
def test_names_of_dockerfiles(name: str) -> None:
    assert short(name, "FROM vllm/vllm-openai:v0.14.1") == ["pin vllm===0.14.1@1"]


PIECES = st.sampled_from(
    ["FROM ", "RUN ", "CMD ", "ENTRYPOINT ", "ENV ", "ARG A=1\n", "\n", "\\\n", "# x\n", "<<EOF\n", "EOF\n", '["vllm", "serve", "--a"]', "[", '"', "vllm/vllm-openai:v1",
     "${A}", " AS b", "--from=", "pip install vllm==1", "VLLM_A=1", "vllm serve --b", "HEALTHCHECK CMD curl x/y", "ONBUILD "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=300))
def test_any_text_is_read_and_a_use_stands_on_its_line(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for use in read("Dockerfile", text):
        assert use.text == shown(lines[use.line - 1])


@pytest.mark.parametrize(
    "piece", ["RUN a \\\n", "RUN <<A\n", "CMD [\n", "FROM x\n", "ENV A=1 ", "# a\n", "\\\n#\n", "ARG A=$A\n"]
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def cost(count: int) -> float:
        return cpu(lambda: read("Dockerfile", piece * count))

    cost(50)
    small, large = cost(300), cost(4_800)
    assert large < 0.3 or large < 60 * max(small, 0.002)
