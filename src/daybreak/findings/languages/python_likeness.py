"""Likeness of names and definitions of Python: what may be one under another name."""

from __future__ import annotations

from difflib import SequenceMatcher

from daybreak.findings.blobs import Row

_TELLING = 12
"""Letters of a name that hardly is another's by chance."""


def similar(first: str, second: str, least: float = 0.75) -> bool:
    """Two names that one word apart are the same."""
    a, b = (name.split(".")[-1].lower() for name in (first, second))
    return SequenceMatcher(None, a[:80], b[:80]).ratio() >= least


def same_shape(first: Row, second: Row) -> bool:
    """As many commas in the head and, within a tenth, as many lines: all that a replaced word leaves as it was."""
    a, b = int(first.details["size"]), int(second.details["size"])
    return first.text.count(",") == second.text.count(",") and abs(a - b) * 10 <= max(a, b)


def half_alike(first: Row, second: Row) -> bool:
    """Not twice as many lines: one that became a few lines hands on to something else."""
    a, b = int(first.details["size"]), int(second.details["size"])
    return max(a, b) <= 2 * min(a, b) + 2


def a_letter_apart(first: Row, second: Row) -> bool:
    """Long names of which one is the other's plural, or has a letter more: whatever else changed, one is the other."""
    return min(len(first.name), len(second.name)) >= _TELLING and similar(first.name, second.name, 0.95)
