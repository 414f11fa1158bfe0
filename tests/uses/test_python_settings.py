"""What a Python file sets, starts, sends and measures: every use that each source must give, no more."""

from __future__ import annotations

import pytest

from uses.python_reading import check, table

VARIABLES = {
    "read, set and passed on": (
        """
        import os, subprocess
        os.environ["VLLM_A"] = "1"
        os.environ["VLLM_B"]
        os.environ.get("VLLM_C", "x")
        os.getenv("VLLM_D")
        os.environ.setdefault("VLLM_E", "2")
        os.environ.update({"VLLM_F": "3"})
        subprocess.run(cmd, env={**os.environ, "VLLM_G": "4"})
        monkeypatch.setenv("VLLM_H", "5")
        "VLLM_I" in os.environ
        OTHER_VLLM_J = "NOT_VLLM_K"
        print("VLLM_L")
        """,
        """
        2 env VLLM_A =1
        3 env VLLM_B
        4 env VLLM_C
        5 env VLLM_D
        6 env VLLM_E =2
        7 env VLLM_F =3
        8 env VLLM_G =4
        9 env VLLM_H =5
        10 env VLLM_I
        """,
    ),
    "through the project's own module": (
        "from vllm import envs\nfrom vllm.envs import VLLM_A\nenvs.VLLM_B\n",
        """
        1 import vllm.envs
        2 import vllm.envs.VLLM_A
        2 env VLLM_A
        3 attribute vllm.envs.VLLM_B
        3 env VLLM_B
        """,
    ),
}

COMMANDS = {
    "a list, and what is added to it": (
        """
        import sys
        cmd = ["vllm", "serve", model, "--dtype", "half",
               "--eager"]
        cmd += ["--seed", str(1)]
        cmd.append("--quiet")
        cmd.extend(["--port=80"])
        api = [sys.executable, "-m", "vllm.server", "--host", "h"] + ["--debug"]
        """,
        """
        2 cli_flag --dtype =half @vllm serve
        3 cli_flag --eager @vllm serve
        4 cli_flag --seed @vllm serve
        5 cli_flag --quiet @vllm serve
        6 cli_flag --port =80 @vllm serve
        7 cli_flag --host =h @python -m vllm.server
        7 cli_flag --debug @python -m vllm.server
        7 attribute vllm.server
        """,
    ),
    "a command that a name holds, and more": (
        """
        cmd = ["vllm", "serve"]
        cmd = cmd + ["--a", "1"]
        cmd = [*cmd, "--b"]
        cmd = cmd + ["--c"]
        text = "vllm serve m"
        text = text + " --d 2"
        text += f" --e {x}"
        """,
        """
        2 cli_flag --a =1 @vllm serve
        3 cli_flag --b @vllm serve
        4 cli_flag --c @vllm serve
        6 cli_flag --d =2 @vllm serve
        7 cli_flag --e @vllm serve
        """,
    ),
    "a string, with what is not known in it": (
        """
        import os
        os.system(f"VLLM_X=1 vllm serve {model} --dtype half --n={n}")
        text = '''
        docker run --gpus all vllm/vllm-openai:v1 \\\\
          --seed 3
        '''
        """,
        """
        2 env VLLM_X =1
        2 cli_flag --dtype =half @vllm serve
        2 cli_flag --n @vllm serve
        4 pin vllm =v1
        5 cli_flag --seed =3 @vllm serve
        """,
    ),
    "flags alone count where two are known or the file has to do with the project": (
        """
        import vllm
        args = ["--model", "m"]
        more = ["--tensor-parallel-size", "2", "--max-model-len", "9"]
        """,
        """
        1 import vllm
        2 cli_flag --model =m
        3 cli_flag --tensor-parallel-size =2 @vllm serve
        3 cli_flag --max-model-len =9 @vllm serve
        """,
    ),
    "flags alone in a file that only speaks of the project": (
        """
        # like vllm
        args = ["--model", "m"]
        [tool, "--set", "full"]
        """,
        "",
    ),
    "flags of other programs, of your own parser and in messages": (
        """
        import vllm
        git = ["git", "log", "--oneline"]
        git += ["--all"]
        ["python", "own.py", "--mine"]
        parser.add_argument("--own", help="as in vllm serve --x")
        print("run vllm serve --y")
        raise ValueError("run vllm serve --z")
        Extension(extra_compile_args=["--use_fast_math"])
        """,
        "1 import vllm",
    ),
}

REQUESTS = {
    "routes and bodies": (
        """
        import requests
        GENERATE_URL = "/generate"
        requests.post(f"{base_url}/v1/completions", json={"prompt": "x", "sampling_params": {"top_k": 1}})
        requests.post("http://localhost:8000/tokenize?x=1", data=json.dumps(body))
        session.get(url + "/metrics")
        client.post("/abort", json=payload)
        """,
        """
        2 route /generate
        3 route /v1/completions
        3 request_field prompt =x
        3 request_field sampling_params
        3 request_field sampling_params.top_k =1
        4 route /tokenize
        5 route /metrics
        6 route /abort
        """,
    ),
    "a body built step by step": (
        """
        import requests
        payload = {"model": "m"}
        payload["best_of"] = 2
        payload.update({"n": 3}, seed=4)
        requests.post(url, data=json.dumps(payload))
        """,
        """
        2 request_field model =m
        3 request_field best_of =2
        4 request_field n =3
        4 request_field seed =4
        """,
    ),
    "an OpenAI client": (
        "import openai\nc = openai.OpenAI()\nc.chat.completions.create(model='m', timeout=1, extra_body={'guided_json': s})\n",
        "3 request_field model =m\n3 request_field guided_json",
    ),
    "routes of your own, files and other people's hosts": (
        """
        import requests
        @app.post("/v1/mine")
        def f(): ...
        open(f"{output_dir}/logs")
        requests.get("https://github.com/vllm-project/vllm")
        """,
        "",
    ),
}

NAMES = {
    "metrics and models": (
        """
        q = "rate(vllm:num_requests_running[5m]) + vllm:gpu_cache_usage_perc"
        arch = "LlamaForCausalLM"
        text = "vllm:latest is an image, LlamaForCausalLM a model"
        '''vllm:in_a_docstring'''
        """,
        "1 metric vllm:num_requests_running\n1 metric vllm:gpu_cache_usage_perc\n2 model LlamaForCausalLM",
    ),
}


@pytest.mark.parametrize(
    ("source", "expected"), table(variables=VARIABLES, commands=COMMANDS, requests=REQUESTS, names=NAMES)
)
def test_a_file_gives_these_uses_and_no_others(source: str, expected: str) -> None:
    check(source, expected)
