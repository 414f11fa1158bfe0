"""An issue or a discussion on GitHub for each report: made once, found again, and changed when the report does.

It is known by a mark in its first line that only the source shows, and by who wrote it: a mark in somebody else's
issue is not ours. A note of its id saves looking for it. Titles, states and labels that people changed are left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from daybreak.core.errors import PublishError
from daybreak.deliver.publish.folder import Links
from daybreak.deliver.publish.github_api import LATER, Github, Gone, Unsure
from daybreak.deliver.publish.neutralise import disarmed, shortened, title

PAGES = 50
"""Pages of a hundred that are looked through for a post of ours."""
BODIES = 10
"""Texts asked for at a time."""
CREATIONS = 3
BEFORE = timedelta(days=2)
"""A report is not made before its day begins anywhere; older posts are not looked at."""
_NEVER = datetime.max.replace(tzinfo=UTC)
_MARK = re.compile(r"<!-- daybreak\.(?:issue|discussion)/1 (\d{4}-\d\d-\d\d) -->")

Kind = Literal["issue", "discussion"]


class Post(msgspec.Struct, frozen=True):
    """Where a report stands."""

    id: str
    url: str
    digest: str = ""
    """Of title and body as they were written last."""


class Wanted(Struct, frozen=True):
    """What is to stand there."""

    label: str
    title: str
    body: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.title}\0{self.body}".encode("utf-8", "surrogatepass")).hexdigest()


class Posted(Struct, frozen=True):
    """What came of it."""

    post: Post
    done: Literal["created", "updated", "unchanged"]


def mark(kind: Kind, label: str) -> str:
    """First line of the body; shown to nobody."""
    return f"<!-- daybreak.{kind}/1 {label} -->"


@dataclass(slots=True)
class GithubPosts:
    """The posts of one repository."""

    github: Github
    kind: Kind
    repository: str
    """OWNER/NAME."""
    labels: tuple[str, ...] = ()
    category: str = ""
    say: Callable[[str], None] = lambda _: None
    _place: dict[str, Any] | None = None
    _listed: list[Mapping[str, Any]] | None = None
    _since: datetime = _NEVER
    _marks: dict[str, str] = field(default_factory=dict)
    """Id of a post of ours -> the day in its mark; empty: it has none."""

    def put(self, wanted: Wanted, known: Post | None, noted: Callable[[Post], None]) -> Posted:
        """Make it stand there, once; `noted` is told of a post before anything else can fail."""
        if known is not None and known.digest == wanted.digest:
            return Posted(known, "unchanged")
        if known is not None:
            try:
                return self._update(known, wanted, noted)
            except Gone:
                self.say(f"the {self.kind} of {wanted.label} is gone from {self.repository}: looking for another one")
        found = self._find(wanted.label, anew=known is not None)
        return self._update(found, wanted, noted) if found else self._create(wanted, noted)

    # --- finding ---------------------------------------------------------------------------------------------------

    def _find(self, label: str, *, anew: bool = False) -> Post | None:
        """The post of the day that we wrote ourselves; the likely ones are looked at first.

        Of many days in a row the list is read once; `anew`: something may stand there that was not there before.
        """
        since = datetime.fromisoformat(f"{label}T00:00:00+00:00") - BEFORE
        if self._listed is None or anew or since < self._since:
            self._listed, self._since = list(self._own_posts(since)), since
        ours = sorted(self._listed, key=lambda row: (label not in row["title"], row["createdAt"]))
        for start in range(0, len(ours), BODIES):
            rows = ours[start : start + BODIES]
            self._read_marks([row["id"] for row in rows if row["id"] not in self._marks])
            for row in rows:
                if self._marks.get(row["id"]) == label:
                    return Post(row["id"], row["url"])
        return None

    def _read_marks(self, ids: Sequence[str]) -> None:
        if ids:
            texts = self.github.query(_BODIES, {"ids": ids})["nodes"]
            found = {one["id"]: _MARK.match(one["body"] or "") for one in texts if one}
            self._marks |= {number: match[1] if (match := found.get(number)) else "" for number in ids}

    def _own_posts(self, since: datetime) -> Iterator[Mapping[str, Any]]:
        """Newest first, down to the day before the report's."""
        after: str | None = None
        for _ in range(PAGES):
            place = self._ask_place(after)
            rows = place["posts"]
            for row in rows["nodes"]:
                if datetime.fromisoformat(row["createdAt"]) < since:
                    return
                if row["viewerDidAuthor"]:
                    yield row
            if not rows["pageInfo"]["hasNextPage"]:
                return
            after = rows["pageInfo"]["endCursor"]
        raise PublishError(
            f"{self.repository} has more than {PAGES * 100} newer posts: whether the report stands there is not known.",
            "Use a repository of its own.",
        )

    def _ask_place(self, after: str | None) -> dict[str, Any]:
        owner, _, name = self.repository.partition("/")
        try:
            place = self.github.query(_PLACE[self.kind], {"owner": owner, "name": name, "after": after})["repository"]
        except Gone:
            place = None
        if place is None:
            raise PublishError(
                f"GitHub knows no repository {self.repository}, or does not show it to this token.",
                f"Check github_{self.kind} under [publish], and what the token in GITHUB_TOKEN may see.",
            )
        self._refuse(place)
        self._place = place
        return dict(place)

    def _refuse(self, place: Mapping[str, Any]) -> None:
        if place["isArchived"]:
            raise PublishError(f"{self.repository} is archived: nothing can be written there.", "Name another one.")
        if not place["enabled"]:
            raise PublishError(
                f"{self.kind.capitalize()}s are turned off in {self.repository}.",
                "Turn them on in the repository's settings, or name another one under [publish].",
            )

    # --- writing ---------------------------------------------------------------------------------------------------

    def _update(self, post: Post, wanted: Wanted, noted: Callable[[Post], None]) -> Posted:
        """Twice is as good as once, so an order whose answer was lost is simply given again."""
        noted(post)
        which = "id" if self.kind == "issue" else "discussionId"
        told = {"input": {which: post.id, "body": wanted.body}}
        for tries in range(CREATIONS):
            try:
                done = self.github.order(_UPDATE[self.kind], told)
            except Unsure:
                if tries == CREATIONS - 1:
                    raise
                self.github.pause(tries)
            else:
                made = self._made(done, f"update{self.kind.capitalize()}", wanted)
                noted(made)
                return Posted(made, "updated")
        raise AssertionError  # the last try returns or raises

    def _create(self, wanted: Wanted, noted: Callable[[Post], None]) -> Posted:
        """When the answer is lost, what stands there is looked at before anything is created again."""
        for tries in range(CREATIONS):
            try:
                done = self.github.order(_CREATE[self.kind], {"input": self._input(wanted)})
            except Unsure:
                self.github.pause(tries)
                found = self._find(wanted.label, anew=True)
                if found is not None:
                    return self._update(found, wanted, noted)
                if tries == CREATIONS - 1:
                    raise
            else:
                made = self._made(done, f"create{self.kind.capitalize()}", wanted)
                noted(made)
                return Posted(made, "created")
        raise AssertionError  # the last try returns or raises

    def _made(self, done: Mapping[str, Any], order: str, wanted: Wanted) -> Post:
        try:
            row = done[order][self.kind]
            return Post(row["id"], row["url"], wanted.digest)
        except (KeyError, TypeError):
            raise Unsure("GitHub gave an answer without its data.", LATER) from None

    def _input(self, wanted: Wanted) -> dict[str, Any]:
        place = self._place or self._ask_place(None)
        told = {"repositoryId": place["id"], "title": wanted.title, "body": wanted.body}
        if self.kind == "discussion":
            return told | {"categoryId": self._category(place["categories"]["nodes"])}
        labels = self._label_ids() if self.labels else []
        return told | ({"labelIds": labels} if labels else {})

    def _category(self, rows: Iterable[Mapping[str, Any]]) -> str:
        wanted = self.category.strip().lower()
        known = {row["name"].lower(): str(row["id"]) for row in rows}
        known |= {row["slug"].lower(): str(row["id"]) for row in rows}
        if wanted not in known:
            raise PublishError(
                f"{self.repository} has no discussion category {self.category!r}.",
                "Check discussion_category under [publish].",
            )
        return known[wanted]

    def _label_ids(self) -> list[str]:
        owner, _, name = self.repository.partition("/")
        asked = " ".join(f"l{n}:label(name:$l{n}){{id}}" for n in range(len(self.labels)))
        names = "".join(f",$l{n}:String!" for n in range(len(self.labels)))
        document = f"query($owner:String!,$name:String!{names}){{repository(owner:$owner,name:$name){{{asked}}}}}"
        told = {f"l{n}": label for n, label in enumerate(self.labels)}
        found = self.github.query(document, {"owner": owner, "name": name, **told})["repository"] or {}
        rows = [found.get(f"l{n}") for n in range(len(self.labels))]
        missing = [label for label, row in zip(self.labels, rows, strict=True) if not row]
        if missing:
            self.say(f"{self.repository} has no label {', '.join(map(repr, missing))}: left out")
        return [row["id"] for row in rows if row]


