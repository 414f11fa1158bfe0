"""The sample upstreams: the same bytes everywhere, and each thing the demo promises to show."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from daybreak.demo import history

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.demo.history import History

SHANGHAI = ZoneInfo("Asia/Shanghai")
MONDAY, FRIDAY, SATURDAY = date(2026, 3, 2), date(2026, 3, 6), date(2026, 3, 7)
END = datetime(2026, 3, 9, tzinfo=SHANGHAI)

HEADS = {
    "lantern": "a46bbe7b390e82a4e0f8e945ea2a6ad593ac288c",
    "tilekit": "271f53d5b6d4d1b8c3d64f3c9ffa25fc1786399f",
    "wick": "3bc650674855c049a5f916489cf7c353eac0c690",
}
"""Pinned: when one moves, every golden report of the demo moves with it."""


@dataclass(frozen=True)
class Built:
    """A history and the repository made from it."""

    history: History
    folder: Path

    def git(self, *arguments: str) -> str:
        """Run git in the repository and return what it prints."""
        command = ["git", f"--git-dir={self.folder}", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout

    def show(self, moment: datetime) -> None:
        """Move the refs to a moment."""
        history.show(self.folder, self.history, moment)

    def raw(self, commit: str) -> list[list[str]]:
        """What the commit did, as `[old mode, new mode, status, path, ...]` per file."""
        sha = self.history.sha(commit)
        text = self.git("show", "--first-parent", "--raw", "--format=", "-M", "--abbrev=40", sha)
        fields = [line[1:].replace("\t", " ").split() for line in text.splitlines() if line]
        return [[old, new, status, *paths] for old, new, _, _, status, *paths in fields]

    def patch(self, commit: str) -> list[str]:
        """The changed lines of a commit, with their sign."""
        text = self.git("show", "--first-parent", "--format=", "-U0", "-M", self.history.sha(commit))
        return [line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]

    def paths(self, commit: str) -> set[str]:
        """Paths that the commit touched."""
        return {path for row in self.raw(commit) for path in row[3:]}

    def message(self, commit: str) -> str:
        """Subject and body as git has them."""
        return self.git("log", "-1", "--format=%B", self.history.sha(commit))

    def dates(self) -> dict[str, date]:
        """Day in Shanghai of each first-parent commit of main, by local id."""
        ids = {commit.sha: name for name, commit in self.history.commits.items()}
        rows = (line.split() for line in self.git("log", "--first-parent", "--format=%H %cI", "main").splitlines())
        return {ids[sha]: datetime.fromisoformat(when).astimezone(SHANGHAI).date() for sha, when in rows}


def made(name: str, folder: Path) -> Built:
    """Build one upstream, showing all of it."""
    built = Built(history.load(name), folder / name)
    history.build(built.history, built.folder)
    built.show(END)
    return built


@pytest.fixture(scope="module")
def upstreams(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    """All three at the end of the week; tests that move refs make their own."""
    folder = tmp_path_factory.mktemp("upstreams")
    return {name: made(name, folder) for name in history.UPSTREAMS}


@pytest.fixture
def lantern(upstreams: dict[str, Built]) -> Built:
    return upstreams["lantern"]


@pytest.fixture
def tilekit(upstreams: dict[str, Built]) -> Built:
    return upstreams["tilekit"]


# The builder.


@pytest.mark.parametrize("name", history.UPSTREAMS)
def test_heads_are_pinned_and_equal_on_a_second_build(name: str, upstreams: dict[str, Built], tmp_path: Path) -> None:
    first = upstreams[name].git("for-each-ref")
    assert made(name, tmp_path).git("for-each-ref") == first
    assert upstreams[name].git("rev-parse", "main").strip() == HEADS[name]


@pytest.mark.parametrize("name", history.UPSTREAMS)
def test_the_users_git_settings_change_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[init]\n\tdefaultBranch = trunk\n[core]\n\tautocrlf = true\n[i18n]\n\tcommitEncoding = latin1\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    assert made(name, tmp_path).git("rev-parse", "refs/heads/main").strip() == HEADS[name]


@pytest.mark.parametrize("name", history.UPSTREAMS)
def test_git_finds_no_fault(name: str, upstreams: dict[str, Built]) -> None:
    built = upstreams[name]
    assert built.git("fsck", "--strict", "--no-dangling") == ""
    for commit in built.history.commits.values():
        assert built.git("cat-file", "-t", commit.sha) == "commit\n"


def test_a_clone_sees_only_what_is_shown(lantern: Built, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "--quiet", "--mirror", lantern.folder.as_uri(), copy], check=True)
    refs = Built(lantern.history, copy).git("for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/main", "refs/tags/v0.7.0"]


def test_before_the_first_push_the_repository_is_empty(tmp_path: Path) -> None:
    built = made("wick", tmp_path)
    built.show(datetime(2026, 2, 1, tzinfo=SHANGHAI))
    assert built.git("for-each-ref", "refs/heads", "refs/tags") == ""
    assert built.git("symbolic-ref", "HEAD") == "refs/heads/main\n"
    built.show(END)
    assert built.git("rev-parse", "main").strip() == HEADS["wick"]


def test_tags_come_with_their_push(tmp_path: Path) -> None:
    built = made("tilekit", tmp_path)
    built.show(datetime(2026, 3, 5, 19, 59, tzinfo=SHANGHAI))
    assert built.git("tag") == "v0.4.0\n"
    built.show(datetime(2026, 3, 5, 20, 0, tzinfo=SHANGHAI))
    assert built.git("tag") == "v0.4.0\nv0.5.0\n"
    assert built.git("cat-file", "-t", "v0.5.0") == "tag\n"
    assert built.git("rev-parse", "v0.5.0^{commit}").strip() == built.history.sha("t07")


def test_build_refuses_a_folder_with_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileExistsError):
        history.build(history.load("wick"), tmp_path)


COMMIT = """
name = "a/b"
[[commit]]
id = "c1"
author = "A <a@example.com>"
date = "2026-03-02T10:00:00+08:00"
message = "first"
[commit.write]
"f" = "x x"
[[commit]]
id = "c2"
author = "A <a@example.com>"
date = "2026-03-02T11:00:00+08:00"
message = "{message}"
{change}
[[push]]
at = "{at}"
to = "c2"
"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('[[commit.edit]]\npath = "f"\nold = "x"\nnew = "y"', "commit c2: f: the passage to edit occurs 2 times"),
        ('[[commit.edit]]\npath = "f"\nold = "z"\nnew = "y"', "commit c2: f: the passage to edit occurs 0 times"),
        ('[[commit.edit]]\npath = "g"\nold = "x"\nnew = "y"', "commit c2: g: no such file"),
        ('delete = ["g"]', "commit c2: g: no such file"),
        ('rename = [["f", "f"]]', "commit c2: f: rename onto a path that exists"),
        ('executable = ["g"]', "commit c2: g: no such file"),
        ('[commit.gitlink]\nm = "12"', "commit c2: m: not a commit id"),
        ('merge = ["c9"]', "commit c2: no commit 'c9' before this one"),
        ('revert = "c9"', "commit c2: no commit 'c9' before this one"),
        ('wriet = "f"', "commit c2: unknown key 'wriet'"),
    ],
)
def test_a_mistake_names_commit_and_path(change: str, said: str) -> None:
    text = COMMIT.format(message="second", change=change, at="2026-03-02T12:00:00+08:00")
    with pytest.raises(ValueError, match=said):
        history.parse(text)


