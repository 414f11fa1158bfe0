"""Prompts as files: one text per task with its version, filled in once, so that what is put in can ask for nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from daybreak.core.model.drafts import Piece
from daybreak.prose.evidence_pieces import brief

FOLDER = Path(__file__).with_name("prompts")
_SLOT = re.compile(r"<<([a-z]{1,20})>>")
_PART = re.compile(r"^\[(system|user)\]\n", re.MULTILINE)
_TASKS = (
    "triage", "batch", "change", "change_small", "repair", "repair_small", "rank", "repository", "day", "span", "critic",
)  # fmt: skip
LANGUAGE_NAMES = {"zh": "Chinese (zh)", "en": "English (en)"}


class PromptFile(Struct, frozen=True):
    """One task's text."""

    task: str
    version: str
    system: str
    user: str

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System and user text; what is put in is not looked at again, whatever it holds."""

        def put(match: re.Match[str]) -> str:
            return values[match[1]]

        return _SLOT.sub(put, self.system), _SLOT.sub(put, self.user)


@lru_cache(maxsize=16)
def prompt_file(task: str) -> PromptFile:
    """The file of a task."""
    text = (FOLDER / f"{task}.txt").read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    parts = _PART.split(rest)
    found = {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    return PromptFile(task, first.removeprefix("version ").strip(), found.get("system", ""), found["user"])


@lru_cache(maxsize=1)
def prompt_version() -> str:
    """One name for all prompts: it changes with any of them."""
    texts = "\n".join(f"{task}\n{(FOLDER / f'{task}.txt').read_text(encoding='utf-8')}" for task in _TASKS)
    versions = "-".join(dict.fromkeys(prompt_file(task).version for task in _TASKS))
    return f"{versions}.{hashlib.sha256(texts.encode()).hexdigest()[:8]}"


def fence_of(text: str, digits: int = 12) -> str:
    """A mark that the text cannot hold: its own digest, the same for the same text."""
    found = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    for start in range(len(found) - digits):
        mark = found[start : start + digits]
        if mark not in text:
            return mark
    return found


def told_pieces(pieces: Sequence[Piece]) -> str:
    """The pieces as a model sees them, each under its id; what a name stands for is told where it first comes."""
    told: set[str] = set()
    return "\n".join(f"[{piece.ref}]{_named(piece, told)}{piece.text}" for piece in pieces)


def _named(piece: Piece, told: set[str]) -> str:
    """Names that the text itself does not show."""
    shown = []
    for name, value in piece.names.items():
        if f"{{{name}}}" not in piece.text:
            shown.append(f"{{{name}}}" if name in told else f"{{{name}}} = {brief(value, 200)}")
            told.add(name)
    return f" {', '.join(shown)}\n" if shown else " "


def in_languages(languages: Sequence[str]) -> tuple[str, str]:
    """The languages for a sentence, and their fields of an answer."""
    return " and ".join(LANGUAGE_NAMES.get(x, x) for x in languages), ", ".join(f'"{x}"' for x in languages)
