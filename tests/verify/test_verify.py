"""What the plants do not show: days, mirrors that lack something, what cannot be decided, pages of a run, marks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from daybreak.core.markdown_page import slug
from daybreak.core.model.report import Page
from daybreak.verify import verify
from daybreak.verify.check_input import items_in
from daybreak.verify.values import MARKER, annotated, problems_of
from gitrepo import GitRepo
from verify.scenes import DAY, ENGINE, KERNELS, QUIET, SHANGHAI, World, build, mirror

TITLE = f"# Daily report ({DAY})\n\n## {ENGINE}\n\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build(Path(tmp_path_factory.mktemp("world")))


def kinds(text: str, world: World, **options: str) -> list[str]:
    return [alarm.kind for alarm in verify("r.md", text, world.mirrors, day=options.get("day")).alarms]


# --- which day ---------------------------------------------------------------------------------------------------------


def test_the_day_is_the_stated_one_else_the_title_else_the_commits(world: World) -> None:
    rows = "".join(f"- {one.subject} {one.link}\n" for one in world.of(ENGINE))
    assert (
        verify("r.md", f"> 2026-01-19 00:00 – 24:00（Asia/Shanghai）\n\n{rows}", world.mirrors).zone == "Asia/Shanghai"
    )
    assert verify("r.md", TITLE + rows, world.mirrors).day_from == "its title"
    told = verify("r.md", f"## {ENGINE}\n\n{rows}", world.mirrors)
    assert (told.day, told.day_from) == (DAY, "most of its commits (6 of 6)")
    assert verify("2026-01-18.md", f"## {ENGINE}\n\n{rows}", world.mirrors).day == "2026-01-18"


def test_a_link_to_another_day_does_not_name_the_day(world: World) -> None:
    text = f"# Report\n\n- [2026-01-18](reports/2026-01-18.md)\n\n## News ({DAY})\n\ntext.\n"
    assert verify("r.md", text, world.mirrors).day == DAY


def test_without_a_day_nothing_is_said_of_days(world: World) -> None:
    one = world.older[0]
    result = verify("r.md", f"## {ENGINE}\n\n- {one.link}\n", world.mirrors)
    assert result.alarms == ()
    assert result.unchecked["day", "no day: the report states none"] == 1


def test_another_day_makes_the_same_commit_false(world: World) -> None:
    one = world.of(ENGINE)[0]
    assert kinds(f"{TITLE}- {one.link}\n", world) == []
    assert kinds(f"{TITLE}- {one.link}\n", world, day="2026-01-25") == ["day"]


def test_an_older_commit_under_late_arrivals_is_told_as_such(world: World) -> None:
    one = next(made for made in world.older if made.repo == ENGINE)
    text = f"{TITLE}### Late arrivals\n\n- {one.time(SHANGHAI)} {one.link}\n"
    assert kinds(text, world) == []


# --- what cannot be decided --------------------------------------------------------------------------------------------


def test_without_a_mirror_nothing_is_called_true(world: World) -> None:
    one = world.of(ENGINE)[0]
    text = f"# Daily report ({DAY})\n\n## {ENGINE}\n\n- {one.subject} {one.link} {one.pull}\n"
    result = verify("r.md", text, {})
    assert result.alarms == ()
    assert "sha" not in result.held
    assert result.unchecked["sha", "no mirror of that repository"] == 1
    assert result.unchecked["pull request", "no mirror of that repository"] == 1


def test_the_section_of_an_unknown_repository_is_not_held_against_another(world: World) -> None:
    text = f"{TITLE}text.\n\n## other/thing\n\n- `abcdef1` changes `src/a.py` (+1 -1)\n"
    result = verify("r.md", text, world.mirrors)
    assert result.alarms == ()
    assert result.unchecked["sha", "no mirror of that repository"] == 1


def test_a_mirror_without_contents_leaves_counts_open(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "a.git")
    repo.commit("First (#1)", {"a.py": "x\n"}, at="2026-01-18T10:00:00")
    sha = repo.commit("Second (#2)", {"a.py": "y\n"}, at=f"{DAY}T10:00:00")
    repo.lose(repo.oid(f"{sha}:a.py"))
    text = f"{TITLE}- Second (#2) [`{sha[:7]}`](https://github.com/{ENGINE}/commit/{sha}): `a.py` (+9 -9), `b.py`\n"
    result = verify("r.md", text, {ENGINE: mirror(ENGINE, repo)})
    assert result.alarms == ()
    assert result.held["sha"] == 1
    assert result.unchecked["line count", "the mirror does not have the files of the commit"] == 1
    assert result.unchecked["path", "the mirror does not have the files of the commit"] == 2
    assert "line count" not in result.held


def test_one_unreadable_commit_does_not_spoil_the_others(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "a.git")
    shas = [repo.commit(f"Change {n} (#{n})", {f"f{n}.py": f"{n}\n"}, at=f"{DAY}T10:00:0{n}") for n in range(5)]
    repo.lose(repo.oid(f"{shas[2]}:f2.py"))
    here = mirror(ENGINE, repo)
    here.prepare(shas)
    found = [here.files(sha) for sha in shas]
    assert [one is None for one in found] == [False, False, True, False, False]
    assert [one.counts for one in found if one] == [{f"f{n}.py": (1, 0)} for n in (0, 1, 3, 4)]


def test_a_number_that_git_does_not_have_is_open_unless_listed_as_merged(world: World) -> None:
    link = f"[#9999](https://github.com/{ENGINE}/pull/9999)"
    assert kinds(f"{TITLE}Coming: {link} is open.\n", world) == []
    assert kinds(f"{TITLE}Commits:\n\n- {link}\n", world) == ["pull request"]


# --- single claims -----------------------------------------------------------------------------------------------------


def test_a_sha_of_another_repository_is_said_to_be_its(world: World) -> None:
    ours, theirs = world.of(ENGINE)[0], world.of(KERNELS)[0]
    text = f"{TITLE}- {ours.link.replace(ours.sha, theirs.sha)}\n"
    assert any(f"but one of {KERNELS}" in alarm.why for alarm in verify("a.md", text, world.mirrors).alarms)


def test_renamed_files_count_once(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "a.git")
    lines = "".join(f"line {n}\n" for n in range(30))
    repo.commit("First (#1)", {"old.py": lines}, at="2026-01-18T10:00:00")
    sha = repo.commit("Move (#2)", {"old.py": None, "new.py": f"{lines}more\n"}, at=f"{DAY}T10:00:00")
    files = mirror(ENGINE, repo).files(sha)
    assert files
    assert (files.number, files.added, files.deleted) == (1, 1, 0)
    assert set(files.counts) == {"old.py", "new.py"}


def test_commits_that_a_merge_brought_belong_to_its_day(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "a.git")
    base = repo.commit("Base (#1)", {"a.py": "a\n"}, at="2026-01-10T10:00:00")
    side = repo.commit("Side", {"b.py": "b\n"}, at="2026-01-11T10:00:00", branch="side", parents=[base])
    merge = repo.commit("Merge pull request #7 from x/y", {"b.py": "b\n"}, at=f"{DAY}T10:00:00", parents=[base, side])
    url = f"https://github.com/{ENGINE}/commit"
    text = f"{TITLE}- [`{merge[:7]}`]({url}/{merge}), #7\n  - brought [`{side[:7]}`]({url}/{side})\n"
    assert verify("r.md", text, {ENGINE: mirror(ENGINE, repo)}).alarms == ()


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("sgl-project/sglang", "sgl-projectsglang"), ("📊 统计摘要", "-统计摘要"), ("A [b](http://c) `d`!", "a-b-d")],
)
def test_anchors_are_those_of_github(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_a_leaked_word_that_the_commit_itself_has_is_quoted(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "a.git")
    sha = repo.commit("Add a field (#1)", {"a.py": "patch_truncated = True\n"}, at=f"{DAY}T10:00:00")
    text = f"{TITLE}- [`{sha[:7]}`](https://github.com/{ENGINE}/commit/{sha}) adds `patch_truncated`.\n"
    here = {ENGINE: mirror(ENGINE, repo)}
    assert verify("r.md", text, here).alarms == ()
    assert [a.kind for a in verify("r.md", f"{TITLE}Note: `patch_truncated: true`.\n", here).alarms] == ["leak"]
    alone = verify("r.md", text, {})
    assert not alone.alarms
    assert alone.open, "what is lacking is told, and nothing is called false"


def test_a_misquoted_title_is_found_and_a_shortened_one_is_not(world: World) -> None:
    one = world.of(ENGINE)[0]
    said = one.subject.removeprefix("[Core] ").partition(" (#")[0]
    assert kinds(f'{TITLE}- {one.link} does "{said}".\n', world) == []
    assert kinds(f'{TITLE}- {one.link} does "{said.replace("Rework", "Rewrite")}".\n', world) == ["title"]


def test_collected_items_bear_out_kind_and_title(world: World) -> None:
    pull = b'{"number": 7, "title": "Add a faster way to load the weights", "author": "ada"}'
    data = b'{"repos": [{"url": "https://github.com/acme/engine", "pulls": [%s]}]}' % pull
    line = f"- [#7](https://github.com/{ENGINE}/issues/7) Add a slower way to load the weights\n"
    found = [a.kind for a in verify("r.md", TITLE + line, world.mirrors, items=items_in(data)).alarms]
    assert found == ["item", "title"]
    assert items_in(b"[1, 2").by_number == {}


# --- pages of a run, and marks -----------------------------------------------------------------------------------------


def test_pages_of_a_run_are_refused_for_what_git_does_not_bear_out(world: World) -> None:
    one = world.of(ENGINE)[0]
    good = f"{TITLE}- {one.subject} {one.link} · [data]({DAY}.json)\n"
    pages = [Page(f"reports/{DAY}.md", good), Page(f"reports/{DAY}.json", "{}")]
    assert problems_of(pages, world.mirrors) == ()
    bad = [Page(f"reports/{DAY}.md", good.replace(one.sha, "f" * 40)), pages[1]]
    found = problems_of(bad, world.mirrors)
    assert found
    assert all(words.startswith(f"reports/{DAY}.md:5: ") for words in found)


def test_marks_stand_behind_their_claims_and_tables_stay_tables(world: World) -> None:
    one = world.of(ENGINE)[0]
    text = f"{TITLE}| commit | file |\n| --- | --- |\n| {one.link} | `never/was.py` |\n"
    copy = annotated(text, verify("r.md", text, world.mirrors))
    assert copy.startswith(MARKER)
    assert f"| {one.link} | `never/was.py` ⟦✗ path: is not touched by {one.short} and is nowhere in its tree⟧ |" in copy


def test_no_update_is_true_only_for_the_quiet_one(world: World) -> None:
    assert kinds(f"# Daily report ({DAY})\n\n### {QUIET}\n\n昨日无更新。\n", world) == []
    assert kinds(f"# Daily report ({DAY})\n\n### {KERNELS}\n\nNo new commits.\n", world) == ["no update"]


def test_a_folder_that_is_no_repository_leaves_everything_open(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "a.git")
    empty, gone = mirror(ENGINE, repo), mirror(KERNELS, GitRepo.make(tmp_path / "b.git"))
    shutil.rmtree(tmp_path / "b.git")
    url = f"https://github.com/{ENGINE}/commit/{'a1' * 20}"
    text = f"{TITLE}- [`a1a1a1a`]({url})\n\n### {KERNELS}\n\n- `abcdef1`\n"
    result = verify("r.md", text, {ENGINE: empty, KERNELS: gone})
    assert result.alarms == ()
    assert result.unchecked["sha", "no mirror of that repository"] == 2


# --- pages of several days ---------------------------------------------------------------------------------------------


def rollup(*lines: str, span: str = "2026-01-12 to 2026-01-19") -> str:
    return f"<!-- daybreak.rollup/1 -->\n\n# 2026-W03 in sum ({span})\n\n## {ENGINE}\n\n" + "".join(lines)


def listed(world: World, *, day: str = DAY, title: str = "") -> str:
    one = world.of(ENGINE)[0]
    words = title or one.subject.rpartition(" (#")[0] or one.subject
    return f"- {day} · fix · 🟢 {words} {one.link}\n"


def test_a_page_of_a_week_holds_commits_of_all_its_days_and_none_of_another_week(world: World) -> None:
    assert kinds(rollup(listed(world)), world) == []
    assert kinds(rollup(listed(world), span="2026-02-09 to 2026-02-15"), world) == ["day"]


def test_lines_between_two_refs_are_held_against_title_and_date(world: World) -> None:
    head = f"<!-- daybreak.range/1 -->\n\n# Upgrade report · {ENGINE} · v1 → v2\n\n"
    assert kinds(head + listed(world), world) == []
    assert kinds(head + listed(world, title="Something that nobody ever committed"), world) == ["title"]
    assert kinds(head + listed(world, day="2026-01-10"), world) == ["day"]


# --- what pages of ours write that is easily misread -------------------------------------------------------------------


def test_a_path_is_not_false_when_a_mirror_lacks_the_files_of_a_commit_it_may_be_of(
    world: World, tmp_path: Path
) -> None:
    one, other = world.of(ENGINE)[0], world.of(KERNELS)[0]
    shutil.copytree(world.repos[ENGINE].path, tmp_path / "engine.git")
    bare = GitRepo(tmp_path / "engine.git")
    bare.lose(bare.oid(f"{one.sha}^{{tree}}"))
    mirrors = {**world.mirrors, ENGINE: mirror(ENGINE, bare)}
    path = next(iter(one.files))
    text = f"# Daily report ({DAY})\n\n- {other.link}\n- `{path}` is +9 -9 in total. {one.link}\n"
    result = verify("r.md", text, mirrors)
    assert [alarm.kind for alarm in result.alarms] == []
    assert result.unchecked["path", "the mirror does not have the files of the commit"] == 1


def test_a_word_about_the_author_within_a_sentence_names_nobody(world: World) -> None:
    one = world.of(ENGINE)[0]
    why = "- *Why high*: its lines show it, no word of its author: results could be wrong; mends what users run.\n"
    assert kinds(f"{TITLE}- {one.link}\n{why}", world) == []
    assert kinds(f"{TITLE}- {one.link}\n- **Commit author**: Nobody Else\n", world) == ["author"]


def test_a_subject_with_two_numbers_or_a_leading_sign_is_told_as_it_is(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "engine.git")
    made = [
        (repo.commit(subject, {"a.py": f"{number}\n"}, at=f"{DAY}T12:0{number}:00"), subject)
        for number, subject in enumerate(("fix: logging (#3919) (#4687)", "⬆️ Bump dev version (#5182)"))
    ]
    told = ["fix: logging (#⁠3919)", "⬆️ Bump dev version (#⁠5182)"]
    rows = "".join(
        f'- <a id="c-{sha[:9]}"></a>{title} [`{sha[:9]}`](https://github.com/{ENGINE}/commit/{sha})\n'
        for (sha, _), title in zip(made, told, strict=True)
    )
    mirrors = {ENGINE: mirror(ENGINE, repo)}
    assert verify("r.md", TITLE + rows, mirrors).alarms == ()
    assert [one.kind for one in verify("r.md", TITLE + rows.replace("logging", "nothing"), mirrors).alarms] == ["title"]


def test_a_story_of_a_week_may_have_begun_before_it(world: World) -> None:
    one = world.older[0]
    line = f"- Series: `2/N` landed in this window, `1/N` before. ({one.link} · [2026-02-10](../2026-02-10.md))\n"
    result = verify("2026-W07.md", rollup(line, span="2026-02-09 to 2026-02-15"), world.mirrors)
    assert [alarm.kind for alarm in result.alarms if alarm.kind == "day"] == []
    assert result.unchecked["day", "a story of the span may have begun before it"] == 1