def test_a_message_can_only_name_earlier_commits() -> None:
    text = COMMIT.format(message="{sha:c2}", change="", at="2026-03-02T12:00:00+08:00")
    with pytest.raises(ValueError, match="commit c2: the message names no earlier commit 'c2'"):
        history.parse(text)


def test_nothing_is_pushed_before_it_was_made() -> None:
    text = COMMIT.format(message="second", change="", at="2026-03-02T10:30:00+08:00")
    with pytest.raises(ValueError, match=r"commit c2: pushed at .* before it was made"):
        history.parse(text)


# The week.


def test_size_and_shape_of_the_week(upstreams: dict[str, Built]) -> None:
    total = sum(len(built.history.commits) for built in upstreams.values())
    assert 35 <= total <= 45
    days = {name: set(built.dates().values()) for name, built in upstreams.items()}
    week = [MONDAY + timedelta(days=number) for number in range(7)]
    assert [day for day in week if not any(day in seen for seen in days.values())] == [week[6]]
    assert [day for day in week if day in days["wick"]] == [week[2], FRIDAY]
    fridays = [list(built.dates().values()).count(FRIDAY) for built in upstreams.values()]
    assert fridays == [8, 2, 1]


def test_every_python_file_of_every_commit_parses(upstreams: dict[str, Built]) -> None:
    for built in upstreams.values():
        for commit in built.history.commits.values():
            for path, entry in commit.tree.items():
                if path.endswith(".py"):
                    ast.parse(entry.data or b"", f"{commit.id}:{path}")


