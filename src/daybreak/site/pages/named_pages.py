"""Names that have a page of their own: what became of them, somebody may ask."""

from __future__ import annotations

from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.languages.python_public import private


def has_page(kind: str, name: str, breaking: bool) -> bool:
    """Whether somebody may ask what became of the name: of Python that nobody need act on, only what went or does otherwise, and
    nothing that its own name calls private.
    """
    if breaking or kind_of(kind).surface != "python":
        return True
    return kind_of(kind).change in (*GONE, "default_changed", "deprecated") and not private(name.partition("(")[0])
