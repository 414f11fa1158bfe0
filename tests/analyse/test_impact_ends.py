"""Your lines against both ends of a range: what still stands is no hit, what is surely gone is a certain one."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Repo
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Net, Use, Uses
from daybreak.core.projects import wanted_for
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.base import UNREAD
from daybreak.upgrade.impact.bodies import Parsed
from daybreak.upgrade.impact.ends import Upstream, ends_of
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.source import source
from daybreak.upgrade.impact.table import Ends, Modules
from gitrepo import GitRepo

REPO = "vllm-project/vllm"
WANTED = wanted_for([REPO])
Row = tuple[str, str, str, str | None, str | None]


def net(row: Row, breaking: bool = True) -> Net:
    kind, path, symbol, before, after = row
    return Net(Finding("abc/1", kind, path, 7, symbol, before, after, breaking, Alias("none")), ("a" * 40,), "v2")


def reads(word: str, words: str) -> bool | None:
    """As the trees say it: a word is read (`X()`), only named (`X`), or in no file."""
    return True if f"{word}()" in words else None if word in words else False


def ends(start: Mapping[str, str], end: Mapping[str, str], words: str = "") -> Ends:
    return Ends(
        lambda _repo, path: end.get(path), lambda _repo, path: start.get(path), lambda _repo, word: reads(word, words)
    )


def said(code: str, rows: list[Row], asked: Ends, file: str = "a.py", breaking: bool = True) -> str:
    found = Uses("/", tuple(uses(file, code, WANTED)), 1, 1)
    hits = join(found, {REPO: [net(row, breaking) for row in rows]}, ends=asked)
    return " ".join(f"{hit.certainty}:{hit.use.line}" for hit in sorted(hits, key=lambda hit: hit.use.line))


STAR: Row = ("module_moved", "vllm/v1/a/x.py", "vllm.a.* (3 modules)", "vllm.a.*", "vllm.v1.a.*")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from vllm.a.stays import Thing\n", ""),
        ("from vllm.a.went import Thing\n", "certain:1"),
        ("import vllm.a.stays\n", ""),
        ("from vllm.a.stays import Gone\n", "certain:1"),
        ("from vllm.a.lazy import Whatever\n", "likely:1"),
    ],
)
def test_a_package_of_which_some_modules_stay(code: str, expected: str) -> None:
    end = {
        "vllm/__init__.py": "", "vllm/a/__init__.py": "", "vllm/a/stays.py": "class Thing: ...\n",
        "vllm/a/lazy.py": "def __getattr__(name):\n    return name\n", "vllm/v1/a/x.py": "",
    }  # fmt: skip
    start = {**end, "vllm/a/went.py": "class Thing: ...\n", "vllm/a/stays.py": "class Thing: ...\nclass Gone: ...\n"}
    assert said(code, [STAR], ends(start, end)) == expected


def test_a_module_named_like_a_function_that_is_gone() -> None:
    row: Row = ("function_removed", "vllm/moe/pallas.py", "moe", "def moe()", None)
    end = {"vllm/__init__.py": "", "vllm/moe/__init__.py": "", "vllm/moe/config.py": "class C: ...\n"}
    assert said("from vllm.moe.config import C\n", [row], ends(end, end)) == ""


def test_what_a_package_hands_on_is_followed_to_its_file() -> None:
    row: Row = ("parameter_removed", "vllm/engine.py", "Engine.__init__(slow)", "slow=1", None)
    code = "from vllm import Engine\nEngine(slow=2)\n"
    ours = {"vllm/__init__.py": "from .engine import Engine\n", "vllm/engine.py": "class Engine: ...\n"}
    other = {"vllm/__init__.py": "from .other import Engine\n", "vllm/other.py": "class Engine: ...\n"}
    assert said(code, [row], ends(ours, ours)) == "certain:2"
    assert said(code, [row], ends(other, other)) == ""


@pytest.mark.parametrize(
    ("call", "row", "expected"),
    [
        ("f(1, 2)", ("parameter_default_changed", "vllm/m.py", "f(b)", "1", "2"), ""),
        ("f(1)", ("parameter_default_changed", "vllm/m.py", "f(b)", "1", "2"), "look:2"),
        ("f(1, 2, 3)", ("parameter_removed", "vllm/m.py", "f(old)", "old", None), "certain:2"),
        ("f(1)", ("parameter_removed", "vllm/m.py", "f(old)", "old", None), ""),
        ("f(1, 2)", ("parameter_required_added", "vllm/m.py", "f(b)", None, "b"), ""),
        ("f(1)", ("parameter_required_added", "vllm/m.py", "f(c)", None, "c"), "certain:2"),
        ("f(1, 2, 3)", ("parameter_kind_changed", "vllm/m.py", "f(c)", "both", "only keyword"), "certain:2"),
        ("f(1, c=3)", ("parameter_kind_changed", "vllm/m.py", "f(c)", "both", "only keyword"), ""),
    ],
)
def test_calls_are_held_against_the_parameters_of_both_ends(call: str, row: Row, expected: str) -> None:
    start, end = "def f(a, old, c=0): ...\n", "def f(a, b=1, *, c): ...\n"
    asked = ends({"vllm/m.py": start}, {"vllm/m.py": end})
    assert said(f"from vllm.m import f\n{call}\n", [row], asked) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    @abstractmethod\n    def new(self): ...\n", "likely:2"),
        ("    def new(self):\n        raise NotImplementedError\n", "likely:2"),
        ("    def new(self):\n        return 1\n", ""),
        ("    @abstractmethod\n    def old(self): ...\n    def new(self):\n        raise NotImplementedError\n", ""),
    ],
)
def test_only_what_must_be_written_is_missed(body: str, expected: str) -> None:
    row: Row = ("extension_method_added", "vllm/m.py", "Base.new", None, "def new(self)")
    end = {"vllm/m.py": f"class Base:\n{body}"}
    code = "from vllm.m import Base\nclass Mine(Base):\n    def other(self): ...\nclass Full(Base):\n    def new(self): ...\n"
    assert said(code, [row], ends(end, end), breaking=False) == expected


def test_a_member_that_a_base_offers_now() -> None:
    row: Row = ("function_renamed", "vllm/m.py", "Spec.size", "Spec.size", "Spec.real_size")
    code = "from vllm.m import Spec\nprint(Spec().size)\n"
    base = "class Root:\n    def size(self): ...\n"
    here = {"vllm/m.py": f"{base}class Spec(Root): ...\n"}
    there = {"vllm/m.py": "from vllm.b import Root\nclass Spec(Root): ...\n", "vllm/b.py": base}
    gone = {"vllm/m.py": "class Spec: ...\n"}
    assert [said(code, [row], ends(end, end)) for end in (here, there, gone)] == ["", "", "certain:2"]


def test_a_variable_that_nothing_reads_any_more() -> None:
    row: Row = ("env_read_removed", "vllm/e.py", "VLLM_OLD", "VLLM_OLD", None)
    code = "export VLLM_OLD=1\n"
    assert said(code, [row], ends({}, {}), "run.sh") == "certain:1"
    assert said(code, [row], ends({}, {}, "VLLM_OLD"), "run.sh") == "look:1"
    assert said(code, [row], ends({}, {}, "VLLM_OLD()"), "run.sh") == ""


@pytest.mark.parametrize(
    ("files", "read"),
    [
        ({"vllm/b.py": 'x = os.getenv("VLLM_OLD", "1")\n'}, True),
        ({"vllm/b.py": "if envs.VLLM_OLD:\n"}, True),
        ({"vllm/b.py": 'self._from_env("backend", "VLLM_OLD")\n'}, True),
        ({"vllm/envs.py": 'known = {\n    "VLLM_OLD": lambda: os.getenv("VLLM_OLD"),\n}\n'}, None),
        ({"vllm/b.py": 'LISTED = [\n    "VLLM_OLD",\n]\n'}, None),
        ({"vllm/b.py": 'os.environ["VLLM_OLD"] = "1"\n'}, None),
        ({"vllm/b.py": "# see envs.VLLM_OLD\n"}, None),
        ({"vllm/b.py": "VLLM_OLDER = envs.VLLM_OLDER\n"}, False),
        ({"docs/a.md": "envs.VLLM_OLD\n"}, False),
    ],
)
def test_whether_the_end_reads_a_variable(tmp_path: Path, files: dict[str, str], read: bool | None) -> None:
    repo = GitRepo.make(tmp_path / "upstream.git")
    end = repo.commit("One", files)
    upstream = Upstream(Repo(REPO, "", ""), "", mirror=str(repo.path), end=end, start=end)
    mentions = ends_of([upstream], dict(os.environ), Uses("/", (), 0, 0)).mentions
    assert mentions is not None
    assert mentions(REPO, "VLLM_OLD") is read


def test_a_module_that_its_names_left_one_by_one() -> None:
    rows: list[Row] = [
        ("function_moved", "vllm/x.py", "one", "vllm.old.one", "vllm.x.one"),
        ("function_moved", "vllm/y.py", "two", "vllm.old.two", "vllm.y.two"),
    ]
    start = {"vllm/__init__.py": "", "vllm/old.py": "def one(): ...\ndef two(): ...\n"}
    end = {"vllm/__init__.py": "", "vllm/x.py": "def one(): ...\n", "vllm/y.py": "def two(): ...\n"}
    code = "import importlib\nm = importlib.import_module('vllm.old')\n"
    assert said(code, rows, ends(start, end)) == "certain:2"
    assert said(code, rows, ends(start, {**start, **end})) == ""


def test_a_fallback_that_tries_the_new_name_is_ready() -> None:
    row: Row = ("function_moved", "vllm/x.py", "one", "vllm.old.one", "vllm.x.one")
    code = "try:\n    from vllm.x import one\nexcept ImportError:\n    from vllm.old import one\n"
    assert said(code, [row], Ends()) == ""
    assert said(code.replace("vllm.x import one", "vllm.z import other"), [row], Ends()) == "look:4"


def test_a_name_behind_its_module_fails_beside_its_import() -> None:
    row: Row = ("function_removed", "vllm/m.py", "gone_one", "def gone_one()", None)
    code = "import vllm.m\nfrom vllm.m import gone_one\ngone_one()\nvllm.m.gone_one()\n"
    assert said(code, [row], Ends()) == "certain:2 certain:4"


def test_a_flag_is_the_field_of_its_class() -> None:
    row: Row = ("cli_flag_removed", "vllm/engine/arg_utils.py", "--old-thing", "--old-thing", None)
    code = "from vllm.engine.arg_utils import EngineArgs\na = EngineArgs(old_thing=1)\nprint(a.old_thing)\n"
    end = {"vllm/engine/arg_utils.py": "class EngineArgs:\n    model: str\n"}
    kept = {"vllm/engine/arg_utils.py": "class EngineArgs:\n    old_thing: int = 1\n"}
    assert said(code, [row], ends(kept, end)) == "certain:2 certain:3"
    assert "3" not in said(code, [row], ends(kept, kept))


@pytest.mark.parametrize(
    "call", ["LLM('m', old_thing=1)", "AsyncEngineArgs(old_thing=1)", "EngineArgs(model='m', old_thing=1)"]
)
def test_a_flag_is_no_keyword_where_the_class_never_had_that_field(call: str) -> None:
    row: Row = ("cli_flag_removed", "vllm/engine/arg_utils.py", "--old-thing", "--old-thing", None)
    code = f"from vllm import LLM\nfrom vllm.engine.arg_utils import AsyncEngineArgs, EngineArgs\n{call}\n"
    base, child = "class EngineArgs:\n    model: str\n", "class AsyncEngineArgs(EngineArgs):\n    log: bool = False\n"
    never = {"vllm/engine/arg_utils.py": base + child}
    had = {"vllm/engine/arg_utils.py": f"{base}    old_thing: int = 1\n{child}"}
    assert said(code, [row], ends(never, never)) == ""
    assert said(code, [row], ends(had, never)) == "certain:3"


def test_a_header_that_is_gone() -> None:
    row: Row = ("cpp_removed", "include/cutlass/old.h", "cutlass::thing", "thing(int)", None)
    one = Uses("/", (Use("include", "cutlass/old.h", "k.cu", 1), Use("include", "cutlass/new.h", "k.cu", 2)))
    for end, expected in (({}, [1]), ({"include/cutlass/old.h": ""}, [])):
        hits = join(one, {"NVIDIA/cutlass": [net(row)]}, ends=ends({}, end))
        assert [hit.use.line for hit in hits] == expected


def test_commands_that_the_project_installs() -> None:
    row: Row = ("cli_flag_removed", "pkg/args.py", "--old", "--old", None)
    one = Uses("/", (Use("cli_flag", "--old", "a.sh", 1, program="quick-start"),))
    asked = Ends(programs={"acme/tool": frozenset({"quick-start"})})
    assert len(join(one, {"acme/tool": [net(row)]}, ends=asked)) == 1
    assert join(one, {"acme/tool": [net(row)]}) == ()


@pytest.mark.parametrize(("text", "expected"), [("def other(): ...\n", "certain:1"), (UNREAD, "look:1")])
def test_a_file_that_cannot_be_had_does_not_make_its_names_gone(text: str, expected: str) -> None:
    end = ends({}, {"vllm/__init__.py": "", "vllm/utils.py": text})
    moved = Finding(
        "abc/1", "function_moved", "vllm/new.py", 7, "f", "vllm.utils.f", "vllm.new.f", False, Alias("kept")
    )
    found = Uses("/", tuple(uses("a.py", "from vllm.utils import f\n", WANTED)), 1, 1)
    hits = join(found, {REPO: [Net(moved, ("a" * 40,), "v2")]}, ends=end)
    assert [f"{hit.certainty}:{hit.use.line}" for hit in hits] == [expected]


def test_sources_that_do_not_parse_are_none() -> None:
    assert source("def (") is None
    assert source("x = " + "(" * 5000) is None
    found = source("from .a import *\nif 1:\n    y = 2\n__all__ = ['z']\n")
    assert found is not None
    assert [found.offers(name) for name in ("y", "z", "q")] == [True, True, None]


def test_a_file_that_was_read_long_ago_says_the_same_as_when_it_was_read() -> None:
    text = """class A:
    def first(self, x): return x

    async def second(self,
                     y=1):
        @mark
        def inner(): ...
        self.told = \'\'\'a