_ROWS = "pageInfo{hasNextPage endCursor} nodes{id url title createdAt viewerDidAuthor}"
_NEWEST = "first:100,after:$after,orderBy:{field:CREATED_AT,direction:DESC}"
_PLACE = {
    "issue": "query($owner:String!,$name:String!,$after:String){repository(owner:$owner,name:$name){"
    f"id isArchived enabled:hasIssuesEnabled posts:issues({_NEWEST}){{{_ROWS}}}}}}}",
    "discussion": "query($owner:String!,$name:String!,$after:String){repository(owner:$owner,name:$name){"
    f"id isArchived enabled:hasDiscussionsEnabled posts:discussions({_NEWEST}){{{_ROWS}}} "
    "categories:discussionCategories(first:100){nodes{id name slug}}}}",
}
_BODIES = "query($ids:[ID!]!){nodes(ids:$ids){... on Issue{id body} ... on Discussion{id body}}}"
_CREATE = {
    "issue": "mutation($input:CreateIssueInput!){createIssue(input:$input){issue{id url}}}",
    "discussion": "mutation($input:CreateDiscussionInput!){createDiscussion(input:$input){discussion{id url}}}",
}
_UPDATE = {
    "issue": "mutation($input:UpdateIssueInput!){updateIssue(input:$input){issue{id url}}}",
    "discussion": "mutation($input:UpdateDiscussionInput!){updateDiscussion(input:$input){discussion{id url}}}",
}


