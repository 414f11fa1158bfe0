"""Code switched off and on again: only what ran before, or runs now, counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages.disabled_code import facts
from read.behaviour import Told, facts_of, file_of
from timing import cpu

PATH = "engine/_custom_ops.py"
CU = "csrc/topk.cu"
CALL = "    torch.ops.moe.topk(\n        weights,\n        ids,\n    )\n"
HEAD = "def topk(weights, ids):\n"
SHOWN = "torch.ops.moe.topk(…)"

CASES: dict[str, tuple[str, str, str, list[Told]]] = {
    "a return before live code": (
        PATH,
        HEAD + CALL,
        HEAD + "    if current_platform.is_xpu():\n        other(weights)\n\n    return\n" + CALL,
        [("switched_off", "topk", SHOWN, "return")],
    ),
    "a return as the first statement": (
        PATH,
        HEAD + CALL,
        HEAD + "    return\n" + CALL,
        [("switched_off", "topk", SHOWN, "return")],
    ),
    "a raise before live code": (
        PATH,
        HEAD + CALL,
        HEAD + '    raise NotImplementedError("later")\n' + CALL,
        [("switched_off", "topk", SHOWN, 'raise NotImplementedError("later")')],
    ),
    "a continue before live code": (
        PATH,
        HEAD + "    for x in ids:\n        use(x)\n",
        HEAD + "    for x in ids:\n        continue\n        use(x)\n",
        [("switched_off", "topk", "use(x)", "continue")],
    ),
    "if False around what ran": (
        PATH,
        HEAD + "    if weights.ok:\n        use(ids)\n",
        HEAD + "    if False:\n        use(ids)\n",
        [("switched_off", "topk", "use(ids)", "if False:")],
    ),
    "a loop over nothing around what ran": (
        PATH,
        HEAD + "    for x in ids:\n        use(ids)\n",
        HEAD + "    for x in ():\n        use(ids)\n",
        [("switched_off", "topk", "use(ids)", "for x in ():")],
    ),
    "one condition that never holds for another": (
        PATH,
        HEAD + "    if False:\n        yield\n",
        HEAD + "    for _ in ():\n        yield\n",
        [],
    ),
    "a loop that never runs for a condition that never holds": (
        PATH,
        HEAD + "    while False:\n        use(ids)\n",
        HEAD + "    if 0:\n        use(ids)\n",
        [],
    ),
    "if False and the old condition": (
        PATH,
        HEAD + "    if weights.ok:\n        use(ids)\n",
        HEAD + "    if False and weights.ok:\n        use(ids)\n",
        [("switched_off", "topk", "use(ids)", "if False and weights.ok:")],
    ),
    "a switch that is a constant now": (
        PATH,
        HEAD + "    use_fused = weights.is_cuda and ids.ok\n    if use_fused:\n        go()\n",
        HEAD + "    use_fused = False  # broken\n    if use_fused:\n        go()\n",
        [("switched_off", "topk", "use_fused = weights.is_cuda and ids.ok", "use_fused = False")],
    ),
    "a flag that is only handed on": (
        PATH,
        HEAD + "    use_fused = weights.is_cuda and ids.ok\n    go(use_fused)\n",
        HEAD + "    use_fused = False  # broken\n    go(use_fused)\n",
        [("flag_changed", "topk.use_fused", "weights.is_cuda and ids.ok", "False")],
    ),
    "a capability of a class": (
        PATH,
        "class Model(Base):\n    supports_pruning = False\n\n    def run(self):\n        return 1\n",
        "class Model(Base):\n    supports_pruning = True\n\n    def run(self):\n        return 1\n",
        [("flag_changed", "Model.supports_pruning", "False", "True")],
    ),
    "an attribute that other code reads": (
        PATH,
        'class Manager:\n    def __init__(self, args):\n        self.is_dummy = args.format == "dummy"\n        if self.is_dummy:\n            self.skip()\n',
        "class Manager:\n    def __init__(self, args):\n        self.is_dummy = False\n        if self.is_dummy:\n            self.skip()\n",
        [("flag_changed", "Manager.__init__.is_dummy", 'args.format == "dummy"', "False")],
    ),
    "a module constant": (
        PATH,
        "ENABLE_FAST_PATH = True\nx = 1\n\n\ndef f():\n    if ENABLE_FAST_PATH:\n        g()\n",
        "ENABLE_FAST_PATH = False\nx = 1\n\n\ndef f():\n    if ENABLE_FAST_PATH:\n        g()\n",
        [("switched_off", "_custom_ops.py", "ENABLE_FAST_PATH = True", "ENABLE_FAST_PATH = False")],
    ),
    "code turned into a comment": (
        PATH,
        HEAD + "    check(ids)\n    use(ids)\n",
        HEAD + "    # check(ids)\n    use(ids)\n",
        [("switched_off", "topk", "check(ids)", "# check(ids)")],
    ),
    "a decorator that takes it out of compilation, and not out of the program": (
        PATH,
        "class A:\n    def forward(self, x):\n        return x\n",
        "class A:\n    @torch.compiler.disable\n    def forward(self, x):\n        return x\n",
        [],
    ),
    "#if 0 in a kernel": (
        CU,
        "void f() {\n  run(a);\n  end(b);\n}\n",
        "void f() {\n#if 0\n  run(a);\n#endif\n  end(b);\n}\n",
        [("switched_off", "topk.cu", "run(a);", "#if 0")],
    ),
    "a return in a kernel": (
        CU,
        "__global__ void f() {\n  int i = threadIdx.x;\n  out[i] = in[i];\n}\n",
        "__global__ void f() {\n  int i = threadIdx.x;\n  return;\n  out[i] = in[i];\n}\n",
        [("switched_off", "topk.cu", "out[i] = in[i];", "return;")],
    ),
    "a lone return of what the work would have filled": (
        PATH,
        HEAD + "    out = torch.empty_like(weights)\n" + CALL + "    return out\n",
        HEAD + "    out = torch.empty_like(weights)\n    return out\n" + CALL + "    return out\n",
        [("switched_off", "topk", SHOWN, "return out")],
    ),
    "a new result that nobody computed": (
        PATH,
        HEAD + CALL,
        HEAD + "    out = torch.zeros_like(weights)\n    return out\n" + CALL,
        [("switched_off", "topk", SHOWN, "return out")],
    ),
    "a message and a return of what was given": (
        PATH,
        HEAD + CALL,
        HEAD + '    logger.warning("off")\n    return weights\n' + CALL,
        [("switched_off", "topk", SHOWN, "return weights")],
    ),
    "a return of a result before work on it": (
        PATH,
        HEAD + "    out = route(ids)\n    out *= weights\n    return out\n",
        HEAD + "    out = route(ids)\n    return out\n    out *= weights\n    return out\n",
        [("switched_off", "topk", "out *= weights", "return out")],
    ),
    "a bare return behind a case that returns a value": (
        PATH,
        HEAD + CALL,
        HEAD + "    if is_xpu():\n        return other(weights)\n    return\n" + CALL,
        [("switched_off", "topk", SHOWN, "return")],
    ),
    "a return at the top of a branch": (
        PATH,
        HEAD + "    if ids:\n        use(ids)\n        more(ids)\n",
        HEAD + "    if ids:\n        return weights\n        use(ids)\n        more(ids)\n",
        [("switched_off", "topk", "use(ids)", "return weights")],
    ),
    "another function in place of the old one": (
        PATH,
        HEAD + "    a = 1\n    return old(ids)\n",
        HEAD + "    a = 1\n    return new(ids)\n    return old(ids)\n",
        [("switched_off", "topk", "return old(ids)", "return new(ids)")],
    ),
    "a constant in place of a value": (
        PATH,
        "def supports_fast(self):\n    return self.fast\n",
        "def supports_fast(self):\n    return False\n    return self.fast\n",
        [("switched_off", "supports_fast", "return self.fast", "return False")],
    ),
    "a rewrite that ends with another return": (  # sglang 2c3ecf32f
        PATH,
        HEAD + "    ret = use(ids)\n    if ok(ret):\n        return ret\n    return wrapped(ret)\n",
        HEAD
        + "    ret = use(ids)\n    if ok(ret) and ret.status == 200:\n        return wrapped(ret.body)\n    return ret\n"
        "\n    return wrapped(ret)\n",
        [],
    ),
    "a rewrite that ends with an error": (
        PATH,
        HEAD + CALL,
        HEAD + "    if ids:\n        return use(ids)\n    raise ValueError(ids)\n" + CALL,
        [],
    ),
    "a rewrite that computes what it returns": (
        PATH,
        HEAD + CALL,
        HEAD + "    # the new way\n    out = route(\n        ids,\n    )\n    return out\n" + CALL,
        [],
    ),
    "another ending for what was computed": (
        PATH,
        HEAD + "    ret = use(ids)\n    check(ids)\n    return wrapped(ret)\n",
        HEAD + "    ret = use(ids)\n    check(ids)\n    return ret\n    return wrapped(ret)\n",
        [],
    ),
    "another form of the same value": (  # vllm eebad39f2
        PATH,
        HEAD + CALL + "    return out\n",
        HEAD + CALL + "    return out.view(4)\n    return out\n",
        [],
    ),
    "another constant": (  # vllm 90f9c2eb5
        PATH,
        HEAD + "    if not ids:\n        return None\n    use(ids)\n",
        HEAD + "    if not ids:\n        return []\n        return None\n    use(ids)\n",
        [],
    ),
    "a rewrite in C": (
        CU,
        "int f(int a) {\n  int b = g(a);\n  h(b);\n  return b;\n}\n",
        "int f(int a) {\n  int b = g(a);\n  if (a > 1) {\n    return k(b);\n  }\n  return b;\n  h(b);\n  return b;\n}\n",
        [],
    ),
    "an early return under a condition": (
        PATH,
        HEAD + CALL,
        HEAD + "    if weights is None:\n        return\n" + CALL,
        [],
    ),
    "the last return of a function": (PATH, HEAD + "    use(ids)\n", HEAD + "    use(ids)\n    return ids\n", []),
    "a return before else": (
        PATH,
        HEAD + "    if ids:\n        use(ids)\n    else:\n        stop()\n",
        HEAD + "    if ids:\n        use(ids)\n        return\n    else:\n        stop()\n",
        [],
    ),
    "a return before the next function": (
        PATH,
        "def a():\n    use()\n\n\ndef b():\n    use()\n",
        "def a():\n    use()\n    return\n\n\ndef b():\n    use()\n",
        [],
    ),
    "a return in C under an if without braces": (
        CU,
        "void f() {\n  if (a)\n    g();\n  h();\n}\n",
        "void f() {\n  if (a)\n    return;\n  h();\n}\n",
        [],
    ),
    "a return before a case label": (
        CU,
        "switch (x) {\n  case 1:\n    g();\n  case 2:\n    h();\n}\n",
        "switch (x) {\n  case 1:\n    g();\n    return;\n  case 2:\n    h();\n}\n",
        [],
    ),
    "a comment that is replaced by code": (
        PATH,
        HEAD + "    check(ids)\n    use(ids)\n",
        HEAD + "    # check(ids)\n    verify(ids)\n    use(ids)\n",
        [],
    ),
    "a new function with dead code of its own": (
        PATH,
        "a = 1\n",
        "a = 1\n\n\ndef f():\n    return\n    use(1)\n",
        [],
    ),
    "a field with another default": (
        PATH,
        "class A:\n    use_fast: bool = True\n",
        "class A:\n    use_fast: bool = False\n",
        [],
    ),
    "a logging line turned into a comment": (
        PATH,
        HEAD + "    logger.info(ids)\n    use(ids)\n",
        HEAD + "    # logger.info(ids)\n    use(ids)\n",
        [],
    ),
    "the word return in a docstring": (
        PATH,
        'def f():\n    """Text.\n\n    use(ids)\n    """\n',
        'def f():\n    """Text.\n\n    return\n    use(ids)\n    """\n',
        [],
    ),
    "a check of the compiler that is left out": (
        CU,
        "void run() {\n  static_assert(kDim % kRow == 0);\n  use(x);\n}\n",
        "void run() {\n  // static_assert(kDim % kRow == 0);\n  use(x);\n}\n",
        [],
    ),
    "a skipped test": ("tests/test_a.py", HEAD + CALL, HEAD + "    return\n" + CALL, []),
}


@pytest.mark.parametrize("case", CASES)
def test_switches(case: str) -> None:
    path, before, after, expected = CASES[case]
    assert facts_of(facts, file_of(path, before, after)) == expected


@pytest.mark.parametrize("case", CASES)
def test_the_way_back_is_the_mirror(case: str) -> None:
    path, before, after, expected = CASES[case]
    turned = {"switched_off": "switched_on", "flag_changed": "flag_changed"}
    back = [(turned[kind], where, now, was) for kind, where, was, now in expected]
    assert facts_of(facts, file_of(path, after, before)) == back


BITS = [
    "return",
    "raise X",
    "if False:",
    "#if 0",
    "# use(1)",
    "use(1)",
    "\n",
    "    ",
    "use_x = False",
    "use_x = a",
    '"""',
    "(",
    "}",
    ";",
]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([PATH, CU]),
    st.lists(st.sampled_from(BITS) | st.text(max_size=5)),
    st.lists(st.sampled_from(BITS) | st.text(max_size=5)),
)
def test_never_raises(path: str, first: list[str], second: list[str]) -> None:
    before, after = "".join(first), "".join(second)
    facts_of(facts, file_of(path, before, after))
    assert facts_of(facts, file_of(path, after, after)) == []


def test_a_long_line_behind_a_return_is_read_as_fast_as_short_ones() -> None:
    def cost(live: str) -> float:
        before = f"void f() {{\n  {live}\n}}\n"
        file = file_of(CU, before, before.replace("{\n", "{\n  return;\n", 1))
        return cpu(lambda: facts_of(facts, file))

    assert cost("a" + " " * 30_000 + "!") < 20 * cost("call(a);\n  " * 2_500) + 0.01
