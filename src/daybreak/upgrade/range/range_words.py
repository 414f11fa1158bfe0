"""Sentences of net findings: what holds over a range."""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.upgrade import Net
from daybreak.core.words.grammar import ended
from daybreak.judge import phrases


def worded(net: Net) -> Net:
    """The same net with what it is, who meets it and what to write instead."""
    found = (net.finding,)
    told = phrases.what(found, 1)
    text = told[0].text if told else ended(phrases.plain(net.finding))
    return replace(net, text=text, who=phrases.affected(found), how=phrases.remedy(found))
