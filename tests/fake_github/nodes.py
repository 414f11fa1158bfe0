"""Issues, pull requests and what belongs to them as GraphQL shows them: one class per official type, fields in snake case."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fake_github.connection import Connection, Context, listed
from fake_github.payloads import node_id, stamp
from fake_github.records import Comment, Commit, Event, Item, Milestone, Release, Repo, Tag

CONTENTS = {
    "+1": "THUMBS_UP", "-1": "THUMBS_DOWN", "laugh": "LAUGH", "hooray": "HOORAY", "confused": "CONFUSED", "heart": "HEART",
    "rocket": "ROCKET", "eyes": "EYES",
}  # fmt: skip


class Node:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.show, self.world = context.show, context.world

    def _actor(self, login: str | None) -> Actor | None:
        return None if login is None else Actor(self.context, login)


class Actor(Node):
    def __init__(self, context: Context, login: str) -> None:
        super().__init__(context)
        user = context.world.add_user(login)
        self.typename = user.kind
        self.login = login.removesuffix("[bot]")  # REST has the suffix, GraphQL not
        self.id, self.database_id = node_id("U", user.id), user.id
        self.name = None
        self.url = f"{self.show.web}/{'apps/' if user.kind == 'Bot' else ''}{self.login}"
        self.resource_path = f"/{self.login}"
        self.avatar_url = f"{self.show.web}/avatars/{user.id}"


class LabelNode(Node):
    typename = "Label"

    def __init__(self, context: Context, repo: Repo, name: str) -> None:
        super().__init__(context)
        self.name, self.color, self.description = name, "ededed", ""
        self.id, self.is_default = node_id("LA", repo.labels[name]), name in ("bug", "enhancement")
        self.url = f"{self.show.web}/{repo.name}/labels/{name.replace(' ', '%20')}"


class MilestoneNode(Node):
    typename = "Milestone"

    def __init__(self, context: Context, repo: Repo, one: Milestone) -> None:
        super().__init__(context)
        self.id, self.number, self.title = node_id("MI", one.id), one.number, one.title
        self.state, self.closed, self.due_on, self.description = "OPEN", False, None, None
        self.created_at = self.updated_at = stamp(one.at)
        self.url = f"{self.show.web}/{repo.name}/milestone/{one.number}"


def pull_state(item: Item) -> str:
    return "OPEN" if item.closed_at is None else "MERGED" if item.merged else "CLOSED"


class ItemNode(Node):
    """An issue or a pull request."""

    def __init__(self, context: Context, item: Item) -> None:
        super().__init__(context)
        self._item = item
        self.typename = "PullRequest" if item.work else "Issue"
        self.id, self.database_id, self.full_database_id = (
            node_id("PR" if item.work else "I", item.id),
            None,
            str(item.id),
        )
        self.number, self.title = item.number, item.title
        self.body = self.body_text = item.body or ""
        self.url = self.show.html(item)
        self.resource_path = self.url.removeprefix(self.show.web)
        self.state = pull_state(item) if item.work else "OPEN" if item.closed_at is None else "CLOSED"
        self.closed, self.locked = item.closed_at is not None, False
        self.author_association = "NONE" if item.author is None else "CONTRIBUTOR"
        self.created_at, self.updated_at, self.closed_at = map(
            stamp, (item.created_at, item.updated_at, item.closed_at)
        )
        self.published_at = self.created_at
        work = item.work
        if work is None:
            return
        self.merged, self.is_draft, self.review_decision = item.merged, work.draft, work.review
        self.merged_at = stamp(work.merged_at)
        self.additions, self.deletions, self.changed_files = work.added, work.deleted, work.files
        self.head_ref_name, self.head_ref_oid = work.head, work.head_sha
        self.base_ref_name, self.base_ref_oid = item.repo.branch, self.world.sha(item.repo.id, "base")
        self.total_comments_count = len(item.comments)
        self.is_cross_repository, self.permalink, self.mergeable = False, self.url, "UNKNOWN"

    def author(self) -> Actor | None:
        return self._actor(self._item.author)

    def repository(self) -> Node:
        return repo_node(self.context, self._item.repo)

    def state_reason(self, enable_duplicate: bool = False) -> str | None:
        reason = self._item.reason
        if reason == "duplicate" and not enable_duplicate:
            return "NOT_PLANNED"
        return reason.upper() if reason else None

    def labels(self, **args: Any) -> Connection:
        return listed(
            self.context, self._item.labels, lambda name: LabelNode(self.context, self._item.repo, name), args
        )

    def milestone(self) -> MilestoneNode | None:
        title = self._item.milestone
        return MilestoneNode(self.context, self._item.repo, self._item.repo.milestones[title]) if title else None

    def comments(self, **args: Any) -> Connection:
        return listed(self.context, self._item.comments, lambda one: CommentNode(self.context, self._item, one), args)

    def assignees(self, **args: Any) -> Connection:
        return listed(self.context, [], lambda one: one, args)

    def reactions(self, content: str | None = None, **args: Any) -> Connection:
        counts = self._item.reactions.items()
        rows = [CONTENTS[name] for name, count in counts for _ in range(count) if content in (None, CONTENTS[name])]
        return listed(self.context, rows, lambda name: {"content": name, "id": node_id("REA", name)}, args)

    def reaction_groups(self) -> list[Any]:
        counts = self._item.reactions
        return [{"content": name, "reactors": {"totalCount": counts.get(rest, 0)}} for rest, name in CONTENTS.items()]

    def closing_issues_references(self, **args: Any) -> Connection:
        work = self._item.work
        rows = [self._item.repo.items[number] for number in work.closes] if work else []
        return listed(self.context, rows, lambda item: ItemNode(self.context, item), args)

    def closed_by_pull_requests_references(self, include_closed_prs: bool = False, **args: Any) -> Connection:
        rows = [one for one in self._item.repo.pulls if one.work and self._item.number in one.work.closes]
        if not include_closed_prs:
            rows = [one for one in rows if one.closed_at is None or one.merged]
        return listed(self.context, rows, lambda item: ItemNode(self.context, item), args)

    def merged_by(self) -> Actor | None:
        return self._actor(self._item.work.merged_by) if self._item.work else None

    def merge_commit(self) -> GitNode | None:
        sha = self._item.work.merge_sha if self._item.work else None
        return GitNode(self.context, self._item.repo, self._item.repo.commits[sha]) if sha else None

    def timeline_items(self, item_types: list[str] | None = None, since: str | None = None, **args: Any) -> Connection:
        rows: list[Event | Comment] = [*self._item.events, *self._item.comments]
        kinds = {
            "closed": "CLOSED_EVENT",
            "reopened": "REOPENED_EVENT",
            "merged": "MERGED_EVENT",
            "labeled": "LABELED_EVENT",
        }
        kinds["cross-referenced"] = "CROSS_REFERENCED_EVENT"
        kinds |= {"connected": "CONNECTED_EVENT", "disconnected": "DISCONNECTED_EVENT"}
        if item_types is not None:
            rows = [
                one for one in rows if (kinds[one.kind] if isinstance(one, Event) else "ISSUE_COMMENT") in item_types
            ]
        if since is not None:
            rows = [one for one in rows if one.at >= datetime.fromisoformat(since)]
        rows.sort(key=lambda one: (one.at, one.id))
        found = listed(self.context, rows, self._entry, args)
        found.total_count = len(rows)
        return found

    def _entry(self, one: Event | Comment) -> Node:
        return (
            EventNode(self.context, self._item, one)
            if isinstance(one, Event)
            else CommentNode(self.context, self._item, one)
        )


class CommentNode(Node):
    typename = "IssueComment"

    def __init__(self, context: Context, item: Item, one: Comment) -> None:
        super().__init__(context)
        self.id, self.body, self.author = node_id("IC", one.id), one.body, self._actor(one.author)
        self.full_database_id, self.author_association = str(one.id), "NONE"
        self.created_at = self.updated_at = stamp(one.at)
        self.url = f"{self.show.html(item)}#issuecomment-{one.id}"


class EventNode(Node):
    def __init__(self, context: Context, item: Item, event: Event) -> None:
        super().__init__(context)
        self._item, self._event = item, event
        kind = event.kind.title().replace("-", "")
        self.typename = f"{kind}Event"
        self.id, self.created_at, self.actor = node_id("EV", event.id), stamp(event.at), self._actor(event.actor)
        self.referenced_at = self.created_at
        self.state_reason = event.reason.upper() if event.reason else None
        self.url = f"{self.show.html(item)}#event-{event.id}"
        self.merge_ref_name = item.repo.branch
        subject = ItemNode(context, item)
        self.closable = self.target = self.pull_request = self.labelable = subject
        self.will_close_target = False
        if event.source is not None:
            repo, number = event.source
            self.source = ItemNode(context, self.world.item(repo, number))
            self.is_cross_repository = repo.lower() != item.repo.name.lower()
            work = self.source._item.work
            self.will_close_target = work is not None and not self.is_cross_repository and item.number in work.closes
        if event.other is not None:
            self.source, self.subject = subject, ItemNode(context, item.repo.items[event.other])
            self.is_cross_repository = False

    def commit(self) -> GitNode | None:
        found = self._item.repo.commits.get(self._event.sha or "")
        return GitNode(self.context, self._item.repo, found) if found else None

    def closer(self) -> Node | None:
        if self._event.by_pull is not None:
            return ItemNode(self.context, self._item.repo.items[self._event.by_pull])
        return self.commit()

    def label(self) -> LabelNode | None:
        return LabelNode(self.context, self._item.repo, self._event.label) if self._event.label else None


class GitNode(Node):
    """A commit, or the object of an annotated tag."""

    def __init__(self, context: Context, repo: Repo, one: Commit | Tag) -> None:
        super().__init__(context)
        self._repo, self._one = repo, one
        at = stamp(one.at)

        self.author = self.committer = self.tagger = {
            "name": "The Octocat",
            "email": None,
            "date": at,
            "user": Actor(context, "octocat"),
        }
        if isinstance(one, Tag):
            self.typename, self.name, self.message = "Tag", one.name, f"Release {one.name}\n"
            self.oid = self.world.sha(repo.id, "annotated", one.name)
            self.target = GitNode(context, repo, repo.commits[one.sha])
        else:
            self.typename, self.message, self.oid = "Commit", one.message, one.sha
            self.message_headline, _, self.message_body = one.message.partition("\n\n")
            self.authored_date = self.committed_date = at
            self.url = f"{self.show.web}/{repo.name}/commit/{one.sha}"
        self.abbreviated_oid, self.id = self.oid[:7], node_id("C", self.oid)
        self.commit_url = f"{self.show.web}/{repo.name}/commit/{one.sha}"

    def repository(self) -> Node:
        return repo_node(self.context, self._repo)

    def associated_pull_requests(self, **args: Any) -> Connection:
        rows = [self._repo.items[number] for number in self._one.pulls] if isinstance(self._one, Commit) else []
        return listed(self.context, rows, lambda item: ItemNode(self.context, item), args)


class RefNode(Node):
    typename = "Ref"

    def __init__(self, context: Context, repo: Repo, prefix: str, name: str, target: Commit | Tag) -> None:
        super().__init__(context)
        self.id, self.prefix, self.name = node_id("REF", f"{repo.id}:{prefix}{name}"), prefix, name
        self.target = GitNode(context, repo, target)
        self.repository = self.target.repository


class ReleaseNode(Node):
    typename = "Release"

    def __init__(self, context: Context, repo: Repo, one: Release) -> None:
        super().__init__(context)
        self._repo, self._one = repo, one
        self.id, self.database_id, self.name, self.tag_name = node_id("RE", one.id), one.id, one.name, one.tag
        self.description, self.is_draft, self.is_prerelease = one.body, one.draft, one.prerelease
        self.created_at, self.published_at = stamp(one.created_at), stamp(one.published_at)
        self.updated_at = self.published_at
        self.author = self._actor(one.author)
        self.url = f"{self.show.web}/{repo.name}/releases/tag/{one.tag}"

    def tag_commit(self) -> GitNode | None:
        tag = self._repo.tags.get(self._one.tag)
        return GitNode(self.context, self._repo, self._repo.commits[tag.sha]) if tag else None

    def tag(self) -> RefNode | None:
        tag = self._repo.tags.get(self._one.tag)
        return tag_ref(self.context, self._repo, tag) if tag else None

    def repository(self) -> Node:
        return repo_node(self.context, self._repo)


def tag_ref(context: Context, repo: Repo, tag: Tag) -> RefNode:
    return RefNode(context, repo, "refs/tags/", tag.name, tag if tag.annotated else repo.commits[tag.sha])


def repo_node(context: Context, repo: Repo) -> Node:
    from fake_github.roots import RepoNode  # a repository has items, and an item has its repository

    return RepoNode(context, repo)
