"""Calls of a project's own names that nothing answers after a commit, asked of its tree."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.findings.reader import RuleReader
from gitrepo import GitRepo, clean_environment

Files = dict[str, str | None]
EMBED = (
    "class Embed:\n    def copy_weight_to_linear(self):\n        self.a = 1\n\n    def go(self):\n        return 2\n"
)
GONE = "class Embed:\n    def go(self):\n        return 2\n"
USER = "def load(model):\n    model.embed.copy_weight_to_linear()\n"
OTHER = "def load_other(model):\n    model.copy_weight_to_linear()\n"
TREE: Files = {
    "engine/__init__.py": "",
    "engine/embed.py": EMBED,
    "engine/user.py": USER,
    "engine/other.py": OTHER,
    "engine/ops.py": 'lib = Library("engine", "FRAGMENT")\n\n\n@register_custom_op\ndef fused_scale_impl(x):\n    return x\n',
    "engine/calls.py": "import torch\n\n\ndef run(x):\n    return x\n",
    "engine/store.py": "def put_block(x, *, num_warps=4):\n    return x\n\n\ndef put_any(x, **more):\n    return x\n",
}
KINDS = ("call_failing", "call_unregistered", "argument_refused", "argument_lacking")
FOLLOWS: Files = {"engine/embed.py": GONE, "engine/user.py": USER.replace("copy_weight_to_linear()", "go()")}


def told(folder: Path, *commits: Files) -> list[tuple[str, str, int, str]]:
    """Kind, path, line and name of what fails after the commits, of a tree that is `TREE` otherwise."""
    made = GitRepo.make(folder / "repo.git")
    made.commit("Before", TREE)
    shas = [made.commit("After", files) for files in commits]
    git = Git(clean_environment(folder))
    changes = HistoryReader(git, made.path, "acme/engine", ZoneInfo("UTC")).read(shas)
    repo = Repo("acme/engine", "https://example.org/acme/engine", "")
    readings = RuleReader(git).read(Collected(repo, changes=tuple(changes), mirror=str(made.path)))
    found = (f for sha in shas for f in readings[sha].findings)
    return [(f.kind, f.path, f.line, f.symbol) for f in found if f.kind in KINDS and f.breaking]


def test_a_method_that_went_and_is_called_by_another_file_fails_there(tmp_path: Path) -> None:
    assert told(tmp_path, FOLLOWS) == [("call_failing", "engine/other.py", 2, "copy_weight_to_linear")]


@pytest.mark.parametrize(
    "more",
    [
        {"engine/other.py": OTHER.replace("model.copy_weight_to_linear()", "model.go()")},
        {"engine/other.py": "def load_other(model):\n    # model.copy_weight_to_linear()\n    return 1\n"},
        {"engine/other.py": 'def load_other(model):\n    """\n    model.copy_weight_to_linear()\n    """\n'},
        {"engine/old.py": "class Old:\n    def copy_weight_to_linear(self):\n        return 1\n"},
        {"engine/old.py": "def install(cls):\n    cls.copy_weight_to_linear = None\n"},
    ],
    ids=["the caller follows", "a comment", "a text", "another class has it", "it is put there"],
)
def test_nothing_fails_where_nobody_calls_it_or_something_answers(tmp_path: Path, more: Files) -> None:
    assert told(tmp_path, FOLLOWS | more) == []


def test_each_commit_is_asked_of_its_own_tree(tmp_path: Path) -> None:
    repair: Files = {"engine/other.py": OTHER.replace("model.copy_weight_to_linear()", "model.go()")}
    first, last = (
        told(tmp_path / name, *commits) for name, commits in (("a", (FOLLOWS, repair)), ("b", (repair, FOLLOWS)))
    )
    assert first == [("call_failing", "engine/other.py", 2, "copy_weight_to_linear")]
    assert last == []


def test_a_method_that_may_be_one_of_a_base_elsewhere_is_not_looked_for(tmp_path: Path) -> None:
    """Nobody in the commit stopped calling it: an override of a library may have gone."""
    assert told(tmp_path, {"engine/embed.py": GONE}) == []


def call(name: str) -> Files:
    return {"engine/calls.py": f"import torch\n\n\ndef run(x):\n    return torch.ops.{name}(x)\n"}


def test_an_operator_that_nothing_registers_fails_where_it_is_called(tmp_path: Path) -> None:
    assert told(tmp_path, call("engine.fused_scale")) == [
        ("call_unregistered", "engine/calls.py", 5, "torch.ops.engine.fused_scale")
    ]


@pytest.mark.parametrize(
    "more",
    [
        call("engine.fused_scale_impl"),
        call("aten.fused_scale"),
        call("engine.fused_scale") | {"csrc/ops.cpp": 'm.def("fused_scale(Tensor x) -> Tensor");\n'},
        call("engine.fused_scale") | {"csrc/ops.cpp": "REGISTER_OP(fused_scale, scale_kernel);\n"},
        call("engine.fused_scale") | {"engine/more.py": 'direct_register_custom_op(op_name="fused_scale", f=g)\n'},
        call("other_C.fused_scale")
        | {"engine/more.py": '@register_fake("other_C::known")\ndef _known(x):\n    return x\n'},
    ],
    ids=[
        "registered by name of its function",
        "of another library",
        "in a schema",
        "by a macro",
        "by a text",
        "only described here",
    ],
)
def test_an_operator_that_something_may_register_is_not_told(tmp_path: Path, more: Files) -> None:
    assert told(tmp_path, more) == []


def given(line: str, head: str = "from engine.store import put_any, put_block\n") -> Files:
    return {"engine/calls.py": f"{head}\n\ndef run(x):\n    return {line}\n"}


def test_an_argument_that_the_function_does_not_take_is_refused(tmp_path: Path) -> None:
    assert told(tmp_path, given("put_block(x, num_mma=4)")) == [
        ("argument_refused", "engine/calls.py", 5, "put_block(num_mma)")
    ]


@pytest.mark.parametrize(
    "files",
    [
        given("put_block(x, num_warps=8)"),
        given("put_any(x, num_mma=8)"),
        given("put_block(x, num_mma=8)", "from elsewhere import put_block\n"),
        given("put_block(x, num_mma=8)", "def put_block(x, num_mma=1):\n    return x\n"),
        given("(lambda put_block: put_block(x, num_mma=8))(dict)", "from elsewhere import put_block\n"),
        given("put_block(x, num_mma=8)") | {"engine/store.py": "def put_block(x, *, num_mma=4):\n    return x\n"},
    ],
    ids=["taken", "takes any", "of another project", "of this file", "a local name", "it takes it from now on"],
)
def test_an_argument_that_is_taken_or_may_be_is_not_told(tmp_path: Path, files: Files) -> None:
    assert told(tmp_path, files) == []


@pytest.mark.parametrize(
    ("caller", "other", "fails"),
    [
        ("class S:\n    def go(self):\n        self.worker.get_tp_group()\n", "", True),
        ("from engine.state import get_tp_group\n\n\ndef go(state):\n    state.get_tp_group()\n", "", False),
        ("class S:\n    def go(self):\n        self.worker.get_tp_group()\n", "class Other:\n    def get_tp_group(self):\n        return 1\n", False),
        ("class S:\n    def go(self):\n        self.socket.get_tp_group()\n", "", False),
    ],
    ids=["an object that has it no more", "a module that has it", "an object of a class that has it", "an object of others"],
)  # fmt: skip
def test_a_function_of_the_same_name_answers_nobody_who_asks_an_object(
    caller: str, other: str, fails: bool, tmp_path: Path
) -> None:
    worker = "class Worker:\n    def get_tp_group(self):\n        return 1\n\n    def go(self):\n        return 2\n"
    user = "class U:\n    def use(self):\n        return self.worker.get_tp_group()\n"
    state = 'def get_tp_group():\n    return 1\n\n\n__all__ = [\n    "get_tp_group",\n]\n'
    before: Files = {"engine/worker.py": worker, "engine/user.py": user, "engine/state.py": state}
    before |= {"engine/caller.py": caller, "engine/extra.py": other or "x = 1\n"}
    after: Files = {"engine/worker.py": "class Worker:\n    def go(self):\n        return 2\n"}
    after["engine/user.py"] = "from engine.state import get_tp_group\n\n\ndef use(w):\n    return get_tp_group()\n"
    found = told(tmp_path, before, after)
    assert [one[:2] for one in found] == ([("call_failing", "engine/caller.py")] if fails else [])


TAKER = "def get_buffer(rows{}):\n    return rows\n"
LEFT = "from engine.buffers import get_buffer\n\n\ndef run(x):\n    return {}\n"


def demanded(tmp_path: Path, call: str, now: str = ", group", user: str = LEFT) -> list[tuple[str, str, int, str]]:
    """What is told after the function demands more, and a file that the commit does not touch calls it so."""
    before: Files = {"engine/buffers.py": TAKER.format(""), "engine/user.py": user.format(call)}
    after: Files = {"engine/buffers.py": TAKER.format(now), "engine/ops.py": "x = 1\n"}
    return [one for one in told(tmp_path, before, after) if one[0] == "argument_lacking"]


def test_a_call_that_lacks_what_its_function_demands_from_now_on_fails_where_it_stands(tmp_path: Path) -> None:
    assert demanded(tmp_path, "get_buffer(x)") == [("argument_lacking", "engine/user.py", 5, "get_buffer(group)")]


@pytest.mark.parametrize(
    ("call", "now", "user"),
    [
        ("get_buffer(x)", ", group=None", LEFT),
        ("get_buffer(x, 1)", ", group", LEFT),
        ("get_buffer(x, group=1)", ", group", LEFT),
        ("get_buffer(*x)", ", group", LEFT),
        ("get_buffer(**x)", ", group", LEFT),
        ("get_buffer(x)", ", *, group=1", LEFT),
        ("get_buffer(x)", ", group", LEFT.replace("engine.buffers", "elsewhere")),
        ("get_buffer(x)", ", group", "def get_buffer(x):\n    return x\n\n\n" + LEFT),
        ("x.get_buffer(1)", ", group", LEFT),
        ("get_buffer(x)", "", LEFT),
    ],
    ids=["a default", "by place", "by name", "handed on", "by names handed on", "by name with a default", "another project's", "its own", "a method", "nothing demanded"],
)  # fmt: skip
def test_a_call_that_gives_it_or_is_of_something_else_is_not_told(
    tmp_path: Path, call: str, now: str, user: str
) -> None:
    assert demanded(tmp_path, call, now, user) == []


def test_a_caller_is_followed_by_the_name_that_it_gives_the_function_and_where_packages_lack_their_init(
    tmp_path: Path,
) -> None:
    renamed = LEFT.replace("import get_buffer", "import get_buffer as taken").replace("{}", "taken(x)")
    near = "from ..parts.deep import get_part\n\n\ndef run(x):\n    return get_part(x)\n"
    before: Files = {
        "engine/buffers.py": TAKER.format(""),
        "engine/user.py": renamed,
        "engine/parts/deep.py": "def get_part(rows):\n    return rows\n",
        "engine/more/user.py": near,
    }
    after: Files = {
        "engine/buffers.py": TAKER.format(", group"),
        "engine/parts/deep.py": "def get_part(rows, group):\n    return rows\n",
    }
    found = [one[1:] for one in told(tmp_path, before, after) if one[0] == "argument_lacking"]
    assert sorted(found) == [("engine/more/user.py", 5, "get_part(group)"), ("engine/user.py", 5, "taken(group)")]
