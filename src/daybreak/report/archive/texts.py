"""The smallest parts of a reported day: a sentence in each language, a statement, and what was skipped."""

from __future__ import annotations

from msgspec import Struct


class Text(Struct, frozen=True):
    """One sentence in each report language; `code` stands in backticks, everything else is literal."""

    zh: str = ""
    en: str = ""

    def of(self, language: str) -> str:
        """In that language, or in the other one where the report was not written in it."""
        return (self.en or self.zh) if language == "en" else (self.zh or self.en)


class Skipped(Struct, frozen=True):
    what: str
    reason: str
    tip: str = ""


class Statement(Struct, frozen=True):
    role: str
    text: Text
    evidence: tuple[str, ...] = ()
    author: str = "rules"
    dimension: str | None = None
