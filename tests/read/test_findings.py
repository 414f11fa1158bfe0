"""Tables of before, after and the findings that must come out: no more, no fewer."""

import pytest

from daybreak.model import FileChange
from daybreak.read.reader import read_one
from read.made import change_of, patch_of, read, told

ARGS = "python/engine/server_args.py"


def flag(name: str, rest: str = "type=int, default=8") -> str:
    return f'    parser.add_argument("--{name}", {rest})\n'


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (flag("max-seqs"), "", [("cli_flag_removed", "--max-seqs", "--max-seqs", None, True)]),
        ("", flag("max-seqs"), [("cli_flag_added", "--max-seqs", None, "--max-seqs", False)]),
        (flag("max-seqs"), flag("seq-limit"), [("cli_flag_renamed", "--max-seqs", "--max-seqs", "--seq-limit", True)]),
        # argparse takes a prefix: the old name keeps working
        (
            flag("max-seqs"),
            flag("max-seqs-total"),
            [("cli_flag_renamed", "--max-seqs", "--max-seqs", "--max-seqs-total", False)],
        ),
        (flag("a-b"), flag("a-b", "type=int, default=16"), [("cli_default_changed", "--a-b", "8", "16", False)]),
        (flag("a-b"), flag("a-b", "type=int,  default=8"), []),
        (flag("a-b"), flag("a-b", "type=float, default=8"), []),
        (
            '    p.add_argument("--kv", choices=["auto", "fp8"])\n',
            '    p.add_argument("--kv", choices=["auto", "fp8_e4m3"])\n',
            [("cli_choices_changed", "--kv", '["auto", "fp8"]', '["auto", "fp8_e4m3"]', True)],
        ),
        (
            '    p.add_argument("--kv", choices=["auto"])\n',
            '    p.add_argument("--kv", choices=["auto", "fp8"])\n',
            [("cli_choices_changed", "--kv", '["auto"]', '["auto", "fp8"]', False)],
        ),
        (
            '    p.add_argument(\n        "--port",\n        type=int,\n        default=8000,\n    )\n',
            '    p.add_argument(\n        "--port",\n        type=int,\n        default=30000,\n    )\n',
            [("cli_default_changed", "--port", "8000", "30000", False)],
        ),
        (
            '    p.add_argument("--model", "--model-path")\n',
            '    p.add_argument("--model-path")\n',
            [],  # the lost name is a prefix of the kept one, which argparse takes
        ),
        (
            '    p.add_argument("--weights", "--model-path")\n',
            '    p.add_argument("--model-path")\n',
            [("cli_flag_renamed", "--weights", "--weights", "--model-path", True)],
        ),
        (
            'FP4_BACKEND_CHOICES = [\n    "auto",\n    "cudnn",\n]\n',
            'FP4_BACKEND_CHOICES = [\n    "auto",\n    "flashinfer_cudnn",\n]\n',
            [
                (
                    "cli_choices_changed",
                    "FP4_BACKEND_CHOICES",
                    '[ "auto", "cudnn", ]',
                    '[ "auto", "flashinfer_cudnn", ]',
                    True,
                )
            ],
        ),
        ('    # parser.add_argument("--old")\n', "", []),
    ],
)
def test_options(before: str, after: str, expected: list[object]) -> None:
    assert told(read(ARGS, before, after)) == expected


def test_a_flag_that_moved_to_another_file_is_not_removed() -> None:
    more = {"python/engine/arg_utils.py": patch_of("", flag("max-seqs"))}
    assert told(read(ARGS, flag("max-seqs"), "", more=more)) == []


@pytest.mark.parametrize(
    "path", ["tests/test_args.py", "scripts/sync.py", "tools/x.py", "examples/run.py", "benchmarks/b.py"]
)
def test_a_flag_of_a_script_is_nobodys_business(path: str) -> None:
    assert read(path, flag("max-seqs"), flag("max-seqs", "default=9")) == []


def test_nothing_is_gone_when_part_of_the_diff_is_missing() -> None:
    change = change_of({ARGS: patch_of(flag("max-seqs"), "")}, files_total=2)
    assert read_one(change).findings == ()


ENVS = "engine/envs.py"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('    "ENGINE_X_Y": lambda: 1,\n', "", [("env_removed", "ENGINE_X_Y", "ENGINE_X_Y", None, True)]),
        ("    ENGINE_X_Y = EnvBool(False)\n", "", [("env_removed", "ENGINE_X_Y", "ENGINE_X_Y", None, True)]),
        ("", "    ENGINE_X_Y = EnvInt(3)\n", [("env_added", "ENGINE_X_Y", None, "ENGINE_X_Y", False)]),
        (
            "    ENGINE_X_Y = EnvFloat(0.03)\n",
            "    ENGINE_X_Y = EnvFloat(0.005)\n",
            [("env_default_changed", "ENGINE_X_Y", "0.03", "0.005", False)],
        ),
        (
            "    ENGINE_OLD_X = EnvBool(True)\n",
            "    ENGINE_NEW_X = EnvBool(True)\n",
            [("env_renamed", "ENGINE_OLD_X", "ENGINE_OLD_X", "ENGINE_NEW_X", True)],
        ),
        (
            'x = os.getenv("ENGINE_X_Y", "1")\n',
            "x = 1\n",
            [("env_read_removed", "ENGINE_X_Y", "ENGINE_X_Y", None, False)],
        ),
        ("x = 1\n", 'x = os.environ["ENGINE_X_Y"]\n', [("env_read_added", "ENGINE_X_Y", None, "ENGINE_X_Y", False)]),
        ('    "ENGINE_X_Y": lambda: 1,\n', '    "ENGINE_X_Y": lambda: 2,\n', []),
    ],
)
def test_environment(before: str, after: str, expected: list[object]) -> None:
    assert told(read(ENVS, before, after)) == expected


