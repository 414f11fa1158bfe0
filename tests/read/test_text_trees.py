"""Two states of files as texts are read as git's commit of them is, without git."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.collect.git.history import HistoryReader
from daybreak.core.errors import UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Collected, FileChange, Repo, Skipped
from daybreak.core.model.findings import Finding
from daybreak.findings import compare_trees, read
from daybreak.findings.diff import hunks
from daybreak.findings.reader import USUAL, WHOLE_TREES, Limits, RuleReader
from daybreak.findings.text_trees import _file_changes, patch
from gitrepo import GitRepo, clean_environment
from read.test_wide import ROWS

Texts = dict[str, str]
WIDE = Limits(findings=600, wide=True)
BODY = "".join(f"def step_{n}(state):\n    state.count += {n}\n    return state\n\n\n" for n in range(30))
GUARD = "def load(config):\n    config.a = 1\n    config.b = 2\n    config.c = 3\n    config.d = 4\n    config.e = 5\n"


class Case(NamedTuple):
    """A project before and after."""

    name: str
    before: Texts
    after: Texts


CASES = (
    *(Case(row.name, {row.path: row.before}, {row.path: row.after}) for row in ROWS),
    Case("a flag", {"a/server_args.py": 'p.add_argument("--kv", default=1)\n'}, {"a/server_args.py": 'p.add_argument("--kv", default=2)\n'}),
    Case("a variable that nobody reads any more", {"a/envs.py": 'X = os.getenv("ENGINE_FAST", "1")\n', "a/run.py": 'os.getenv("ENGINE_FAST")\n'}, {"a/envs.py": "", "a/run.py": "run()\n"}),
    Case("a variable that a file beside still reads", {"a/envs.py": 'X = os.getenv("ENGINE_FAST", "1")\n', "a/run.py": 'os.getenv("ENGINE_FAST")\n'}, {"a/envs.py": "", "a/run.py": 'os.getenv("ENGINE_FAST")\n'}),
    Case("a variable that only its declaration named", {"a/envs.py": 'X = os.getenv("ENGINE_FAST", "1")\n'}, {"a/envs.py": ""}),
    Case("a file that moved", {"pkg/old.py": BODY}, {"pkg/new.py": BODY}),
    Case("a file that moved and changed", {"pkg/old.py": BODY}, {"pkg/new.py": BODY.replace("step_7(state)", "step_7(state, more)")}),
    Case("a file that went", {"flash_attn/__init__.py": BODY, "b.py": "x = 1\n"}, {"b.py": "x = 1\n"}),
    Case("a file that came", {"b.py": "x = 1\n"}, {"flash_attn/__init__.py": BODY, "b.py": "x = 1\n"}),
    Case("a guard", {"engine/load.py": GUARD}, {"engine/load.py": GUARD.replace("    config.d", "    if config.x and not config.y:\n        raise ValueError('x needs y')\n    config.d")}),
    Case("an operator", {"csrc/a.cpp": 'TORCH_LIBRARY(_C, ops) {\n  ops.def("topk(Tensor x) -> Tensor");\n  ops.def("sort(Tensor x) -> Tensor");\n}\n'}, {"csrc/a.cpp": 'TORCH_LIBRARY(_C, ops) {\n  ops.def("sort(Tensor x) -> Tensor");\n}\n'}),
    Case("a pin", {"requirements.txt": "torch==2.1\nnumpy\n"}, {"requirements.txt": "torch==2.2\nnumpy\n"}),
    Case("a header", {"include/kit/gemm.hpp": "#pragma once\nint run(int a);\nint stop();\n"}, {"include/kit/gemm.hpp": "#pragma once\nint run(int a, int b);\nint stop();\n"}),
    Case("comments", {"engine/core.py": BODY}, {"engine/core.py": "# More.\n" + BODY}),
    Case("a last line without an end", {"engine/__init__.py": "def run(a):\n    return a\n"}, {"engine/__init__.py": "def run(a, b):\n    return a"}),
    Case("carriage returns", {"engine/__init__.py": "def run(a):\r\n    return a\r\n"}, {"engine/__init__.py": "def run(a, b):\r\n    return a\r\n"}),
    Case("no text", {"a.bin": "x\0y"}, {"a.bin": "x\0z"}),
)  # fmt: skip


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Git, Path, list[Change]]:
    """Each case as a commit of one repository."""
    folder = tmp_path_factory.mktemp("cases")
    repo = GitRepo.make(folder / "r.git")
    made, stands = [], set[str]()
    for case in CASES:
        repo.commit("old", {**dict.fromkeys(stands), **case.before})
        made.append(repo.commit("new", {**dict.fromkeys(case.before), **case.after}))
        stands = set(case.after)
    git = Git(clean_environment(folder))
    return git, repo.path, list(HistoryReader(git, repo.path, "o/r", UTC).read(made))


def plain(found: tuple[Finding, ...]) -> list[tuple[object, ...]]:
    """All but the id, which begins with the commit's sha."""
    return [
        (f.kind, f.path, f.line, f.symbol, f.before, f.after, f.breaking, f.alias, f.effective, f.inner) for f in found
    ]