def test_authors_and_zones_vary(upstreams: dict[str, Built]) -> None:
    lines = "".join(built.git("log", "--format=%an|%cd", "--date=format:%z", "main") for built in upstreams.values())
    names = {line.partition("|")[0] for line in lines.splitlines()}
    assert {"王晓明", "Inès Lefèvre"} <= names
    assert len(names) >= 7
    assert {"+0800", "-0800", "+0900", "+0100"} <= {line.partition("|")[2] for line in lines.splitlines()}


def test_thursday_in_california_is_friday_in_shanghai(lantern: Built) -> None:
    assert lantern.history.commits["l13"].date.date() == date(2026, 3, 5)
    assert lantern.dates()["l13"] == FRIDAY


def test_a_commit_at_midnight_belongs_to_the_day_that_begins(lantern: Built) -> None:
    assert lantern.history.commits["l22"].date == datetime(2026, 3, 7, tzinfo=SHANGHAI)
    assert lantern.dates()["l22"] == SATURDAY


def test_the_late_commit_is_seen_only_after_its_push(tmp_path: Path) -> None:
    built = made("lantern", tmp_path)
    built.show(datetime(2026, 3, 6, 11, 29, tzinfo=SHANGHAI))
    assert "l16" not in built.dates()
    built.show(datetime(2026, 3, 6, 11, 30, tzinfo=SHANGHAI))
    days = built.dates()
    assert days["l16"] == date(2026, 3, 4)
    assert list(days)[:2] == ["l16", "l15"]
    assert days["l15"] == FRIDAY


def test_flags_are_added_renamed_and_given_other_defaults(lantern: Built) -> None:
    assert '+            "--max-queue-len",' in lantern.patch("l01")
    renamed = lantern.patch("l15")
    assert {'-            "--max-num-seqs",', '+            "--max-running-requests",'} <= set(renamed)
    assert subprocess.run(
        ["git", f"--git-dir={lantern.folder}", "grep", "-q", "max.num.seqs", "main"], check=False
    ).returncode
    assert {"-            default=8192,", "+            default=2048,"} <= set(lantern.patch("l13"))
    assert '-            choices=["auto", "bf16", "fp8"],' in lantern.patch("l08")


def test_public_names_disappear(lantern: Built, tilekit: Built) -> None:
    gone = "\n".join(lantern.patch("l14"))
    assert '-    "LANTERN_USE_LEGACY_SAMPLER"' in gone
    assert "-def legacy_sample(" in gone
    assert "-def decode_attention(" in tilekit.patch("t06")


def test_a_header_and_an_operator_change_their_signature(tilekit: Built) -> None:
    lines = tilekit.patch("t05")
    assert "+                         float softmax_scale, int batch, int heads, int head_dim," in lines
    assert '+      "float softmax_scale) -> Tensor");' in lines
    assert "include/tilekit/paged_decode.cuh" in tilekit.paths("t05")


def test_fixes_name_what_was_wrong(lantern: Built) -> None:
    assert "crash" in lantern.message("l16").splitlines()[0]
    assert "too high" in lantern.message("l18")
    assert "+    if not path.is_relative_to(root):" in lantern.patch("l19")
    assert lantern.message("l19").startswith("[Security]")


def test_a_change_its_revert_and_its_return(lantern: Built) -> None:
    sha = lantern.history.sha("l04")
    assert lantern.message("l07").startswith(f'Revert "{lantern.message("l04").splitlines()[0]}"')
    assert f"This reverts commit {sha}." in lantern.message("l07")
    swap = str.maketrans("+-", "-+")
    undone = sorted(line[0].translate(swap) + line[1:] for line in lantern.patch("l04"))
    assert sorted(lantern.patch("l07")) == undone
    assert [lantern.dates()[name].isoweekday() for name in ("l04", "l07", "l20")] == [2, 3, 5]
    assert "+    def prepare(self) -> None:" in lantern.patch("l20")
    assert "#405" in lantern.message("l20")


