"""Names that upstream lost altogether: every line that writes one is told, and what is asked of objects of unknown classes."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest
from msgspec.structs import replace

from analyse.impacted import REPO, WANTED
from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import Net
from daybreak.upgrade.downstream.walk import read_uses
from daybreak.upgrade.impact import lost_members
from daybreak.upgrade.impact.ends import Upstream, ends_of
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.lost_members import _GIVEN, lost_names
from daybreak.upgrade.impact.tree_names import gone_finding
from gitrepo import GitRepo

BEFORE = """
    def merge_placeholders(x): ...
    def keep_it(x): ...
    class Executor:
        def __init__(self):
            self.vllm_parallel_config = self.parallel_config = 1
        def run_all_workers(self): ...
        def stop_all_workers(self): ...
        def add_expand(self, x, bias_stacked, **kwargs): ...
        def add_shrink(self, x, scale=1.0, **kwargs): ...
"""
AFTER = """
    class Executor:
        def __init__(self):
            self.parallel_config = 1
        def stop_workers(self): ...
        def add_expand(self, x, **kwargs): ...
        def add_shrink(self, x, **kwargs): ...
    class Other:
        def go(self):
            self.stop_all_workers = 1  # a member still
            run_all_workers = 2  # a name of its own, and in a comment: .run_all_workers
"""
HEAD = "from vllm.core import Executor\n"
CASES = {
    "a member of an object without a type": (f"{HEAD}def f(engine):\n    engine.run_all_workers()\n", "look:3"),
    "an object whose name ends as that of options does": (
        f"{HEAD}def f(worker_args):\n    worker_args.run_all_workers()\n",
        "look:3",
    ),
    "a field of the object that upstream's options are": (
        "from vllm.arg_utils import EngineArgs\ndef f(engine_args):\n    return engine_args.enable_old_way\n",
        "likely:3",
    ),
    "the same in a file that takes something else of upstream": (
        f"{HEAD}def f(engine_args):\n    return engine_args.enable_old_way\n",
        "look:3",
    ),
    "a member that begins with the name of the repository": (
        f"{HEAD}def f(engine):\n    return engine.vllm_parallel_config\n",
        "look:3",
    ),
    "a mock": (f"{HEAD}mock.run_all_workers.return_value = 1\n", "look:2"),
    "a file that has nothing of upstream": ("def f(engine):\n    engine.run_all_workers()\n", ""),
    "a name that another class of upstream has still": (f"{HEAD}def f(engine):\n    engine.stop_all_workers()\n", ""),
    "a name that a class of yours has": (
        f"{HEAD}class Mine:\n    def run_all_workers(self):\n        return 1\ndef f(mine):\n    mine.run_all_workers()\n",
        "",
    ),
    "a class of yours that only hands on": (
        f"{HEAD}class Mine:\n    def run_all_workers(self):\n        return self.inner.run_all_workers()\n",
        "look:4",
    ),
    "a name that is asked for": (
        f"{HEAD}def f(engine):\n    if hasattr(engine, 'run_all_workers'):\n        engine.run_all_workers()\n",
        "",
    ),
    "a function that is nowhere, where it is imported and where it is used": (
        "from vllm.core import merge_placeholders\nmerge_placeholders(1)\nhook = merge_placeholders\n",
        "certain:1 certain:2 certain:3",
    ),
    "under a name of yours it follows": (
        "from vllm.core import merge_placeholders as merge\nmerge(1)\n",
        "certain:1",
    ),
    "a function that is elsewhere": ("from vllm.core import keep_it\nkeep_it(1)\n", "certain:1"),
    "an override that takes any keyword and still asks for what nobody passes": (
        f"{HEAD}class Mine(Executor):\n    def add_expand(self, x, bias_stacked, **kwargs): ...\n",
        "likely:3",
    ),
    "one that need not be given": (
        f"{HEAD}class Mine(Executor):\n    def add_shrink(self, x, scale=1.0, **kwargs): ...\n",
        "",
    ),
}


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    repo = GitRepo.make(tmp_path_factory.mktemp("upstream") / "upstream.git")
    options = "class EngineArgs:\n    model: str\n    enable_old_way: bool = False\n"
    old = {"vllm/__init__.py": "", "vllm/core.py": textwrap.dedent(BEFORE), "vllm/arg_utils.py": options}
    first = repo.commit("first", old)
    files = {"vllm/core.py": textwrap.dedent(AFTER), "vllm/moved.py": "def keep_it(x): ...\n"}
    files["vllm/arg_utils.py"] = "class EngineArgs:\n    model: str\n"
    last = repo.commit("last", files)
    net = Net(gone_finding("function", "removed", "vllm/core.py", "merge_placeholders"), ())
    return Upstream(Repo(REPO, "", "main"), "a..b", (net,), mirror=str(repo.path), start=first, end=last)


@pytest.mark.parametrize("name", CASES)
def test_what_upstream_lost(name: str, upstream: Upstream, tmp_path: Path) -> None:
    code, expected = CASES[name]
    (tmp_path / "app.py").write_text(code)
    lost = lost_names(dict(os.environ), upstream)
    uses = read_uses(tmp_path, replace(WANTED, lost=frozenset(lost)))
    hits = join(uses, {REPO: upstream.nets}, ends=ends_of([upstream], dict(os.environ), uses, {REPO: lost}))
    told = sorted((hit.use.line, hit.certainty) for hit in hits)
    assert " ".join(f"{level}:{line}" for line, level in told) == expected


@pytest.mark.parametrize(("line", "expected"), [
    ("-    self.gone = 1", "gone"),
    ("-    self.gone=1", "gone"),
    ("-    self.gone: dict[str, int] = 1", "gone"),
    ("-    self.gone == 1", None),
    ("-    self.gone != 1", None),
    (f"-    self.gone :{' ' * 5_000}= 1", None),
])  # fmt: skip
def test_a_line_of_the_diff_is_read_to_a_bound(line: str, expected: str | None) -> None:
    """What stands between a name and its value has an end: a line of spaces costs no more than a short one."""
    found = _GIVEN.search(line)
    assert (found and found[4]) == expected


@pytest.mark.parametrize("size", [60, 61, 100, 10_000])
def test_a_difference_says_the_same_in_pieces_of_any_size(
    size: int, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large upgrade is not held whole: what its lines say does not depend on where a piece ends."""
    whole = lost_names(dict(os.environ), upstream)
    monkeypatch.setattr(lost_members, "_AT_A_TIME", size)
    monkeypatch.setattr(lost_members, "_LONGEST_DIFF", 1_000_000)
    assert whole
    assert lost_names(dict(os.environ), upstream) == whole


