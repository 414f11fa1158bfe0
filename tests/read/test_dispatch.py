"""Dispatch: a predicate that asks something else at the same place; moved and renamed code says nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages.dispatch import facts
from read.behaviour import Told, facts_of, file_of

PATH = "engine/layers/attention.py"
CU = "csrc/gemm.cu"


def choose(condition: str, then: str = "run_flash_kernel(q)") -> str:
    return (
        f"def attend(q, head_size):\n    a = 1\n    if {condition}:\n        {then}\n    else:\n        run_plain(q)\n"
    )


TOGETHER = "a = 1\nif _is_cuda or _is_hip:\n    from kernels import act\nelif _is_cpu:\n    pass\n"
APART = (
    "a = 1\nif _is_cuda:\n    from {} import act\nelif _is_hip:\n    from kernels import act\nelif _is_cpu:\n    pass\n"
)

CASES: dict[str, tuple[str, str, str, list[Told]]] = {
    "two platforms with a branch of their own that do what they did": (PATH, TOGETHER, APART.format("kernels"), []),
    "a platform that takes the name from a module of the package": (PATH, TOGETHER, APART.format("kernels.act"), []),
    "a platform that takes the name from another module": (
        PATH,
        TOGETHER,
        APART.format("jit.act"),
        [
            (
                "dispatch_changed",
                "attention.py",
                "if _is_cuda: from kernels import act",
                "if _is_cuda: from jit.act import act",
            )
        ],
    ),
    "values that have a name now": (
        PATH,
        choose('current_platform.is_cuda() and size in ("fp8", "fp4")'),
        'SIZES: tuple[str, ...] = (\n    "fp4",\n    "fp8",\n)\n\n\n'
        + choose("current_platform.is_cuda() and size in SIZES"),
        [],
    ),
    "values that have a name now, with one more among them": (
        PATH,
        choose('current_platform.is_cuda() and size in ("fp8", "fp4")'),
        'SIZES = ("fp4", "fp8", "int8")\n\n\n' + choose("current_platform.is_cuda() and size in SIZES"),
        [
            (
                "dispatch_changed",
                "attend",
                'current_platform.is_cuda() and size in ("fp8", "fp4")',
                "current_platform.is_cuda() and size in SIZES",
            )
        ],
    ),
    "a platform that has no branch any more": (
        PATH,
        choose("_is_cuda or _is_hip"),
        choose("_is_cuda"),
        [("dispatch_changed", "attend", "_is_cuda or _is_hip", "_is_cuda")],
    ),
    "another capability": (
        PATH,
        choose("has_device_capability(90)"),
        choose("has_device_capability(100)"),
        [("dispatch_changed", "attend", "has_device_capability(90)", "has_device_capability(100)")],
    ),
    "a platform more": (
        PATH,
        choose("current_platform.is_cuda()"),
        choose("current_platform.is_cuda() or current_platform.is_xpu()"),
        [
            (
                "dispatch_changed",
                "attend",
                "current_platform.is_cuda()",
                "current_platform.is_cuda() or current_platform.is_xpu()",
            )
        ],
    ),
    "another comparison": (
        PATH,
        choose("_device_sm >= 100 and q.shape[0] == 256"),
        choose("_device_sm == 100 and q.shape[0] == 256"),
        [
            (
                "dispatch_changed",
                "attend",
                "_device_sm >= 100 and q.shape[0] == 256",
                "_device_sm == 100 and q.shape[0] == 256",
            )
        ],
    ),
    "another set of head sizes": (
        PATH,
        choose("head_size in (64, 128)"),
        choose("head_size in (64, 128, 256)"),
        [("dispatch_changed", "attend", "head_size in (64, 128)", "head_size in (64, 128, 256)")],
    ),
    "a named condition": (
        PATH,
        "def f(x):\n    use_trtllm = is_sm100_supported() and x.ok\n    go(use_trtllm)\n",
        "def f(x):\n    use_trtllm = is_sm100_supported()\n    go(use_trtllm)\n",
        [("dispatch_changed", "f.use_trtllm", "is_sm100_supported() and x.ok", "is_sm100_supported()")],
    ),
    "a returned condition": (
        PATH,
        "def supports(c):\n    return c.capability >= 80\n",
        "def supports(c):\n    return c.capability >= 90\n",
        [("dispatch_changed", "supports", "c.capability >= 80", "c.capability >= 90")],
    ),
    "a condition over several lines": (
        PATH,
        "def f(x):\n    if (\n        is_cuda()\n        and x.dtype == y\n    ):\n        g()\n",
        "def f(x):\n    if (\n        is_cuda()\n        and x.dtype == y\n        and x.topk <= 8\n    ):\n        g()\n",
        [
            (
                "dispatch_changed",
                "f",
                "is_cuda() and x.dtype == y",
                "is_cuda() and x.dtype == y and x.topk <= 8",
            )
        ],
    ),
    "a server argument": (
        PATH,
        choose('server_args.moe_backend == "triton"'),
        choose('server_args.moe_backend in ("triton", "auto")'),
        [
            (
                "dispatch_changed",
                "attend",
                'server_args.moe_backend == "triton"',
                'server_args.moe_backend in ("triton", "auto")',
            )
        ],
    ),
    "C++ on the architecture": (
        CU,
        "void f(int sm) {\n  if (sm_version >= 90 && sm_version < 100) {\n    launch();\n  }\n}\n",
        "void f(int sm) {\n  if (sm_version >= 90) {\n    launch();\n  }\n}\n",
        [("dispatch_changed", "gemm.cu", "sm_version >= 90 && sm_version < 100", "sm_version >= 90")],
    ),
    "C++ preprocessor": (
        CU,
        "#if CUDA_VERSION >= 12040\nint a;\n#endif\n",
        "#if CUDA_VERSION >= 12080\nint a;\n#endif\n",
        [("dispatch_changed", "gemm.cu", "CUDA_VERSION >= 12040", "CUDA_VERSION >= 12080")],
    ),
    "another platform under a plain name": (
        PATH,
        choose("is_cuda and q.ok", "use(is_cuda)"),
        choose("is_hip and q.ok", "use(is_cuda)"),
        [("dispatch_changed", "attend", "is_cuda and q.ok", "is_hip and q.ok")],
    ),
    "another size of the same expression": (
        PATH,
        choose("use_flash and num_tokens <= limit", "use(num_tokens)"),
        choose("use_flash and padded <= limit", "use(num_tokens)"),
        [("dispatch_changed", "attend", "use_flash and num_tokens <= limit", "use_flash and padded <= limit")],
    ),
    "another type of the same expression": (
        CU,
        "void f() {\n  if (is_sm90 && same<half>()) {\n    launch<half>();\n  }\n}\n",
        "void f() {\n  if (is_sm90 && same<float>()) {\n    launch<half>();\n  }\n}\n",
        [("dispatch_changed", "gemm.cu", "is_sm90 && same<half>()", "is_sm90 && same<float>()")],
    ),
    "and in place of or": (
        PATH,
        choose("is_cuda() and ready and q.ok"),
        choose("is_cuda() or ready and q.ok"),
        [("dispatch_changed", "attend", "is_cuda() and ready and q.ok", "is_cuda() or ready and q.ok")],
    ),
    "another of two variables that stand there": (
        PATH,
        choose("supports_flash(first)").replace("a = 1", "go(first, second)"),
        choose("supports_flash(second)").replace("a = 1", "go(first, second)"),
        [("dispatch_changed", "attend", "supports_flash(first)", "supports_flash(second)")],
    ),
    "a variable that holds the old one and more": (  # vllm d811b442d
        PATH,
        choose("is_cuda() and use_graphs", "use(use_graphs)"),
        choose("is_cuda() and graphs_on", "use(use_graphs)").replace("a = 1", "graphs_on = use_graphs and self.graphs"),
        [("dispatch_changed", "attend", "is_cuda() and use_graphs", "is_cuda() and graphs_on")],
    ),
    "another word in a string": (
        PATH,
        choose('is_cuda() and moe_backend == "triton"', "triton(q)"),
        choose('is_cuda() and moe_backend == "aiter"', "triton(q)"),
        [
            (
                "dispatch_changed",
                "attend",
                'is_cuda() and moe_backend == "triton"',
                'is_cuda() and moe_backend == "aiter"',
            )
        ],
    ),
    "a variable of another name": (  # vllm adc3e0351
        PATH,
        choose("not pooler and supports_multimodal(self)", "use(self)"),
        choose("not pooler and supports_multimodal(multimodal_model)", "use(self)").replace(
            "a = 1", "multimodal_model = cast(Any, self)"
        ),
        [],
    ),
    "another name in C++": (
        CU,
        "void f(int a) {\n  if (is_sm90() && kind == kFp8) {\n    launch(kind);\n  }\n}\n",
        "void f(int a) {\n  if (is_sm90() && weight_kind == kFp8) {\n    launch(kind);\n  }\n}\n",
        [],
    ),
    "another way to reach the same helper": (
        PATH,
        choose("current_platform.is_cuda()"),
        choose("_is_cuda"),
        [],
    ),
    "line breaks only": (
        PATH,
        choose("is_cuda() and head_size == 64"),
        choose("(\n        is_cuda()\n        and head_size == 64\n    )"),
        [],
    ),
    "parts in another order": (PATH, choose("is_cuda() and q.ok"), choose("q.ok and is_cuda()"), []),
    "a variable read another way": (
        PATH,
        'use_x = get_bool_env_var("USE_X") and _is_hip\n',
        "use_x = envs.USE_X.get() and _is_hip\n",
        [],
    ),
    "settings reached another way": (
        PATH,
        choose('get_exec().kernel.attention_backend == "ascend" and _is_npu'),
        choose('self.server_args.attention_backend == "ascend" and _is_npu'),
        [],
    ),
    "a new branch": (PATH, choose("a.ok"), choose("a.ok") + "    if is_rocm():\n        g()\n", []),
    "branches that changed places": (PATH, choose("not is_cuda()"), choose("is_cuda()"), []),
    "a guard": (PATH, choose("is_cuda()", "raise ValueError(1)"), choose("is_hip()", "raise ValueError(1)"), []),
    "an ordinary condition": (PATH, choose("x.count > 3"), choose("x.count > 4"), []),
    "a computed value": (
        PATH,
        "def f(x):\n    y = torch.zeros(3, dtype=a)\n    return y\n",
        "def f(x):\n    y = torch.zeros(4, dtype=a)\n    return y\n",
        [],
    ),
    "the middle of an expression": (
        PATH,
        "x = (\n    1\n    if is_cuda()\n    else 2\n)\n",
        "x = (\n    1\n    if is_hip()\n    else 2\n)\n",
        [],
    ),
    "a renamed helper": (PATH, choose("is_sm90_supported(q)"), choose("is_sm90_available(q)"), []),
}


def test_a_part_of_the_condition_that_moved_into_what_is_called_is_no_change() -> None:
    before = "def warm(worker):\n    if has_device_capability(90) and worker.is_moe:\n        tune(worker)\n\n\ndef tune(worker):\n    go()\n"
    after = (
        "def warm(worker):\n    if has_device_capability(90):\n        tune(worker)\n\n\n"
        "def tune(worker):\n    if not shapes(worker):\n        return\n    go()\n"
    )
    assert facts_of(facts, file_of(PATH, before, after)) == []


def test_a_condition_is_told_without_the_remarks_between_its_lines() -> None:
    wide = choose("(\n        is_cuda()\n        # the kernel takes no more\n        and is_sm90_supported(q)\n    )")
    (fact,) = facts_of(facts, file_of(PATH, wide, choose("is_cuda()")))
    assert fact[2] == "is_cuda() and is_sm90_supported(q)"


def test_a_property_that_reads_what_was_asked_before_is_looked_through() -> None:
    new = "class Parallel:\n    @property\n    def ep_size(self):\n        return self._read('ep_size', get_expert_world_size)\n"
    before, after = (
        choose("get_expert_world_size() > 1 and is_hip()"),
        choose("get_parallel().ep_size > 1 and is_hip()"),
    )
    added = file_of("engine/context.py", "", new, status="A")
    assert facts_of(facts, file_of(PATH, before, after), added) == []


TYPE = "struct {} : Kernel {{\n  void run() {{\n#if __CUDA_ARCH__ {}\n    Kernel::run();\n#endif\n  }}\n}};\n"


@pytest.mark.parametrize(("name", "told"), [("only_old", 1), ("old_to_new", 0)])
def test_a_condition_of_a_type_that_went_is_not_that_of_one_that_came(name: str, told: int) -> None:
    before, after = TYPE.format("only_old", "== 900"), TYPE.format(name, ">= 1000")
    assert len(facts_of(facts, file_of(CU, before, after))) == told


def test_a_part_of_a_condition_that_is_asked_below_it_is_no_change() -> None:
    before = "void run() {\n#if defined __CUDA_ARCH__ && (__CUDA_ARCH__ >= 1200 && __CUDA_ARCH__ < 1300)\n  go();\n#endif\n}\n"
    after = "void run() {\n#if defined __CUDA_ARCH__\n  #if (__CUDA_ARCH__ >= 1200 && __CUDA_ARCH__ < 1300)\n  go();\n  #else\n  trap();\n  #endif\n#endif\n}\n"
    assert facts_of(facts, file_of(CU, before, after)) == []


@pytest.mark.parametrize(("first", "told"), [("pip install engine --cu13", 0), ("cutlass", 1)])
def test_a_condition_that_chooses_between_words_of_a_message_dispatches_nothing(first: str, told: int) -> None:
    text = 'def load():\n    if cuda_version.startswith("13"):\n        backend = "{}"\n    else:\n        backend = "pip install engine"\n    go(backend)\n'
    before = text.format(first)
    assert len(facts_of(facts, file_of("engine/load.py", before, before.replace('"13"', '"12"')))) == told


@pytest.mark.parametrize("case", CASES)
def test_dispatch(case: str) -> None:
    path, before, after, expected = CASES[case]
    assert facts_of(facts, file_of(path, before, after)) == expected


@pytest.mark.parametrize("case", CASES)
def test_the_way_back_is_the_mirror(case: str) -> None:
    path, before, after, expected = CASES[case]
    back = [(kind, where, now, was) for kind, where, was, now in expected]
    assert facts_of(facts, file_of(path, after, before)) == back


BITS = [
    "if is_cuda():",
    "elif sm >= 90:",
    "return is_hip()",
    "x = dtype == y",
    "(",
    ")",
    "\n",
    "    ",
    "#if CUDA_VERSION > 1",
    "\\",
    '"',
    "and ",
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
