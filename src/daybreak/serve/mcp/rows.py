"""Rows that several answers have: a change, a finding, a sentence; the one place that says what is quoted text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daybreak.core.model.day import Commit, Finding, RepoDay, Skipped, Statement, in_language
from daybreak.serve.mcp import answers
from daybreak.serve.mcp.untrusted import address, evidence, evidence_in, left_off, plain_word, quoted

LEVELS = {"high": 0, "medium": 1, "low": 2}


def change_row(repo: RepoDay, commit: Commit, language: str, label: str | None = None) -> answers.Change:
    """One change in a few lines: who, what, how grave, where."""
    what = next((in_language(s.text, language) for s in commit.statements if s.role == "what"), None)
    row: answers.Change = {
        **({} if label is None else {"date": label}),  # type: ignore[typeddict-item]
        "repo": repo.name,
        "sha": commit.sha[:12],
        "url": address(commit.url),
        "level": commit.importance.level,
        "kind": plain_word(commit.kind) or "other",
        "breaking": commit.breaking,
        "untrusted": quoted(300, subject=commit.subject, author=commit.author, what=what),
    }
    if commit.pr is not None:
        row["pr"] = commit.pr.number
    if commit.findings:
        row["findings"] = len(commit.findings)
    if commit in repo.late:
        row["late"] = True
    return row


def finding_row(finding: Finding, most: int = 240) -> answers.Finding:
    """Kind and place, before and after."""
    texts = {"path": finding.path, "symbol": finding.symbol, "before": finding.before, "after": finding.after}
    if finding.alias is not None:
        texts["alias_at"] = finding.alias.where
    if finding.effective is not None:
        texts["takes_effect_with"] = finding.effective.when
    row: answers.Finding = {
        "id": finding.id,
        "kind": finding.kind,
        "line": finding.line,
        "breaking": finding.breaking,
        "untrusted": quoted(most, **texts),
    }
    if finding.alias is not None:
        row["alias"] = finding.alias.status
    return row


def sentence_row(statement: Statement, language: str, own: str = "") -> answers.Sentence:
    """A statement, by whom, and what it rests on; that a change's sentence rests on the change need not be said."""
    ids = [one for one in statement.evidence if one != f"commit:{own}"] or list(statement.evidence)
    row: answers.Sentence = {
        "role": statement.role,
        "by": "model" if statement.author == "model" else "rules",
        "evidence": evidence(ids),
        "untrusted": quoted(600, text=in_language(statement.text, language), evidence=evidence_in(ids)),
    }
    if more := left_off(ids):
        row["evidence_omitted"] = more
    return row


def skipped_row(skipped: Skipped) -> answers.Missing:
    return {"untrusted": quoted(300, what=skipped.what, reason=skipped.reason)}


def shas(commits: Sequence[str], most: int = 10) -> list[str]:
    """Short shas; how many more there are is said in place of the last."""
    short = [sha[:12] for sha in commits[:most]]
    return [*short, f"+{len(commits) - most}"] if len(commits) > most else short


def without_nothing(row: dict[str, Any]) -> dict[str, Any]:
    """A row without fields that say nothing."""
    return {name: value for name, value in row.items() if value not in (None, [], {}, "")}
