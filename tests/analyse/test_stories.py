"""Stories: only by marks that cannot be chance."""

from datetime import UTC, datetime, timedelta

from daybreak.analyse.stories import stories
from daybreak.model import Change, Story
from daybreak.read.reader import read_one
from read.made import change_of, patch_of

START = datetime(2026, 1, 19, 8, tzinfo=UTC)


def commit(
    digit: str, subject: str, files: dict[str, str] | None = None, body: str = "", at: int = 0, **more: object
) -> Change:
    number = subject.rpartition("(#")[2].rstrip(")") if subject.endswith(")") else ""
    return change_of(
        files if files is not None else {"engine/core.py": patch_of("a = 1\n", f"a = {digit}\n")},
        subject=subject,
        body=body,
        sha=digit * 40,
        committed_at=START + timedelta(minutes=at),
        pr=int(number) if number.isdigit() else None,
        **more,
    )


def find(*changes: Change) -> list[Story]:
    return list(stories(changes, {c.sha: read_one(c) for c in changes}))


ADD = {"engine/core.py": patch_of("a = 1\n", "a = fused_norm(query, key)\n")}
TAKE = {"engine/core.py": patch_of("a = fused_norm(query, key)\n", "a = 1\n")}


def test_revert_by_quoted_title_is_an_exact_opposite() -> None:
    (story,) = find(
        commit("1", "[Perf] Fuse norm (#10)", ADD), commit("2", 'Revert "[Perf] Fuse norm" (#11)', TAKE, at=51)
    )
    assert (story.id, story.kind, story.commits) == ("revert-" + "1" * 9, "revert", ("1" * 40, "2" * 40))
    assert story.net["zh"] == "`[Perf] Fuse norm` 合入 51 分钟后被回退，两次改动的行正好相反，净效果：代码没有变化。"
    assert story.net["en"] == (
        "`[Perf] Fuse norm` was reverted 51 minutes later; the two diffs are exact opposites, so the net effect on the code is none."
    )


def test_revert_by_number_and_by_sha() -> None:
    first = commit("1", "Fuse norm (#10)", ADD)
    assert find(first, commit("2", "Revert #10 (#11)"))[0].commits == ("1" * 40, "2" * 40)
    by_sha = commit("2", "Undo the norm (#11)", body=f"This reverts commit {'1' * 12}.")
    assert find(first, by_sha)[0].commits == ("1" * 40, "2" * 40)


def test_revert_of_an_earlier_day_needs_the_whole_sha() -> None:
    whole = commit("2", 'Revert "Fuse norm" (#11)', body=f"This reverts commit {'e' * 40}.")
    (story,) = find(whole)
    assert story.commits == ("e" * 40, "2" * 40)
    assert story.net["en"] == "`Fuse norm` was reverted; it is not on the branch at the end of the window."
    assert find(commit("2", 'Revert "Fuse norm" (#11)', body="This reverts commit eeeeeee.")) == []


def test_reland() -> None:
    found = find(
        commit("1", "Fuse norm (#10)", ADD),
        commit("2", 'Revert "Fuse norm" (#11)', TAKE, at=5),
        commit("3", "[Reland] Fuse norm (#12)", ADD, at=9),
    )
    assert [(s.kind, s.commits) for s in found] == [("reland", ("1" * 40, "2" * 40, "3" * 40))]


def test_revert_of_a_revert_is_a_reland() -> None:
    found = find(
        commit("1", "Fuse norm (#10)", ADD),
        commit("2", 'Revert "Fuse norm" (#11)', TAKE, at=5),
        commit("3", 'Revert "Revert "Fuse norm"" (#12)', ADD, body=f"This reverts commit {'2' * 40}.", at=9),
    )
    assert [(s.kind, s.commits) for s in found] == [("reland", ("1" * 40, "2" * 40, "3" * 40))]


def test_series() -> None:
    (story,) = find(commit("1", "[1/N][KV Layout] One (#10)"), commit("2", "[2/N][KV Layout] Two (#11)"))
    assert (story.kind, story.net["zh"]) == ("series", "系列 `[KV Layout]`：本窗口合入 `1/N`、`2/N`。")
    assert find(commit("1", "[1/N][KV Layout] One (#10)"), commit("2", "[2/N][MoE] Two (#11)")) == []


def test_fixup_by_lines() -> None:
    fix = {"engine/core.py": patch_of("a = fused_norm(query, key)\n", "")}
    (story,) = find(commit("1", "Fuse norm (#10)", ADD), commit("2", "Fix kernel selection (#11)", fix, at=136))
    assert (story.kind, story.id) == ("fixup", f"fixup-{'1' * 9}-{'2' * 9}")
    assert (
        story.net["zh"]
        == "`Fix kernel selection` 2 小时后合入，删去的 1 行与 `Fuse norm` 新增的行相同；窗口结束时以后者为准。"
    )


def test_fixup_by_number() -> None:
    (story,) = find(commit("1", "Fuse norm (#10)", ADD), commit("2", "Follow-up to #10: docs of norm (#11)"))
    assert story.kind == "fixup"


def test_a_mere_mention_is_no_story() -> None:
    assert find(commit("1", "Fuse norm (#10)", ADD), commit("2", "Faster, see #10 (#11)")) == []


def test_bump() -> None:
    one = {"requirements.txt": patch_of("torch==2.7\n", "torch==2.8\n")}
    two = {"requirements.txt": patch_of("torch==2.8\n", "torch==2.9\n")}
    (story,) = find(commit("1", "Bump torch (#10)", one), commit("2", "Bump torch again (#11)", two))
    assert (story.kind, story.net["zh"]) == ("bump", "`torch`：`==2.7` → `==2.9`，本窗口内多次变更。")


def test_a_change_is_in_one_story() -> None:
    found = find(
        commit("1", "[1/2][X] Fuse norm (#10)", ADD),
        commit("2", 'Revert "[1/2][X] Fuse norm" (#11)', TAKE, at=5),
        commit("3", "[2/2][X] More (#12)", at=9),
    )
    shas = [sha for s in found for sha in s.commits]
    assert len(shas) == len(set(shas))
