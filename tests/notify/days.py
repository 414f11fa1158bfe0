"""Reported days for messages, with any text in the places where strangers write."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from both_languages import both
from daybreak.core.model.day import (
    SCHEMA,
    Action,
    Commit,
    Coverage,
    Day,
    Finding,
    Importance,
    RepoDay,
    Skipped,
    Statement,
    Touch,
    Touches,
    Window,
)

LABEL = "2026-03-06"
AT = datetime(2026, 3, 6, 4, tzinfo=UTC)


def commit(number: int = 1, level: str = "high", **given: Any) -> Commit:
    sha = f"{number:040x}"
    values: dict[str, Any] = {
        "sha": sha,
        "url": f"https://example.org/acme/engine/commit/{sha}",
        "subject": f"Change number {number}",
        "author": "Ada",
        "committed_at": AT,
        "importance": Importance(level, {"high": 9.0, "medium": 5.0, "low": 1.0}[level] - number / 1000),
        "kind": "feature",
    }
    return Commit(**(values | given))


def breaking(number: int = 2, text: str = "--old-flag", **given: Any) -> Commit:
    finding = Finding("f/1", "cli_flag_renamed", "engine/args.py", 3, text, text, f"{text}-new", breaking=True)
    said = Statement(role="action", text=both(f"改用 `{text}-new`。", f"Use `{text}-new` instead."))
    return commit(number, breaking=True, **({"findings": (finding,), "statements": (said,)} | given))


def touch(name: str = "DB-1", path: str = "deploy/run.sh", **given: Any) -> Touch:
    values: dict[str, Any] = {
        "id": name,
        "certainty": "certain",
        "path": path,
        "line": 7,
        "repo": "acme/engine",
        "commits": (f"{2:040x}",),
        "why": both("用到 `--old-flag`。", "It uses `--old-flag`."),
        "action": both("改用 `--new-flag`。", "Use `--new-flag`."),
    }
    return Touch(**(values | given))


def day(
    *commits: Commit,
    label: str = LABEL,
    actions: tuple[Action, ...] = (),
    touches: tuple[Touch, ...] = (),
    skipped: tuple[Skipped, ...] = (),
    repos: tuple[RepoDay, ...] | None = None,
    **given: Any,
) -> Day:
    parts = (
        repos if repos is not None else (RepoDay("acme/engine", "https://example.org/acme/engine", commits=commits),)
    )
    return Day(
        schema=SCHEMA,
        window=Window(AT, AT, "Asia/Shanghai", label),
        coverage=Coverage(len(commits), len(commits), skipped=skipped),
        repos=parts,
        actions=actions,
        touches=Touches(found=touches) if touches else None,
        **given,
    )


def full(text: str = "plain words", label: str = LABEL) -> Day:
    """Every place where a stranger's text can come from holds it."""
    sentence = both(f"改动 `{text}`。{text}", f"Changes `{text}`. {text}")
    return day(
        breaking(2, text, subject=text),
        commit(1, subject=text),
        breaking(3, text, subject=text, statements=(), findings=()),
        label=label,
        actions=(Action("acme/engine", (f"{9:040x}",), sentence), Action("acme/engine", (f"{3:040x}",), sentence)),
        touches=(touch(path=text, why=sentence, action=sentence),),
        skipped=(Skipped(text, text),),
    )


def large(label: str = LABEL, many: int = 60) -> Day:
    """More than any message has room for."""
    words = "这一条说明很长，而且句子不止一句。它还有第二句，以及 `some_symbol_name`。" * 3
    english = (
        "This explanation is long and has more than one sentence. Here is the second with `some_symbol_name`. " * 3
    )
    actions = tuple(Action("acme/engine", (f"{n:040x}",), both(words, english)) for n in range(1000, 1000 + many))
    changes = [
        breaking(n, f"--flag-{n}-" + "x" * 40, subject="Rename a flag that has a long name 😀 " * 4)
        for n in range(1, many)
    ]
    return day(
        *changes,
        *(commit(n, subject="Something important " * 5) for n in range(many, 2 * many)),
        label=label,
        actions=actions,
        skipped=tuple(Skipped(f"acme/engine {n}", "it does not answer, and that for a long time") for n in range(many)),
    )
