"""The report as data, `reports/DATE.json`: what other programs read and what the next run remembers by."""

from __future__ import annotations

from daybreak.core.invisible_chars import escaped
from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Alias, Finding, Hunk
from daybreak.core.model.report import Action, Entry, Page, RepoReport, Report, Story, Touch, Touches
from daybreak.core.model.statements import Grounding
from daybreak.report.render.counts import count
from daybreak.report.render.data_parts import Json, optional_data, skipped_data, statements_data, text_data, texts_data
from daybreak.report.render.escape import showable
from daybreak.report.render.forge_data import across_data, forge_counts, items_data, left_out_data, links_data
from daybreak.report.render.forge_view import ForgeView, view_of
from daybreak.report.render.interface import DayLine
from daybreak.report.render.model_data import analyst_data, cost_data, retelling_data

SCHEMA = "daybreak.report/1"


class DataRenderer:
    """`Renderer` for the JSON file."""

    def pages(self, report: Report) -> tuple[Page, ...]:
        """The one file."""
        return (Page(f"reports/{report.window.label}.json", encoded(as_data(report))),)


def encoded(data: Json) -> str:
    """A file's text, with a final newline and keys in the contract's order."""
    import msgspec  # only runs that write need it

    text = msgspec.json.format(msgspec.json.encode(data), indent=1).decode()
    # The same data, but no terminal that shows the file can be led astray by it.
    return escaped(text) + "\n"


def as_data(report: Report) -> Json:
    """The fields of the contract, in its order."""
    counts, forge = count(report.repos), view_of(report)
    return {
        "schema": SCHEMA,
        "window": _window(report),
        "languages": list(report.languages),
        "tool": {"name": "daybreak", "version": report.tool_version},
        "analyst": analyst_data(report.retelling),
        "coverage": {
            "commits_in_git": counts.known,
            "commits_reported": counts.reported,
            "repos_unknown": counts.unknown,
            **forge_counts(forge),
            "skipped": skipped_data(report.skipped),
            **left_out_data(forge),
        },
        "repos": [_repo(repo, forge) for repo in report.repos],
        "actions": [_action(action) for action in report.actions],
        **({"touches": _touches(report.touches)} if report.touches is not None else {}),
        "links": links_data(forge),
        **across_data(forge),
        "summary": statements_data(report.summary),
        "conclusion": statements_data(report.conclusion),
        "grounding": grounding_data(report.grounding),
        "cost": cost_data(report),
        **retelling_data(report.retelling),
        "revised": list(report.revised),
        "completed": list(report.completed),
    }


def _touches(touches: Touches) -> Json:
    """What touches the reader's own code; without a configured path there is no such field."""
    return {
        "paths": [text_data(path) for path in touches.paths],
        "files": touches.files,
        "found": [_touch(one) for one in touches.found],
        "acknowledged": touches.acknowledged,
        "skipped": skipped_data(touches.skipped),
    }


def _touch(one: Touch) -> Json:
    return {
        "id": one.id,
        "certainty": one.certainty,
        "path": text_data(one.path),
        "line": one.line,
        "repo": one.repo,
        "commits": list(one.commits),
        "why": texts_data(one.why),
        "action": texts_data(one.action),
        "findings": list(one.findings),
        "pinned": optional_data(one.pinned),
        "pin_at": optional_data(one.pin_at),
    }


def day_line(report: Report) -> DayLine:
    """What the index says of this report."""
    counts = count(report.repos)
    main = report.languages[0]
    said = [a.headline for a in report.actions] + [s.text for s in report.summary]
    first = said[0] if said else {}
    return DayLine(
        label=report.window.label,
        commits=counts.reported,
        high=counts.high,
        medium=counts.medium,
        low=counts.low,
        breaking=counts.breaking,
        skipped=len(report.skipped),
        headline=text_data(first.get(main) or next(iter(first.values()), "")),
    )


def _window(report: Report) -> Json:
    window = report.window
    out: Json = {
        "since": window.since.isoformat(),
        "until": window.until.isoformat(),
        "timezone": window.timezone,
        "label": window.label,
    }
    return out | ({"open": True} if window.open else {})