b\'\'\'
        return y

if True:
    def third(z):
        # why
        for one in z:
            yield one
"""
    parsed = Parsed()
    large = f"x = {'y' * 1_900_000!r}"
    modules = Modules(lambda _repo, path: text if path == "a.py" else large + f"  # {path}", parsed)
    found = modules.source("r", "a.py")
    assert found is not None
    said = [ast.dump(node) for nodes in found.tops.values() for node in nodes]
    modules.source("r", "b.py")
    modules.source("r", "c.py")
    assert not isinstance(found.tops["third"][0].__dict__["body"], list)  # it is no longer kept
    assert [ast.dump(node) for nodes in found.tops.values() for node in nodes] == said
    assert found.members("A") == frozenset({"first", "second", "told"})
    assert ast.unparse(found.tops["third"][0]).startswith("def third(z):\n    for one in z:")


@pytest.mark.parametrize(("passed", "expected"), [(True, "likely:3"), (False, ""), (None, "likely:3")])
def test_an_option_that_nobody_upstream_passes_is_missed_by_nobody(passed: bool | None, expected: str) -> None:
    start = {"vllm/__init__.py": "", "vllm/engine.py": "class Engine:\n    def step(self, n): ...\n"}
    end = {**start, "vllm/engine.py": "class Engine:\n    def step(self, n, fast=False): ...\n"}
    asked = replace(ends(start, end), passes=lambda *_: passed)
    code = "from vllm.engine import Engine\nclass Mine(Engine):\n    def step(self, n): ...\n"
    assert said(code, [], asked) == expected


def test_a_model_that_another_registry_still_has_is_not_gone() -> None:
    row: Row = ("model_removed", "vllm/one.py", "OldForCausalLM", "OldForCausalLM", None)
    code = "import vllm\nARCH = ['OldForCausalLM']\n"
    both = {"vllm/__init__.py": ""}
    assert said(code, [row], replace(ends(both, both), quotes=lambda _repo, _word: True)) == ""
    assert said(code, [row], replace(ends(both, both), quotes=lambda _repo, _word: False)) == "look:2"


def test_settings_of_another_program_of_the_project_are_not_meant() -> None:
    files = {
        "vllm/__init__.py": "",
        "vllm/start.py": "from vllm.text.server_args import ServerArgs\n",
        "vllm/text/__init__.py": "",
        "vllm/text/server_args.py": "class ServerArgs:\n    fps: int = 8\n",
        "vllm/video/__init__.py": "",
        "vllm/video/server_args.py": "class ServerArgs:\n    fps: int = 8\n",
    }
    for place, expected in (("text", "look:1"), ("video", "")):
        row: Row = ("cli_default_changed", f"vllm/{place}/server_args.py", "--fps", "8", "16")
        assert said("python -m vllm.start --model m\n", [row], ends(files, files), "run.sh", False) == expected


PARSER = "def add_args(parser):\n    parser.add_argument('--seed')\n"
PROGRAMS = {
    "pyproject.toml": '[project.scripts]\nvllm = "vllm.cli.main:main"\n',
    "vllm/__init__.py": "",
    "vllm/cli/__init__.py": "from vllm.cli.benchmark.serve import BenchServe\n",
    "vllm/cli/main.py": "def main():\n    import vllm.cli.serve\n    import vllm.cli.benchmark.main\n",
    "vllm/cli/serve.py": "from vllm.cli_args import make_arg_parser\n",
    "vllm/cli_args.py": "def make_arg_parser():\n    from vllm.engine.settings import EngineArgs\n",
    "vllm/cli/benchmark/__init__.py": "",
    "vllm/cli/benchmark/main.py": "",
    "vllm/cli/benchmark/serve.py": "from vllm.bench import add_cli_args\n"
    "from vllm.engine.core import Engine, build_from_engine_args\n",
    "vllm/engine/__init__.py": "",
    "vllm/engine/core.py": "from vllm.engine.settings import EngineArgs\n",
    "vllm/engine/settings.py": PARSER,
    "vllm/bench.py": PARSER,
    "vllm/launch/__init__.py": "",
    "vllm/launch/__main__.py": "from ..engine import settings as args\nfrom ..engine.settings import EngineArgs\n",
    "router/src/main.rs": "fn main() {}\n",
}


@pytest.mark.parametrize(
    ("command", "path", "expected"),
    [
        ("vllm serve m", "vllm/engine/settings.py", "look:1"),
        ("vllm serve m --seed 0", "vllm/engine/settings.py", ""),
        ("vllm bench serve m", "vllm/engine/settings.py", ""),
        ("vllm bench serve m", "vllm/bench.py", "look:1"),
        ("vllm serve m", "vllm/bench.py", ""),
        ("vllm other m", "vllm/engine/settings.py", ""),
        ("python -m vllm.bench", "vllm/bench.py", "look:1"),
        ("python -m vllm.bench", "vllm/engine/settings.py", ""),
        ("python -m vllm.launch", "vllm/engine/settings.py", "look:1"),
        ("python -m vllm.launch", "router/src/main.rs", ""),
        ("vllm serve m", "router/src/main.rs", ""),
    ],
)
def test_a_default_counts_for_the_commands_whose_parser_has_it(command: str, path: str, expected: str) -> None:
    row: Row = ("cli_default_changed", path, "--seed", "0", "1")
    assert said(f"{command} --port 80\n", [row], ends(PROGRAMS, PROGRAMS), "run.sh", False) == expected


def test_a_default_is_not_told_where_no_sources_say_whose_it_is() -> None:
    row: Row = ("cli_default_changed", "vllm/engine/settings.py", "--seed", "0", "1")
    assert said("vllm serve m --port 80\n", [row], Ends(), "run.sh", False) == ""


FIELD = {
    "vllm/__init__.py": "",
    "vllm/args.py": "class Own:\n    old: int = 1\n",
    "vllm/shared.py": "class Shared:\n    old: int = 1\n",
}


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("class Base:\n    old: int = 1\nclass Own(Base):\n    new: int = 1\n", ""),
        ("class Root:\n    old: int = 1\nclass Base(Root): ...\nclass Own(Base): ...\n", ""),
        ("from vllm.shared import Shared as Base\nclass Own(Base): ...\n", ""),
        ("from vllm import shared\nclass Own(shared.Shared): ...\n", ""),
        ("from vllm.shared import Shared\nclass Own(Shared[int]): ...\n", ""),
        ("from pydantic import BaseModel\nclass Own(BaseModel): ...\n", "certain:2"),
        ("class Own:\n    new: int = 1\n", "certain:2"),
    ],
)
def test_a_field_that_a_base_has_at_the_end_is_not_gone(now: str, expected: str) -> None:
    row: Row = ("field_removed", "vllm/args.py", "Own.old", "old: int = 1", None)
    asked = ends(FIELD, {**FIELD, "vllm/args.py": now})
    assert said("from vllm.args import Own\nOwn(old=1)\n", [row], asked) == expected


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("old: int = 1", "old: int = 2", "look:2"),
        ("other: int = 1", "old: int = 2", ""),
        ("old: int = 2", "old: int | None = 2", ""),
    ],
)
def test_a_default_changed_only_where_the_start_has_another_one(was: str, now: str, expected: str) -> None:
    row: Row = ("field_default_changed", "vllm/args.py", "Own.old", "1", "2")
    start, end = ({**FIELD, "vllm/args.py": f"class Own:\n    {line}\n"} for line in (was, now))
    assert said("from vllm.args import Own\nOwn()\n", [row], ends(start, end), breaking=False) == expected


def test_a_flag_that_the_start_does_not_have_has_no_default_to_change() -> None:
    row: Row = ("cli_default_changed", "vllm/engine/settings.py", "--top-seed", "0", "1")
    for flag, expected in (("--top-seed", "look:1"), ("top_seed: int", "look:1"), ("--other", "")):
        start = {**PROGRAMS, "vllm/engine/settings.py": f"'{flag}'\n"}
        assert said("vllm serve m --port 80\n", [row], ends(start, PROGRAMS), "run.sh", False) == expected


def test_a_changed_return_is_told_with_the_number_of_its_values() -> None:
    start = {"vllm/__init__.py": "", "vllm/m.py": "def f() -> tuple[int, int, int]: ...\n"}
    end = {**start, "vllm/m.py": "def f() -> tuple[int, int]: ...\n"}
    found = Uses("/", tuple(uses("a.py", "from vllm.m import f\na, b, c = f()\n", WANTED)), 1, 1)
    (hit,) = join(
        found, {REPO: [net(("function_removed", "vllm/x.py", "unused", "unused", None))]}, ends=ends(start, end)
    )
    assert "`vllm.m.f()` gives 2 values instead of 3 (`vllm/m.py`)" in hit.why["en"]
    assert "现返回 2 个值，原为 3 个" in hit.why["zh"]


def test_what_a_file_of_settings_leaves_out_the_command_may_set() -> None:
    row: Row = ("cli_default_changed", "vllm/engine/arg_utils.py", "--seed", "0", "1")
    both = {"vllm/__init__.py": ""}
    code = "vllm:\n  model: m\n  tensor-parallel-size: 2\n"
    assert said(code, [row], ends(both, both), "config.yaml", False) == ""


def test_a_name_in_a_string_is_sent_to_where_its_module_went() -> None:
    start = {"vllm/__init__.py": "", "vllm/a/__init__.py": "", "vllm/a/went.py": "class Thing: ...\n"}
    end = {"vllm/__init__.py": "", "vllm/v1/__init__.py": "", "vllm/v1/a/__init__.py": "",
           "vllm/v1/a/went.py": "class Thing: ...\n"}  # fmt: skip
    found = Uses("/", tuple(uses("a.py", 'import vllm\nPLUGIN = "vllm.a.went"\n', WANTED)), 1, 1)
    (hit,) = join(found, {REPO: [net(STAR)]}, ends=ends(start, end))
    assert hit.action["en"] == "Use `vllm.v1.a.went` instead."


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("def tokens(self): ...", "certain:3"),
        ("async def tokens(self): ...", ""),
        ("def tokens(self) -> Awaitable[int]: ...", ""),
    ],
)
def test_a_call_that_is_awaited_must_give_something_to_await(now: str, expected: str) -> None:
    start = {"vllm/__init__.py": "", "vllm/engine.py": "class Engine:\n    async def tokens(self): ...\n"}
    end = {**start, "vllm/engine.py": f"class Engine:\n    {now}\n"}
    code = "from vllm.engine import Engine\nasync def f(engine: Engine):\n    print(await engine.tokens())\n    engine.tokens()\n"
    assert said(code, [], ends(start, end)) == expected


def test_a_parameter_put_before_others_is_the_one_that_a_call_lacks() -> None:
    files = [source(f"def f({text}): ...\n") for text in ("a, b, c", "a, steps, b, c")]
    then, now = (one.signature(("f",)) if one else None for one in files)
    assert then is not None
    assert now is not None
    assert now.asks_beyond(then, 3, ()) == ["steps"]
    assert now.asks_beyond(then, 2, ("c",)) == ["steps"]
    assert now.asks_beyond(then, 0, ("a", "b", "c")) == ["steps"]
    assert then.asks_beyond(then, 3, ()) == []


@pytest.mark.parametrize(
    ("was", "call", "expected"),
    [
        ("a, b=1", "f(1, **more)", "likely:4"),
        ("a, b=1, **rest", "f(1, **more)", ""),
        ("a, b=1, size=2", "f(1, **more)", ""),
        ("a, b=1", "f(*more)", ""),
        ("a, b=1", "f(1, size=2, **more)", ""),
        ("a, b=1", "if more:\n    kw['size'] = 3\nf(1, **kw)", ""),
    ],
)
def test_what_the_start_refused_cannot_come_by_a_dict(was: str, call: str, expected: str) -> None:
    start, end = (
        {"vllm/__init__.py": "", "vllm/m.py": f"def f({text}): ...\n"}
        for text in (was, f"{was.partition(', **')[0]}, *, size")
    )
    code = f"from vllm.m import f\nfrom app import more\nkw = dict(b=2)\n{call}\n"
    end["vllm/m.py"] = end["vllm/m.py"].replace(", size=2", "")
    assert said(code, [], ends(start, end)) == expected
