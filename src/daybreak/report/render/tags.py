"""The tag of a change on pages: what kind of thing it is to act on, or else what kind of change it is; and what it does with settings."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.day import Action, Commit, SettingLine
from daybreak.core.words.phrases import table
from daybreak.findings.kinds import kind_of


def break_tag(commit: Commit) -> str:
    """What a change does that is marked breaking: another default and another installation are told as what they are."""
    if not commit.breaking:
        return ""
    kinds = [kind_of(one.kind) for one in commit.findings if not one.breaking]
    if len(kinds) < len(commit.findings):
        return "breaks"
    if any(kind.mark == "breaks" and kind.broken_as == "default" for kind in kinds):
        return "default"
    return "build" if any(kind.broken_as == "build" for kind in kinds) else "breaks"


def entry_tag(action: Action, commits: Sequence[Commit]) -> str:
    """The name of its phrase: what breaks is always told apart from what is only worth knowing."""
    tag = action.tag or next((found for one in commits if (found := break_tag(one))), "")
    if tag:
        return f"day.tag_{tag}"
    return f"kind.{commits[0].kind}" if commits and commits[0].kind != "other" else ""


def setting_told(one: SettingLine, language: str) -> str:
    """`Sets graph.size by chunk_size: graph.size = args.chunk_size (engine/args.py:7) “…”`."""
    words = table(language, "report")
    does = words[f"change.setting_{one.does}{'' if one.side == '+' else '_no'}"].format(
        name=one.name, target=one.target
    )
    said = words["page.cited"].format(text=one.says) if one.says else ""
    return f"{does}{words['page.colon']}{one.text} ({one.path.rpartition('/')[2]}:{one.line}) {said}".rstrip()
