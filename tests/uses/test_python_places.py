"""Where a string or a name stands in a Python file decides whether it is a use, and whether it may be absent already."""

from __future__ import annotations

import textwrap

import pytest

from daybreak.core.model.upgrade import Use
from uses.reading import read, short

REQUESTS = {
    "sent inside a message": (
        'import requests\nURL = "http://127.0.0.1:30000"\nprint(requests.get(URL + "/get_server_info").json())\n',
        ["route /get_server_info@3"],
    ),
    "a message that only tells": ('import requests\nURL = "http://h:1"\nprint(URL + "/health", "--a")\n', []),
    "a public server": (
        'import requests\nrequests.post("https://api.acme.org/v2/chat", json={"best_of": 2})\n', [],
    ),
    "a public server in a name, an f-string and a join": (
        """\
        import requests
        from urllib.parse import urljoin
        BASE = "https://api.acme.org"
        requests.post(BASE + "/v1/completions", json={"best_of": 2})
        requests.post(f"{BASE}/v1/completions", json={"best_of": 2})
        requests.post(urljoin(BASE, "/v1/completions"), json={"best_of": 2})
        requests.post(url=BASE.rstrip("/") + "/v1/x", json={"best_of": 2})
        """,
        [],
    ),
    "a well-known server, whatever the scheme": (
        'import requests\nrequests.post("http://api.openai.com/v1/completions", json={"best_of": 2})\n', [],
    ),
    "clients of somebody else's server": (
        """\
        from openai import AzureOpenAI, OpenAI
        import httpx
        a = OpenAI(base_url="https://api.acme.org/v1")
        a.chat.completions.create(model="m", extra_body={"guided_json": "{}"})
        b = httpx.Client(base_url="https://api.acme.org")
        b.post("/generate", json={"best_of": 2})
        AzureOpenAI().completions.create(best_of=2)
        """,
        [],
    ),
    "servers that may be yours": (
        """\
        import os, requests
        from openai import OpenAI
        requests.post("http://localhost:8000/generate", json={"a": 1})
        requests.post("https://10.0.0.7/generate", json={"b": 1})
        requests.post("http://vllm-service/generate", json={"c": 1})
        requests.post(f"https://{os.environ['HOST']}/generate", json={"d": 1})
        requests.post("https://gpu.acme.org:8000/generate", json={"e": 1})
        requests.post("https://llm.apps.svc/generate", json={"f": 1})
        OpenAI(base_url="http://llm:8000/v1").completions.create(g=1)
        """,
        ["request_field a=1@3", "route /generate@3", "request_field b=1@4", "route /generate@4", "request_field c=1@5",
         "route /generate@5", "request_field d=1@6", "route /generate@6", "request_field e=1@7", "route /generate@7",
         "request_field f=1@8", "route /generate@8", "route /v1@9", "request_field g=1@9"],
    ),
}  # fmt: skip

VARIABLES = {
    "read, set, asked for": (
        """\
        import os
        os.environ["VLLM_A"] = "1"
        os.getenv("VLLM_B")
        "VLLM_C" in os.environ
        env_flag("VLLM_D")
        run(env={"VLLM_E": "1"})
        NAME = "VLLM_F"
        """,
        ["VLLM_A=1@2", "VLLM_B@3", "VLLM_C@4", "VLLM_D@5", "VLLM_E=1@6", "VLLM_F@7"],
    ),
    "told in a message, and read there": (
        'import os\nprint("VLLM_A", os.environ["VLLM_B"], os.environ.get("VLLM_C"))\n', ["VLLM_B@2", "VLLM_C@2"],
    ),
    "a file that speaks of no environment": ('import vllm\nuse("FLASHINFER_CUTLASS")\n', []),
    "choices, members and keys": (
        """\
        import os, vllm
        os.getenv("HOME")
        make(backend="FLASHINFER_CUTLASS")
        Backend("FLASHINFER_CUTLASS")
        Backend["FLASHINFER_CUTLASS"]
        name == "FLASHINFER_CUTLASS"
        name in ("FLASHINFER_CUTLASS", "FLASHINFER_TRTLLM")
        table = {"FLASHINFER_CUTLASS": Backend.CUTLASS, "moe": "FLASHINFER_CUTLASS"}
        table["FLASHINFER_CUTLASS"] = CutlassExperts
        class Kind:
            FLASHINFER_CUTLASS = "FLASHINFER_CUTLASS"
        """,
        [],
    ),
    "a variable named by keyword": (
        'from k8s import V1EnvVar\nV1EnvVar(name="VLLM_A", value="1")\noption(envvar="VLLM_B")\n', ["VLLM_A@2", "VLLM_B@3"],
    ),
}  # fmt: skip