# --- The day page as title and body of an issue or a discussion ---


def post_of(kind: Kind, label: str, page: str, language: str, links: Links, headline: str = "") -> Wanted:
    """Of the page `reports/LABEL.md`, which was checked; its heading becomes the title, with the day's headline."""
    lines = page.replace("\r\n", "\n").split("\n")
    heading = next((line for line in lines if line.startswith("# ")), f"# Daybreak {label}")
    # The first line says whose file it is; here our own mark does.
    rest = [line for n, line in enumerate(lines) if line is not heading and not (n == 0 and line.startswith("<!--"))]
    path = f"reports/{label}.md"
    whole = links.place(path)
    place = f"[`{path}`]({whole})" if whole else f"`{path}`"
    body = shortened(disarmed("\n".join(rest).strip("\n"), links), language, place)
    named = title(" · ".join(filter(None, [heading[2:], headline.replace("`", "")])))
    return Wanted(label, named, f"{mark(kind, label)}\n\n{body.strip()}\n")


# --- Notes in the state folder of which post on GitHub a report has, and of which reports still owe one ---
# They save questions and carry what failed to the next run. When they are lost, posts are found by their marks.


class _Notes(msgspec.Struct):
    repository: str = ""
    posts: dict[str, Post] = {}
    due: list[str] = []


class PostNotes:
    """Of one repository; of another one that stood in the config before, nothing is known."""

    def __init__(self, path: Path, repository: str) -> None:
        self._path = path
        self._notes = _Notes(repository)
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            found = msgspec.json.decode(path.read_bytes(), type=_Notes)
            if found.repository.lower() == repository.lower():
                self._notes = found

    def known(self, label: str) -> Post | None:
        return self._notes.posts.get(label)

    def due(self) -> list[str]:
        return list(self._notes.due)

    def owe(self, labels: Iterable[str]) -> None:
        """Written down before anything is tried."""
        wanted = sorted({*self._notes.due, *labels})
        if wanted != self._notes.due:
            self._notes.due = wanted
            self._save()

    def note(self, label: str, post: Post) -> None:
        if self._notes.posts.get(label) != post:
            self._notes.posts[label] = post
            self._save()

    def settled(self, label: str) -> None:
        if label in self._notes.due:
            self._notes.due.remove(label)
            self._save()

    def _save(self) -> None:
        with suppress(OSError):  # the post stands; without the note it is looked for
            self._path.parent.mkdir(parents=True, exist_ok=True)
            staged = self._path.with_suffix(".new")
            staged.write_bytes(msgspec.json.encode(self._notes))
            staged.replace(self._path)
