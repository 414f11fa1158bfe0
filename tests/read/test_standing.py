"""A removed name is looked up in the whole tree, with real git."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.findings import Alias
from daybreak.findings.languages.base import Fact
from daybreak.findings.still_defined import confirmed
from daybreak.findings.trees import GitTrees
from gitrepo import GitRepo

ENV = Fact("env_removed", "engine/envs.py", 3, "ENGINE_FAST", "1", None, breaking=True)
METRIC = Fact("metric_removed", "engine/old_metrics.py", 3, "engine:tokens_total", "x", None, breaking=True)
OPERATOR = Fact("operator_removed", "csrc/a.cpp", 3, "_C::topk", "x", None, breaking=True)
FLAG = Fact("cli_flag_removed", "engine/args.py", 3, "--fast", "--fast", None, breaking=True)


def asked(repo: GitRepo, fact: Fact, before: dict[str, str], after: dict[str, str | None]) -> set[Fact]:
    repo.commit("one", dict(before))
    sha = repo.commit("two", dict(after))
    git = Git(dict(os.environ))
    (change,) = HistoryReader(git, repo.path, "org/project", ZoneInfo("UTC")).read([sha])
    return confirmed(GitTrees(git, Path(repo.path)), change, {fact})


ROUTE = Fact("route_removed", "engine/old_server.py", 3, "/reset_cache", "/reset_cache", None, breaking=True)


@pytest.mark.parametrize(
    ("line", "gone"), [('    @app.post("/reset_cache")\n', False), ('call_all("/reset_cache")\n', True)]
)
def test_a_route_that_another_server_of_the_tree_offers_is_not_gone(repo: GitRepo, line: str, gone: bool) -> None:
    before = {"engine/old_server.py": '@app.post("/reset_cache")\n', "engine/server.py": line}
    assert asked(repo, ROUTE, before, {"engine/old_server.py": ""}) == ({ROUTE} if gone else set())


FIELD = Fact("request_field_removed", "engine/io_struct.py", 3, "LoadReqInput.tensors", "LoadReqInput.tensors", None)


@pytest.mark.parametrize(
    ("path", "line", "sent"),
    [
        ("engine/http_server.py", "async def load(obj: LoadReqInput, request: Request):\n", True),
        ("engine/http_server.py", "    obj: Annotated[LoadReqInput, Body()], request: Request\n", True),
        ("engine/http_server.py", "    task = LoadReqInput(tensors=1)\n", False),
        ("engine/scheduler.py", "def load(obj: LoadReqInput):\n", False),
    ],
)
def test_a_field_of_what_an_http_server_takes_as_its_body_is_sent_by_clients(
    repo: GitRepo, path: str, line: str, sent: bool
) -> None:
    before = {"engine/io_struct.py": "class LoadReqInput:\n    tensors: str\n", path: line}
    found = asked(repo, FIELD, before, {"engine/io_struct.py": "class LoadReqInput:\n    pass\n"})
    assert [fact.breaking for fact in found] == [sent]


USED = {"engine/envs.py": "ENGINE_FAST = 1\n", "engine/run.py": "use(envs.ENGINE_FAST)\n"}


def test_a_variable_that_code_used_and_nobody_uses_now_is_gone(repo: GitRepo) -> None:
    assert asked(repo, ENV, USED, {"engine/envs.py": "", "engine/run.py": "use()\n"}) == {ENV}


def test_a_variable_that_code_used_by_its_quoted_name_alone_is_gone(repo: GitRepo) -> None:
    before = {
        "engine/envs.py": 'x = os.getenv("ENGINE_FAST")\n',
        "engine/run.py": 'env.setdefault("ENGINE_FAST", "1")\n',
    }
    assert asked(repo, ENV, before, {"engine/envs.py": "", "engine/run.py": ""}) == {ENV}


def test_a_search_that_was_killed_says_nothing_about_a_name(repo: GitRepo, tmp_path: Path) -> None:
    """And not that nobody had used it."""
    program = tmp_path / "git"
    program.write_text('#!/bin/sh\ncase "$*" in *" grep "*) kill -KILL $$;; esac\nexec git "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    repo.commit("one", dict(USED))
    sha = repo.commit("two", {"engine/envs.py": "", "engine/run.py": "use()\n"})
    git = Git(dict(os.environ), str(program))
    (change,) = HistoryReader(git, repo.path, "org/project", ZoneInfo("UTC")).read([sha])
    assert confirmed(GitTrees(git, Path(repo.path)), change, {ENV}) == {ENV}


def test_a_variable_that_another_file_still_reads_is_not_gone(repo: GitRepo) -> None:
    before = {**USED, "engine/other.py": 'os.getenv("ENGINE_FAST")\n'}
    assert asked(repo, ENV, before, {"engine/envs.py": ""}) == set()


@pytest.mark.parametrize("line", ["use(envs.ENGINE_FAST)\n", 'raise ValueError("Set ENGINE_FAST=1 instead")\n'])
def test_a_word_about_it_does_not_keep_a_variable_alive(repo: GitRepo, line: str) -> None:
    before = {**USED, "engine/other.py": line}
    assert asked(repo, ENV, before, {"engine/envs.py": "", "engine/run.py": "use()\n"}) == {ENV}


def test_a_variable_that_is_declared_nowhere_is_gone_with_the_last_place_that_reads_it(repo: GitRepo) -> None:
    fact = Fact("env_read_removed", "engine/run.py", 1, "ENGINE_FAST", "ENGINE_FAST", None, breaking=True)
    before = {"engine/run.py": 'x = os.getenv("ENGINE_FAST")\n'}
    assert asked(repo, fact, before, {"engine/run.py": "x = 1\n"}) == {fact}
    before["engine/other.py"] = 'y = os.getenv("ENGINE_FAST")\n'
    assert asked(repo, fact, before, {"engine/run.py": "x = 1\n"}) == set()


def test_a_variable_of_insiders_that_another_file_reads_is_read_still(repo: GitRepo) -> None:
    fact = Fact("env_read_removed", "engine/run.py", 1, "ENGINE_TEST_STEPS", "ENGINE_TEST_STEPS", None)
    before = {"engine/run.py": 'x = os.getenv("ENGINE_TEST_STEPS")\n'}
    assert asked(repo, fact, before, {"engine/run.py": "x = 1\n"}) == {fact}
    before["engine/other.py"] = 'y = os.environ.get("ENGINE_TEST_STEPS")\n'
    assert asked(repo, fact, before, {"engine/run.py": "x = 1\n"}) == set()


def test_a_variable_that_only_its_declaration_named_breaks_nobody(repo: GitRepo) -> None:
    (fact,) = asked(repo, ENV, {"engine/envs.py": "ENGINE_FAST = 1\n"}, {"engine/envs.py": ""})
    assert not fact.breaking


@pytest.mark.parametrize("place", ["tests/test_run.py", "docs/run.py", "README.md"])
def test_tests_and_docs_do_not_keep_a_name_alive(repo: GitRepo, place: str) -> None:
    before = {**USED, place: "ENGINE_FAST\n"}
    assert asked(repo, ENV, before, {"engine/envs.py": "", "engine/run.py": "use()\n"}) == {ENV}


def test_a_counter_that_another_file_exports_without_its_suffix_is_not_gone(repo: GitRepo) -> None:
    before = {"engine/old_metrics.py": '"engine:tokens_total"\n', "engine/metrics.py": 'Counter("engine:tokens")\n'}
    assert asked(repo, METRIC, before, {"engine/old_metrics.py": None}) == set()


def test_an_operator_that_another_file_registers_is_not_gone(repo: GitRepo) -> None:
    before = {
        "csrc/a.cpp": 'm.def("topk(Tensor x) -> Tensor");\n',
        "csrc/b.cpp": 'm.def("topk(Tensor x) -> Tensor");\n',
    }
    assert asked(repo, OPERATOR, before, {"csrc/a.cpp": ""}) == set()
    assert asked(repo, OPERATOR, {}, {"csrc/b.cpp": ""}) == {OPERATOR}


def test_flags_are_not_looked_up_since_several_programs_may_have_the_same(repo: GitRepo) -> None:
    before = {"engine/args.py": '"--fast"\n', "bench/args.py": '"--fast"\n'}
    assert asked(repo, FLAG, before, {"engine/args.py": ""}) == {FLAG}


def test_a_tree_that_cannot_be_searched_changes_nothing(repo: GitRepo) -> None:
    repo.commit("one", USED)
    repo.lose(repo.oid("HEAD:engine/run.py"))
    assert asked(repo, ENV, {"other.py": "x\n"}, {"engine/envs.py": ""}) == {ENV}


RENAMED = Fact("env_renamed", "engine/envs.py", 3, "ENG_FAST", "ENG_FAST", "ENGINE_FAST", breaking=True)


def test_a_renamed_variable_whose_old_prefix_is_forwarded_still_works(repo: GitRepo) -> None:
    shim = 'for k in os.environ:\n    if k.startswith("ENG_"):\n        forward(k)\n'
    (fact,) = asked(
        repo, RENAMED, {"engine/envs.py": "ENG_FAST\n", "engine/shim.py": shim}, {"engine/envs.py": "ENGINE_FAST\n"}
    )
    assert not fact.breaking
    assert fact.alias is not None
    assert (fact.alias.status, fact.alias.where) == ("kept", "engine/shim.py")


def test_a_renamed_variable_that_nothing_forwards_is_gone(repo: GitRepo) -> None:
    assert asked(repo, RENAMED, {"engine/envs.py": "ENG_FAST\n"}, {"engine/envs.py": "ENGINE_FAST\n"}) == {RENAMED}


DECLARED = {"engine/envs.py": "ENGINE_FAST = 1\n"}
USE = "".join(f"line_{n} = {n}\n" for n in range(20)) + "use(envs.ENGINE_FAST)\n"
BEFORE: dict[str, tuple[dict[str, str], dict[str, str | None], bool]] = {
    "a file that the change deletes": ({"engine/run.py": USE}, {"engine/run.py": None}, True),
    "a file that the change renames": (
        {"engine/run.py": USE},
        {"engine/run.py": None, "engine/go.py": USE.replace("use(envs.ENGINE_FAST)", "use()")},
        True,
    ),
    "a file that the change does not touch": ({"engine/run.py": USE}, {}, True),
    "a test that the change deletes": ({"tests/run.py": USE}, {"tests/run.py": None}, False),
    "a text that the change deletes": ({"engine/notes.md": USE}, {"engine/notes.md": None}, False),
    "a file that the change adds": ({}, {"engine/run.py": USE}, False),
    "nothing": ({}, {"engine/run.py": "use()\n"}, False),
}


@pytest.mark.parametrize("most", [0, 200])
@pytest.mark.parametrize("where", BEFORE)
def test_what_named_a_variable_before_is_known_whatever_the_change_touched(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, where: str, most: int
) -> None:
    """Searched where the change was, or all through when it was large: it makes no difference."""
    monkeypatch.setattr("daybreak.findings.still_defined._MOST_PATHS", most)
    before, after, used = BEFORE[where]
    (fact,) = asked(repo, ENV, {**DECLARED, **before}, {"engine/envs.py": "", **after})
    assert fact.breaking is used


# --- operators ---------------------------------------------------------------------------------------------------

GEMM = Fact("operator_renamed", "csrc/python_api.cpp", 3, "gemm_old", "gemm_old", "gemm_new", True, Alias("none"))
BINDING = Fact("operator_removed", "csrc/python_api.cpp", 3, "gemm_old", "gemm_old", None, True, Alias("none"))
OLD_API: dict[str, str] = {"csrc/python_api.cpp": 'm.def("gemm_old", &gemm);\n', "kit/__init__.py": ""}
NEW_API: dict[str, str | None] = {"csrc/python_api.cpp": 'm.def("gemm_new", &gemm);\n'}

KEEPS = {
    "assigned": "from kit_cpp import gemm_new\ngemm_old = gemm_new\n",
    "assigned from a module": "import kit_cpp\ngemm_old = kit_cpp.gemm_new\n",
    "imported by the old name": "from kit_cpp import (\n    gemm_new as gemm_old,\n    gemm_new,\n)\n",
}
KEEPS_NOT = {
    "assigned from the binding that went": "gemm_old = kit_cpp.gemm_old\n",
    "assigned nothing": "gemm_old = None\n",
    "assigned in a function": "def f():\n    gemm_old = gemm_new\n    return gemm_old\n",
    "in a comment": "# gemm_old = gemm_new\n",
    "in a text": '"""\ngemm_old = gemm_new\n"""\n',
    "part of another name": "my_gemm_old = gemm_new\nfrom x import gemm_new as gemm_old_2\n",
    "not Python": "gemm_old = = gemm_new\n",
}


@pytest.mark.parametrize("fact", [GEMM, BINDING], ids=["renamed", "removed"])
@pytest.mark.parametrize("how", KEEPS)
def test_a_binding_whose_old_name_the_package_still_offers_breaks_nobody(repo: GitRepo, fact: Fact, how: str) -> None:
    (left,) = asked(repo, fact, OLD_API, {**NEW_API, "kit/__init__.py": KEEPS[how]})
    assert not left.breaking
    assert left.alias == Alias("kept", "kit/__init__.py")


@pytest.mark.parametrize("fact", [GEMM, BINDING], ids=["renamed", "removed"])
@pytest.mark.parametrize("how", KEEPS_NOT)
def test_a_line_that_makes_no_other_name_of_the_old_one_keeps_nothing(repo: GitRepo, fact: Fact, how: str) -> None:
    assert asked(repo, fact, OLD_API, {**NEW_API, "kit/__init__.py": KEEPS_NOT[how]}) == {fact}


def test_an_alias_that_stood_there_before_the_change_keeps_the_name_as_well(repo: GitRepo) -> None:
    (left,) = asked(repo, GEMM, {**OLD_API, "kit/__init__.py": KEEPS["assigned"]}, NEW_API)
    assert not left.breaking


def test_in_a_module_that_is_no_package_only_the_new_name_says_what_is_meant(repo: GitRepo) -> None:
    legacy: dict[str, str | None] = {"kit/legacy.py": "gemm_old = gemm_new\n"}
    (left,) = asked(repo, GEMM, OLD_API, {**NEW_API, **legacy})
    assert left.alias == Alias("kept", "kit/legacy.py")
    assert asked(repo, GEMM, {}, {"kit/legacy.py": "gemm_old = config.size\n"}) == {GEMM}
    assert asked(repo, BINDING, {}, legacy) == {BINDING}


def test_an_alias_in_the_tests_keeps_nothing(repo: GitRepo) -> None:
    assert asked(repo, GEMM, OLD_API, {**NEW_API, "tests/kit/__init__.py": KEEPS["assigned"]}) == {GEMM}


NORM = Fact("operator_removed", "csrc/all_ops.cu", 3, "rmsnorm", "rmsnorm", None, True, Alias("none"))
TORCH = "TORCH_LIBRARY_FRAGMENT(kit, m) {{\n  {}\n}}\n"


@pytest.mark.parametrize(
    "line",
    [
        TORCH.format('m.def("rmsnorm", rmsnorm);'),
        TORCH.format('m.def(\n      "rmsnorm",\n      rmsnorm);'),
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(rmsnorm, RMSNorm);\n",
    ],
)
def test_an_operator_that_another_file_registers_without_a_schema_is_not_gone(repo: GitRepo, line: str) -> None:
    before = {"csrc/all_ops.cu": TORCH.format('m.def("rmsnorm", rmsnorm);'), "csrc/norm_ops.cu": line}
    assert asked(repo, NORM, before, {"csrc/all_ops.cu": None}) == set()


@pytest.mark.parametrize(
    "line",
    [
        TORCH.format('m.impl("rmsnorm", &rmsnorm);'),
        TORCH.format('// m.def("rmsnorm", rmsnorm);'),
        TORCH.format('m.def("rmsnorm_2", rmsnorm);'),
        'check("rmsnorm");\n',
    ],
)
def test_a_file_that_only_names_an_operator_does_not_keep_it(repo: GitRepo, line: str) -> None:
    before = {"csrc/all_ops.cu": TORCH.format('m.def("rmsnorm", rmsnorm);'), "csrc/norm_ops.cu": line}
    assert asked(repo, NORM, before, {"csrc/all_ops.cu": None}) == {NORM}


def test_a_function_of_a_module_is_not_the_torch_operator_of_the_same_name(repo: GitRepo) -> None:
    fact = replace(NORM, before="rmsnorm(Tensor x) -> Tensor")
    before = {"csrc/all_ops.cu": "x\n", "csrc/bind.cpp": 'PYBIND11_MODULE(k, m) {\n  m.def("rmsnorm", &f);\n}\n'}
    assert asked(repo, fact, before, {"csrc/all_ops.cu": None}) == {fact}


# --- sources that nobody compiled --------------------------------------------------------------------------------

ALL_OPS = TORCH.format('m.def("rmsnorm", rmsnorm);')
BY_NAME = 'sources = ["csrc/norm.cu", "csrc/rope.cu"]\n'
FOLDER = {"csrc/all_ops.cu": ALL_OPS, "csrc/norm.cu": "int norm;\n", "csrc/rope.cu": "int rope;\n"}
UNCOMPILED = {
    "setup.py lists the others": {"setup.py": BY_NAME},
    "CMake lists the others": {"CMakeLists.txt": "set(SRC\n  csrc/norm.cu\n  csrc/rope.cu)\n"},
    "several files list the others": {"kit/a.py": 'CSRC_DIR / "norm.cu"\n', "kit/b.py": 'CSRC_DIR / "rope.cu"\n'},
    "a pattern takes other files": {"setup.py": BY_NAME + 'glob("csrc/gen/*.generated.cu")\n'},
    "another folder is walked": {"setup.py": BY_NAME, "scripts/wheels.py": 'os.listdir("dist")\n'},
    "a star is no pattern": {"setup.py": BY_NAME + 'parser.add_argument("--arch", nargs="*")\n'},
    "sources are shipped as data": {"setup.py": BY_NAME, "pyproject.toml": 'data = ["csrc/**"]\n'},
}
COMPILED = {
    "nothing is listed": {"setup.py": "setup()\n"},
    "one of the others is not listed": {"setup.py": 'sources = ["csrc/norm.cu"]\n'},
    "it is listed too": {"setup.py": 'sources = ["csrc/norm.cu", "csrc/rope.cu", "csrc/all_ops.cu"]\n'},
    "its name stands somewhere without its ending": {"setup.py": BY_NAME, "kit/jit.py": 'load("all_ops")\n'},
    "another source includes it": {"setup.py": BY_NAME, "csrc/norm.cu": '#include "all_ops.cu"\n'},
    "a pattern takes it": {"setup.py": BY_NAME + 'sources += glob("csrc/*.cu")\n'},
    "a pattern of another file takes it": {"setup.py": BY_NAME, "kit/jit.py": 'folder.glob("*.cu")\n'},
    "a pattern of anything takes it": {"setup.py": BY_NAME, "kit/jit.py": 'Path("csrc").glob("*")\n'},
    "a pattern of CMake takes it": {"setup.py": BY_NAME, "CMakeLists.txt": "file(GLOB SRC csrc/*.cu)\n"},
    "its name is put together": {"setup.py": BY_NAME + 'sources.append(f"csrc/{part}_ops.cu")\n'},
    "the folder is walked": {"setup.py": BY_NAME + 'for name in os.listdir("csrc"): ...\n'},
    "only the docs list the others": {"docs/build.md": BY_NAME},
}


@pytest.mark.parametrize("build", UNCOMPILED)
def test_an_operator_of_a_source_that_nobody_compiled_breaks_nobody(repo: GitRepo, build: str) -> None:
    (left,) = asked(repo, NORM, {**FOLDER, **UNCOMPILED[build]}, {"csrc/all_ops.cu": None})
    assert not left.breaking
    assert left.alias is None


@pytest.mark.parametrize("build", COMPILED)
def test_a_source_that_may_have_been_compiled_counts_as_compiled(repo: GitRepo, build: str) -> None:
    assert asked(repo, NORM, {**FOLDER, **COMPILED[build]}, {"csrc/all_ops.cu": None}) == {NORM}


def test_a_source_that_stays_or_loses_its_neighbours_too_counts_as_compiled(repo: GitRepo) -> None:
    before = {**FOLDER, "setup.py": BY_NAME}
    assert asked(repo, NORM, before, {"csrc/all_ops.cu": "\n"}) == {NORM}
    gone: dict[str, str | None] = {"csrc/all_ops.cu": None, "csrc/norm.cu": None, "setup.py": "setup()\n"}
    assert asked(repo, NORM, before, gone) == {NORM}


# --- models ------------------------------------------------------------------------------------------------------

MODEL = Fact("model_removed", "engine/models/registry.py", 3, "NovaForScoring", "x", None, True, Alias("none"))
ROW = {"engine/models/registry.py": 'MODELS = {"NovaForScoring": 1}\n'}


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("tests/models/registry.py", '    "NovaForScoring": Example("org/nova"),  # noqa: E501\n'),
        ("tests/test_score.py", "architecture='NovaForScoring'\n"),
        ("docs/models.md", "| `NovaForScoring` | Nova | `org/nova` |\n"),
    ],
)
def test_a_model_that_tests_run_or_docs_list_has_only_lost_its_row(repo: GitRepo, place: str, line: str) -> None:
    (left,) = asked(repo, MODEL, {**ROW, place: line}, {"engine/models/registry.py": "MODELS = {}\n"})
    assert not left.breaking
    assert left.alias is None


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("tests/models/registry.py", '    # "NovaForScoring": Example("org/nova"),\n'),
        ("tests/models/registry.py", '    "NovaForScoringV2": Example("org/nova"),\n'),
        ("tests/test_score.py", "class NovaForScoring: ...\n"),
        ("docs/models.md", "<!-- | `NovaForScoring` | -->\n"),
        ("docs/changes.md", "`NovaForScoring` is no longer supported.\n"),
        ("engine/models/registry.py", 'PREVIOUSLY_SUPPORTED = {"NovaForScoring": "0.9"}\n'),
        ("engine/config.py", 'if name == "NovaForScoring": ...\n'),
    ],
)
def test_a_model_that_is_only_spoken_of_is_gone(repo: GitRepo, place: str, line: str) -> None:
    assert asked(repo, MODEL, ROW, {"engine/models/registry.py": "MODELS = {}\n", place: line}) == {MODEL}


def test_a_model_that_its_registry_lists_as_gone_is_gone_whatever_docs_say_of_it(repo: GitRepo) -> None:
    gone = 'MODELS = {}\nPREVIOUSLY_SUPPORTED = {"NovaForScoring": "0.9"}\n'
    doc = {"docs/design.md": "Hybrid models such as `NovaForScoring`.\n"}
    assert asked(repo, MODEL, {**ROW, **doc}, {"engine/models/registry.py": gone}) == {MODEL}


def test_a_name_that_a_table_of_its_folder_holds_still_is_registered_still(repo: GitRepo) -> None:
    fact = Fact("registry_removed", "engine/parsers/nova.py", 3, "tool_parser:nova", "nova", None, breaking=True)
    table = {"engine/parsers/__init__.py": 'PARSERS = {\n    "nova": ("nova", "Nova"),\n}\n'}
    before = {fact.path: '@register("nova")\nclass Nova: ...\n'}
    after: dict[str, str | None] = {fact.path: "class Nova: ...\n"}
    assert asked(repo, fact, {**before, **table}, after) == set()


def test_a_name_that_only_a_table_of_those_that_are_gone_gets_is_gone(repo: GitRepo) -> None:
    fact = Fact("registry_removed", "engine/parsers/nova.py", 3, "tool_parser:nova", "nova", None, breaking=True)
    table = {"engine/parsers/__init__.py": 'GONE = {\n    "nova": "0.9",\n}\n'}
    before = {fact.path: '@register("nova")\nclass Nova: ...\n'}
    after: dict[str, str | None] = {fact.path: "class Nova: ...\n"}
    assert asked(repo, fact, before, {**after, **table}) == {fact}


def test_a_picture_that_the_mirror_lacks_is_not_asked_for_models(repo: GitRepo) -> None:
    picture = "docs/assets/speed.html"
    repo.commit("one", {**ROW, "docs/models.md": "`NovaForScoring`\n", picture: "<p>many\n"})
    sha = repo.commit("two", {"engine/models/registry.py": "MODELS = {}\n"})
    repo.lose(repo.oid(f"{sha}:{picture}"))
    git = Git(dict(os.environ))
    (change,) = HistoryReader(git, repo.path, "org/project", ZoneInfo("UTC")).read([sha])
    (left,) = confirmed(GitTrees(git, Path(repo.path)), change, {MODEL})
    assert not left.breaking
    assert not git.faults.take(Path(repo.path))


def test_other_names_of_a_registry_are_not_kept_by_the_docs(repo: GitRepo) -> None:
    fact = Fact("registry_removed", "engine/models/registry.py", 3, "quantization:fast", "fast", None, breaking=True)
    assert asked(repo, fact, {**ROW, "docs/models.md": "`fast`\n"}, {"engine/models/registry.py": ""}) == {fact}


GATED = """
from typing import Literal

