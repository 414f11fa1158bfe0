"""The sample week: what GitHub would have answered each midnight, and each day reported the next morning."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from daybreak.core.model.changes import Window
from daybreak.core.model.items import Envelope
from daybreak.core.windows import day
from daybreak.demo import history
from daybreak.demo.history import History

FIRST, LAST = date(2026, 3, 2), date(2026, 3, 8)
ZONE = "Asia/Shanghai"
SHOWCASE = "2026-03-06"
CONFIG = "daybreak.toml"
HOME = "https://github.example"
"""Where links lead: nobody can own a name of this kind (RFC 2606), as somebody may own the same one at a real forge."""

HEAD = """\
# The demo's config: three sample projects that exist only in this folder.

timezone = "{zone}"
languages = {languages}
out = "."
"""
GITHUB = """
[github]
ask = true
api = "https://api.github.example"
offline = true                 # what GitHub would have answered came with the demo: nobody is asked, and of other days a run says so
"""
SERVICE = {
    "serve.sh": "lantern-serve --model ember --max-num-seqs 128\n",
    "requirements.txt": "lantern==0.7.0\n",
    "app.py": "from lantern.kv_cache import PagedCache\n\ncache = PagedCache()\n",
}
"""A service that builds on a sample project, for those who ask what an upgrade does to their own code."""
REPO = """
[[repo]]
name = "{name}"
git = "upstreams/{short}.git"
url = "{home}/{name}"
"""


def prepare(folder: Path, *, github: bool = False, languages: Sequence[str] = ("zh", "en")) -> None:
    """Write the config and build the upstreams with their whole history; nothing of it is visible yet.

    With `github`, runs read what `recorded` tells, which must be put into their store first.
    """
    text = HEAD.format(zone=ZONE, languages=json.dumps(list(languages)))
    for short in history.UPSTREAMS:
        sample = history.load(short)
        history.build(sample, folder / "upstreams" / f"{short}.git")
        text += REPO.format(name=sample.name, short=short, home=HOME)
    (folder / CONFIG).write_text(text + GITHUB * github, encoding="utf-8")


def write_service(folder: Path) -> None:
    """The service beside the reports, as `our-service`."""
    place = folder / "our-service"
    place.mkdir()
    for name, text in SERVICE.items():
        (place / name).write_text(text, encoding="utf-8")


def recorded() -> list[Envelope]:
    """What GitHub would have answered at the end of each day, for every upstream."""
    samples = [load(short, history.load(short)) for short in history.UPSTREAMS]
    return [envelope for window in _days() for sample in samples for envelope in answers(sample, window)]


def _days() -> Iterator[Window]:
    """The days of the week, each as it is at its end."""
    zone = ZoneInfo(ZONE)
    for number in range((LAST - FIRST).days + 1):
        today = FIRST + timedelta(days=number)
        yield day(today, zone, datetime(today.year, today.month, today.day, tzinfo=zone) + timedelta(days=1))


def each_morning(folder: Path, report: Callable[[Window, datetime], int]) -> list[int]:
    """Show the upstreams as they were each midnight, and have the day that just ended reported."""
    samples = [(short, history.load(short)) for short in history.UPSTREAMS]
    codes = []
    for window in _days():
        for short, sample in samples:
            history.show(folder / "upstreams" / f"{short}.git", sample, window.until)
        codes.append(report(window, window.until))
    return codes


# --- What GitHub has of the sample upstreams, as the answers that it would have given each midnight of the week ---
# A file under `items/` tells issues, pull requests and releases as a person would: who, when, what they wrote, and what
# happened to them later. `answers` turns that into GitHub's own form (GraphQL, as `collect` asks for it) as of a moment, one envelope
# for each answer, so that the demo reads them as a run reads a day that was asked about before: nobody is asked.
#
# Keys of an `[[issue]]` or a `[[pull]]`: `number`, `title`, `author`, `bot`, `labels`, `opened`, `closed` and `reopened`
# (lists of times), `comments`, `reactions`, `body`. Of an issue: `reason`. Of a pull request: `merged`, `commit` (local id
# in the history), `draft`, `closes`, `linked` (issue and time: somebody linked it by hand), `review`, `size` (files, added,
# deleted). Of a `[[release]]`: `tag`, `title`, `author`, `published`, `body`. Counts are as of the end: GitHub does not tell them by day either.

ORIGIN = HOME.replace("//", "//api.")
VERSION = "github/1"
"""Of the form in which answers are kept: a test holds it to the one that `collect` reads."""

Json = dict[str, Any]
_CLOSING = timedelta(seconds=5)
"""So soon after a merge, GitHub closes what it closes."""
_REASONS = {"completed": "COMPLETED", "not_planned": "NOT_PLANNED", "duplicate": "DUPLICATE"}


class Sample(Struct, frozen=True):
    """One upstream: its history, and what GitHub has of it, as it stands in the file."""

    history: History
    issues: Sequence[Json]
    pulls: Sequence[Json]
    releases: Sequence[Json]

    @property
    def name(self) -> str:
        return self.history.name


def load(name: str, history: History) -> Sample:
    """Read what GitHub has of a packaged upstream, by its short name."""
    source = resources.files(__package__).joinpath("items", f"{name}.toml")
    return parse(source.read_text(encoding="utf-8"), history)


def parse(text: str, history: History) -> Sample:
    """Turn the text into a sample, or say in a ValueError where it is wrong."""
    table = tomllib.loads(text)
    sample = Sample(history, table.get("issue", []), table.get("pull", []), table.get("release", []))
    if table["name"] != history.name:
        raise ValueError(f"{table['name']} is not {history.name}")
    numbers = [item["number"] for item in (*sample.issues, *sample.pulls)]
    if len(numbers) != len(set(numbers)):
        raise ValueError(f"{history.name}: a number is given twice")
    for pull in sample.pulls:
        if "commit" in pull and pull["commit"] not in history.commits:
            raise ValueError(f"{history.name} #{pull['number']}: no commit {pull['commit']}")
    return sample


def answers(sample: Sample, window: Window) -> Iterator[Envelope]:
    """All that a run with a token would have kept of the window, had it asked at its end."""
    told = {item["number"]: item for item in (*sample.issues, *sample.pulls) if _touched(item, window)}
    lists: dict[str, Sequence[Json]] = {
        "index/issues": [_light(x, window, "Issue") for x in sample.issues if x["number"] in told],
        "index/pulls": [_light(x, window, "PullRequest") for x in sample.pulls if x["number"] in told],
        "index/releases": [_light_release(x) for x in sample.releases if x["published"] < window.until],
        "index/tags": [_light_tag(sample.history, name) for name in _tags(sample.history, window)],
    }
    span = f"{stamp(window.since)}..{stamp(window.until)}"
    for category, nodes in lists.items():
        yield _kept(sample, window, category, span, nodes)
    pushed = _pushed(sample.history, window)
    for issue in sample.issues:
        if issue["number"] in told:
            yield _kept(sample, window, "items", str(issue["number"]), whole_issue(sample, issue, window.until))
    for pull in sample.pulls:
        if pull["number"] in told or pull.get("commit") in pushed:
            yield _kept(sample, window, "items", str(pull["number"]), whole_pull(sample, pull, window.until))
    for release in sample.releases:
        if window.holds(release["published"]):
            yield _kept(sample, window, "releases", release["tag"], whole_release(sample, release))
    for commit in pushed:
        yield _kept(sample, window, "brought", sample.history.sha(commit), brought(sample, commit, window.until))


def stamp(moment: datetime) -> str:
    """As GitHub writes times: UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- lists -------------------------------------------------------------------------------------------------------


