"""What a Python file uses, each case as the source and every use that it must give, no more."""

from __future__ import annotations

import textwrap
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.upgrade import Use
from daybreak.uses.found import lines_of
from daybreak.uses.interface import Unreadable, Wanted
from daybreak.uses.python import uses

WANTED = Wanted(
    packages=frozenset({"vllm", "sgl_kernel", "cuda.tile"}),
    variables=frozenset({"VLLM_"}),
    namespaces=frozenset({"_C", "vllm", "sgl_kernel", "vllm:"}),
    programs=frozenset({"vllm"}),
    projects={"vllm": "vllm-project/vllm"},
    images={"vllm/vllm-openai": "vllm serve"},
    sources={"vllm/vllm-openai": "vllm"},
    settings={"vllm serve": frozenset({"tensor-parallel-size", "max-model-len"})},
)


def told(use: Use) -> str:
    """A use as one line: `12 call vllm.LLM(model, n) 1 =value @program ?` with `?` for guarded."""
    words = f"{use.line} {use.kind} {use.name}"
    if use.kind in ("call", "override", "operator") and (use.keywords or use.positional is not None):
        words += f"({', '.join(use.keywords)}) {use.positional}"
    words += f" ={use.value}" if use.value is not None else ""
    words += f" @{use.program}" if use.program else ""
    return words + (" ?" if use.guarded else "")


def found(source: str) -> list[str]:
    return [told(use) for use in uses("app.py", textwrap.dedent(source).lstrip("\n"), WANTED)]


def check(source: str, expected: str) -> None:
    lines = [line.strip() for line in expected.strip().splitlines() if line.strip()]
    assert sorted(found(source)) == sorted(lines)