def test_cpp_reads_the_environment_too() -> None:
    found = read("csrc/x.cu", "", '  auto v = std::getenv("FI_LOG_LEVEL");\n')
    assert [f.kind for f in found] == ["env_read_added"]


API = "engine/__init__.py"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("def run(x):\n    pass\n", "", [("function_removed", "run", "def run(x):", None, True)]),
        ("class Run(Base):\n    pass\n", "", [("class_removed", "Run", "class Run(Base):", None, True)]),
        ("def _run(x):\n    pass\n", "", []),
        ("def run(x):\n    pass\n", "from engine.core import run\n", []),
        ("def run(x):\n    pass\n", "run = core.run\n", []),
        (
            "def run(x, y=1):\n    pass\n",
            "def run(x, y=2):\n    pass\n",
            [("parameter_default_changed", "run(y)", "1", "2", False)],
        ),
        (
            "def run(x):\n    pass\n",
            "def run(x, y):\n    pass\n",
            [("parameter_required_added", "run(y)", None, "y", True)],
        ),
        (
            "def run(x):\n    pass\n",
            "def run(x, y: int = 0):\n    pass\n",
            [("parameter_added", "run(y)", None, "y=0", False)],
        ),
        ("def run(x):\n    pass\n", "def run(z):\n    pass\n", [("parameter_renamed", "run(x)", "x", "z", False)]),
        (
            "def run(x, y, z):\n    pass\n",
            "def run(x):\n    pass\n",
            [("parameter_removed", "run(y)", "y", None, True), ("parameter_removed", "run(z)", "z", None, True)],
        ),
        (
            "def run(x, y, z):\n    pass\n",
            "def run(x, **kwargs):\n    pass\n",
            [("parameter_removed", "run(y)", "y", None, False), ("parameter_removed", "run(z)", "z", None, False)],
        ),
        ("def run(x: int):\n    pass\n", "def run(x: float):\n    pass\n", []),
        (
            "def run(\n    x,\n    y=(1, 2),\n):\n    pass\n",
            "def run(\n    x,\n    y=(1, 2),  # a, b\n):\n    pass\n",
            [],
        ),
        ("@overload\ndef run(x):\n    pass\n", "@overload\ndef run(x, y):\n    pass\n", []),
    ],
)
def test_functions(before: str, after: str, expected: list[object]) -> None:
    assert told(read(API, before, after)) == expected


def test_a_function_that_moved_is_not_removed() -> None:
    more = {"engine/core.py": patch_of("", "def run(x):\n    pass\n")}
    assert told(read(API, "def run(x):\n    pass\n", "", more=more)) == []


def test_an_internal_function_is_gone_but_breaks_nobody() -> None:
    assert told(read("engine/core.py", "def run(x):\n    pass\n", "")) == [
        ("function_removed", "run", "def run(x):", None, False)
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "    chunk: int = 8\n",
            "    chunk: int = 16\n",
            [("field_default_changed", "ServerArgs.chunk", "8", "16", False)],
        ),
        ("    chunk: int = 8\n", "", [("field_removed", "ServerArgs.chunk", "ServerArgs.chunk", None, True)]),
        (
            '    chunk: A[\n        int,\n        "help, text",\n    ] = None\n',
            '    chunk: A[\n        int,\n        "help, text",\n    ] = 4\n',
            [("field_default_changed", "ServerArgs.chunk", "None", "4", False)],
        ),
        ("    note: The old text = x\n", "    note: The new text = y\n", []),
        ("    https://a.b\n", "", []),
        ("    _chunk: int = 8\n", "    _chunk: int = 9\n", []),
    ],
)
def test_fields_of_a_known_class(before: str, after: str, expected: list[object]) -> None:
    assert told(read(ARGS, before, after, context="class ServerArgs:")) == expected


