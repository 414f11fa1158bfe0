"""Classes of a Python file below upstream ones, what it patches, and operators: every use that each source must give."""

from __future__ import annotations

import pytest

from uses.python_reading import check, table

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
        4 override vllm.Worker.__init__(a, b, **kw) 1 =None
        5 call vllm.Worker.__init__(device) 1
        6 call vllm.AsyncLLM() 0
        8 override vllm.Worker.execute(x, *rest) None
        10 override vllm.Worker.size() 0
        11 override vllm.Worker.run() 0
        12 call vllm.AsyncLLM.abort(r) 0
        14 call vllm.Worker.inherited() 1
        16 override vllm.Worker.helper() 0 =None
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
        4 override vllm.Base.f() 0 =None
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
        7 override vllm.reasoning.Parser.c(b) 1 =None
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


@pytest.mark.parametrize(("source", "expected"), table(classes=CLASSES, patches=PATCHES, operators=OPERATORS))
def test_a_file_gives_these_uses_and_no_others(source: str, expected: str) -> None:
    check(source, expected)