@pytest.mark.parametrize(("limits", "step"), [(USUAL, 1), (WIDE, 4), (WHOLE_TREES, 4)], ids=["usual", "wide", "trees"])
def test_texts_are_read_as_the_commit_of_them(
    commits: tuple[Git, Path, list[Change]], limits: Limits, step: int
) -> None:
    git, mirror, changes = commits
    for case, change in list(zip(CASES, changes, strict=True))[::step]:
        repo = Repo("o/r", "https://example.org/o/r", "")
        collected = Collected(repo, changes=(change,), mirror=str(mirror))
        wanted = RuleReader(git, None, limits).read(collected)[change.sha].findings
        assert plain(read(case.before, case.after, project="o/r", limits=limits)) == plain(wanted), case.name


def test_files_are_told_as_git_tells_them(commits: tuple[Git, Path, list[Change]]) -> None:
    for case, change in zip(CASES, commits[2], strict=True):
        assert [seen(f) for f in _file_changes(case.before, case.after)] == [seen(f) for f in change.files], case.name


def seen(file: FileChange) -> tuple[object, ...]:
    blobs = (file.old_blob, file.new_blob)
    return (file.path, file.status, file.old_path, file.added, file.deleted, file.binary, *blobs, file.patch)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_nothing_is_said_where_nothing_changed(case: Case) -> None:
    assert read(case.before, dict(case.before)) == ()


def test_what_breaks_comes_first_and_ids_are_numbers_of_the_same_step() -> None:
    before = {"flash_attn/__init__.py": "def run(a): ...\n", "requirements.txt": "torch==2.1\n"}
    after = {"flash_attn/__init__.py": "def walk(x): ...\n", "requirements.txt": "torch==2.2\n"}
    found = read(before, after)
    assert [f.breaking for f in found] == sorted((f.breaking for f in found), reverse=True)
    step = {f.id.partition("/")[0] for f in found}
    assert [f.id for f in found] == [f"{next(iter(step))}/{n}" for n in range(1, len(found) + 1)]
    assert step.isdisjoint(f.id.partition("/")[0] for f in read(after, before))


def test_limits_bound_what_is_given() -> None:
    before = {"flash_attn/__init__.py": "".join(f"def run_{n}(a): ...\n" for n in range(100))}
    after = {"flash_attn/__init__.py": "x = 1\n"}
    assert len(read(before, after)) == USUAL.findings
    assert len(read(before, after, limits=Limits(findings=1000))) == 100


# --- patches -------------------------------------------------------------------------------------------------------

LINES = st.lists(st.sampled_from(["a", "b", "    c", "", "def f():", "}"]), max_size=25)