Methods = Literal["awq", "fp8", "gptq", "inc"]


def config(name):
    return {"awq": Awq, "fp8": Fp8, "gptq": Gptq, "inc": Inc, "auto-round": Inc}[name]
"""


@pytest.mark.parametrize(("name", "breaks"), [("auto-round", False), ("inc", True)])
def test_a_registered_name_that_its_list_let_in_nobody_breaks_nobody(repo: GitRepo, name: str, breaks: bool) -> None:
    fact = Fact("registry_removed", "engine/table.py", 8, f"quantization:{name}", name, None, True, Alias("none"))
    (left,) = asked(repo, fact, {"engine/table.py": GATED}, {"engine/table.py": "x = 1\n"})
    assert left.breaking is breaks


def test_a_registry_without_a_list_beside_it_is_its_own_gate(repo: GitRepo) -> None:
    table = GATED.replace('Literal["awq", "fp8", "gptq", "inc"]', "str")
    fact = Fact("registry_removed", "engine/table.py", 8, "quantization:auto-round", "a", None, True, Alias("none"))
    assert asked(repo, fact, {"engine/table.py": table}, {"engine/table.py": "x = 1\n"}) == {fact}


TABLE = '_DEPRECATED_ENV_VARS: dict[str, str] = {\n    "ENGINE_FAST": "fast",\n}\n\n\ndef warn():\n    for name in _DEPRECATED_ENV_VARS:\n        '


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        (TABLE + "if name in os.environ:\n            log(name)\n", True),
        (TABLE + "config[name] = os.environ[name]\n", False),
        (TABLE.replace("_DEPRECATED", "_OTHER") + "log(name)\n", False),
        (TABLE.replace('"fast"', '"ENGINE_QUICK"') + "log(name)\n", False),
    ],
)
def test_a_table_of_variables_that_are_gone_reads_none_of_them(repo: GitRepo, text: str, gone: bool) -> None:
    assert asked(repo, ENV, USED, {"engine/envs.py": "", "engine/run.py": text}) == ({ENV} if gone else set())


LIST = Fact("arch_removed", "CMakeLists.txt", 1, "sm_120a", "MLA_ARCHS=sm_90;sm_120a", "MLA_ARCHS=sm_90", False)


@pytest.mark.parametrize(
    ("elsewhere", "kept"),
    [
        ({"cmake/gemm.cmake": 'set(GEMM_ARCHS "12.0f")\n'}, True),
        ({"kit/moe.py": "@supported_compute_capability([90, 120])\ndef run(x):\n    pass\n"}, True),
        ({"kit/moe.py": "LIMIT = 120\n"}, False),
        ({"tests/a.cmake": 'set(GEMM_ARCHS "12.0f")\n'}, False),
    ],
)
def test_an_architecture_that_a_list_of_another_file_has_is_lost_by_the_one_list_alone(
    repo: GitRepo, elsewhere: dict[str, str], kept: bool
) -> None:
    before = {"CMakeLists.txt": 'set(MLA_ARCHS "9.0;12.0a")\n', **elsewhere}
    (left,) = asked(repo, LIST, before, {"CMakeLists.txt": 'set(MLA_ARCHS "9.0")\n'})
    of_list = ("arch_list_changed", "MLA_ARCHS", "sm_90;sm_120a", "sm_90")
    assert ((left.kind, left.symbol, left.before, left.after) == of_list) is kept
    assert kept or left == LIST