GUARDED = {
    "both ends of a fallback": (
        "try:\n    from vllm import New\nexcept ImportError:\n    from vllm import Old as New\n", {2: True, 4: True},
    ),
    "a fallback in a fallback": (
        """\
        try:
            from vllm.a import X
        except ImportError:
            try:
                from vllm.b import X
            except ImportError:
                raise
        """,
        {2: True, 5: True},
    ),
    "caught only to be raised again": (
        "try:\n    from vllm import New\nexcept ImportError:\n    raise\n", {2: False},
    ),
    "for types only, and the other branch": (
        "import typing\nif typing.TYPE_CHECKING:\n    from vllm import A\nelse:\n    from vllm import B\nfrom vllm import C\n",
        {3: True, 5: False, 6: False},
    ),
    "asked for before": (
        'import vllm\nif hasattr(vllm, "a"):\n    vllm.a()\nvllm.b()\nhasattr(vllm, "c") and vllm.c()\n',
        {2: True, 3: True, 4: False, 5: True},
    ),
    "left where it is not there": (
        """\
        from vllm import LLM
        def run(llm: LLM):
            if not hasattr(llm, "a"):
                return
            llm.a()
            llm.b()
        """,
        {3: True, 5: True, 6: False},
    ),
    "asked of somebody else": ('import torch, vllm\nif hasattr(torch, "a"):\n    vllm.b()\n', {3: False}),
}  # fmt: skip


@pytest.mark.parametrize("case", REQUESTS)
def test_requests(case: str) -> None:
    text, expected = REQUESTS[case]
    assert short("a.py", textwrap.dedent(text), "route", "request_field", "cli_flag") == expected


@pytest.mark.parametrize("case", VARIABLES)
def test_variables(case: str) -> None:
    text, expected = VARIABLES[case]
    assert short("a.py", textwrap.dedent(text), "env") == [f"env {one}" for one in expected]


def may_be_absent(use: Use) -> bool:
    """A guard, or a condition on a version or on this very name."""
    asked = (one[:1] not in "+-" or f"{use.name}.".startswith(f"{one[1:]}.") for one in use.when)
    return use.guarded or any(asked)


@pytest.mark.parametrize("case", GUARDED)
def test_guards(case: str) -> None:
    text, expected = GUARDED[case]
    uses = [use for use in read("a.py", textwrap.dedent(text)) if use.name != "vllm" and use.line in expected]
    assert {use.line: may_be_absent(use) for use in uses} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('ask("lantern_waiting_requests")', ["metric lantern_waiting_requests@1"]),
        ('ask("sum(rate(lantern_tokens_total[5m]))")', ["metric lantern_tokens_total@1"]),
        ('ask("my_lantern_waiting_requests")', []),
        ('ask("lanterns_waiting_requests")', []),
        ('open("lantern_data/lantern_waiting_requests.json")', []),
        ('ask("lantern_config")', []),
        ('ask("up{lantern_pod_name=\\"x\\"}")', []),
    ],
)
def test_metrics_that_an_underscore_joins(text: str, expected: list[str]) -> None:
    assert short("a.py", f"{text}  # lantern\n", "metric") == expected