def applied(before: str, made: str) -> str:
    """The text that a patch makes of another."""
    old, out, at = before.split("\n"), list[str](), 0
    for hunk in hunks(made):
        start = next((line.old for line in hunk.lines if line.old), 0)
        first = start - 1 if start else len(old) - 1
        out += old[at:first]
        out += [line.text for line in hunk.lines if line.sign != "-"]
        at = first + sum(line.sign != "+" for line in hunk.lines)
    return "\n".join([*out, *old[at:]])


@settings(max_examples=200, deadline=None)
@given(LINES, LINES)
def test_a_patch_makes_the_one_text_the_other(before: list[str], after: list[str]) -> None:
    one, two = "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)
    made = patch(one, two)
    assert (made == "") == (one == two)
    assert made[-1:] in ("", "\n")
    if before and after and before[0] == after[0]:  # a hunk without old lines does not say where it stands
        assert applied(one, made) == two


def test_long_texts_are_matched_in_little_time() -> None:
    """Lines that all stand many times, and lines that all stand once, shuffled."""
    order = random.Random(1)
    many = [f"row {order.randrange(50)}" for _ in range(10_000)]
    once = [f"row {n}" for n in range(10_000)]
    for rows in (many, once):
        other = rows[:]
        order.shuffle(other)
        one, two = "\n".join(rows), "\n".join(other)
        assert patch(one, two).count("\n-") > 4_000
        middle = "\n".join([*rows[:5_000], "new", *rows[5_000:]])
        assert [line for line in patch(one, middle).split("\n") if line.startswith(("+", "-"))] == ["+new"]


# --- folders -------------------------------------------------------------------------------------------------------


def folder(place: Path, files: Texts) -> Path:
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, "utf-8", newline="")
    return place


def test_two_folders_are_read_as_their_texts(tmp_path: Path) -> None:
    before = {"pkg/__init__.py": "from ._in import run\n", "pkg/_in.py": "def run(a): pass\n"}
    after = {**before, "pkg/_in.py": "def run(a, b): pass\n"}
    found = compare_trees(folder(tmp_path / "a", before), folder(tmp_path / "b", after))
    assert [(f.kind, f.symbol, f.breaking) for f in found] == [("parameter_required_added", "run(b)", True)]
    assert found == read(before, after, limits=WHOLE_TREES)
    assert compare_trees(tmp_path / "a", tmp_path / "a") == ()


def test_what_is_left_out_of_a_folder_is_named(tmp_path: Path) -> None:
    old = folder(tmp_path / "old", {"a.py": "x = 1\n"})
    new = folder(tmp_path / "new", {"a.py": "x = 1\n", "data.bin": "x" * (9 << 20)})
    (new / "secret.py").symlink_to("/etc/passwd")
    told: list[Skipped] = []
    assert compare_trees(old, new, skipped=told.append) == ()
    assert [(one.what, one.reason) for one in told] == [("new/data.bin", "it is larger than 8 MiB")]
    with pytest.warns(UserWarning, match=r"new/data\.bin is left out: it is larger"):
        compare_trees(old, new)


def test_what_is_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        compare_trees(tmp_path / "none", tmp_path)


# --- the package ---------------------------------------------------------------------------------------------------


def test_importing_findings_loads_nothing_heavy() -> None:
    code = "import sys; before = set(sys.modules); import daybreak.findings; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in loaded if name.startswith("daybreak")} == {"daybreak", "daybreak.findings"}
    others = {name.partition(".")[0] for name in loaded} - {"daybreak"}
    assert others <= sys.stdlib_module_names - {"asyncio", "tomllib", "subprocess", "difflib", "dataclasses"}


def test_the_example_of_the_docs_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "findings.md").read_text("utf-8")
    code, wanted = (page.split(f"```{mark}\n")[1].split("```")[0] for mark in ("python", "text"))
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert said.stdout == wanted
