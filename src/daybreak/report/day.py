"""The reported day from the values that the analysis ends in: the one place where a report gets its form."""

from __future__ import annotations

from daybreak.core.model import day
from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.report import Action, RepoReport, Report, Touches
from daybreak.report.day_changes import commit_of, grounding_of, skipped_of, statements_of, story_of
from daybreak.report.day_items import across_of, forge_counts, items_of, left_out_of, links_of
from daybreak.report.render.counts import count
from daybreak.report.render.forge_view import ForgeView, view_of


def day_of(report: Report) -> day.Day:
    """All of a report; what is a stranger's text stands as it was written."""
    forge, window = view_of(report), report.window
    return day.Day(
        schema=day.SCHEMA,
        window=day.Window(window.since, window.until, window.timezone, window.label, window.open),
        languages=report.languages,
        tool=day.Tool(version=report.tool_version),
        analyst=_analyst(report.retelling),
        coverage=_coverage(report, forge),
        repos=tuple(_repo(repo, forge) for repo in report.repos),
        actions=tuple(action_of(action) for action in report.actions),
        touches=None if report.touches is None else _touches(report.touches),
        links=links_of(forge),
        across=across_of(forge) if forge else day.NOT_ASKED,
        summary=statements_of(report.summary),
        conclusion=statements_of(report.conclusion),
        grounding=grounding_of(report.grounding),
        cost=_cost(report),
        retelling=_retelling(report.retelling),
        revised=report.revised,
        completed=report.completed,
    )


def _coverage(report: Report, forge: ForgeView | None) -> day.Coverage:
    counts = count(report.repos)
    return day.Coverage(
        commits_in_git=counts.known,
        commits_reported=counts.reported,
        repos_unknown=counts.unknown,
        **forge_counts(forge),
        skipped=skipped_of(report.skipped),
        left_out=left_out_of(forge),
    )


def _repo(repo: RepoReport, forge: ForgeView | None) -> day.RepoDay:
    return day.RepoDay(
        name=repo.repo.name,
        url=repo.repo.url,
        branch=repo.branch,
        head=repo.head,
        updated=None if repo.in_git is None else bool(repo.entries),
        in_git=repo.in_git,
        complete=repo.complete,
        rewritten=repo.rewritten,
        revised=repo.revised,
        completed=repo.completed,
        skipped=skipped_of(repo.skipped),
        commits=tuple(commit_of(repo, entry) for entry in repo.entries),
        late=tuple(commit_of(repo, entry) for entry in repo.late),
        stories=tuple(story_of(story) for story in repo.stories),
        **items_of(forge, repo),
        assessment=statements_of(repo.assessment),
        grounding=grounding_of(repo.grounding),
    )


def action_of(action: Action) -> day.Action:
    """Something to act on, with its parts."""
    parts = tuple(day.ActionPart(part.commits, part.text, part.findings) for part in action.parts)
    return day.Action(action.repo, action.commits, action.text, action.findings, action.lead or None, parts)


def _touches(touches: Touches) -> day.Touches:
    """What touches the reader's own code."""
    found = tuple(
        day.Touch(
            id=one.id,
            certainty=one.certainty,
            path=one.path,
            line=one.line,
            repo=one.repo,
            commits=one.commits,
            why=one.why,
            action=one.action,
            findings=one.findings,
            pinned=one.pinned,
            pin_at=one.pin_at,
        )
        for one in touches.found
    )
    return day.Touches(touches.paths, touches.files, found, touches.acknowledged, skipped_of(touches.skipped))


# --- what a model had to do with it -----------------------------------------------------------------------------------


def _analyst(retelling: Retelling | None) -> day.Analyst:
    """Who wrote the prose."""
    if retelling is None:
        return day.Analyst()
    return day.Analyst("llm", retelling.model or None, retelling.prompt_version)


def _cost(report: Report) -> day.Cost:
    """What the answers of the forge and of the model cost when they were first made."""
    model, asked = report.retelling, report.forge.requests if report.forge else 0
    if model is None:
        return day.Cost(asked)
    return day.Cost(asked + model.requests, model.prompt_tokens, model.completion_tokens, model.money)


def _retelling(retelling: Retelling | None) -> day.Retelling | None:
    if retelling is None:
        return None
    return day.Retelling(
        told=retelling.told,
        below=retelling.below,
        left=tuple(_left(one) for one in retelling.left),
        partly=tuple(_left(one) for one in retelling.partly),
        answers=tuple(day.Answers(*one) for one in retelling.answers),
        preferred=retelling.preferred,
        grounding=grounding_of(retelling.grounding),
    )


def _left(one: Left) -> day.Left:
    return day.Left(one.repo, one.sha or None, one.why, one.detail)
