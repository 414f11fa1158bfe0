"""Triage: one cheap look at all changes below the grade, so that a low title that hides a crash is read too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from daybreak.core.model.changes import Change
from daybreak.core.model.drafts import Piece
from daybreak.core.model.links import commit_id
from daybreak.core.model.report import Entry
from daybreak.judge.change_kinds import is_front
from daybreak.prose.evidence_pieces import brief, one_line, tokens
from daybreak.prose.form import TEXT, object_form
from daybreak.prose.llm import Prompt
from daybreak.prose.prompt_files import fence_of, prompt_file, told_pieces
from daybreak.prose.questions import in_bins

MOST = 10
"""Changes that one look may bring up."""
_FILES, _LINES, _LINE = 4, 16, 120
_ANSWER = 120
FORM = object_form({"read": {"type": "array", "items": TEXT}})


class Look(Struct, frozen=True):
    """One prompt about some changes, and which they are."""

    prompt: Prompt
    entries: Mapping[str, Entry]

    def wanted(self, answer: Mapping[str, Any]) -> list[Entry]:
        """Those that the answer names, at most so many as were asked for."""
        named = answer.get("read")
        refs = dict.fromkeys(ref for ref in named if isinstance(ref, str)) if isinstance(named, list) else {}
        return [self.entries[ref] for ref in refs if ref in self.entries][:MOST]


def looks(repo: str, entries: Sequence[Entry], room: int) -> list[Look]:
    """As few prompts as the changes that touch sources need, each within the room."""
    shown = [
        (Piece(f"C{n}", commit_id(entry.change.sha), _brief(entry)), entry)
        for n, entry in enumerate(entries, start=1)
        if touches_source(entry.change)
    ]
    file = prompt_file("triage")
    left = room - tokens(file.system) - tokens(file.user) - 64
    return [_look(repo, some) for some in in_bins([(one, tokens(one[0].text) + 8) for one in shown], left)]


def _look(repo: str, some: Sequence[tuple[Piece, Entry]]) -> Look:
    file, evidence = prompt_file("triage"), told_pieces([piece for piece, _ in some])
    values = {"repo": one_line(repo), "evidence": evidence, "fence": fence_of(evidence), "most": str(MOST)}
    system, user = file.fill(values)
    prompt = Prompt(file.task, file.version, system, user, FORM, _ANSWER)
    return Look(prompt, {piece.ref: entry for piece, entry in some})


def touches_source(change: Change) -> bool:
    """It changes lines of what is shipped."""
    return any(is_front(file.path) and file.patch for file in change.files)


def _brief(entry: Entry) -> str:
    change = entry.change
    parts = [brief(change.subject, 160)]
    files = [file for file in change.files if is_front(file.path)]
    parts.append("files: " + ", ".join(brief(file.path, 100) for file in files[:_FILES]))
    if entry.gist is not None and (said := entry.gist.text.get("en")):
        parts.append("author: " + brief(said, 200))
    lines = (line for file in files for line in file.patch.split("\n") if line[:1] in ("+", "-") and line[1:].strip())
    parts += [brief(line, _LINE) for line, _ in zip(lines, range(_LINES), strict=False)]
    return "\n".join(parts)