PARSER = "from vllm.arg_utils import EngineArgs\ndef parse(p):\n    return EngineArgs.add_cli_args(p)\n"
OPTIONS = {
    "an option of upstream's parser": (PARSER, "if args.enable_old_way:\n    pass\n", "likely:1"),
    "with upstream's name before it": (PARSER, "print(self.args.vllm_enable_old_way)\n", "likely:1"),
    "an option of yours": (f"{PARSER}    p.add_argument('--enable-old-way')\n", "args.enable_old_way\n", ""),
    "an object that holds no options": (PARSER, "state.enable_old_way\n", ""),
    "a project that does not take upstream's parser": ("import vllm\n", "args.enable_old_way\n", ""),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_are_read_in_other_files_than_the_parser(name: str, upstream: Upstream, tmp_path: Path) -> None:
    parser, code, expected = OPTIONS[name]
    (tmp_path / "parser.py").write_text(parser)
    (tmp_path / "other.py").write_text(code)
    lost = lost_names(dict(os.environ), upstream)
    uses = read_uses(tmp_path, replace(WANTED, lost=frozenset(lost)))
    hits = join(uses, {REPO: upstream.nets}, ends=ends_of([upstream], dict(os.environ), uses, {REPO: lost}))
    assert " ".join(f"{hit.certainty}:{hit.use.line}" for hit in hits) == expected


HELD = {
    "a parameter annotated so": "def f(given: argparse.Namespace):\n    return given.enable_old_way\n",
    "an option of that type": "def f(given: Namespace | None):\n    return given.enable_old_way\n",
    "an attribute that a constructor puts on self": (
        "class A:\n    def __init__(self, given: 'Namespace'):\n        self.cfg = given\n"
        "    def go(self):\n        return self.cfg.enable_old_way\n"
    ),
    "what a parser gives": "class A:\n    def go(self, p):\n        self.cfg = p.parse_args()\n        return self.cfg.enable_old_way\n",
    "the first of what it knows and the rest": "def f(p):\n    known, rest = p.parse_known_args()\n    return known.enable_old_way\n",
}
NOT_HELD = {
    "an object of another type": "def f(given: State, other: Namespace):\n    return given.enable_old_way\n",
    "the rest of what a parser knows": "def f(p):\n    known, rest = p.parse_known_args()\n    return rest.enable_old_way\n",
}


@pytest.mark.parametrize("name", [*HELD, *NOT_HELD])
def test_an_option_is_read_off_whatever_the_file_says_to_be_a_parsed_command_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import vllm\n" + (HELD | NOT_HELD)[name])
    uses = read_uses(tmp_path, WANTED).uses
    assert [use.program for use in uses if use.name == "enable_old_way"] == ["parse_args"] * (name in HELD)
