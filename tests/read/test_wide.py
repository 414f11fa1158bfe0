"""A wide reading: what only insiders use is kept beside the rest, and of an unknown library every public name counts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.core.model.findings import Finding
from daybreak.findings.reader import USUAL, Limits, RuleReader
from gitrepo import GitRepo, clean_environment

Tree = Mapping[str, str | None]
WIDE = replace(USUAL, wide=True)
APPLICATION = {"vllm/__init__.py": ""}
ENGINE = "class Engine:\n    def run(self, prompt, limit=3):\n        return prompt\n"
HOOK = "from abc import ABC, abstractmethod\nclass Hook(ABC):\n    @abstractmethod\n    def before(self): ...\n"
POINT = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int = 0\n    y: int = 0\n"
RECORD = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\n    y: int\n"
COLOUR = "from enum import Enum\nclass Colour(Enum):\n    RED = 1\n    BLUE = 2\n"
STUB = "def pick(names):\n    return names\n"
WARN = 'warnings.warn("pick is deprecated", DeprecationWarning)'
_ELSEWHERE = ("only_", "route_")
"""Kinds that other tests are about."""
LISTED = f'__all__ = ["other"]\n{ENGINE}'
HEADER = "#pragma once\nint size(int pages);\n"


def findings(folder: Path, before: Tree, after: Tree, limits: Limits = WIDE) -> list[Finding]:
    """What a commit that makes the one tree the other is read as."""
    repo = GitRepo.make(folder / "r.git")
    repo.commit("old", before)
    sha = repo.commit("new", after)
    git = Git(clean_environment(folder))
    changes = tuple(HistoryReader(git, repo.path, "o/r", UTC).read([sha]))
    collected = Collected(Repo("o/r", "https://example.org/o/r", ""), changes=changes, mirror=str(repo.path))
    return list(RuleReader(git, None, limits).read(collected)[sha].findings)


def shown(found: list[Finding]) -> set[str]:
    """`kind symbol`, with `!` for what breaks and `~` for what is inside."""
    return {f"{'!' * f.breaking}{'~' * f.inner}{f.kind} {f.symbol}" for f in found if not f.kind.startswith(_ELSEWHERE)}


class Row(NamedTuple):
    """A file before and after, and what is told of it in a library and in an application that is known."""

    name: str
    path: str
    before: str
    after: str
    library: str
    """Empty: nothing is told."""
    known: str
    """In an application, under `vllm/`."""


ROWS = (
    Row("method", "core/engine.py", ENGINE, "class Engine:\n    x = 1\n", "!function_removed Engine.run", "!internal_method_removed Engine.run"),
    Row("parameter", "core/engine.py", ENGINE, ENGINE.replace(", limit=3", ""), "!parameter_removed Engine.run(limit)", "!internal_parameter_removed Engine.run(limit)"),
    Row("optional parameter", "core/engine.py", ENGINE, ENGINE.replace("=3", "=3, seed=0"), "parameter_added Engine.run(seed)", "~parameter_added Engine.run(seed)"),
    Row("field", "core/point.py", POINT, POINT.replace("    y: int = 0\n", ""), "!field_removed Point.y", "~field_removed Point.y"),
    Row("field that must be given", "core/point.py", POINT, POINT.replace("    x", "    z: int\n    x"), "!field_required_added Point.z", "!internal_field_required_added Point.z"),
    Row("record that the program fills", "core/point.py", RECORD, RECORD + "    z: int\n", "field_required_added Point.z", "!internal_field_required_added Point.z"),
    Row("constant", "core/names.py", "A = 1\nB = 2\n", "A = 1\n", "attribute_removed B", "~attribute_removed B"),
    Row("listed constant", "core/names.py", '__all__ = ["B"]\nA = 1\nB = 2\n', "__all__ = []\nA = 1\n", "!attribute_removed B", "~attribute_removed B"),
    Row("class attribute", "core/engine.py", ENGINE + "    name = 1\n", ENGINE, "!attribute_removed Engine.name", "~attribute_removed Engine.name"),
    Row("enum member", "core/colour.py", COLOUR, COLOUR.replace("    BLUE = 2\n", ""), "!enum_member_removed Colour.BLUE", "enum_member_removed Colour.BLUE"),
    Row("private method", "core/engine.py", ENGINE + "    def _step(self, a): ...\n", ENGINE + "    def _step(self): ...\n", "~parameter_removed Engine._step(a)", "!internal_parameter_removed Engine._step(a)"),
    Row("mangled method", "core/engine.py", ENGINE + "    def __step(self, a): ...\n", ENGINE + "    def __step(self): ...\n", "", ""),
    Row("private class", "core/engine.py", ENGINE.replace("Engine", "_Engine"), "class _Engine:\n    x = 1\n", "", ""),
    Row("private module", "core/_engine.py", ENGINE, ENGINE.replace(", limit=3", ""), "~parameter_removed Engine.run(limit)", "~parameter_removed Engine.run(limit)"),
    Row("name that the module does not list", "core/engine.py", LISTED, LISTED.replace(", limit=3", ""), "parameter_removed Engine.run(limit)", "!internal_parameter_removed Engine.run(limit)"),
    Row("kept by another name", "core/engine.py", ENGINE, ENGINE.replace("run", "go") + "    run = go\n", "", ""),
    Row("route", "core/http.py", "@app.get('/x')\ndef serve(a): ...\ndef rest(): ...\n", "def rest(): ...\n", "function_removed serve", "function_removed serve"),
    Row("abstract method", "core/hook.py", HOOK, HOOK + "    @abstractmethod\n    def close(self): ...\n", "!extension_method_added Hook.close", "!extension_method_added Hook.close"),
    Row("unwritten method", "core/hook.py", HOOK, HOOK + "    def close(self):\n        raise NotImplementedError\n", "!extension_method_added Hook.close", "extension_method_added Hook.close"),
    Row("written method", "core/hook.py", HOOK, HOOK + "    def close(self):\n        return 1\n", "function_added Hook.close", "~function_added Hook.close"),
    Row("abstract method with another head", "core/hook.py", HOOK, HOOK.replace("self)", "self, attempt)"), "!extension_method_changed Hook.before", "!extension_method_changed Hook.before"),
    Row("type alone", "core/engine.py", STUB, STUB.replace("names)", "names: list)"), "annotation_changed pick(names)", ""),
    Row("a function that warns", "core/pick.py", STUB, STUB.replace("    return", f"    {WARN}\n    return"), "deprecated pick", "~deprecated pick"),
    Row("a warning about something else", "core/pick.py", STUB, STUB.replace("    return", f"    if not names:\n        {WARN.replace('pick', 'this')}\n    return"), "", ""),
    Row("a warning by name under a condition", "core/pick.py", STUB, STUB.replace("    return", f"    if not names:\n        {WARN}\n    return"), "deprecated pick", "~deprecated pick"),
    Row("tests", "tests/engine.py", ENGINE, "class Engine: ...\n", "", ""),
    Row("samples", "samples/engine.py", ENGINE, ENGINE.replace(", limit=3", ""), "", ""),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_library_and_a_known_application(row: Row, tmp_path: Path) -> None:
    for place, top, said, more in (("a", "lib", row.library, {}), ("b", "vllm", row.known, APPLICATION)):
        path = row.path if row.path.startswith(("tests", "samples")) else f"{top}/{row.path}"
        found = findings(tmp_path / place, {path: row.before, **more}, {path: row.after})
        assert shown(found) == ({said} if said else set()), top


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_usual_reading_says_what_it_said(row: Row, tmp_path: Path) -> None:
    usual, wide = (
        findings(tmp_path / name, {"vllm/core/x.py": row.before, **APPLICATION}, {"vllm/core/x.py": row.after}, limits)
        for name, limits in (("usual", USUAL), ("wide", WIDE))
    )
    assert not any(f.inner for f in usual)
    assert usual == [f for f in wide if not f.inner]  # with the same numbers: what is inside comes last


HANDED = (
    ("from lib._engine import Engine\n", "!parameter_removed Engine.run(limit)"),
    ("from ._engine import Engine\n", "!parameter_removed Engine.run(limit)"),
    ("from ._engine import Engine as Motor\n", "!parameter_removed Engine.run(limit)"),
    ("from ._engine import Engine as _Engine\n", "~parameter_removed Engine.run(limit)"),
    ("from ._engine import Other\n", "~parameter_removed Engine.run(limit)"),
    ("from ._motor import Engine\n", "~parameter_removed Engine.run(limit)"),
    ("from .._engine import Engine\n", "~parameter_removed Engine.run(limit)"),
    ("", "~parameter_removed Engine.run(limit)"),
)


@pytest.mark.parametrize(("package", "said"), HANDED)
@pytest.mark.parametrize("root", ["", "src/"])
def test_a_name_that_a_public_package_takes_out_of_a_private_module(
    package: str, said: str, root: str, tmp_path: Path
) -> None:
    before = {f"{root}lib/__init__.py": package, f"{root}lib/_engine.py": ENGINE}
    found = findings(tmp_path, before, {f"{root}lib/_engine.py": ENGINE.replace(", limit=3", "")})
    assert shown(found) == {said}


HEADERS: tuple[tuple[str, Tree, Tree, set[str]], ...] = (
    ("gone", {"include/lib/a.cuh": HEADER}, {"include/lib/a.cuh": None}, {"!header_removed lib/a.cuh"}),
    ("of a folder of its own", {"csrc/include/a.h": HEADER}, {"csrc/include/a.h": None}, {"~header_removed a.h"}),
    ("not installed", {"csrc/a.h": HEADER}, {"csrc/a.h": None}, set()),
    ("of somebody else", {"third_party/include/a.h": HEADER}, {"third_party/include/a.h": None}, set()),
    ("inside", {"include/lib/detail/a.h": HEADER}, {"include/lib/detail/a.h": None}, {"~header_removed lib/detail/a.h"}),
    ("new", {}, {"include/lib/a.h": HEADER}, {"header_added lib/a.h"}),
    ("renamed", {"include/a.cuh": HEADER}, {"include/a.cuh": None, "include/b.cuh": HEADER}, {"!cpp_renamed a.cuh"}),
    (
        "renamed, with one that forwards",
        {"include/a.cuh": HEADER * 9},
        {"include/a.cuh": '#include "b.cuh"\n', "include/b.cuh": HEADER * 9},
        {"header_added b.cuh"},
    ),
    ("in another root", {"include/a.cuh": HEADER}, {"include/a.cuh": None, "cpp/include/a.cuh": HEADER}, set()),
)  # fmt: skip


@pytest.mark.parametrize(("before", "after", "said"), [row[1:] for row in HEADERS], ids=[row[0] for row in HEADERS])
def test_headers_as_files(before: Tree, after: Tree, said: set[str], tmp_path: Path) -> None:
    rest = {"README": "", **before}
    found = shown(findings(tmp_path / "wide", rest, after))
    assert {x for x in found if "header_" in x or "cpp_renamed" in x} == said
    assert not any("header_" in x for x in shown(findings(tmp_path / "usual", rest, after, USUAL)))


def test_what_is_inside_gives_way_where_there_is_too_much(tmp_path: Path) -> None:
    """Findings of a change are counted; those that everybody meets come first."""
    names = range(6)
    text = "".join(f"class C{n}:\n    def run(self, a, b): ...\n" for n in names)
    before = {"vllm/core/_x.py": text, "vllm/outputs.py": ENGINE, **APPLICATION}
    after = {"vllm/core/_x.py": text.replace("a, b", "a"), "vllm/outputs.py": ENGINE.replace(", limit=3", "")}
    found = findings(tmp_path, before, after, Limits(findings=3, wide=True))
    assert [(f.inner, f.breaking) for f in found] == [(False, True), (True, False), (True, False)]
