"""Imports of the project's own modules that lead nowhere after a commit, asked of its whole tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.findings.reader import RuleReader
from gitrepo import GitRepo, clean_environment

Files = dict[str, str | None]
TREE: Files = {
    "engine/__init__.py": "",
    "engine/run.py": "from engine.pool import Pool\n\n\ndef start():\n    return Pool()\n",
    "engine/pool/__init__.py": "from .paged import Pool\n",
    "engine/pool/paged.py": "class Pool:\n    pass\n\n\nclass Page:\n    pass\n",
}
RUN = TREE["engine/run.py"] or ""


def failing(folder: Path, before: Files, after: Files, lost: str = "") -> list[tuple[str, int, str]]:
    """Path, line and name of the imports that fail after the second commit, of a tree that is `TREE` otherwise; the mirror
    lacks the contents of `lost`.
    """
    made = GitRepo.make(folder / "repo.git")
    made.commit("Before", TREE | before)
    sha = made.commit("After", after)
    if lost:
        made.lose(made.oid(lost))
    git = Git(clean_environment(folder))
    changes = HistoryReader(git, made.path, "acme/engine", ZoneInfo("UTC")).read([sha])
    repo = Repo("acme/engine", "https://example.org/acme/engine", "")
    found = RuleReader(git).read(Collected(repo, changes=tuple(changes), mirror=str(made.path)))[sha].findings
    return sorted((f.path, f.line, f.symbol) for f in found if f.kind == "import_failing" and f.breaking)


def with_line(line: str) -> Files:
    return {"engine/run.py": f"{line}\n{RUN}"}


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("from engine.pool.blocks import Block", "engine.pool.blocks"),
        ("from engine.pool.paged import Block", "engine.pool.paged.Block"),
        ("from engine.pool import (\n    Pool,\n    Block,\n)", "engine.pool.Block"),
        ("from engine.pool import block_pb2", "engine.pool.block_pb2"),
        ("from .pool.blocks import Block", "engine.pool.blocks"),
        ("from .pool import Pool, \\\n    Block", "engine.pool.Block"),
        ("import engine.pool.blocks", "engine.pool.blocks"),
    ],
)
def test_an_import_that_is_written_and_leads_nowhere_fails(tmp_path: Path, line: str, missing: str) -> None:
    assert failing(tmp_path, {}, with_line(line)) == [("engine/run.py", 1, missing)]


def test_an_import_within_a_function_fails_when_it_is_called(tmp_path: Path) -> None:
    text = f"{RUN}\n\ndef late():\n    from engine.pool.blocks import Block\n\n    return Block()\n"
    assert failing(tmp_path, {}, {"engine/run.py": text}) == [("engine/run.py", 9, "engine.pool.blocks")]


def test_what_a_commit_takes_away_fails_where_others_still_import_it(tmp_path: Path) -> None:
    assert failing(tmp_path, {}, {"engine/pool/paged.py": "class Page:\n    pass\n"}) == [
        ("engine/pool/__init__.py", 1, "engine.pool.paged.Pool")
    ]


def test_a_module_that_moved_fails_where_others_still_import_it_from_its_old_place(tmp_path: Path) -> None:
    after: Files = {"engine/pool/paged.py": None, "engine/pool/pages.py": TREE["engine/pool/paged.py"]}
    assert failing(tmp_path, {}, after) == [("engine/pool/__init__.py", 1, "engine.pool.paged")]


@pytest.mark.parametrize(
    "line",
    [
        "from engine.pool import Pool, paged",
        "from engine.pool import Pool, \\\n    paged",
        "from engine import pool as p, run",
        "import numpy.missing",
        "from other.pool import Block",
        "try:\n    from engine.blocks import Block\nexcept ImportError:\n    Block = None",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from engine.blocks import Block",
        'TEXT = """\nfrom engine.blocks import Block\n"""',
        "from engine.late import Anything",
        "from engine.made import Anything",
        "from engine.all import Pool",
        "from engine._C import ops",
        "from engine.pool_pb2 import Message",
        "from engine import pool_pb2",
        "from engine.pool import _fast",
        "from engine.wire import wire_pb2, wire_pb2_grpc",
        "from engine.guarded import fast",
    ],
)
def test_what_is_there_or_guarded_or_made_by_a_build_does_not_fail(tmp_path: Path, line: str) -> None:
    before: Files = {
        "engine/late.py": "def __getattr__(name):\n    return name\n",
        "engine/made.py": "for name in ('Anything',):\n    globals()[name] = 1\n",
        "engine/all.py": "from engine.pool.paged import *\n",
        "engine/guarded.py": "try:\n    from fast import fast\nexcept ImportError:\n    fast = None\n",
        "CMakeLists.txt": "define_extension(_C)\ndefine_extension(_fast)\n",
        "engine/wire/__init__.py": "",
        "engine/wire/wire.proto": "syntax = 'proto3';\n",
        ".gitignore": "engine/*_pb2.py\nengine/pool_pb2.py\n",
    }
    assert failing(tmp_path, before, with_line(line)) == []


def test_a_new_file_breaks_nobody_who_ran_the_program_before(tmp_path: Path) -> None:
    assert failing(tmp_path, {}, {"engine/more.py": "from engine.pool.blocks import Block\n"}) == []


def test_what_failed_before_is_not_told_of_the_commit_that_writes_it_again(tmp_path: Path) -> None:
    before: Files = {"engine/more.py": "from engine.built import ops\n"}
    assert failing(tmp_path, before, with_line("from engine.built import ops")) == []


def test_what_only_tests_import_is_their_own_matter(tmp_path: Path) -> None:
    before: Files = {"tests/__init__.py": "", "tests/test_pool.py": "from engine.pool.paged import Page\n"}
    after: Files = {"engine/pool/paged.py": "class Pool:\n    pass\n", "tests/test_run.py": "import engine.blocks\n"}
    assert failing(tmp_path, before, after) == []


@pytest.mark.parametrize("known", ["from engine._native.ops import run", "from ._native import (\n    run,\n)"])
@pytest.mark.parametrize(
    "line", ["from engine._native.dialects import core", "from . import _native\nimport engine._native.x"]
)
def test_a_package_that_the_tree_never_had_and_others_import_comes_from_elsewhere(
    tmp_path: Path, known: str, line: str
) -> None:
    assert failing(tmp_path, {"engine/more.py": f"{known}\n"}, with_line(line)) == []


def test_a_module_of_the_same_name_elsewhere_excuses_nothing(tmp_path: Path) -> None:
    before: Files = {"engine/pool/more.py": "from .blocks import Block\n"}
    line = "from engine.blocks import Block"
    assert failing(tmp_path, before, with_line(line)) == [("engine/run.py", 1, "engine.blocks")]


def test_changes_that_are_read_together_tell_what_each_tells_alone_and_the_tree_is_searched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, git = GitRepo.make(tmp_path / "repo.git"), Git(clean_environment(tmp_path))
    made.commit("Before", TREE | {"engine/more.py": "TABLE = [1]\nfrom engine.pool.paged import Page\n"})
    shas = [
        made.commit("One", {"engine/pool/paged.py": "class Pool:\n    pass\n"}),
        made.commit("Two", {"engine/more.py": "TABLE = [2]\n", "engine/pool/paged.py": "class Pools:\n    pass\n"}),
        made.commit("Three", {"engine/table.py": "from engine.more import TABLE\n"}),
        made.commit("Four", {"engine/more.py": "ROWS = [(ROW := 2)]\n"}),
        made.commit("Five", {"engine/last.py": "from engine.more import ROW\n"}),
    ]
    changes = HistoryReader(git, made.path, "acme/engine", ZoneInfo("UTC")).read(shas)
    repo = Repo("acme/engine", "https://example.org/acme/engine", "")

    def told(*shas: str) -> dict[str, list[str]]:
        some = tuple(change for change in changes if change.sha in shas)
        found = RuleReader(git).read(Collected(repo, changes=some, mirror=str(made.path)))
        return {sha: sorted(f.symbol for f in found[sha].findings if f.kind == "import_failing") for sha in shas}

    alone = [symbols for sha in shas for symbols in told(sha).values()]
    assert alone == [["engine.pool.paged.Page"], ["engine.pool.paged.Pool"], [], ["engine.more.TABLE"], []]
    searches: list[tuple[str, ...]] = []
    run = Git.run

    def noted(self: Git, *args: str, **how: Any) -> bytes:
        searches.extend([args] if args[0] == "grep" and args[-1] == "*.py" else [])
        return run(self, *args, **how)

    monkeypatch.setattr(Git, "run", noted)
    assert list(told(*shas).values()) == alone
    assert len(searches) == 1


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        (with_line("from engine.pool.paged import Page"), "main:engine/pool/paged.py"),
        ({"engine/pool/paged.py": "class Pool:\n    slots = 1\n"}, "main:engine/pool/paged.py"),
        ({"engine/pool/paged.py": "class Pool:\n    slots = 1\n"}, "main~1:engine/pool/paged.py"),
    ],
)
def test_a_module_whose_contents_the_mirror_lacks_may_bind_anything(tmp_path: Path, after: Files, lost: str) -> None:
    user: Files = {"engine/late.py": "from engine.pool.paged import Pool\n"}
    assert failing(tmp_path, user, after, lost) == []