def test_a_kernel_is_repaired_two_hours_later(tilekit: Built) -> None:
    commits = tilekit.history.commits
    gap = commits["t09"].date - commits["t08"].date
    assert timedelta(hours=2) < gap < timedelta(hours=2, minutes=15)
    assert tilekit.paths("t08") <= tilekit.paths("t09")


def test_a_series_in_two_parts(tilekit: Built) -> None:
    assert tilekit.message("t01").startswith("[1/2] ")
    assert tilekit.message("t04").startswith("[2/2] ")


def test_the_dependency_is_bumped_after_its_release(lantern: Built, tilekit: Built) -> None:
    assert '+__version__ = "0.5.0"' in tilekit.patch("t07")
    assert {"-tilekit==0.4.0", "+tilekit==0.5.0"} <= set(lantern.patch("l17"))
    assert {"requirements.txt", "requirements.lock"} <= lantern.paths("l17")
    assert lantern.history.commits["l17"].date > tilekit.history.commits["t07"].date


def test_a_merge_brings_in_two_commits(lantern: Built) -> None:
    merge = lantern.history.sha("l09")
    assert lantern.message("l09").startswith("Merge pull request #409 from ")
    brought = lantern.git("rev-list", f"{merge}^1..{merge}^2").split()
    assert brought == [lantern.history.sha("m2"), lantern.history.sha("m1")]
    assert lantern.paths("l09") == {"lantern/metrics.py"}
    assert not {"m1", "m2"} & set(lantern.dates())


def test_files_of_every_kind(lantern: Built, tilekit: Built) -> None:
    assert ["000000", "100644", "A", "docs/assets/pages.png"] in lantern.raw("l02")
    assert ["100644", "100644", "M", "docs/assets/pages.png"] in lantern.raw("l23")
    assert lantern.git("show", "--numstat", "--format=", lantern.history.sha("l02")).startswith("-\t-\t")
    assert tilekit.git("show", "--numstat", "--format=", tilekit.history.sha("t10")).startswith("-\t-\ttests/data")
    assert b"\0" not in (tilekit.history.commits["t09"].tree["tests/data/golden.dat"].data or b"")
    assert tilekit.raw("t03") == [["100644", "120000", "T", "tilekit/LICENSE"]]
    assert lantern.raw("l06") == [["100644", "100755", "M", "scripts/launch.sh"]]
    assert tilekit.raw("t02") == [["160000", "160000", "M", "3rdparty/tensorblocks"]]


def test_renames_with_and_without_edits(lantern: Built) -> None:
    assert lantern.raw("l11") == [["100644", "100644", "R100", "tests/test_sampler.py", "tests/layers/test_sampler.py"]]
    (moved,) = [row for row in lantern.raw("l10") if row[2].startswith("R")]
    assert moved[3:] == ["lantern/kv_cache.py", "lantern/memory/paged_cache.py"]
    assert 50 < int(moved[2][1:]) < 100


def test_commits_without_effect_on_users(upstreams: dict[str, Built], lantern: Built) -> None:
    assert lantern.raw("l12") == []
    assert all(path.startswith("docs/") for path in lantern.paths("l02"))
    assert all(path.startswith("tests/") for path in lantern.paths("l22"))
    assert lantern.paths("l05") == {".github/workflows/ci.yml"}
    assert upstreams["wick"].paths("w02") == {"uv.lock"}
    assert "docs/openapi.json" in lantern.paths("l23")


def test_hostile_text_is_stored_as_written(upstreams: dict[str, Built], lantern: Built) -> None:
    subject = lantern.message("l21").splitlines()[0]
    assert all(part in subject for part in ("<script>", "@someone", "#1 ", "|", "`"))
    body = upstreams["wick"].message("w01")
    assert "```" in body
    assert "</details>" in body


def test_trailers_are_read_by_git(lantern: Built) -> None:
    found = lantern.git("log", "-1", "--format=%(trailers:only)", lantern.history.sha("l20"))
    assert found.splitlines() == [
        "Signed-off-by: 王晓明 <xiaoming.wang@example.com>",
        "Co-authored-by: Inès Lefèvre <ines.lefevre@example.com>",
        "",
    ]
