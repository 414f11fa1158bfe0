"""What holds over a range, in both languages: the sentences of net findings."""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Net
from daybreak.judge import phrases
from daybreak.judge.wording import say


def worded(net: Net) -> Net:
    """The same net with what it is, who meets it and what to write instead."""
    found = (net.finding,)
    told = phrases.what(found, 1)
    text = told[0].text if told else _whole(phrases.plain(net.finding))
    return replace(net, text=text, who=phrases.affected(found), how=phrases.remedy(found))


def _whole(text: Text) -> Text:
    return say(f"{text['zh']}。", f"{text['en']}.")