def _light(item: Json, window: Window, kind: str) -> Json:
    """Only the times, with the closings and reopenings from the window's beginning on."""
    moment = window.until
    closings = [(at, "ClosedEvent") for at in (*item.get("closed", ()), *_merged(item, moment))]
    events = sorted(closings + [(at, "ReopenedEvent") for at in item.get("reopened", ())])
    nodes = [{"__typename": name, "createdAt": stamp(at)} for at, name in events if window.since <= at < moment]
    merged = {"mergedAt": _stamped(_merged(item, moment))} if kind == "PullRequest" else {}
    return {
        "__typename": kind,
        "number": item["number"],
        "createdAt": stamp(item["opened"]),
        "updatedAt": stamp(max(at for at in _times(item) if at < moment)),
        "closedAt": _closed_at(item, moment),
        **merged,
        "timelineItems": {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": nodes},
    }


def _light_release(release: Json) -> Json:
    at = stamp(release["published"])
    return {"tagName": release["tag"], "createdAt": at, "publishedAt": at, "isDraft": False}


def _light_tag(history: History, name: str) -> Json:
    tag = history.tags[name]
    made = history.commits[tag.at]
    commit = {"__typename": "Commit", "oid": made.sha, "committedDate": stamp(made.date)}
    return {"name": name, "target": {"__typename": "Tag", "oid": tag.sha, "target": commit} if tag.tagger else commit}


def _tags(history: History, window: Window) -> list[str]:
    """Tags of the window's commits that the world can see."""
    seen = [name for push in history.pushes if push.at <= window.until for name in push.tags]
    return [name for name in seen if window.holds(history.commits[history.tags[name].at].date)]


# --- single things -----------------------------------------------------------------------------------------------


def whole_issue(sample: Sample, issue: Json, moment: datetime) -> Json:
    """All that is kept of an issue."""
    closed = _closed_at(issue, moment)
    reopened = any(at < moment for at in issue.get("reopened", ()))
    reason = _REASONS[issue.get("reason", "completed")] if closed else "REOPENED" if reopened else None
    closing = [x["number"] for x in sample.pulls if issue["number"] in x.get("closes", ()) and x["opened"] < moment]
    return {
        **_whole(sample, issue, moment, "Issue", "issues"),
        "issueState": "CLOSED" if closed else "OPEN",
        "stateReason": reason,
        "linked": _linked(sample, closing),
        "turns": _turns([*_closings(sample, issue), *_by_hand(sample, issue, "Issue")], moment),
    }


def whole_pull(sample: Sample, pull: Json, moment: datetime) -> Json:
    """All that is kept of a pull request."""
    merged, closed = _merged(pull, moment), _closed_at(pull, moment)
    files, added, deleted = pull["size"]
    return {
        **_whole(sample, pull, moment, "PullRequest", "pull"),
        "mergedAt": _stamped(merged),
        "pullState": "MERGED" if merged else "CLOSED" if closed else "OPEN",
        "isDraft": pull.get("draft", False),
        "mergeCommit": {"oid": sample.history.sha(pull["commit"])} if merged else None,
        "reviewDecision": pull.get("review"),
        "changedFiles": files,
        "additions": added,
        "deletions": deleted,
        "linked": _linked(sample, pull.get("closes", ())),
        "turns": _turns(_by_hand(sample, pull, "PullRequest"), moment),
    }


def _whole(sample: Sample, item: Json, moment: datetime, kind: str, place: str) -> Json:
    return {
        "__typename": kind,
        "number": item["number"],
        "url": f"{HOME}/{sample.name}/{place}/{item['number']}",
        "title": item["title"],
        "body": item["body"].strip("\n"),
        "createdAt": stamp(item["opened"]),
        "updatedAt": stamp(max(at for at in _times(item) if at < moment)),
        "closedAt": _closed_at(item, moment),
        "repository": {"nameWithOwner": sample.name},
        "author": _author(item),
        "milestone": None,
        "labels": {"nodes": [{"name": name} for name in item.get("labels", ())]},
        "comments": {"totalCount": item.get("comments", 0)},
        "reactions": {"totalCount": item.get("reactions", 0)},
    }


def _turns(turns: Iterable[tuple[datetime, str, Json]], moment: datetime) -> Json:
    """What happened up to then, as a page of a timeline."""
    known = sorted((turn for turn in turns if turn[0] < moment), key=lambda turn: turn[0])
    nodes = [{"__typename": kind, "createdAt": stamp(at), **more} for at, kind, more in known]
    return {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": nodes}


def _closings(sample: Sample, issue: Json) -> Iterator[tuple[datetime, str, Json]]:
    """By the pull request that closes it and was merged a moment before, or else by a person."""
    mending = [x for x in sample.pulls if issue["number"] in x.get("closes", ()) and "merged" in x]
    for at in issue.get("closed", ()):
        by = next((x for x in mending if timedelta() <= at - x["merged"] <= _CLOSING), None)
        yield at, "ClosedEvent", {"closer": _end(sample, "PullRequest", by["number"]) if by else None}
    for at in issue.get("reopened", ()):
        yield at, "ReopenedEvent", {}


def _by_hand(sample: Sample, item: Json, kind: str) -> Iterator[tuple[datetime, str, Json]]:
    """Both timelines tell it, each with the other end as its subject."""
    pairs = [(pull["number"], one["issue"], one["at"]) for pull in sample.pulls for one in pull.get("linked", ())]
    for pull, issue, at in pairs:
        ends = [_end(sample, "Issue", issue), _end(sample, "PullRequest", pull)]
        if item["number"] == (issue if kind == "Issue" else pull):
            own, other = ends if kind == "Issue" else reversed(ends)
            yield at, "ConnectedEvent", {"source": own, "subject": other}


def _end(sample: Sample, kind: str, number: int) -> Json:
    return {"__typename": kind, "number": number, "repository": {"nameWithOwner": sample.name}}


def whole_release(sample: Sample, release: Json) -> Json:
    """All that is kept of a release."""
    at = stamp(release["published"])
    return {
        "tagName": release["tag"],
        "url": f"{HOME}/{sample.name}/releases/tag/{release['tag']}",
        "name": release["title"],
        "description": release["body"].strip("\n"),
        "createdAt": at,
        "publishedAt": at,
        "isPrerelease": release.get("prerelease", False),
        "author": _author(release),
        "tagCommit": {"oid": sample.history.sha(sample.history.tags[release["tag"]].at)},
    }


def brought(sample: Sample, commit: str, moment: datetime) -> Json:
    """A commit with the pull request that it came by."""
    found = [x for x in sample.pulls if x.get("commit") == commit and _merged(x, moment)]
    home = {"nameWithOwner": sample.name}
    nodes = [
        {
            "number": x["number"],
            "mergedAt": stamp(x["merged"]),
            "mergeCommit": {"oid": sample.history.sha(commit)},
            "repository": home,
        }
        for x in found
    ]
    return {"__typename": "Commit", "repository": home, "associatedPullRequests": {"nodes": nodes}}


# --- as of -------------------------------------------------------------------------------------------------------


def _times(item: Json) -> list[datetime]:
    own: list[datetime] = [item["opened"], *item.get("closed", ()), *item.get("reopened", ())]
    return [*own, item["merged"]] if "merged" in item else own


def _touched(item: Json, window: Window) -> bool:
    return any(map(window.holds, _times(item)))


def _merged(item: Json, moment: datetime) -> list[datetime]:
    return [item["merged"]] if "merged" in item and item["merged"] < moment else []


def _closed_at(item: Json, moment: datetime) -> str | None:
    """When it was closed, if it is closed at that moment."""
    closed = [at for at in (*item.get("closed", ()), *_merged(item, moment)) if at < moment]
    reopened = [at for at in item.get("reopened", ()) if at < moment]
    return stamp(max(closed)) if closed and max(closed) > max(reopened, default=item["opened"]) else None


def _stamped(times: Sequence[datetime]) -> str | None:
    return stamp(times[0]) if times else None


def _pushed(history: History, window: Window) -> list[str]:
    """Local ids of the commits that the world first saw in the window."""
    pushes = [push for push in history.pushes if push.at <= window.until]
    before = [push.to for push in pushes if push.at < window.since]
    known = history.ancestors(before[-1]) if before else set()
    seen = history.ancestors(pushes[-1].to) if pushes else set()
    return [name for name in history.commits if name in seen - known]


def _author(item: Json) -> Json:
    return {"__typename": "Bot" if item.get("bot") else "User", "login": item["author"]}


def _linked(sample: Sample, numbers: Sequence[int]) -> Json:
    nodes = [{"number": number, "repository": {"nameWithOwner": sample.name}} for number in numbers]
    return {"totalCount": len(nodes), "nodes": nodes}


def _kept(
    sample: Sample, window: Window, category: str, name: str, value: Mapping[str, Any] | Sequence[Json]
) -> Envelope:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Envelope(sample.name, window.label, category, name, ORIGIN, window.until, VERSION, None, body)
