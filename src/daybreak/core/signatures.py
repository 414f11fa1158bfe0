"""Signatures and operator schemas as text: the arguments that stand in their parentheses."""

from __future__ import annotations


def arguments(head: str) -> list[str]:
    """What stands in the first parentheses of a head or a schema, cut at its own commas; nothing if they do not close."""
    inside = head.partition("(")[2]
    out, depth, start = [], 0, 0
    for number, sign in enumerate(inside):
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 0) or depth < 0:
            out.append(inside[start:number].strip())
            start = number + 1
        if depth < 0:
            return out
    return []
