"""How an item of the first screen is put into words: what changed, whom it hits, what to do; alone and among others."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.judge import phrases
from daybreak.judge.wording import alike, code, say

LONGEST_NOTE = 120
"""Of what a line of several says beside a title."""


_OLD_VALUES = say("需要旧行为时逐项显式设回旧值", "set the old values explicitly to keep the old behaviour")


def take(entry: Entry) -> Text:
    """How a deployment comes by a repair: with a release that has it, or else from the branch."""
    if entry.released:
        return say("升级到包含该提交的版本", "take a version that holds this commit")
    return say("从分支构建，或 cherry-pick 该提交", "build from the branch or cherry-pick this commit")


def first_kind(found: Sequence[Finding]) -> list[Finding]:
    def told_as(one: Finding) -> tuple[object, ...]:
        return one.kind, one.path, phrases.side(one)

    return [f for f in found if told_as(f) == told_as(found[0])]


def tell(found: Sequence[Finding], most: int = 1) -> Text:
    """What, who, how: of the first kind of finding, in so many sentences; the change itself tells the rest."""
    group, used = first_kind(found), grounds(found, most)
    sentences = phrases.what(group, most)
    name = code(group[0].symbol)
    heads = [one.text for one in sentences] or [say(f"{name} 有改动。", f"{name} changed.")]
    who, how = phrases.affected(used), phrases.remedy(used) if len(sentences) < 2 else _OLD_VALUES
    zh, en = "".join(head["zh"] for head in heads), " ".join(head["en"] for head in heads)
    if who:
        zh, en = f"{zh}受影响：{who['zh']}。", f"{en} Affected: {who['en']}."
    if how:
        zh, en = f"{zh}改法：{how['zh']}。", f"{en} What to do: {how['en']}."
    return say(zh, en)


def grounds(found: Sequence[Finding], most: int = 1) -> tuple[Finding, ...]:
    """The findings that `tell` and `headed` speak of: all of them are the evidence of what these say."""
    group = first_kind(found)
    return tuple(f for one in phrases.what(group, most) for f in one.findings) or tuple(group[:1])


def headed(found: Sequence[Finding]) -> Text:
    """What alone, as a part of a longer sentence."""
    sentence = phrases.what(first_kind(found), 1)
    return clause(sentence[0].text if sentence else alike(code(found[0].symbol)))


def has_words(finding: Finding) -> bool:
    """Whether there is a sentence for it; of some kinds there is none, since nobody would act on them."""
    return bool(phrases.what([finding], 1))


def clause(text: Text) -> Text:
    """A sentence as a part of a longer one."""
    return say(text["zh"].rstrip("。"), _lower(text["en"].rstrip(".")))


def named(name: str, said: Text) -> Text:
    """A title, and what code says of the change, as sentences."""
    return say(f"{name}：{said['zh']}", f"{name}: {_lower(said['en'])}")


def _lower(sentence: str) -> str:
    """As it goes on behind other words; what is written in capitals stays so."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def noted(name: str, more: Text) -> Text:
    """A title, and what code says of it, unless that would fill the line."""
    if len(more["en"]) > LONGEST_NOTE:
        return alike(name)
    return say(f"{name}（{more['zh']}）", f"{name} ({more['en']})")
