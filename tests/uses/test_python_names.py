"""Names that a Python file imports, guards and carries along in its own: every use that each source must give, no more."""

from __future__ import annotations

import pytest

from uses.python_reading import check, table

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
        "2 import vllm.new.X ?\n4 import vllm.old.X ?\n5 call vllm.new.X() 0\n5 call vllm.old.X() 0",
    ),
    "a package that may be missing says nothing of its names": (
        "try:\n    from vllm import LLM\nexcept ImportError:\n    LLM = None\nLLM()\n",
        "2 import vllm.LLM\n5 call vllm.LLM() 0",
    ),
    "a function of your own in place of one that cannot be imported": (
        "try:\n    from vllm.a import f\nexcept ImportError:\n    def f(): ...\n",
        "2 import vllm.a.f ?",
    ),
    "a handler that raises is no fallback": (
        "try:\n    import vllm\nexcept ImportError:\n    raise RuntimeError('no') from None\nvllm.f()\n",
        "2 import vllm\n5 call vllm.f() 0",
    ),
    "a broad handler that has nothing else covers nothing": (
        "import vllm\ntry:\n    import vllm.a\n    vllm.f()\nexcept Exception:\n    pass\n",
        "1 import vllm\n3 import vllm.a\n4 call vllm.f() 0",
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
        5 attribute vllm.h ?
        6 attribute vllm.k ?
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
        2 call vllm.EngineArgs(a, **) None
        2 call vllm.EngineArgs(b, **) None
        3 call vllm.EngineArgs(c, **) None
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


@pytest.mark.parametrize(("source", "expected"), table(imports=IMPORTS, guards=GUARDS, values=VALUES))
def test_a_file_gives_these_uses_and_no_others(source: str, expected: str) -> None:
    check(source, expected)
