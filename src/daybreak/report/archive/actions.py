"""What a stored report says must be acted on: a line alone, or one that joins several changes as a list."""

from __future__ import annotations

from msgspec import Struct

from daybreak.report.archive.texts import Text


class ActionPart(Struct, frozen=True):
    """One change of a line that joins several."""

    commits: tuple[str, ...]
    text: Text
    findings: tuple[str, ...] = ()


class Action(Struct, frozen=True):
    repo: str
    commits: tuple[str, ...]
    text: Text
    findings: tuple[str, ...] = ()
    lead: Text | None = None
    parts: tuple[ActionPart, ...] = ()

    @property
    def listed(self) -> tuple[ActionPart, ...]:
        """The parts where it is a list, which has a beginning."""
        return self.parts if self.lead is not None else ()

    @property
    def opening(self) -> Text:
        """What stands before its parts; without parts, all of it."""
        return self.lead if self.lead is not None and self.parts else self.text

    @property
    def gravest(self) -> Text:
        """Its first part by itself; without parts, all of it."""
        return self._alone(self.listed[0]) if self.listed else self.text

    def about(self, sha: str) -> Text:
        """What it says of one of its changes, by itself."""
        return next((self._alone(part) for part in self.listed if sha in part.commits), self.text)

    def _alone(self, part: ActionPart) -> Text:
        """With what holds for all parts: the remedy of repairs, and the release."""
        lead = self.opening
        return Text(f"{part.text.zh}{lead.zh}", f"{part.text.en} {lead.en}")
