"""Upgrade reports over real repositories: netted, mirrored, kept on disk, held against both ends, complete."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import daybreak.upgrade.range as upgrade_range
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo
from daybreak.core.model.report import Entry
from daybreak.core.model.upgrade import Net, RangeReport
from daybreak.findings.kinds import kind_of
from daybreak.findings.trees import Trees
from daybreak.upgrade.range import CONTRADICTED, Job, range_report, reading
from daybreak.upgrade.range import entries as kept
from daybreak.upgrade.range.own_words import with_own_words
from daybreak.upgrade.range.range_page import as_range_data
from gitrepo import GitRepo

ARGS = "engine/server_args.py"


def flags(*names: str) -> str:
    lines = ["import argparse", "", "", "def add_cli_args(parser: argparse.ArgumentParser) -> None:"]
    return "\n".join([*lines, *(f'    parser.add_argument("{name}", type=int, default=1)' for name in names), ""])


class Place:
    """A repository that grows by the hour, and reports about it."""

    def __init__(self, repo: GitRepo, state: Path) -> None:
        self.repo, self.state, self._hour = repo, state, 0

    def commit(self, title: str, *names: str, branch: str | None = None, **more: object) -> str:
        self._hour += 1
        files = more.pop("files", None) or {ARGS: flags(*names)}
        return self.repo.commit(title, files, at=1_768_000_000 + 3600 * self._hour, branch=branch, **more)  # type: ignore[arg-type]

    def job(self, **more: object) -> Job:
        repo = Repo("acme/engine", "https://example.org/acme/engine", str(self.repo.path))
        return Job(repo, self.state, dict(os.environ), **more)  # type: ignore[arg-type]

    def report(self, text: str, **more: object) -> RangeReport:
        return range_report(self.job(**more), text, lambda _: None)


@pytest.fixture
def place(repo: GitRepo, tmp_path: Path) -> Place:
    return Place(repo, tmp_path / "state")


def told(nets: Sequence[Net]) -> list[tuple[str, str, bool]]:
    return [(net.finding.kind, net.finding.symbol, net.finding.breaking) for net in nets]


def subjects(report: RangeReport) -> list[str]:
    return [entry.change.subject for entry in report.entries]


# --- what holds over the whole -------------------------------------------------------------------------------------


CLICK = "import click\n\n\n@click.command()\n{}def run() -> None: ...\n"


@pytest.mark.parametrize(
    ("what", "first", "then", "gone"),
    [
        ("it moved to another file", {}, {"engine/cli/run.py": ("--kv",)}, []),
        ("another command always took it", {"engine/cli/run.py": ("--kv",)}, {}, ["--kv"]),
        ("its file went, another took it already", {"engine/cli/run.py": ("--kv",)}, {ARGS: None}, []),
        ("only a test writes it", {}, {"tests/run.py": ("--kv",)}, ["--kv"]),
    ],
)
def test_an_option_that_a_parser_of_another_file_takes_at_the_end_is_not_gone(
    place: Place, what: str, first: dict[str, tuple[str, ...]], then: dict[str, tuple[str, ...] | None], gone: list[str]
) -> None:
    def texts(files: Mapping[str, tuple[str, ...] | None]) -> dict[str, str | bytes | None]:
        named = {
            path: names and "".join(f'@click.option("{name}")\n' for name in names) for path, names in files.items()
        }
        return {path: CLICK.format(said) if said else None for path, said in named.items()}

    start = place.repo.commit("Start (#1)", {ARGS: flags("--kv", "--tp"), **texts(first)})
    place.repo.commit("Drop kv (#2)", {ARGS: flags("--tp"), **texts(then)})
    nets = place.report(f"{start}..main").nets
    assert [n.finding.symbol for n in nets if n.finding.kind == "cli_flag_removed"] == gone, what


def test_a_linear_range_tells_every_commit_newest_first_and_what_it_broke(place: Place) -> None:
    start = place.commit("Start (#1)", "--kv", "--tp")
    gone = place.commit("Drop kv (#2)", "--tp")
    place.repo.tag("v1.1", gone, at=1_768_090_000)
    place.commit("Add pp (#3)", "--tp", "--pp")
    report = place.report(f"{start}..main")
    assert subjects(report) == ["Add pp (#3)", "Drop kv (#2)"]
    assert told(report.nets) == [("cli_flag_removed", "--kv", True), ("cli_flag_added", "--pp", False)]
    assert (report.nets[0].commits, report.nets[0].since) == ((gone,), "v1.1")
    assert report.entries[1].released == "v1.1"
    assert all(not file.patch for entry in report.entries for file in entry.change.files)
    assert report.summary[1].text["en"] == "1 breaking change to handle: command line 1."


def test_what_plug_ins_and_forks_alone_follow_is_counted_apart_in_the_summary_and_in_the_data(place: Place) -> None:
    inner = "from abc import ABC, abstractmethod\n\n\nclass Pool(ABC):\n    @abstractmethod\n    def get(self, at, slots): ...\n"
    start = place.repo.commit("Start (#1)", {ARGS: flags("--kv", "--tp"), "engine/kv/pool.py": inner})
    place.repo.commit("Drop kv (#2)", {ARGS: flags("--tp"), "engine/kv/pool.py": inner.replace(", slots", "")})
    report = place.report(f"{start}..main")
    marks = Counter(kind_of(n.finding.kind).mark for n in report.nets if n.finding.breaking)
    assert marks == {"breaks": 1, "internals": 1}
    assert report.summary[1].text["en"].startswith("1 breaking change to handle: command line 1.")
    assert report.summary[1].text["en"].endswith("1 change that only plug-ins and forks have to follow.")
    coverage = as_range_data(report)["coverage"]
    assert (coverage["breaking"], coverage["internals"]) == (1, 1)


def test_added_and_removed_again_is_nothing(place: Place) -> None:
    start = place.commit("Start (#1)", "--tp")
    place.commit("Add kv (#2)", "--tp", "--kv")
    place.commit("Drop kv (#3)", "--tp")
    report = place.report(f"{start}..main")
    assert len(report.entries) == 2
    assert report.nets == ()
    assert [s.text["en"] for s in report.summary][1] == "The rules see nothing that breaks existing use."


def test_the_same_ref_twice_is_empty(place: Place) -> None:
    place.commit("Start (#1)", "--tp")
    report = place.report("main..main")
    assert (report.entries, report.left_behind, report.nets, report.outages, report.skipped) == ((), (), (), (), ())
    assert len(report.summary) == 1


def test_a_downgrade_mirrors_the_upgrade(place: Place) -> None:
    start = place.commit("Start (#1)", "--kv", "--tp")
    place.commit("Drop kv (#2)", "--tp")
    place.commit("Add pp (#3)", "--tp", "--pp")
    there, back = place.report(f"{start}..main"), place.report(f"main..{start}")
    assert told(there.nets) == [("cli_flag_removed", "--kv", True), ("cli_flag_added", "--pp", False)]
    assert told(back.nets) == [("cli_flag_removed", "--pp", True), ("cli_flag_added", "--kv", False)]
    assert back.entries == ()
    assert [entry.change.subject for entry in back.left_behind] == ["Add pp (#3)", "Drop kv (#2)"]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Drop kv (#3)", ""),
        ("[Cherry-pick] Drop kv (#3) (#9)", ""),
        ("Backport of dropping kv", "(cherry picked from commit {sha})"),
        ("Drop kv for good", ""),
    ],
)
def test_cherry_picks_of_a_release_branch_are_not_left_behind(place: Place, title: str, body: str) -> None:
    base = place.commit("Start (#1)", "--kv", "--tp")
    place.commit("Add pp (#2)", "--kv", "--tp", "--pp")
    main_title = title if title.endswith("good") else "Drop kv (#3)"
    picked = place.commit(main_title, "--tp", "--pp")
    message = f"{title}\n\n{body.format(sha=picked)}"
    place.commit(message, "--tp", branch="release", parents=[base])
    place.commit("Only here (#20)", "--tp", "--hotfix", branch="release")
    said: list[str] = []
    report = range_report(place.job(), "release..main", said.append)
    assert [entry.change.subject for entry in report.left_behind] == ["Only here (#20)"]
    assert any("1 commit of release left behind; what the others do, main has as well" in one for one in said)
    assert told(report.nets) == [("cli_flag_removed", "--hotfix", True), ("cli_flag_added", "--pp", False)]


def test_who_asks_for_what_a_range_changes_only_does_not_wait_for_the_programs_own_words(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stand on the page of a range alone; to find them, files of the end are parsed, which takes room and time."""
    start = place.commit("Start (#1)", "--kv", "--tp")
    place.commit("Drop kv (#2)", "--tp")
    asked: list[int] = []

    def noted(trees: Trees, end: str, nets: Sequence[Net]) -> list[Net]:
        asked.append(1)
        return [*with_own_words(trees, end, nets)]

    monkeypatch.setattr("daybreak.upgrade.range.with_own_words", noted)
    whole = place.report(f"{start}..main")
    bare = range_report(place.job(), f"{start}..main", lambda _: None, broken=False)
    assert (told(bare.nets), asked) == (told(whole.nets), [1])


