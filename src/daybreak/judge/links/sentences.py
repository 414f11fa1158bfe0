"""Sentences about forge items: what a pull request says for its change, what it claims, what may lie behind an issue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from daybreak.core.model.items import Activity
from daybreak.core.model.links import Bump, CrossStory, Link, PullReading, commit_id, issue_id, pull_id, release_id
from daybreak.core.model.statements import Statement
from daybreak.core.words import say
from daybreak.core.words.grammar import MAX_CODE, NOTHING, alike, code, listing, small

_LINES = 4


def of_pull(reading: PullReading) -> Iterator[Statement]:
    """What a merged pull request adds to its change: the reason it gives, and its numbers as the author's claim."""
    where = (pull_id(reading.repo, reading.number),)
    if reading.why:
        yield Statement("why", say("judge.link.pull_why", quote=reading.why), where)
    for claim in reading.claims:
        lines = claim.lines[:_LINES]
        if all(len(line) <= MAX_CODE and line.strip() for line in lines):
            text = say("judge.link.pull_claim", lines=alike(" ".join(code(line) for line in lines)))
            yield Statement("impact", text, where, "performance")
            return


def of_cause(link: Link, activity: Activity) -> Statement | None:
    """What may lie behind an issue; always told as a guess with its words."""
    title = next((i.title for i in activity.issues if link.source == issue_id(activity.repo, i.number)), None)
    if link.kind != "caused_by" or link.why is None or title is None:
        return None
    text = say("judge.link.cause", title=title, why=small(link.why))
    return Statement("risk", text, link.evidence, "compatibility")


def of_bump(one: Bump, titles: Mapping[str, str]) -> Statement:
    """A pin that moved, with the changes that it brings as far as they are known; `titles` is by sha."""
    evidence = [commit_id(one.sha), *one.findings, f"repo:{one.target}"]
    brought = [sha for sha in one.between if sha in titles]
    by_name = NOTHING if one.sure else say("judge.link.bump_by_name")
    known = say("judge.link.bump_known", titles=listing((titles[x] for x in brought), 3)) if brought else NOTHING
    if one.release:
        evidence.append(release_id(one.target, one.release))
        text = say(
            "judge.link.bump_release",
            package=one.package,
            repo=one.target,
            tag=one.release,
            by_name=by_name,
            known=known,
        )
    else:
        text = say("judge.link.bump", package=one.package, repo=one.target, by_name=by_name, known=known)
    return Statement("what", text, (*evidence, *(commit_id(sha) for sha in brought[:3])))


def of_stories(stories: Sequence[CrossStory]) -> tuple[Statement, ...]:
    """One sentence a story."""
    return tuple(Statement("what", story.net, (f"story:{story.id}",)) for story in stories)