def test_a_local_variable_is_no_field() -> None:
    assert told(read(ARGS, "    chunk: int = 8\n", "    chunk: int = 16\n", context="def main():")) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", '@deprecated("use run")\ndef old(x):\n    pass\n', [("deprecated", "old", None, "old", False)]),
        (
            "",
            '    warnings.warn("`--old` is deprecated", DeprecationWarning)\n',
            [("deprecated", "--old", None, "--old", False)],
        ),
        ("", '    warnings.filterwarnings("ignore", category=DeprecationWarning)\n', []),
        (
            '    warn("`a_b` is deprecated", DeprecationWarning)\n',
            '    warn("`a_b` was deprecated", DeprecationWarning)\n',
            [],
        ),
    ],
)
def test_deprecations(before: str, after: str, expected: list[object]) -> None:
    assert told(read("engine/core.py", before, after)) == expected


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("requirements/cuda.txt", "torch==2.8.0\n", "torch==2.9.0\n", [("dependency_changed", "torch", "==2.8.0", "==2.9.0", False)]),
        ("requirements.txt", "torch==2.8.0  # a\n", "torch==2.8.0  # b\n", []),
        ("requirements.txt", "", "einops>=0.8,<1\n", [("dependency_added", "einops", None, ">=0.8,<1", False)]),
        ("requirements.txt", "einops>=0.8\n", "", [("dependency_removed", "einops", ">=0.8", None, False)]),
        ("requirements.txt", "einops>=0.8\n", "einops\n", []),
        ("pyproject.toml", '  "flashinfer_python==0.5.3",\n', '  "flashinfer_python==0.6.1",\n', [("dependency_changed", "flashinfer_python", "==0.5.3", "==0.6.1", False)]),
        ("pyproject.toml", 'version = "0.3.1"\n', 'version = "0.3.2"\n', [("version_changed", "pyproject.toml", "0.3.1", "0.3.2", False)]),
        ("pyproject.toml", 'requires-python = ">=3.9"\n', 'requires-python = ">=3.10"\n', [("python_required_changed", "pyproject.toml", ">=3.9", ">=3.10", False)]),
        ("docker/Dockerfile", "ARG FLASHINFER_VERSION=0.5.3\n", "ARG FLASHINFER_VERSION=0.6.1\n", [("pin_changed", "FLASHINFER_VERSION", "0.5.3", "0.6.1", False)]),
        ("docker/Dockerfile", "FROM nvidia/cuda:12.8\n", "FROM nvidia/cuda:13.0\n", [("image_changed", "nvidia/cuda", "12.8", "13.0", False)]),
        (
            "cmake/external.cmake",
            "  GIT_REPOSITORY https://github.com/x/FlashMLA.git\n  GIT_TAG v1\n",
            "  GIT_REPOSITORY https://github.com/x/FlashMLA.git\n  GIT_TAG v2\n",
            [("source_changed", "FlashMLA", "v1", "v2", False)],
        ),
        ("docs/requirements.txt", "mkdocs==1\n", "mkdocs==2\n", []),
    ],
)  # fmt: skip
def test_dependencies(path: str, before: str, after: str, expected: list[object]) -> None:
    assert told(read(path, before, after)) == expected


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (
            "csrc/torch_bindings.cpp",
            '  ops.def("silu(Tensor! out, Tensor x) -> ()");\n',
            '  ops.def("silu(Tensor! out, Tensor x, int n) -> ()");\n',
            [("operator_changed", "silu", "silu(Tensor! out, Tensor x) -> ()", "silu(Tensor! out, Tensor x, int n) -> ()", True)],
        ),
        (
            "csrc/torch_bindings.cpp",
            '  ops.def("silu(Tensor x) -> ()");\n',
            '  ops.def("silu(Tensor x, int n=1) -> ()");\n',
            [("operator_changed", "silu", "silu(Tensor x) -> ()", "silu(Tensor x, int n=1) -> ()", False)],
        ),
        ("csrc/torch_bindings.cpp", '  ops.def("silu(Tensor x) -> ()");\n', "", [("operator_removed", "silu", "silu(Tensor x) -> ()", None, True)]),
        ("include/k/a.h", "#define K_MAX 8\n", "#define K_MAX 16\n", [("macro_changed", "K_MAX", "8", "16", False)]),
        ("include/k/a.h", "#define K_MAX 8\n", "", [("macro_removed", "K_MAX", "K_MAX", None, False)]),
        ("include/k/a.h", "void run(int a);\n", "void run(int a, int b);\n", [("cpp_signature_changed", "run", "run(int a)", "run(int a, int b)", False)]),
        ("include/k/a.h", "  return run(a);\n", "  return run(b);\n", []),
        ("src/a.h", "void run(int a);\n", "void run(int b, int c);\n", []),
    ],
)  # fmt: skip
def test_cpp(path: str, before: str, after: str, expected: list[object]) -> None:
    assert told(read(path, before, after)) == expected


def test_submodule() -> None:
    patch = f"@@ -1 +1 @@\n-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}"
    link = FileChange(path="3rdparty/cutlass", status="M", old_mode="160000", new_mode="160000", patch=patch)
    reading = read_one(change_of({}, files=(link,), files_total=1))
    assert told(list(reading.findings)) == [("submodule_changed", "3rdparty/cutlass", "1" * 40, "2" * 40, False)]
    assert reading.areas == {"dependency": 1}


def test_ids_and_lines() -> None:
    (found,) = read(ARGS, "a\n" + flag("max-seqs") + "b\n", "a\nb\n")
    assert (found.id, found.path, found.line) == ("a" * 12 + "/1", ARGS, 11)
