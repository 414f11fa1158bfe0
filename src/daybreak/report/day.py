"""The reported day from the values that the analysis ends in: the one place where a report gets its form."""

from __future__ import annotations

from daybreak.core.model import day
from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.report import Action, RepoReport, Report
from daybreak.report.day_changes import commit_of, grounding_of, part_of, skipped_of, story_of
from daybreak.report.day_items import across_of, forge_counts, items_of, left_out_of, links_of
from daybreak.report.render.forge_change import ForgeView, view_of
from daybreak.report.render.head import count


def day_of(report: Report) -> day.Day:
    """All of a report; what is a stranger's text stands as it was written."""
    forge, touches = view_of(report), report.touches
    return part_of(
        day.Day,
        report,
        schema=day.SCHEMA,
        tool=day.Tool(version=report.tool_version),
        analyst=_analyst(report.retelling),
        coverage=_coverage(report, forge),
        repos=tuple(_repo(repo, forge) for repo in report.repos),
        actions=tuple(action_of(action) for action in report.actions),
        touches=None if touches is None else part_of(day.Touches, touches),
        links=links_of(forge),
        across=across_of(forge) if forge else day.NOT_ASKED,
        grounding=grounding_of(report.grounding),
        cost=_cost(report),
        retelling=_retelling(report.retelling),
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
    return part_of(
        day.RepoDay,
        repo,
        name=repo.repo.name,
        url=repo.repo.url,
        updated=None if repo.in_git is None else bool(repo.entries),
        commits=tuple(commit_of(repo, entry) for entry in repo.entries),
        late=tuple(commit_of(repo, entry) for entry in repo.late),
        stories=tuple(story_of(story) for story in repo.stories),
        grounding=grounding_of(repo.grounding),
        **items_of(forge, repo),
    )


def action_of(action: Action) -> day.Action:
    """Something to act on, with its parts."""
    return part_of(day.Action, action, lead=action.lead or None)


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
    return part_of(
        day.Retelling,
        retelling,
        left=tuple(_left(one) for one in retelling.left),
        partly=tuple(_left(one) for one in retelling.partly),
        answers=tuple(day.Answers(*one) for one in retelling.answers),
        grounding=grounding_of(retelling.grounding),
    )


def _left(one: Left) -> day.Left:
    return part_of(day.Left, one, sha=one.sha or None)