IMPORTS = {
    "plain and aliased": (
        "import vllm\nimport vllm.engine.arg_utils as args\nargs.EngineArgs\n",
        "1 import vllm\n2 import vllm.engine.arg_utils\n3 attribute vllm.engine.arg_utils.EngineArgs",
    ),
    "each name on its own line": (
        "from vllm import (\n    LLM,\n    SamplingParams as SP,\n)\n",
        "2 import vllm.LLM\n3 import vllm.SamplingParams",
    ),
    "inside a function and for types only": (
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from vllm import LLM
        def f():
            import vllm.envs
        """,
        "3 import vllm.LLM ?\n5 import vllm.envs",
    ),
    "others and relative ones are not told": ("import os, vllmish\nfrom .vllm import x\nfrom . import vllm\n", ""),
    "below a shared first part": (
        "from cuda import tile as ct, core\nimport cuda.bindings\nct.load()\ncore.x()\n",
        "1 import cuda.tile\n3 call cuda.tile.load() 0",
    ),
    "star: names that nobody bound come from there": (
        """
        from vllm.utils import *
        import os
        def own(): ...
        own(); len([]); os.getcwd()
        cdiv(1, 2)
        f = round_up
        """,
        "1 import vllm.utils.*\n5 call vllm.utils.cdiv() 2\n6 attribute vllm.utils.round_up",
    ),
    "by string": (
        """
        import importlib
        m = importlib.import_module("vllm.lazy")
        m.Thing(a=1)
        v = __import__("vllm.deep.mod")
        v.LLM
        getattr(m, "Name")
        resolve("vllm.worker.Worker")
        """,
        """
        2 import vllm.lazy
        3 call vllm.lazy.Thing(a) 0
        4 import vllm.deep.mod
        5 attribute vllm.LLM
        6 attribute vllm.lazy.Name
        7 attribute vllm.worker.Worker
        """,
    ),
}

GUARDS = {
    "a fallback for an import that fails": (
        """
        try:
            from vllm.new import X
        except ImportError:
            from vllm.old import X
        X()
        """,
        "2 import vllm.new.X ?\n4 import vllm.old.X ?\n5 call vllm.new.X() 0 ?",
    ),
    "a handler that raises is no fallback": (
        "try:\n    import vllm\nexcept ImportError:\n    raise RuntimeError('no') from None\nvllm.f()\n",
        "2 import vllm\n5 call vllm.f() 0",
    ),
    "a broad handler covers imports only": (
        "import vllm\ntry:\n    import vllm.a\n    vllm.f()\nexcept Exception:\n    pass\n",
        "1 import vllm\n3 import vllm.a ?\n4 call vllm.f() 0",
    ),
    "hasattr, directly, in an expression and through a name": (
        """
        import vllm
        if hasattr(vllm, "f"):
            vllm.f()
        vllm.g
        x = vllm.h if hasattr(vllm, "h") else None
        y = hasattr(vllm, "k") and vllm.k
        HAS = hasattr(vllm, "m")
        def later():
            if HAS:
                vllm.m()
            vllm.n
        """,
        """
        1 import vllm
        2 attribute vllm.f ?
        3 call vllm.f() 0 ?
        4 attribute vllm.g
        5 attribute vllm.h ?
        6 attribute vllm.k ?
        7 attribute vllm.m ?
        10 call vllm.m() 0 ?
        11 attribute vllm.n
        """,
    ),
    "a version check": (
        """
        import sys
        import vllm
        from importlib.metadata import version
        from packaging.version import Version
        if Version(vllm.__version__) >= Version("0.9"):
            vllm.f()
        if version("vllm") > "1":
            vllm.g()
        if vllm_version_is("0.9.1"):
            vllm.h()
        if sys.version_info > (3, 11):
            vllm.k()
        """,
        "2 import vllm\n6 call vllm.f() 0 ?\n8 call vllm.g() 0 ?\n10 call vllm.h() 0 ?\n12 call vllm.k() 0",
    ),
    "getattr with a default, and suppress": (
        """
        import vllm
        from contextlib import suppress
        getattr(vllm, "x", None)
        with suppress(ImportError):
            import vllm.y
        """,
        "1 import vllm\n3 attribute vllm.x ?\n5 import vllm.y ?",
    ),
}

VALUES = {
    "an instance, its methods and what they are given": (
        """
        from vllm import LLM
        llm = LLM("m", dtype="half")
        llm.generate(["a"], use_tqdm=False)
        llm.chat(*rest, **more)
        """,
        """
        1 import vllm.LLM
        2 call vllm.LLM(dtype) 1
        2 model half =dtype
        3 call vllm.LLM.generate(use_tqdm) 1
        4 call vllm.LLM.chat(**) None
        """,
    ),
    "a name for a class, a maker, with, await": (
        """
        import vllm
        P = vllm.AsyncLLM
        e = P.from_engine_args(args)
        async def f():
            async with P() as x:
                await x.abort("r")
            e.shutdown()
        """,
        """
        1 import vllm
        2 attribute vllm.AsyncLLM
        3 call vllm.AsyncLLM.from_engine_args() 1
        5 call vllm.AsyncLLM() 0
        6 call vllm.AsyncLLM.abort() 1
        7 call vllm.AsyncLLM.shutdown() 0
        """,
    ),
    "annotations": (
        """
        from __future__ import annotations
        from vllm import LLM
        def f(a: LLM, b: LLM | None, c: "LLM", d: type[LLM], e: list[LLM]) -> LLM:
            a.x1(); b.x2(); c.x3(); d(n=1); e.x4()
        f().x5()
        """,
        """
        2 import vllm.LLM
        4 call vllm.LLM.x1() 0
        4 call vllm.LLM.x2() 0
        4 call vllm.LLM.x3() 0
        4 call vllm.LLM(n) 0
        5 call vllm.LLM.x5() 0
        """,
    ),
    "keywords from a dict": (
        """
        import vllm
        kw = {"a": 1, **{"b": 2}}
        kw["c"] = 3
        vllm.EngineArgs(**kw, d=4)
        vllm.EngineArgs(**dict(e=5))
        vllm.EngineArgs(**{"f": 6})
        """,
        """
        1 import vllm
        4 call vllm.EngineArgs(a, b, c, d) 0
        5 call vllm.EngineArgs(e) 0
        6 call vllm.EngineArgs(f) 0
        """,
    ),
    "shadowed names are not upstream's": (
        """
        from vllm import LLM
        def f(LLM):
            LLM.x()
        g = [LLM.y for LLM in rows]
        LLM.z
        """,
        "1 import vllm.LLM\n5 attribute vllm.LLM.z",
    ),
    "a nested setting and a chain over lines": (
        """
        from vllm import LLM
        LLM(compilation_config={"level": 3})
        (LLM()
         .generate())
        """,
        """
        1 import vllm.LLM
        2 call vllm.LLM(compilation_config) 0
        2 config_key compilation_config.level =3 @vllm.LLM
        3 call vllm.LLM() 0
        4 call vllm.LLM.generate() 0
        """,
    ),
    "what every object has is nobody's": ("import vllm\nvllm.LLM.__name__\nvllm.__file__\n", "1 import vllm"),
}

CLASSES = {
    "methods, properties, attributes and what is inherited": (
        """
        from vllm import Worker, AsyncLLM
        class Mine(Worker):
            slots = 2
            def __init__(self, a, *, b=1, **kw):
                super().__init__(a, device=b)
                self.engine = AsyncLLM()
                self.own = 1
            async def execute(self, x, *rest): ...
            @property
            def size(self): return self.own
            def run(self):
                self.engine.abort(r=1)
                self.execute(1)
                self.inherited(2)
                return self.late
            def helper(self): self.late = 1
        """,
        """
        1 import vllm.AsyncLLM
        1 import vllm.Worker
        2 subclass vllm.Worker
        3 override vllm.Worker.slots
        4 override vllm.Worker.__init__(a, b, **kw) 1
        5 call vllm.Worker.__init__(device) 1
        6 call vllm.AsyncLLM() 0
        8 override vllm.Worker.execute(x, *rest) None
        10 override vllm.Worker.size() 0
        11 override vllm.Worker.run() 0
        12 call vllm.AsyncLLM.abort(r) 0
        14 call vllm.Worker.inherited() 1
        16 override vllm.Worker.helper() 0
        """,
    ),
    "through a class of yours": (
        """
        import vllm
        class A(vllm.Base): ...
        class B(A):
            def f(self): super().f(x=1)
        class C(dict):
            def f(self): self.update()
        b = B(n=1)
        b.g()
        """,
        """
        1 import vllm
        2 subclass vllm.Base
        3 subclass vllm.Base
        4 override vllm.Base.f() 0
        4 call vllm.Base.f(x) 0
        7 call vllm.Base(n) 0
        8 call vllm.Base.g() 0
        """,
    ),
    "a plug-in that registers itself": (
        """
        from vllm.reasoning import Manager, Parser
        @Manager.register_module("mine")
        class P(Parser):
            @staticmethod
            def s(a): ...
            @classmethod
            def c(cls, b): cls.up()
        """,
        """
        1 import vllm.reasoning.Manager
        1 import vllm.reasoning.Parser
        2 call vllm.reasoning.Manager.register_module() 1
        3 subclass vllm.reasoning.Parser
        5 override vllm.reasoning.Parser.s(a) 1
        7 override vllm.reasoning.Parser.c(b) 1
        7 call vllm.reasoning.Parser.up() 0
        """,
    ),
}

PATCHES = {
    "assigned": (
        """
        import sys
        import vllm.x
        vllm.x.f = g
        vllm.x.Worker.run = g
        del vllm.x.h
        sys.modules["vllm.fake"] = m
        """,
        "2 import vllm.x\n3 patch vllm.x.f\n4 patch vllm.x.Worker.run\n5 patch vllm.x.h\n6 patch vllm.fake",
    ),
    "an attribute of one object is no patch": (
        "import vllm\nllm = vllm.LLM()\nllm.a = 1\nllm.config.b = 2\n",
        "1 import vllm\n2 call vllm.LLM() 0\n3 attribute vllm.LLM.a\n4 attribute vllm.LLM.config.b",
    ),
    "by the tools of tests": (
        """
        import vllm
        from unittest import mock
        from unittest.mock import patch
        setattr(vllm, "a", 1)
        @patch("vllm.b.c")
        def test(monkeypatch, mocker):
            with mock.patch.object(vllm, "d"): pass
            monkeypatch.setattr("vllm.e.f", 1)
            monkeypatch.setattr(vllm, "g", 1)
            mocker.patch("vllm.h.i")
            mocker.patch("other.h.i")
            patch.multiple("vllm.m", n=1)
        """,
        """
        1 import vllm
        4 patch vllm.a
        5 patch vllm.b.c
        7 patch vllm.d
        8 patch vllm.e.f
        9 patch vllm.g
        10 patch vllm.h.i
        12 attribute vllm.m
        12 patch vllm.m.n
        """,
    ),
}

OPERATORS = {
    "called, overloaded, through a name, asked for": (
        """
        import torch
        torch.ops._C.rms_norm(a, b, eps=1)
        torch.ops.sgl_kernel.topk.default(a)
        ops = torch.ops.vllm
        f = ops.unified
        torch.ops.aten.add(a)
        torch.ops.load_library("x")
        if hasattr(torch.ops._C, "new"):
            torch.ops._C.new()
        register("_C::schema(Tensor a) -> Tensor")
        """,
        """
        2 operator _C::rms_norm(eps) 2
        3 operator sgl_kernel::topk() 1
        5 operator vllm::unified
        8 operator _C::new ?
        9 operator _C::new() 0 ?
        10 operator _C::schema
        """,
    ),
}

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

TABLE = [
    pytest.param(*case, id=f"{group}: {name}")
    for group, cases in {
        "imports": IMPORTS, "guards": GUARDS, "values": VALUES, "classes": CLASSES, "patches": PATCHES,
        "operators": OPERATORS, "variables": VARIABLES, "commands": COMMANDS, "requests": REQUESTS, "names": NAMES,
    }.items()
    for name, case in cases.items()
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), TABLE)
def test_a_file_gives_these_uses_and_no_others(source: str, expected: str) -> None:
    check(source, expected)


def test_a_file_that_does_not_parse_gives_what_single_lines_show_and_says_so() -> None:
    source = "from vllm import LLM, X as Y\ndef (\nos.environ['VLLM_A']\ncmd = 'vllm serve m --dtype half'\n"
    reading = uses("app.py", source, WANTED)
    assert [told(next(reading)) for _ in range(4)] == [
        "1 import vllm.LLM",
        "1 import vllm.X",
        "3 env VLLM_A",
        "4 cli_flag --dtype =half @vllm serve",
    ]
    with pytest.raises(Unreadable, match="not Python"):
        next(reading)


def test_a_byte_order_mark_and_strange_line_ends_are_no_trouble() -> None:
    got = list(uses("app.py", "\ufeffimport vllm\r\n\x0cx = '\u2028'\rvllm.f()\n", WANTED))
    assert [told(use) for use in got] == ["1 import vllm", "3 call vllm.f() 0"]


@pytest.mark.parametrize(
    "source",
    [
        "import vllm\nx = " + "+".join(["vllm.a"] * 900),
        "import vllm\nif a: vllm.b\n" + "elif a: vllm.b\n" * 900,
    ],
    ids=["a long sum", "a long chain of elif"],
)
def test_long_expressions_are_read(source: str) -> None:
    assert {use.name for use in uses("app.py", source, WANTED)} == {"vllm", "vllm.a", "vllm.b"} & {
        "vllm",
        "vllm.a" if "vllm.a" in source else "vllm.b",
    }


def test_what_is_nested_too_deeply_is_named() -> None:
    source = "import vllm\nvllm.f()\nx = " + "f(" * 90 + ")" * 90 + "\ny = a" + ".b()" * 900
    with pytest.raises(Unreadable, match=r"nested|not Python"):
        list(uses("app.py", source, WANTED))


def test_calls_inside_calls_take_linear_time() -> None:
    source = "import vllm\nx = " + "getattr(" * 40 + "vllm" + ", 'a')" * 40
    names = [use.name for use in uses("app.py", source, WANTED)]
    assert len(names) < 100


PIECES = st.sampled_from(
    [
        "import vllm", "from vllm import *", "from vllm.a import B as C", "class D(C):", "    def f(self, *a, **k):",
        "        self.x = C(); super().f(**k)", "try:", "except ImportError:", "    pass", "if hasattr(vllm, 'x'):",
        "x = {**x, 'VLLM_A': 1}", "cmd = ['vllm', *cmd, '--a']", "cmd += ['--b', f'{x}']", "x: 'C' = vllm.y",
        "requests.post(f'{url}/x', json=x)", "lambda vllm=C: vllm.z", "[C for C in vllm.q if C]", "del vllm.z",
        "torch.ops._C.f.default()", "vllm.z = 0xffff", "match x:", "    case C(a=1): vllm", "'''vllm", "\x0c", "\r",
        "setattr(C, 'z', 1)", "@C.reg('n')", "global x", "getattr(C, x)", "print('vllm serve --x')", "'vllm:a_b'",
        "cmd.append('--z')", "os.environ['VLLM_B'] = x", "x.update(x)", "cast(C, x).y", "async with C() as x: await x.y",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=20), max_size=14).map("\n".join))
def test_any_text_gives_uses_whose_lines_exist_or_says_why_not(text: str) -> None:
    lines = lines_of(text)
    with suppress(Unreadable):
        for use in uses("app.py", text, WANTED):
            assert 1 <= use.line <= len(lines)
            assert use.text == lines[use.line - 1].strip()[:200]
            assert use.name
