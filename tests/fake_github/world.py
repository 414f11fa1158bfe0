"""What the fake GitHub knows, kept in memory, and all that can happen to it."""

from __future__ import annotations

import hashlib
import itertools
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import RLock

from fake_github.records import REACTIONS, Comment, Commit, Event, Item, Milestone, Release, Repo, Tag, User, Work

START = datetime(2026, 3, 10, 0, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A world as it was once."""

    state: bytes
    version: str


class World:
    """The state, and all that can happen to it. `at` is the clock's `now` where not given; `repo` is "owner/name"."""

    def __init__(self, now: datetime | None = None) -> None:
        self.lock = RLock()
        self.now = now or START
        self.users: dict[str, User] = {}
        self.repos: dict[str, Repo] = {}
        self.renamed: dict[str, str] = {}
        self.version: str | None = None
        """Of the snapshot that this world still equals; None where there is none."""
        self._ids: Iterator[int] = itertools.count(2_900_000_000)  # beyond 32 bits, as those of GitHub are
        self._small: Iterator[int] = itertools.count(1000)
        self.add_user("octocat")

    def advance(self, seconds: float) -> None:
        with self.lock:
            self.now += timedelta(seconds=seconds)

    def snapshot(self) -> Snapshot:
        """To come back to with `restore`, as often as one likes: quicker than to build the same world again."""
        with self.lock:
            state = pickle.dumps((self.now, self.users, self.repos, self.renamed, self._ids, self._small))
            self.version = hashlib.sha256(state).hexdigest()
            return Snapshot(state, self.version)

    def restore(self, snapshot: Snapshot) -> None:
        with self.lock:
            self.now, self.users, self.repos, self.renamed, self._ids, self._small = pickle.loads(snapshot.state)
            self.version = snapshot.version

    def add_user(self, login: str, *, kind: str = "User") -> User:
        return self.users.setdefault(login, User(next(self._small), login, kind))

    def add_repo(
        self, name: str, *, private: bool = False, branch: str = "main", archived: bool = False, issues: bool = True,
        blocked: bool = False, sso: Sequence[str] | None = None,
    ) -> Repo:  # fmt: skip
        """`issues=False`: they are turned off; `blocked`: for legal reasons; `sso`: which tokens its SAML lets in."""
        self.add_user(name.split("/", maxsplit=1)[0], kind="Organization")
        repo = Repo(next(self._small), name, branch, private, archived, self.now - timedelta(days=900))
        repo.issues_off, repo.blocked, repo.sso = not issues, blocked, None if sso is None else frozenset(sso)
        self.repos[name.lower()] = repo
        self.version = None
        return repo

    def transfer(self, repo: str, number: int, target: str) -> int:
        """An issue goes to another repository, where it gets a new number."""
        with self.lock:
            item, home = self.repo(repo).items.pop(number), self.repo(target)
            item.repo, item.number = home, max(home.items, default=0) + 1
            home.items[item.number] = item
            self.repo(repo).moved[number] = (target, item.number)
            self.version = None
            return item.number

    def rename_repo(self, old: str, new: str) -> None:
        """The old name leads to the new one, as after a rename or a transfer."""
        with self.lock:
            self.version = None
            repo = self.repos.pop(old.lower())
            self.add_user(new.split("/", maxsplit=1)[0], kind="Organization")
            repo.name = new
            self.repos[new.lower()] = repo
            self.renamed[old.lower()] = new.lower()

    def repo(self, name: str) -> Repo:
        return self.repos[name.lower()]

    def item(self, repo: str, number: int) -> Item:
        return self.repo(repo).items[number]

    def add_issue(
        self, repo: str, title: str, *, number: int | None = None, author: str | None = "octocat", at: datetime | None = None,
        body: str | None = "", labels: Sequence[str] = (), milestone: str | None = None, comments: int = 0,
        reactions: Mapping[str, int] | None = None,
    ) -> Item:  # fmt: skip
        with self.lock:
            home, at = self.repo(repo), at or self.now
            number = number or max(home.items, default=0) + 1
            if author is not None:
                self.add_user(author, kind="Bot" if author.endswith("[bot]") else "User")
            item = Item(home, next(self._ids), number, title, body, author, at, at, reactions=dict(reactions or {}))
            for name in labels:
                self._label(item, name)
            if milestone is not None:
                home.milestones.setdefault(
                    milestone, Milestone(next(self._small), len(home.milestones) + 1, milestone, home.created_at)
                )
                item.milestone = milestone
            item.comments = [Comment(next(self._ids), "octocat", f"Comment {one + 1}", at) for one in range(comments)]
            home.items[number] = item
            self.version = None
            return item

    def add_pull(
        self, repo: str, title: str, *, number: int | None = None, author: str | None = "octocat", at: datetime | None = None,
        body: str | None = "", labels: Sequence[str] = (), milestone: str | None = None, comments: int = 0,
        reactions: Mapping[str, int] | None = None, draft: bool = False, closes: Sequence[int] = (),
        review: str | None = None, files: int = 1, added: int = 1, deleted: int = 0,
    ) -> Item:  # fmt: skip
        with self.lock:
            item = self.add_issue(
                repo, title, number=number, author=author, at=at, body=body, labels=labels, milestone=milestone,
                comments=comments, reactions=reactions,
            )  # fmt: skip
            item.work = Work(
                f"branch-{item.number}", self.sha(repo, "head", item.number), draft=draft, closes=tuple(closes),
                review=review, files=files, added=added, deleted=deleted,
            )  # fmt: skip
            return item

    @staticmethod
    def sha(*parts: object) -> str:
        return hashlib.sha1(repr(parts).encode(), usedforsecurity=False).hexdigest()

    def close(
        self, repo: str, number: int, *, at: datetime | None = None, reason: str = "completed", by: str | None = "octocat",
        by_pull: int | None = None, sha: str | None = None,
    ) -> None:  # fmt: skip
        """Closes an issue, or a pull request without merging it; `by_pull`, `sha`: what closed it."""
        with self.lock:
            item, at = self.item(repo, number), at or self.now
            item.closed_at, item.closed_by, item.reason = at, by, None if item.work else reason
            self._happened(item, "closed", at, by, sha=sha, reason=item.reason, by_pull=by_pull)

    def reopen(self, repo: str, number: int, *, at: datetime | None = None, by: str | None = "octocat") -> None:
        with self.lock:
            item, at = self.item(repo, number), at or self.now
            item.closed_at, item.closed_by, item.reason = None, None, None if item.work else "reopened"
            self._happened(item, "reopened", at, by)

    def merge(
        self, repo: str, number: int, *, at: datetime | None = None, sha: str | None = None, by: str | None = "octocat"
    ) -> None:
        """Also adds the commit, and closes the open issues that it `closes`."""
        with self.lock:
            item, at = self.item(repo, number), at or self.now
            assert item.work is not None, f"#{number} is an issue"
            sha = sha or self.sha(repo, "merge", number)
            item.work.merged_at = item.closed_at = at
            item.work.merged_by = item.closed_by = by
            item.work.merge_sha = sha
            self.add_commit(repo, f"{item.title} (#{number})", sha=sha, at=at, pulls=[number])
            self._happened(item, "merged", at, by, sha=sha)
            self._happened(item, "closed", at, by)
            for closed in item.work.closes:
                if item.repo.items[closed].closed_at is None:
                    self.close(repo, closed, at=at, by=by, by_pull=number)

    def touch(self, repo: str, number: int, *, at: datetime | None = None) -> None:
        """Updated, with nothing that we read changed."""
        with self.lock:
            item = self.item(repo, number)
            item.updated_at = max(item.updated_at, at or self.now)
            self.version = None

    def edit(
        self, repo: str, number: int, *, title: str | None = None, body: str | None = None, at: datetime | None = None
    ) -> None:
        with self.lock:
            item = self.item(repo, number)
            item.title = item.title if title is None else title
            item.body = item.body if body is None else body
            self.touch(repo, number, at=at)

    def add_comment(
        self, repo: str, number: int, body: str, *, author: str | None = "octocat", at: datetime | None = None
    ) -> None:
        with self.lock:
            self.item(repo, number).comments.append(Comment(next(self._ids), author, body, at or self.now))
            self.touch(repo, number, at=at)

    def react(self, repo: str, number: int, content: str = "+1", count: int = 1) -> None:
        """As on GitHub this does not count as an update."""
        with self.lock:
            reactions = self.item(repo, number).reactions
            assert content in REACTIONS
            self.version = None
            reactions[content] = reactions.get(content, 0) + count

    def label(self, repo: str, number: int, name: str, *, at: datetime | None = None) -> None:
        with self.lock:
            item = self.item(repo, number)
            self._label(item, name)
            self._happened(item, "labeled", at or self.now, "octocat", label=name)

    def cross_reference(
        self, repo: str, number: int, source_repo: str, source_number: int, *, at: datetime | None = None
    ) -> None:
        """`source` speaks of `repo`#`number`."""
        with self.lock:
            self._happened(
                self.item(repo, number),
                "cross-referenced",
                at or self.now,
                "octocat",
                source=(source_repo, source_number),
            )

    def connect(self, repo: str, issue: int, pull: int, *, at: datetime | None = None, undo: bool = False) -> None:
        """Links an issue and a pull request by hand; `undo`: unlinks them. Both timelines tell it."""
        with self.lock:
            work, at = self.item(repo, pull).work, at or self.now
            assert work is not None, f"#{pull} is an issue"
            left = tuple(number for number in work.closes if number != issue)
            work.closes = left if undo else (*left, issue)
            for own, other in ((issue, pull), (pull, issue)):
                self._happened(
                    self.item(repo, own), "disconnected" if undo else "connected", at, "octocat", other=other
                )

    def add_commit(
        self, repo: str, message: str, *, sha: str | None = None, at: datetime | None = None, pulls: Sequence[int] = ()
    ) -> Commit:
        with self.lock:
            home = self.repo(repo)
            sha = sha or self.sha(repo, message, len(home.commits))
            self.version = None
            return home.commits.setdefault(sha, Commit(sha, message, at or self.now, list(pulls)))

    def add_tag(
        self, repo: str, name: str, *, sha: str | None = None, at: datetime | None = None, annotated: bool = False
    ) -> Tag:
        with self.lock:
            home, at = self.repo(repo), at or self.now
            sha = sha or self.sha(repo, "tag", name)
            self.add_commit(repo, f"Release {name}", sha=sha, at=at)
            return home.tags.setdefault(name, Tag(name, sha, at, annotated))

    def add_release(
        self, repo: str, tag: str, *, name: str | None = None, body: str = "", author: str = "octocat",
        at: datetime | None = None, prerelease: bool = False, draft: bool = False, sha: str | None = None,
    ) -> Release:  # fmt: skip
        """With its tag, unless it is a draft, which is not published and which readers do not see."""
        with self.lock:
            at = at or self.now
            self.add_user(author)
            tagged = at if draft else self.add_tag(repo, tag, sha=sha, at=at).at
            release = Release(
                next(self._small),
                tag,
                tag if name is None else name,
                body,
                author,
                tagged,
                None if draft else at,
                prerelease,
                draft,
            )
            self.repo(repo).releases.append(release)
            self.version = None
            return release

    def _label(self, item: Item, name: str) -> None:
        item.repo.labels.setdefault(name, next(self._ids))
        if name not in item.labels:
            item.labels.append(name)

    def _happened(
        self, item: Item, kind: str, at: datetime, actor: str | None, *, sha: str | None = None, label: str | None = None,
        source: tuple[str, int] | None = None, reason: str | None = None, by_pull: int | None = None, other: int | None = None,
    ) -> None:  # fmt: skip
        item.events.append(Event(next(self._ids), kind, at, actor, sha, label, source, reason, by_pull, other))
        item.events.sort(key=lambda event: (event.at, event.id))
        item.updated_at = max(item.updated_at, at)
        self.version = None
