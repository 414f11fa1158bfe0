"""The analyst whose prose a model writes: grades, stories and facts by the rules, and the order in which changes are asked about."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from daybreak.core.config.analyst import GRADES
from daybreak.core.model.items import Pull
from daybreak.core.model.links import ForgeDay
from daybreak.core.model.report import Entry, RepoReport
from daybreak.judge.rules import RuleAnalyst


class ModelAnalyst(RuleAnalyst):
    """Everything that no model may decide is the rules'; `daybreak.prose.model_prose` asks and `retold` joins the words."""


class Subject(Struct, frozen=True):
    """One change to ask about."""

    repo: str
    entry: Entry
    pull: Pull | None = None


class Plan(Struct, frozen=True):
    """The changes to ask about, most important first, and how many are below the grade."""

    subjects: tuple[Subject, ...]
    below: int


def planned(repos: Sequence[RepoReport], forge: ForgeDay | None, grade: str) -> Plan:
    """Importance decides who is asked about first, and so whom the budget reaches; the rest is for the same bytes."""
    pulls = {(a.repo, p.number): p for a in forge.activities for p in a.pulls} if forge is not None else {}
    wanted = GRADES[: GRADES.index(grade) + 1]
    subjects, below = [], 0
    for repo in repos:
        for entry in (*repo.entries, *repo.late):
            change = entry.change
            if change.filtered or change.empty or change.skipped is not None:
                continue
            if entry.importance.level not in wanted:
                below += 1
                continue
            subjects.append(Subject(repo.repo.name, entry, pulls.get((repo.repo.name, change.pr or 0))))
    subjects.sort(key=lambda one: (-one.entry.importance.score, one.repo, one.entry.change.sha))
    return Plan(tuple(subjects), below)
