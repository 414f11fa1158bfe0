"""The world as REST shows it: one function per shape, with every field that the official description requires."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

from fake_github.records import REACTIONS, Comment, Event, Item, Release, Repo, Tag
from fake_github.world import World

Json = dict[str, Any]
REPO_LINKS = (
    "archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads "
    "events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges "
    "milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees"
)


def stamp(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def node_id(kind: str, number: object) -> str:
    return f"{kind}_{base64.urlsafe_b64encode(str(number).encode()).decode().rstrip('=')}"


class Payloads:
    """`api` and `web` are the bases of the addresses in it."""

    def __init__(self, world: World, api: str, web: str) -> None:
        self.world, self.api, self.web = world, api, web

    def user(self, login: str | None) -> Json | None:
        if login is None:
            return None
        user = self.world.add_user(login)
        url = f"{self.api}/users/{login}"
        links = ("followers", "subscriptions", "organizations", "repos", "received_events")
        return {
            "login": login,
            "id": user.id,
            "node_id": node_id("U", user.id),
            "avatar_url": f"{self.web}/avatars/{user.id}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.web}/{login}",
            **{f"{link}_url": f"{url}/{link}" for link in links},
            "following_url": f"{url}/following{{/other_user}}",
            "gists_url": f"{url}/gists{{/gist_id}}",
            "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
            "events_url": f"{url}/events{{/privacy}}",
            "type": user.kind,
            "site_admin": False,
        }

    def ghost(self, login: str | None) -> Json:
        """Where REST must name someone, a deleted user is the ghost."""
        found = self.user(login or "ghost")
        assert found is not None
        return found

    def repo_url(self, repo: Repo) -> str:
        return f"{self.api}/repos/{repo.name}"

    def repo(self, repo: Repo, *, full: bool = False) -> Json:
        owner, name = repo.name.split("/")
        url, html = self.repo_url(repo), f"{self.web}/{repo.name}"
        open_items = sum(item.closed_at is None for item in repo.items.values())
        last = max((item.updated_at for item in repo.items.values()), default=repo.created_at)
        counts = dict.fromkeys(("forks", "forks_count", "size", "stargazers_count", "watchers", "watchers_count"), 7)
        more = {"network_count": 7, "subscribers_count": 7, "has_discussions": True} if full else {}
        return {
            "id": repo.id,
            "node_id": node_id("R", repo.id),
            "name": name,
            "full_name": repo.name,
            "owner": self.user(owner),
            "private": repo.private,
            "visibility": "private" if repo.private else "public",
            "html_url": html,
            "description": None,
            "fork": False,
            "url": url,
            **{f"{link}_url": f"{url}/{link}" for link in REPO_LINKS.split()},
            "clone_url": f"{html}.git",
            "git_url": f"git://{html.partition('://')[2]}.git",
            "ssh_url": f"git@{html.partition('://')[2].replace('/', ':', 1)}.git",
            "svn_url": html,
            "mirror_url": None,
            "homepage": None,
            "language": "Python",
            "license": None,
            "default_branch": repo.branch,
            "archived": repo.archived,
            "disabled": False,
            **dict.fromkeys(("has_issues", "has_projects", "has_wiki", "has_downloads"), True),
            "has_pages": False,
            "open_issues": open_items,
            "open_issues_count": open_items,
            "created_at": stamp(repo.created_at),
            "updated_at": stamp(last),
            "pushed_at": stamp(last),
            **counts,
            **more,
        }

    def label(self, repo: Repo, name: str) -> Json:
        number = repo.labels[name]
        return {
            "id": number,
            "node_id": node_id("LA", number),
            "url": f"{self.repo_url(repo)}/labels/{name.replace(' ', '%20')}",
            "name": name,
            "color": "ededed",
            "default": name in ("bug", "enhancement"),
            "description": "",
        }

    def milestone(self, repo: Repo, title: str | None) -> Json | None:
        if title is None:
            return None
        one = repo.milestones[title]
        url = f"{self.repo_url(repo)}/milestones/{one.number}"
        states = [item.closed_at is None for item in repo.items.values() if item.milestone == title]
        return {
            "url": url,
            "html_url": f"{self.web}/{repo.name}/milestone/{one.number}",
            "labels_url": f"{url}/labels",
            "id": one.id,
            "node_id": node_id("MI", one.id),
            "number": one.number,
            "title": one.title,
            "description": None,
            "creator": self.user("octocat"),
            "open_issues": states.count(True),
            "closed_issues": states.count(False),
            "state": "open",
            "created_at": stamp(one.at),
            "updated_at": stamp(one.at),
            "due_on": None,
            "closed_at": None,
        }

    def reactions(self, url: str, counts: dict[str, int]) -> Json:
        rows = {content: counts.get(content, 0) for content in REACTIONS}
        return {"url": f"{url}/reactions", "total_count": sum(rows.values()), **rows}

    def _both(self, item: Item) -> Json:
        """What an issue and a pull request have in common."""
        return {
            "id": item.id,
            "number": item.number,
            "title": item.title,
            "user": self.user(item.author),
            "labels": [self.label(item.repo, name) for name in item.labels],
            "state": "open" if item.closed_at is None else "closed",
            "locked": False,
            "active_lock_reason": None,
            "assignee": None,
            "assignees": [],
            "milestone": self.milestone(item.repo, item.milestone),
            "created_at": stamp(item.created_at),
            "updated_at": stamp(item.updated_at),
            "closed_at": stamp(item.closed_at),
            "author_association": "NONE" if item.author is None else "CONTRIBUTOR",
            "body": item.body,
        }

    def html(self, item: Item) -> str:
        return f"{self.web}/{item.repo.name}/{'pull' if item.work else 'issues'}/{item.number}"

    def issue(self, item: Item) -> Json:
        """Of a pull request too: GitHub lists them among the issues."""
        url = f"{self.repo_url(item.repo)}/issues/{item.number}"
        found = self._both(item) | {
            "node_id": node_id("PR" if item.work else "I", item.id),
            "url": url,
            "repository_url": self.repo_url(item.repo),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "timeline_url": f"{url}/timeline",
            "html_url": self.html(item),
            "comments": len(item.comments),
            "reactions": self.reactions(url, item.reactions),
            "performed_via_github_app": None,
            "state_reason": item.reason,
        }
        if item.work is None:
            return found
        html = self.html(item)
        pull = {
            "url": f"{self.repo_url(item.repo)}/pulls/{item.number}",
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "merged_at": stamp(item.work.merged_at),
        }
        return found | {"draft": item.work.draft, "pull_request": pull}

    def whole_issue(self, item: Item) -> Json:
        return self.issue(item) | {"closed_by": self.user(item.closed_by) if item.closed_at else None}

    def found_issue(self, item: Item) -> Json:
        return self.issue(item) | {"score": 1.0}

    def _end(self, item: Item, ref: str, sha: str) -> Json:
        owner = item.repo.name.split("/")[0]
        return {
            "label": f"{owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": self.user(owner),
            "repo": self.repo(item.repo),
        }

    def pull(self, item: Item) -> Json:
        work = item.work
        assert work is not None
        base = self.repo_url(item.repo)
        url, html = f"{base}/pulls/{item.number}", self.html(item)
        links = {
            "self": url,
            "html": html,
            "issue": f"{base}/issues/{item.number}",
            "comments": f"{base}/issues/{item.number}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{base}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": f"{base}/statuses/{work.head_sha}",
        }
        return self._both(item) | {
            "node_id": node_id("PR", item.id),
            "url": url,
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            **{f"{name}_url": href for name, href in links.items() if name not in ("self", "html")},
            "_links": {name: {"href": href} for name, href in links.items()},
            "merged_at": stamp(work.merged_at),
            "merge_commit_sha": work.merge_sha or self.world.sha(item.repo.id, "test merge", item.number),
            "draft": work.draft,
            "auto_merge": None,
            "requested_reviewers": [],
            "requested_teams": [],
            "head": self._end(item, work.head, work.head_sha),
            "base": self._end(item, item.repo.branch, self.world.sha(item.repo.id, "base")),
        }

    def whole_pull(self, item: Item) -> Json:
        work = item.work
        assert work is not None
        return self.pull(item) | {
            "user": self.ghost(item.author),
            "merged": item.merged,
            "merged_by": self.user(work.merged_by),
            "mergeable": None,
            "mergeable_state": "unknown",
            "rebaseable": None,
            "maintainer_can_modify": False,
            "comments": len(item.comments),
            "review_comments": 0,
            "commits": 1,
            "additions": work.added,
            "deletions": work.deleted,
            "changed_files": work.files,
        }

    def release(self, repo: Repo, release: Release) -> Json:
        base = self.repo_url(repo)
        url, html = f"{base}/releases/{release.id}", f"{self.web}/{repo.name}"
        return {
            "id": release.id,
            "node_id": node_id("RE", release.id),
            "url": url,
            "html_url": f"{html}/releases/tag/{release.tag}",
            "assets_url": f"{url}/assets",
            "upload_url": f"{url}/assets{{?name,label}}",
            "tag_name": release.tag,
            "target_commitish": repo.branch,
            "name": release.name,
            "body": release.body,
            "draft": release.draft,
            "prerelease": release.prerelease,
            "created_at": stamp(release.created_at),
            "published_at": stamp(release.published_at),
            "author": self.ghost(release.author),
            "assets": [],
            "tarball_url": f"{base}/tarball/{release.tag}",
            "zipball_url": f"{base}/zipball/{release.tag}",
        }

    def tag(self, repo: Repo, tag: Tag) -> Json:
        base = self.repo_url(repo)
        return {
            "name": tag.name,
            "node_id": node_id("REF", f"{repo.id}:{tag.name}"),
            "commit": {"sha": tag.sha, "url": f"{base}/commits/{tag.sha}"},
            "tarball_url": f"{base}/tarball/refs/tags/{tag.name}",
            "zipball_url": f"{base}/zipball/refs/tags/{tag.name}",
        }

    def comment(self, item: Item, comment: Comment) -> Json:
        base = self.repo_url(item.repo)
        url = f"{base}/issues/comments/{comment.id}"
        return {
            "id": comment.id,
            "node_id": node_id("IC", comment.id),
            "url": url,
            "html_url": f"{self.html(item)}#issuecomment-{comment.id}",
            "issue_url": f"{base}/issues/{item.number}",
            "user": self.user(comment.author),
            "created_at": stamp(comment.at),
            "updated_at": stamp(comment.at),
            "author_association": "NONE",
            "body": comment.body,
            "reactions": self.reactions(url, {}),
            "performed_via_github_app": None,
        }

    def event(self, item: Item, event: Event) -> Json:
        base = self.repo_url(item.repo)
        found = {
            "id": event.id,
            "node_id": node_id("EV", event.id),
            "url": f"{base}/issues/events/{event.id}",
            "actor": self.user(event.actor),
            "event": event.kind,
            "commit_id": event.sha,
            "commit_url": f"{base}/commits/{event.sha}" if event.sha else None,
            "created_at": stamp(event.at),
            "performed_via_github_app": None,
        }
        if event.label is not None:
            found["label"] = {"name": event.label, "color": "ededed"}
        if event.kind in ("closed", "reopened"):
            found["state_reason"] = event.reason
        return found

    def repo_event(self, item: Item, event: Event) -> Json:
        return self.event(item, event) | {"issue": self.issue(item)}

    def timeline(self, item: Item, entry: Event | Comment) -> Json:
        if isinstance(entry, Comment):
            actor = self.ghost(entry.author)
            return self.comment(item, entry) | {"event": "commented", "actor": actor, "user": actor}
        if entry.source is None:
            return self.event(item, entry) | {"actor": self.ghost(entry.actor)}
        repo, number = entry.source
        source = self.issue(self.world.item(repo, number)) | {"repository": self.repo(self.world.repo(repo))}
        return {
            "event": "cross-referenced",
            "actor": self.user(entry.actor),
            "created_at": stamp(entry.at),
            "updated_at": stamp(entry.at),
            "source": {"type": "issue", "issue": source},
        }
