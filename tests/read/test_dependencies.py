"""Pins and requirements: tables of before, after and what must come out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.model.changes import FileChange
from daybreak.core.profiles import profile_of
from daybreak.findings import read
from daybreak.findings.languages import dependencies
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.paths import effective_with
from daybreak.findings.reading import with_effect
from read.made import change_of, read_one, told
from read.pairs import Told, facts_of, file_of, mirrored, plain, told_of

REQ, TOML, CMAKE, DOCKER = "requirements/cuda.txt", "pyproject.toml", "cmake/external.cmake", "docker/Dockerfile"


def project(*lines: str) -> str:
    return "[project]\nname = 'kit'\n" + "\n".join(lines) + "\n"


def setup(*extras: str, rest: str = "") -> str:
    needs = f'"{rest}"' if rest else ""
    return "setup(\n  extras_require={\n" + ",\n".join(extras) + f"\n  }},\n  install_requires=[{needs}],\n)\n"


MANY = "".join(f",!=5.{number}.*" for number in range(12))


def source(tag: str) -> str:
    return f"FetchContent_Declare(\n  mla\n  GIT_REPOSITORY https://github.com/x/FlashMLA.git\n  GIT_TAG {tag}\n)\n"


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("a pin", REQ, "numba==0.61\n", "numba==0.65\n", [("dependency_changed", "numba", "==0.61", "==0.65", False)]),
        ("another torch", REQ, "torch==2.8.0\n", "torch==2.9.0\n", [("dependency_changed", "torch", "==2.8.0", "==2.9.0", True)]),
        ("torch of one platform", "requirements/xpu.txt", "torch==2.8.0\n", "torch==2.9.0\n", [("dependency_changed", "torch", "==2.8.0", "==2.9.0", False)]),
        ("a patch of torch", REQ, "torch==2.9.0\n", "torch==2.9.1\n", [("dependency_changed", "torch", "==2.9.0", "==2.9.1", False)]),
        ("back to an older torch", REQ, "torch==2.9.0\n", "torch==2.8.0\n", [("dependency_changed", "torch", "==2.9.0", "==2.8.0", False)]),
        ("a lower bound of torch", REQ, "torch>=2.8\n", "torch>=2.9\n", [("dependency_changed", "torch", ">=2.8", ">=2.9", False)]),
        ("another CUDA", DOCKER, "ARG CUDA_VERSION=12.9.1\n", "ARG CUDA_VERSION=13.0.2\n", [("pin_changed", "CUDA_VERSION", "12.9.1", "13.0.2", True)]),
        ("a smaller step of CUDA", DOCKER, "ARG CUDA_VERSION=12.8.1\n", "ARG CUDA_VERSION=12.9.1\n", [("pin_changed", "CUDA_VERSION", "12.8.1", "12.9.1", False)]),
        ("only a comment", REQ, "torch==2.8.0  # a\n", "torch==2.8.0  # b\n", []),
        ("only layout", REQ, "torch == 2.8.0\n", "torch==2.8.0\n", []),
        ("another order", REQ, "a==1\nb==2\n", "b==2\na==1\n", []),
        ("one more", REQ, "a==1\n", "a==1\neinops>=0.8,<1\n", [("dependency_added", "einops", None, ">=0.8,<1", False)]),
        ("one less", REQ, "a==1\neinops>=0.8\n", "a==1\n", [("dependency_removed", "einops", ">=0.8", None, False)]),
        ("one less, without a version", REQ, "a==1\neinops\n", "a==1\n", [("dependency_removed", "einops", "*", None, False)]),
        ("no version any more", REQ, "einops>=0.8\n", "einops\n", [("dependency_changed", "einops", ">=0.8", "*", False)]),
        ("an extra of it", REQ, "kit[cu12]==1\n", "kit[cu13]==1\n", [("dependency_changed", "kit", "[cu12] ==1", "[cu13] ==1", False)]),
        ("a marker", REQ, "kit==1\n", 'kit==1; platform_system == "Linux"\n', []),
        ("a place to fetch it", REQ, "kit @ git+https://x/kit@a1\n", "kit @ git+https://x/kit@b2\n", [("dependency_changed", "kit", "@git+https://x/kit@a1", "@git+https://x/kit@b2", False)]),
        ("another spelling", REQ, "flash_attn==1\n", "flash-attn==1\n", []),
        ("an option line", REQ, "-r common.txt\n", "--extra-index-url https://x\n", []),
        ("another name to install it by", TOML, project(), project().replace("'kit'", "'kit-4'"), [("distribution_changed", TOML, "kit", "kit-4", True)]),
        ("another spelling of its name", TOML, project().replace("'kit'", "'my_kit'"), project().replace("'kit'", "'my-kit'"), []),
        ("of a project", TOML, project('dependencies = ["a==1"]'), project('dependencies = ["a==2"]'), [("dependency_changed", "a", "==1", "==2", False)]),
        ("to build with", TOML, '[build-system]\nrequires = ["torch==2.8"]\n', '[build-system]\nrequires = ["torch==2.9"]\n', [("build_dependency_changed", "torch", "==2.8", "==2.9", False)]),
        ("a version", TOML, project('version = "0.3.1"'), project('version = "0.3.2"'), [("version_changed", TOML, "0.3.1", "0.3.2", False)]),
        ("a higher Python", TOML, project('requires-python = ">=3.9"'), project('requires-python = ">=3.10"'), [("python_required_changed", TOML, ">=3.9", ">=3.10", True)]),
        ("a lower Python", TOML, project('requires-python = ">=3.10"'), project('requires-python = ">=3.9"'), [("python_required_changed", TOML, ">=3.10", ">=3.9", False)]),
        ("only a wider Python", TOML, project('requires-python = ">=3.10,<3.14"'), project('requires-python = ">=3.10,<3.15"'), [("python_required_changed", TOML, ">=3.10,<3.14", ">=3.10,<3.15", False)]),
        ("from the list of its tests", TOML, project('dependencies = ["a"]', "[project.optional-dependencies]", "test = [", '  "pytest",', '  "b",', "]"), project('dependencies = ["a",', '  "pytest",', "]", "[project.optional-dependencies]", "test = [", '  "b",', "]"), []),
        ("an extra gone", TOML, project("[project.optional-dependencies]", 'audio = ["a"]', 'video = ["b"]'), project("[project.optional-dependencies]", 'audio = ["a"]'), [("extra_removed", "video", None, None, True)]),
        ("an empty extra gone", TOML, project("[project.optional-dependencies]", 'audio = ["a"]', "video = []"), project("[project.optional-dependencies]", 'audio = ["a"]'), [("extra_removed", "video", None, None, False)]),
        ("an extra of others", TOML, project("[project.optional-dependencies]", 'audio = ["a"]'), project("[project.optional-dependencies]", 'audio = ["a"]', 'all_parts = ["kit[audio]"]'), [("extra_added", "all_parts", None, None, False)]),
        ("an extra emptied", TOML, project("[project.optional-dependencies]", 'video = ["b"]'), project("[project.optional-dependencies]", "video = []"), [("extra_dependency_removed", "[video] b", "*", None, False)]),
        ("an extra for developers", TOML, project("[project.optional-dependencies]", 'test = ["a"]'), project("[project.optional-dependencies]"), []),
        ("other tables of the file", TOML, "[tool.x]\na = 1\n", "[tool.x]\na = 2\n", []),
        ("a file that is no TOML", TOML, "[project\n", project('version = "1.0"'), []),
        ("an extra of setup.py", "setup.py", 'setup(extras_require={"a": ["x==1"], "b": []})\n', 'setup(extras_require={"a": ["x==1"]})\n', [("extra_removed", "b", None, None, True)]),
        ("a pin of an extra", TOML, project("[project.optional-dependencies]", 'audio = ["a==1"]'), project("[project.optional-dependencies]", 'audio = ["a==2"]'), [("extra_dependency_changed", "[audio] a", "==1", "==2", False)]),
        ("a pin of an extra of setup.py", "setup.py", setup('"b": ["a"]', '"a": ["x==1", "y>=1"]'), setup('"b": ["a"]', '"a": ["x==2", "y>=1"]'), [("extra_dependency_changed", "[a] x", "==1", "==2", False)]),
        ("a new extra of setup.py", "setup.py", setup('"a": ["x==1"]'), setup('"a": ["x==1"]', '"otel": ["y>=1"]'), [("extra_dependency_added", "[otel] y", None, ">=1", False)]),
        ("one more of an extra of setup.py", "setup.py", setup('"a": ["x==1"]'), setup('"a": ["x==1",', '"y>=1"]'), [("extra_dependency_added", "[a] y", None, ">=1", False)]),
        ("a pin beside the extras of setup.py", "setup.py", setup('"a": ["x==1"]', rest="z==1"), setup('"a": ["x==1"]', rest="z==2"), [("dependency_changed", "z", "==1", "==2", False)]),
        ("a pin for developers in setup.py", "setup.py", setup('"test": ["x==1"]'), setup('"test": ["x==2"]'), []),
        ("extras of setup.py in another order", "setup.py", setup('"a": ["x==1"]', '"b": ["y==1"]'), setup('"b": ["y==1"]', '"a": ["x==1"]'), []),
        ("no upper bound any more", REQ, "t >= 4.56, < 5\n", "t >= 4.56, != 5.0.*, != 5.5.0\n", [("dependency_changed", "t", ">=4.56,<5", ">=4.56,!=5.0.*,!=5.5.0", False)]),
        ("no upper bound in setup.py", "setup.py", setup(rest="t>=4,<5"), setup(rest="t>=4,!=5.0.*"), [("dependency_changed", "t", ">=4,<5", ">=4,!=5.0.*", False)]),
        ("a bound behind many clauses", REQ, f"t>=4{MANY},<5\n", f"t>=4{MANY}\n", [("dependency_changed", "t", f">=4{MANY},<5", f">=4{MANY}", False)]),
        ("many clauses in another layout", REQ, f"t>=4{MANY}\n", f"t >= 4{MANY.replace(',', ', ')}\n", []),
        ("Python in setup.py", "setup.py", 'setup(python_requires=">=3.8")\n', 'setup(python_requires=">=3.10")\n', [("python_required_changed", "setup.py", ">=3.8", ">=3.10", True)]),
        ("a crate", "rust/Cargo.toml", '[dependencies]\ntokio = "1.0"\n', '[dependencies]\ntokio = "1.1"\n', [("dependency_changed", "tokio", "1.0", "1.1", False)]),
        ("an argument of an image", DOCKER, "ARG KIT_VERSION=0.5.3\n", "ARG KIT_VERSION=0.6.1\n", [("pin_changed", "KIT_VERSION", "0.5.3", "0.6.1", False)]),
        ("a base image", DOCKER, "FROM nvidia/cuda:12.8\n", "FROM nvidia/cuda:13.0\n", [("image_changed", "nvidia/cuda", "12.8", "13.0", False)]),
        ("a source", CMAKE, source("v1"), source("v2"), [("source_changed", "FlashMLA", "v1", "v2", False)]),
        ("a revision by name", "CMakeLists.txt", 'set(CUTLASS_REVISION "v4.0.0")\n', 'set(CUTLASS_REVISION "v4.2.1")\n', [("source_changed", "CUTLASS_REVISION", "v4.0.0", "v4.2.1", False)]),
        ("CMake itself", "CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\n", "cmake_minimum_required(VERSION 3.26)\n", [("toolchain_required_changed", "CMake", ">=3.22", ">=3.26", False)]),
        ("torch to build with", "CMakeLists.txt", 'set(TORCH_SUPPORTED_VERSION_CUDA "2.8.0")\n', 'set(TORCH_SUPPORTED_VERSION_CUDA "2.9.0")\n', [("toolchain_required_changed", "TORCH_SUPPORTED_VERSION_CUDA", "2.8.0", "2.9.0", False)]),
        ("a comment of CMake", "CMakeLists.txt", "# cmake_minimum_required(VERSION 3.22)\n", "# cmake_minimum_required(VERSION 3.26)\n", []),
        ("the project's version", "version.txt", "0.6.1\n", "0.6.2\n", [("version_changed", "version.txt", "0.6.1", "0.6.2", False)]),
        ("what tests need", "requirements/test/cuda.txt", "a==1\n", "a==2\n", []),
        ("what developers need", "requirements/dev.txt", "a==1\n", "a==2\n", []),
        ("what docs need", "docs/requirements.txt", "mkdocs==1\n", "mkdocs==2\n", []),
        ("any other text", "notes.txt", "torch==1\n", "torch==2\n", []),
        ("a new file", REQ, None, "a==1\nb==2\n", []),
    ],
)  # fmt: skip
def test_pins(what: str, path: str, before: str | None, after: str | None, expected: list[Told]) -> None:
    assert told_of(dependencies, path, before, after) == expected


def test_one_bump_in_five_files_is_told_once() -> None:
    files = {
        f"requirements/{name}.txt": ("torch==2.8\n", "torch==2.9\n") for name in ("cuda", "cpu", "rocm", "xpu", "tpu")
    }
    assert [f.kind for f in facts_of(dependencies, files)] == ["dependency_changed"]


def go_module(version: str) -> str:
    return f"module example.com/a\n\ngo {version}\n"


def test_of_several_modules_the_root_is_told_and_those_beside_it_ask_nothing_of_users() -> None:
    step = go_module("1.25.0"), go_module("1.25.7")
    paths = ("compliance/go.mod", "go.mod", "internal/tools/go.mod", "api/go.mod", "examples/remote/go.mod")
    assert [f.path for f in facts_of(dependencies, dict.fromkeys(paths, step))] == ["go.mod"]
    assert facts_of(dependencies, dict.fromkeys(("compliance/go.mod", "internal/tools/go.mod"), step)) == []


@pytest.mark.parametrize(
    ("path", "form", "mark"),
    [
        ("web/package.json", '{{"private": true, "engines": {{"node": ">={}"}}}}', '"private": true, '),
        ("probe/Cargo.toml", '[package]\nname = "a"\npublish = false\nrust-version = "1.{}"\n', "publish = false\n"),
    ],
)
def test_what_a_package_that_nobody_can_install_is_built_with_is_no_requirement(
    path: str, form: str, mark: str
) -> None:
    assert told_of(dependencies, path, form.format(70), form.format(71)) == []
    public = form.replace(mark, "")
    assert [f[0] for f in told_of(dependencies, path, public.format(70), public.format(71))] == [
        "toolchain_required_changed"
    ]


def test_the_version_of_all_parts_of_a_project_is_told_once() -> None:
    step = project('version = "0.19.0"'), project('version = "0.20.0"')
    files = dict.fromkeys(("python/server/pyproject.toml", "python/kit/pyproject.toml", "pyproject.toml"), step)
    assert [(f.kind, f.path) for f in facts_of(dependencies, files)] == [("version_changed", "pyproject.toml")]


def test_a_package_that_moved_to_another_list_is_neither_removed_nor_added() -> None:
    files = {REQ: ("a==1\nb==1\n", "a==1\n"), "requirements/common.txt": ("c==1\n", "c==1\nb==1\n")}
    assert facts_of(dependencies, files) == []


@pytest.mark.parametrize("bound", [">=1.0", ">=0.9"])
def test_a_package_of_an_extra_that_comes_with_every_installation_is_a_new_dependency(bound: str) -> None:
    extra = "[project.optional-dependencies]\nep = ['nccl4py>=1.0', 'rest']\n"
    files = {
        TOML: (
            project("dependencies = ['a']", extra),
            project("dependencies = ['a']", extra.replace("'nccl4py>=1.0', ", "")),
        ),
        "requirements.txt": ("click\n", f"click\nnccl4py{bound}\n"),
    }
    assert plain(facts_of(dependencies, files)) == {("dependency_added", "nccl4py", None, bound)}


def test_an_extra_of_one_platform_that_a_file_of_its_own_offers_now_is_not_dropped() -> None:
    extras = "[project.optional-dependencies]"
    other, came = "pyproject_other.toml", "pyproject_npu.toml"
    for path, dropped in ((other, []), (TOML, ["extra_removed"])):  # who installs by the main file has it no more
        before = {path: project(extras, "npu = ['a']", "hip = ['b']")}
        after = {path: project(extras, "hip = ['b']"), came: project(extras, "npu = []")}
        assert [one.kind for one in read(before, after) if one.symbol == "npu"] == dropped


def test_a_package_that_only_an_extra_brings_now_moved_and_is_not_dropped() -> None:
    extra = "[project.optional-dependencies]\nep = ['rest']\n"
    before, after = "dependencies = ['a', 'nccl4py>=1.0']", "dependencies = ['a']"
    files = {TOML: (project(before, extra), project(after, extra.replace("['rest", "['nccl4py>=1.0', 'rest")))}
    assert plain(facts_of(dependencies, files)) == {("dependency_moved", "nccl4py", ">=1.0", "[ep]")}


def test_a_package_that_only_one_platform_still_lists_went_for_all_others() -> None:
    rocm = ("numba\ngrpcio==1.7\ngrpcio-tools==1.7\n", "numba\ngrpcio==1.7\n")
    common = ("mcp\ngrpcio\n", "mcp\n")
    files = {"requirements/common.txt": common, "requirements/rocm.txt": rocm}
    gone = {row[:2] for row in plain(facts_of(dependencies, files)) if row[0] == "dependency_removed"}
    assert gone == {("dependency_removed", "grpcio"), ("dependency_removed", "grpcio-tools")}
    both = {"requirements/common.txt": common, "requirements/cuda.txt": ("grpcio\ntorch\n", "grpcio\ntorch==2\n")}
    assert not [row for row in plain(facts_of(dependencies, both)) if row[0] == "dependency_removed"]


def test_a_package_that_another_list_still_holds_is_not_removed() -> None:
    files = {REQ: ("a==1\nb==1\n", "a==1\n"), "requirements/common.txt": ("b==1\nc==1\n", "b==1\nc==2\n")}
    assert [f.symbol for f in facts_of(dependencies, files)] == ["c"]


def test_submodule() -> None:
    patch = f"@@ -1 +1 @@\n-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}"
    link = FileChange(path="3rdparty/cutlass", status="M", old_mode="160000", new_mode="160000", patch=patch)
    reading = read_one(change_of({}, files=(link,), files_total=1))
    assert told(list(reading.findings)) == [("submodule_changed", "3rdparty/cutlass", "1" * 40, "2" * 40, False)]
    assert reading.areas == {"dependency": 1}


@pytest.mark.parametrize(
    ("repo", "path", "expected"),
    [
        ("sgl-project/sglang", "sgl-kernel/csrc/common_extension.cc", "sgl-kernel"),
        ("sgl-project/sglang", "python/sglang/kernels/aot/csrc/a.cc", "sglang-kernel"),
        ("sgl-project/sglang", "sgl-model-gateway/src/main.rs", "sglang-router"),
        ("sgl-project/sglang", "python/sglang/srt/server_args.py", None),
        ("sgl-project/sglang", "sgl-kernel/tests/test_a.py", None),
        ("flashinfer-ai/flashinfer", "flashinfer-cubin/pyproject.toml", "flashinfer-cubin"),
        ("flashinfer-ai/flashinfer", "flashinfer/gemm.py", None),
        ("acme/engine", "acme-kernel/src/a.cu", "acme-kernel"),
        ("acme/engine", "engine/kernels/a.cu", None),
    ],
)
def test_what_ships_on_its_own(repo: str, path: str, expected: str | None) -> None:
    assert effective_with(profile_of(repo), path) == expected


def test_a_change_waits_for_its_package_unless_it_bumps_the_pin_itself() -> None:
    gone = Fact("operator_removed", "sgl-kernel/csrc/a.cc", 1, "silu", "silu()", None, True)
    bump = Fact("dependency_changed", "python/pyproject.toml", 1, "sgl-kernel", "==0.3.1", "==0.3.2")
    assert [f.effective for f in with_effect(profile_of("sgl-project/sglang"), [gone])] == ["sgl-kernel"]
    assert [f.effective for f in with_effect(profile_of("sgl-project/sglang"), [gone, bump])] == [None, None]


def test_a_change_that_touches_what_calls_the_package_as_well_is_not_said_to_wait_for_it() -> None:
    gone = Fact("operator_removed", "sgl-kernel/csrc/a.cc", 1, "silu", "silu()", None, True)
    profile, kernel = profile_of("sgl-project/sglang"), "sgl-kernel/csrc/a.cc"
    caller, test = "python/sglang/srt/layers/activation.py", "test/test_a.py"
    assert [f.effective for f in with_effect(profile, [gone], [kernel, test])] == ["sgl-kernel"]
    assert [f.effective for f in with_effect(profile, [gone], [kernel, caller])] == [None]


LINES = st.lists(st.sampled_from(["a==1", "a==2", "b>=1", "b", "c @ git+x", "# a", "-r x"]), max_size=5)


@given(LINES, LINES)
def test_undoing_a_change_mirrors_its_findings(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    assert mirrored(facts_of(dependencies, {REQ: (old, new)})) == plain(facts_of(dependencies, {REQ: (new, old)}))
    assert facts_of(dependencies, {REQ: (old, old)}) == []


@given(st.sampled_from([REQ, TOML, CMAKE, DOCKER, "setup.py", "Cargo.toml", "version.txt"]), st.text(max_size=300))
def test_no_text_makes_the_reader_stumble(path: str, text: str) -> None:
    dependencies.surface(path, text)


def test_a_requirement_of_the_project_itself_is_no_dependency() -> None:
    both = (
        {"requirements/cu13.txt": "nvidia-cutlass-dsl==4.6.0.dev0\nnumpy==2.1\n"},
        {"requirements/cu13.txt": "nvidia-cutlass-dsl==4.6.0\nnumpy==2.2\n"},
    )
    assert [f.symbol for f in read(*both, project="NVIDIA/cutlass")] == ["numpy"]
    assert {f.symbol for f in read(*both, project="acme/engine")} == {"numpy", "nvidia-cutlass-dsl"}


def test_a_bump_of_every_installation_and_of_an_extra_is_told_of_every_installation_alone() -> None:
    sides = [
        project(f'dependencies = ["a=={n}"]', "[project.optional-dependencies]", f'all = ["a=={n}"]') for n in (1, 2)
    ]
    assert told_of(dependencies, TOML, *sides) == [("dependency_changed", "a", "==1", "==2", False)]


@pytest.mark.parametrize(
    ("handed_on", "left"),
    [
        ("pub use kit_mesh as mesh;", {"kit-mesh", "gone_elsewhere"}),
        ("pub use kit_mesh as net;", {"kit-mesh", "gone_elsewhere", "gone_with_mesh"}),
        ("pub use other_mesh as mesh;", {"kit-mesh", "gone_elsewhere", "gone_with_mesh"}),
    ],
)
def test_what_went_into_a_package_that_is_handed_on_by_its_name_is_not_gone(handed_on: str, left: set[str]) -> None:
    files = [
        file_of("gate/src/lib.rs", "pub mod mesh;\n", f"{handed_on}\n"),
        file_of("gate/src/mesh/metrics.rs", "fn a() {}\n", None),
        file_of("gate/src/meshes.rs", "fn a() {}\n", None),
    ]
    facts = {
        Fact("dependency_added", "gate/Cargo.toml", 3, "kit-mesh", None, "1.0"),
        Fact("metric_removed", "gate/src/mesh/metrics.rs", 1, "gone_with_mesh", "a", None, True),
        Fact("metric_removed", "gate/src/meshes.rs", 1, "gone_elsewhere", "a", None, True),
    }
    found = dependencies.without_handed_over(facts, Whole(files, complete=True))
    assert {fact.symbol for fact in found} == left


def test_a_package_that_everybody_got_and_an_extra_of_setup_gives_now_breaks_whoever_did_not_ask_for_it() -> None:
    common = ("a\nscipy # for audio\n", "a\n")
    extras = setup('"audio": ["librosa"]'), setup('"audio": [\n    "librosa",\n    "scipy",\n  ]')
    found = read(*({"requirements/common.txt": c, "setup.py": s} for c, s in zip(common, extras, strict=True)))
    assert [(f.kind, f.symbol, f.after, f.breaking) for f in found] == [("dependency_moved", "scipy", "[audio]", True)]


def test_what_an_extra_gave_goes_with_the_extra() -> None:
    before, after = setup('"fast": ["fast-kernel"]', '"audio": ["librosa"]'), setup('"audio": ["librosa"]')
    assert [f.kind for f in read({"setup.py": before}, {"setup.py": after})] == ["extra_removed"]