def _repo(repo: RepoReport, forge: ForgeView | None) -> Json:
    return {
        "name": repo.repo.name,
        "url": repo.repo.url,
        "branch": repo.branch,
        "head": repo.head,
        "updated": None if repo.in_git is None else bool(repo.entries),
        "in_git": repo.in_git,
        "complete": repo.complete,
        "rewritten": repo.rewritten,
        "revised": list(repo.revised),
        "completed": list(repo.completed),
        "skipped": skipped_data(repo.skipped),
        "commits": [entry_data(repo, entry) for entry in repo.entries],
        "late": [entry_data(repo, entry) for entry in repo.late],
        "stories": [_story(story) for story in repo.stories],
        **items_data(forge, repo),
        "assessment": statements_data(repo.assessment),
        "grounding": grounding_data(repo.grounding),
    }


def entry_data(repo: RepoReport, entry: Entry) -> Json:
    change = entry.change
    return {
        **_commit(repo, change),
        "kind": entry.kind,
        "importance": {
            "level": entry.importance.level,
            "score": entry.importance.score,
            "reasons": [{"code": r.code, "text": texts_data(r.text)} for r in entry.importance.reasons],
        },
        "breaking": entry.breaking,
        "findings": [finding_data(finding) for finding in entry.reading.findings],
        "components": list(entry.reading.components),
        "hunks": [_hunk(hunk) for hunk in entry.reading.hunks],
        "released": entry.released,
        "story": entry.story,
        "statements": statements_data(entry.statements),
        "skipped": change.skipped,
    }


def _commit(repo: RepoReport, change: Change) -> Json:
    """The part that git alone tells."""
    pr = {"number": change.pr, "url": repo.repo.pull_url(change.pr)} if change.pr else None
    return {
        "sha": change.sha,
        "url": repo.repo.commit_url(change.sha),
        "subject": text_data(change.subject),
        "body": text_data(change.body),
        "author": text_data(change.author),
        "committed_at": change.committed_at.isoformat(),
        "authored_at": change.authored_at.isoformat(),
        "pr": pr,
        "files": [_file(file) for file in change.files],
        "files_total": change.files_total,
        "added": change.added,
        "deleted": change.deleted,
        "merged": list(change.merged),
        "empty": change.empty,
        "filtered": change.filtered,
    }


def _file(file: FileChange) -> Json:
    out: Json = {
        "path": text_data(file.path),
        "old_path": optional_data(file.old_path),
        "status": file.status,
        "added": file.added,
        "deleted": file.deleted,
        "binary": file.binary,
    }
    return out | ({"skipped": file.skipped} if file.skipped else {})


def finding_data(finding: Finding) -> Json:
    return {
        "id": finding.id,
        "kind": finding.kind,
        "path": text_data(finding.path),
        "line": finding.line,
        "symbol": text_data(finding.symbol),
        "before": optional_data(finding.before),
        "after": optional_data(finding.after),
        "breaking": finding.breaking,
        "alias": _alias(finding.alias),
        "effective": {"with": finding.effective} if finding.effective else None,
    }


def _hunk(hunk: Hunk) -> Json:
    """Verbatim; one that could turn a reader's screen around is named and not shown."""
    text = hunk.text.replace("\r\n", "\n").rstrip("\r\n")
    return {"path": text_data(hunk.path), "text": text_data(text) if showable(hunk.text) else None}


def grounding_data(grounding: Grounding) -> Json:
    return {
        "statements": grounding.statements,
        "kept": grounding.kept,
        "dropped": grounding.dropped,
        "by_reason": dict(sorted(grounding.by_reason.items())),
    }


def _alias(alias: Alias | None) -> Json | None:
    return {"status": alias.status, "where": alias.where} if alias else None


def _story(story: Story) -> Json:
    broken = {"from": story.broken[0].isoformat(), "to": story.broken[1].isoformat()} if story.broken else None
    return {
        "id": story.id,
        "kind": story.kind,
        "commits": list(story.commits),
        "net": texts_data(story.net),
        "broken": broken,
        "earlier": {sha: moment.isoformat() for sha, moment in story.earlier.items()},
    }


def _action(action: Action) -> Json:
    return {
        "repo": action.repo,
        "commits": list(action.commits),
        "text": texts_data(action.text),
        "findings": list(action.findings),
        "lead": texts_data(action.lead) if action.lead else None,
        "parts": [
            {"commits": list(part.commits), "text": texts_data(part.text), "findings": list(part.findings)}
            for part in action.parts
        ],
    }
