"""Conditions that ask more or less than before, in words: what came to them, or what they lost, instead of both lines."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from daybreak.core.model.statements import Text
from daybreak.core.words import term

_HEAD = re.compile(r"(?:[}\s]*else )?(?:el)?if\b\s?(.{1,600}?)\s?[:{]?$")
_KINDS = re.compile(r"(.{0,200}\bisinstance\([\w.]{1,80}, )\(?([\w., ]{1,200}?)\)?(\).{0,200})")
_LONGEST, _SHOWN = 110, 56
"""Characters of what it came to or lost, and of the condition itself."""

_SIGNS = re.compile(r" (?:&&|\|\|) ")

How = Literal["more", "less", "else", "no_else", "takes", "no_takes"]


class Asked(NamedTuple):
    """How a condition differs from what it was: the condition, and what it asks or takes besides, or no longer."""

    how: How
    head: str
    parts: tuple[str, ...]


def told(old: str, new: str) -> Text | None:
    """Two heads of a branch in words; None where they differ in another way."""
    found = asked(old, new)
    if found is None:
        return None
    head = found.head if len(found.head) <= _SHOWN else f"{found.head[:_SHOWN].rsplit(' ', 1)[0]} …"
    joint = ", " if found.how in ("takes", "no_takes") else " and " if found.how in ("more", "less") else " or "
    part = joint.join(found.parts)
    part = part if len(part) <= _LONGEST else f"{part[:_LONGEST].rsplit(' ', 1)[0]} …"
    return term("judge.asks", found.how, head=f"if {head}", part=part)


def asked(old: str, new: str) -> Asked | None:
    """What a condition asks or takes from now on, or no longer; in all else it is the same."""
    was, now = _condition(old), _condition(new)
    if not was or not now:
        return None
    if (kinds := _kinds(was, now)) is not None:
        return kinds
    all_of, one_of = (" && ", " || ") if _SIGNS.search(was + now) else (" and ", " or ")
    joint = one_of if any(len(_split(one, one_of)) > 1 for one in (was, now)) else all_of
    before, after = _split(was, joint), _split(now, joint)
    came = tuple(part for part in after if part not in before)
    went = tuple(part for part in before if part not in after)
    if bool(came) == bool(went) or set(before).isdisjoint(after):
        return None
    if joint == all_of:
        return Asked("more", was, came) if came else Asked("less", now, went)
    return Asked("else", was, came) if came else Asked("no_else", now, went)


def _kinds(was: str, now: str) -> Asked | None:
    """Kinds of things that a condition takes besides, or no longer."""
    one, two = _KINDS.fullmatch(was), _KINDS.fullmatch(now)
    if not one or not two or (one[1], one[3]) != (two[1], two[3]):
        return None
    before, after = (found[2].replace(" ", "").strip(",").split(",") for found in (one, two))
    came = [kind for kind in after if kind not in before]
    went = [kind for kind in before if kind not in after]
    if bool(came) == bool(went):
        return None
    return Asked("takes", was, tuple(came)) if came else Asked("no_takes", now, tuple(went))


def _condition(line: str) -> str:
    """What a branch asks, without brackets around the whole."""
    found = _HEAD.fullmatch(line.strip())
    text = found[1].strip() if found else ""
    if not line.rstrip().endswith((":", "{")) and not (text.startswith("(") and text.endswith(")")):
        return ""  # what follows the condition stands on its line
    while text.startswith("(") and text.endswith(")") and _depths(text[1:-1]) >= 0:
        text = text[1:-1].strip().rstrip(",")
    return text


def _depths(text: str) -> int:
    """The lowest depth of brackets within a text."""
    depth = least = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        least = min(least, depth)
    return least


def _split(text: str, joint: str) -> list[str]:
    """Parts of a condition that no brackets hold together."""
    out, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and text.startswith(joint, at):
            out.append(text[start:at].strip())
            start = at + len(joint)
    return [*out, text[start:].strip()]
