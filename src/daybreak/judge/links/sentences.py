"""Sentences about forge items: what a pull request says for its change, what it claims, what may lie behind an issue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from daybreak.core.model.items import Activity
from daybreak.core.model.links import (
    Bump,
    CrossStory,
    IssueKind,
    Link,
    PullReading,
    commit_id,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.statements import Statement, Text
from daybreak.judge.wording import MAX_CODE, code, coded, say

KINDS: Mapping[IssueKind, Text] = {
    "regression": say("回归", "regression"),
    "accuracy": say("结果错误", "wrong results"),
    "bug": say("缺陷", "bug"),
    "performance": say("性能", "performance"),
    "install": say("安装", "installation"),
    "rfc": say("RFC", "RFC"),
    "feature": say("功能请求", "feature request"),
    "question": say("提问", "question"),
    "other": say("其他", "other"),
}
_LINES = 4


def of_pull(reading: PullReading) -> Iterator[Statement]:
    """What a merged pull request adds to its change: the reason it gives, and its numbers as the author's claim."""
    where = (pull_id(reading.repo, reading.number),)
    if reading.why:
        quoted = code(reading.why)
        yield Statement("why", say(f"PR 说明：{quoted}。", f"The pull request says: {quoted}."), where)
    for claim in reading.claims:
        lines = claim.lines[:_LINES]
        if all(len(line) <= MAX_CODE and line.strip() for line in lines):
            shown = " ".join(code(line) for line in lines)
            text = say(
                f"作者给出的数据（未经核实）：{shown}。", f"Numbers that the author gives (not verified): {shown}."
            )
            yield Statement("impact", text, where, "performance")
            return


def of_cause(link: Link, activity: Activity) -> Statement | None:
    """What may lie behind an issue; always told as a guess with its words."""
    title = next((i.title for i in activity.issues if link.source == issue_id(activity.repo, i.number)), None)
    if link.kind != "caused_by" or link.why is None or title is None:
        return None
    name = code(title)
    why = link.why["en"][:1].lower() + link.why["en"][1:]
    text = say(f"{name} 可能与此有关：{link.why['zh']}", f"{name} may come from this: {why}")
    return Statement("risk", text, link.evidence, "compatibility")


def of_bump(one: Bump, titles: Mapping[str, str]) -> Statement:
    """A pin that moved, with the changes that it brings as far as they are known; `titles` is by sha."""
    name, repo = code(one.package), code(one.target)
    evidence = [commit_id(one.sha), *one.findings, f"repo:{one.target}"]
    if one.release:
        evidence.append(release_id(one.target, one.release))
        tag = code(one.release)
        zh, en = f"{name} 采用 {repo} 的 {tag}", f"{name} takes {tag} of {repo}"
    else:
        zh, en = f"{name} 换到 {repo} 的另一个版本", f"{name} moves to another version of {repo}"
    if not one.sure:
        zh, en = f"{zh}（按名称推断）", f"{en} (judged by its name)"
    brought = [sha for sha in one.between if sha in titles]
    if brought:
        listed_zh, listed_en = coded((titles[sha] for sha in brought), 3)
        zh, en = f"{zh}；其中已知的提交：{listed_zh}", f"{en}; known commits in it: {listed_en}"
        evidence += [commit_id(sha) for sha in brought[:3]]
    return Statement("what", say(f"{zh}。", f"{en}."), tuple(evidence))


def of_stories(stories: Sequence[CrossStory]) -> tuple[Statement, ...]:
    """One sentence a story."""
    return tuple(Statement("what", story.net, (f"story:{story.id}",)) for story in stories)