def test_a_branch_that_was_merged_back_is_not_left_behind(place: Place) -> None:
    base = place.commit("Start (#1)", "--tp")
    place.commit("Other (#2)", files={"other.txt": "x\n"})
    side = place.commit("Work on the side (#3)", files={"side.txt": "x\n"}, branch="side", parents=[base])
    tip = place.repo.oid("main")
    place.commit("Merge side", files={"side.txt": "x\n"}, parents=[tip, side])
    report = place.report("side..main")
    assert report.span.lost == (side,)
    assert report.left_behind == ()


def test_a_removal_that_the_end_contradicts_is_dropped_and_counted(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that no reader saw must not become a false alarm."""
    start = place.commit("Start (#1)", "--kv", "--tp")
    place.commit("Drop kv (#2)", "--tp")
    back = place.commit("Bring kv back (#3)", "--kv", "--tp")
    real = reading.slim

    def blind(entry: Entry) -> Entry:
        slim = real(entry)
        unseen = replace(slim.reading, findings=())
        return replace(slim, reading=unseen) if entry.change.sha == back else slim

    monkeypatch.setattr(reading, "slim", blind)
    report = place.report(f"{start}..main")
    assert report.nets == ()
    assert (report.grounding.dropped, dict(report.grounding.by_reason)) == (1, {CONTRADICTED: 1})


def test_what_was_not_there_at_the_start_cannot_have_gone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    start = place.commit("Start (#1)", "--tp")
    came = place.commit("Add kv (#2)", "--kv", "--tp")
    place.commit("Drop kv (#3)", "--tp")
    real = reading.slim

    def blind(entry: Entry) -> Entry:
        slim = real(entry)
        unseen = replace(slim.reading, findings=())
        return replace(slim, reading=unseen) if entry.change.sha == came else slim

    monkeypatch.setattr(reading, "slim", blind)
    assert place.report(f"{start}..main").nets == ()


# --- when main was broken ------------------------------------------------------------------------------------------


def code(number: int) -> dict[str, Any]:
    return {"files": {"engine/core.py": f"VALUE = {number}\n"}}


def test_an_end_inside_a_time_of_fault_is_told(place: Place) -> None:
    first = place.commit("Start (#1)", **code(1))
    fault = place.commit("Fuse the norm of all layers (#2)", **code(2))
    inside = place.commit("Something else (#3)", **code(3))
    repair = place.commit('Revert "Fuse the norm of all layers (#2)" (#4)', **code(4))
    last = place.commit("Later (#5)", **code(5))

    def seen(text: str) -> list[tuple[str, str | None, bool, bool]]:
        return [(o.fault, o.repair, o.holds_start, o.holds_end) for o in place.report(text).outages]

    assert seen(f"{first}..{last}") == [(fault, repair, False, False)]
    assert seen(f"{inside}..{last}") == [(fault, repair, True, False)]
    assert seen(f"{first}..{inside}") == [(fault, repair, False, True)]
    assert seen(f"{fault}..{inside}") == [(fault, repair, True, True)]
    assert seen(f"{last}..{first}") == [(fault, repair, False, False)]
    assert seen(f"{repair}..{last}") == []


def test_a_repair_that_the_end_has_by_a_commit_of_its_own_is_no_fault_of_the_end(place: Place) -> None:
    rows = "".join(f"ROW_{n} = {n}\n" for n in range(9))

    def core(first: int, last: int) -> dict[str, Any]:
        return {"files": {"engine/core.py": f"FIRST = {first}\n{rows}LAST = {last}\n"}}

    first = place.commit("Start (#1)", **core(1, 1))
    fault = place.commit("Fuse the norm of all layers (#2)", **core(2, 1))
    repair = place.commit('Revert "Fuse the norm of all layers (#2)" (#4)', **core(1, 1))
    bare = place.commit("Other work", **core(2, 5), branch="release", parents=[fault])
    end = place.commit("Bring back what main has", **core(1, 5), branch="release")
    assert [o.repair for o in place.report(f"{first}..{bare}").outages if o.holds_end] == [repair]
    assert [o.repair for o in place.report(f"{first}..{end}").outages if o.holds_end] == []


def test_what_only_the_branch_of_the_start_broke_is_no_fault_of_the_end(place: Place) -> None:
    first = place.commit("Start (#1)", **code(1))
    place.commit("Fuse the norm of all layers (#2)", **code(2), branch="release", parents=[first])
    start = place.commit('Revert "Fuse the norm of all layers (#2)" (#4)', **code(1), branch="release")
    end = place.commit("Something else (#5)", files={"other.py": "A = 1\n"})
    assert [o.fault for o in place.report(f"{start}..{end}").outages if o.holds_end] == []


def test_a_fault_that_git_cannot_look_up_is_not_taken_from_the_end(place: Place) -> None:
    end = place.commit("Start (#1)", **code(1))
    repair = place.commit("Fix it (#2)", **code(2))
    assert upgrade_range._faulty(Git(dict(os.environ)), place.repo.path, end, "f" * 40, repair)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# short\nrows = 1\n# Compatible with models whose layers have unlike heads.", True),
        ("# Compatible with models whose\n# layers have unlike heads. And no more.", True),
        ("# Keep the old one when\n# CUDA graphs are on we use it no more.", False),
        ("# Copyright of all who wrote lines of this file.", False),
    ],
)
def test_a_repair_tells_whom_the_fault_hits_by_a_whole_sentence_and_its_sources(
    place: Place, comment: str, said: bool
) -> None:
    path, old = "engine/注意.py", "# Keep the old one when\n" if comment.startswith("# Keep") else ""
    first = place.commit("Start (#1)", files={path: f"{old}heads = 1\n", "tests/test_attn.py": "heads = 1\n"})
    fault = place.commit("Fuse the norm of all layers (#2)", files={path: f"{old}heads = 2\n"})
    place.commit(
        'Revert "Fuse the norm of all layers (#2)" (#4)',
        files={path: f"{comment}\nheads = 3\n", "tests/test_attn.py": "# No source says whom it hits.\nheads = 3\n"},
    )
    (found,) = place.report(f"{first}..{fault}").outages
    assert found.repair_says == ("Compatible with models whose layers have unlike heads." if said else "")
    assert found.repair_files == ("注意.py",)


def test_the_release_that_repairs_a_fault_of_the_end_is_named(place: Place) -> None:
    first = place.commit("Start (#1)", **code(1))
    fault = place.commit("Fuse the norm of all layers (#2)", **code(2))
    place.repo.tag("v1.0.0", fault)
    repair = place.commit('Revert "Fuse the norm of all layers (#2)" (#4)', **code(1))

    def repaired() -> str | None:
        (found,) = place.report(f"{first}..v1.0.0").outages
        return found.repaired_in

    assert repaired() is None
    place.repo.tag("v1.1.0", place.commit("Later (#5)", **code(5)))
    assert repaired() == "v1.1.0"
    picked = place.commit("Revert the fused norm (#4)", **code(1), branch="release", parents=[fault])
    place.repo.tag("v1.0.1", picked)
    assert repaired() == "v1.0.1"
    for name in ("v1.0.2", "v1.0.3rc1"):
        place.repo.tag(name, place.commit(f"More of {name} (#9)", **code(7), branch="release"))
    assert repaired() == "v1.0.1", "the first that has it: the page says that newer ones have it too"
    assert repair != picked


def test_a_repair_that_was_picked_onto_the_release_is_in_it(place: Place) -> None:
    first = place.commit("Start (#1)", **code(1))
    fault = place.commit("Fuse the norm of all layers (#2)", **code(2))
    repair = place.commit('Revert "Fuse the norm of all layers (#2)" (#4)', **code(1))
    place.commit('Revert "Fuse the norm of all layers (#2)" (#4)', **code(1), branch="release", parents=[fault])
    (found,) = place.report(f"{first}..release").outages
    assert found.fault == fault
    assert repair in (found.repair, place.repo.oid("main"))
    assert not found.holds_end


# --- kept on disk --------------------------------------------------------------------------------------------------


def counted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What git is asked from now on."""
    asked: list[tuple[str, ...]] = []
    real = Git._start

    def start(self: Git, args: Sequence[str], *more: object, **named: object) -> object:
        asked.append(tuple(args))
        return real(self, args, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "_start", start)
    return asked


def test_a_second_report_reads_no_patch_and_says_the_same(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    start = place.commit("Start (#1)", "--kv", "--tp")
    for number in range(2, 8):
        place.commit(f"Change {number} (#{number})", "--tp", f"--x{number}")
    first = place.report(f"{start}..main")
    asked = counted(monkeypatch)
    again = place.report(f"{start}..main")
    assert again == first
    assert asked
    assert not [args for args in asked if args[0] == "log" and "-p" in args]


def test_only_what_is_new_is_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    start = place.commit("Start (#1)", "--tp")
    place.commit("Second (#2)", "--tp", "--a")
    place.report(f"{start}..main")
    place.commit("Third (#3)", "--tp", "--a", "--b")
    read: list[str] = []
    real = reading.read_task

    def spy(task: kept.Task) -> list[Entry]:
        read.extend(task.shas)
        return real(task)

    monkeypatch.setattr(reading, "read_task", spy)
    assert subjects(place.report(f"{start}..main")) == ["Third (#3)", "Second (#2)"]
    assert read == [place.repo.oid("main")]


@pytest.mark.parametrize("damage", [b"", b"\x00nonsense", b"\x81\xa6change\xc0"])
def test_a_damaged_file_costs_speed_only(place: Place, damage: bytes) -> None:
    start = place.commit("Start (#1)", "--kv", "--tp")
    place.commit("Drop kv (#2)", "--tp")
    first = place.report(f"{start}..main")
    (file,) = place.state.rglob("*.entry")
    file.write_bytes(damage)
    assert place.report(f"{start}..main") == first
    assert file.read_bytes() != damage


def test_an_entry_of_another_commit_is_not_taken(place: Place) -> None:
    start = place.commit("Start (#1)", "--tp")
    place.commit("Second (#2)", "--tp", "--a")
    place.commit("Third (#3)", "--tp", "--a", "--b")
    first = place.report(f"{start}..main")
    one, two = sorted(place.state.rglob("*.entry"))
    one.write_bytes(two.read_bytes())
    assert place.report(f"{start}..main") == first


def test_several_processes_say_what_one_says(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    start = place.commit("Start (#1)", "--tp")
    for number in range(2, 8):
        place.commit(f"Change {number} (#{number})", "--tp", f"--x{number}")
    alone = place.report(f"{start}..main")
    monkeypatch.setattr(kept, "FEW", 1)
    monkeypatch.setattr(kept, "AT_A_TIME", 3)
    parts: list[int] = []
    real = kept._beside

    def spy(tasks: Sequence[kept.Task], workers: int) -> Iterator[list[bytes | Entry]]:
        for part in real(tasks, workers):
            parts.append(len(part))
            yield part

    monkeypatch.setattr(kept, "_beside", spy)
    other = Place(place.repo, tmp_path / "other")
    beside = other.report(f"{start}..main", workers=2)
    assert (beside.entries, beside.nets) == (alone.entries, alone.nets)
    assert parts == [3, 3]
