"""What a finding says, in both languages, from the row of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.findings.kinds import GONE, Words, kind_of
from daybreak.judge.wording import code, code_pair, coded, say

_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}")
_DIGEST = re.compile(r"…[0-9a-f]{12}")
"""What stands for a value of more than a thousand characters."""
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,80})[\"']")
_PLACE = re.compile(r"\{[sbapx]\}")
_READ = re.compile(r"(?:Response(?:Base)?|Output|Chunk|Response\w{0,20}(?:Choice|Data|Usage|Event))$")
_SENT = re.compile(r"(?:Request|ReqInput)(?:Base|Body|Input|\w{0,20}Mixin)?$")
_ALIAS: dict[str, tuple[str, str]] = {
    "none": ("，没有兼容别名", ", no alias is kept"),
    "deprecated": ("，旧名暂时可用（已弃用）", ", the old name still works but is deprecated"),
    "kept": ("，旧名仍可用", ", the old name still works"),
}


Side = Literal["sent", "read"]


class Phrase(NamedTuple):
    """One sentence, and the findings it rests on."""

    text: Text
    findings: tuple[Finding, ...]


def is_hash(text: str) -> bool:
    """An id of a commit: it tells a reader nothing."""
    return _HASH.fullmatch(text) is not None


def side(finding: Finding) -> Side | None:
    """Whether clients send or read a server's field, by the name of its class; None where that does not say."""
    owner = finding.symbol.rpartition(".")[0] if kind_of(finding.kind).family == "request_field" else ""
    return "read" if _READ.search(owner) else "sent" if _SENT.search(owner) else None


def _words(finding: Finding) -> Words:
    """The words of a finding: those of its kind, and in their place those of the side it stands on."""
    kind, where = kind_of(finding.kind), side(finding)
    words = kind.words if where is None else kind.read if where == "read" else kind.sent
    if any(_DIGEST.fullmatch(value or "") for value in (finding.before, finding.after)):
        return _without_values(words)
    return words


def _without_values(words: Words) -> Words:
    """The words for values that are too long to be shown: that they changed, and no remedy that names one."""
    parts = {part: getattr(words, part) for part in words.__struct_fields__}
    told = {part: _unvalued(text) for part, text in parts.items() if text}
    return Words(**{part: text for part, text in told.items() if part == "what" or "{b}" not in text["zh"]})


def _unvalued(text: Text) -> Text:
    return {x: said.replace("：{b} → {a}", "有改动").replace(": {b} → {a}", " changes") for x, said in text.items()}


def what(findings: Sequence[Finding], limit: int) -> list[Phrase]:
    """The first `limit` sentences that a change's findings give, breaking ones first."""
    out: list[Phrase] = []
    for group in _grouped(findings):
        out.append(_one(group))
        if len(out) == limit:
            break
    return out


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[Finding, ...]]:
    """Findings that one sentence tells: lists by kind, path and alias; what has a before and after alone."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        words = _words(f).what
        if not words:
            continue
        alone = "{b}" in words["zh"] or "{a}" in words["zh"] or _is_choice(f)
        key = (f.id,) if alone else (f.kind, f.path, f.breaking, f.alias, f.effective, side(f))
        groups.setdefault(key, []).append(f)
    yield from map(tuple, groups.values())


def _one(group: tuple[Finding, ...]) -> Phrase:
    first = group[0]
    text = _choices(first) if _is_choice(first) else _sentence(group)
    zh, en = _fate(first)
    more_zh, more_en = _effect(first.effective)
    return Phrase(say(f"{text['zh']}{zh}{more_zh}。", f"{text['en']}{en}{more_en}."), group)


def _sentence(group: tuple[Finding, ...]) -> Text:
    first = group[0]
    if any(is_hash(x or "") for x in (first.before, first.after)):
        # An id of a commit elsewhere tells a reader nothing, and is no commit of this repository.
        return _fill(say("{s} 指向新的提交（{p}）", "{s} points to a new commit ({p})"), group)
    if kind_of(first.kind).means("dependency", "added") and first.after and len(group) == 1:
        return _fill(say("新增依赖 {s} {a}（{p}）", "Adds {s} {a} to the dependencies ({p})"), group)
    words = (_words(first).free if _asks_nothing(first) else _words(first).what) or {}
    return plain(first) if _lacks(first, words) else _fill(words, group)


def plain(finding: Finding) -> Text:
    """The name, and what it was and is: for kinds that no table words, and for values that only came or only went."""
    name, path = code(finding.symbol), code(finding.path)
    default = kind_of(finding.kind).change == "default_changed"
    if finding.before and finding.after:
        before, after = code_pair(finding.before, finding.after)
        zh, en = f"：{before} → {after}", f": {before} → {after}"
    elif finding.after:
        after = code(finding.after)
        zh, en = (
            f"：新增{'默认值' if default else ''} {after}",
            f": {'has the default' if default else 'gains'} {after} now",
        )
    elif finding.before:
        before = code(finding.before)
        zh, en = f"：去掉{'默认值' if default else ''} {before}", f": loses {'the default ' if default else ''}{before}"
    else:
        zh, en = " 有改动", " changed"
    return say(f"{name}{zh}（{path}）", f"{name}{en} ({path})")


def _lacks(finding: Finding, words: Text) -> bool:
    """The words speak of a value that the finding has not: the default of a parameter that had none."""
    values = (("{b}", finding.before), ("{a}", finding.after))
    return any(place in text and not value for text in words.values() for place, value in values)


def _is_choice(finding: Finding) -> bool:
    return kind_of(finding.kind).change == "choices_changed"


def _asks_nothing(finding: Finding) -> bool:
    """A kind that breaks in one form only, and this is the other."""
    return not finding.breaking and kind_of(finding.kind).words.free is not None


def _fate(finding: Finding) -> tuple[str, str]:
    """Whether an old name still works: said of names and values that went, and of nothing else."""
    kind = kind_of(finding.kind)
    named = kind.change in GONE and "nameless" not in kind.traits
    named = named or (_is_choice(finding) and bool(_lost_and_new(finding)[0]))
    return _ALIAS[finding.alias.status] if named and finding.alias is not None else ("", "")


def _effect(effective: str | None) -> tuple[str, str]:
    if not effective:
        return "", ""
    return f"；随 {code(effective)} 的版本生效", f"; takes effect with a release of {code(effective)}"


def _fill(row: Text, group: Iterable[Finding]) -> Text:
    """Words of the table with their places filled; braces inside filled words stay as they are."""
    found = list(group)
    zh, en = coded(f.symbol for f in found)
    before, after = code_pair(found[0].before or "", found[0].after or "")
    places = {"{b}": before, "{a}": after, "{p}": code(found[0].path)}
    many = "s" if len({f.symbol for f in found}) > 1 else ""
    return say(_place(row["zh"], {**places, "{s}": zh}), _place(row["en"], {**places, "{s}": en, "{x}": many}))


def _place(template: str, places: dict[str, str]) -> str:
    return _PLACE.sub(lambda m: places.get(m[0], ""), template)


def _choices(finding: Finding) -> Text:
    """Which values went and which came; that there was a change when they are not lists of literals."""
    lost, come = _lost_and_new(finding)
    if not lost and not come:
        return _sentence((finding,))
    symbol, path = code(finding.symbol), code(finding.path)
    gone, new = (coded(v, 8) if v else ("", "") for v in (lost, come))
    zh = "；".join(x for x in (f"删除取值 {gone[0]}" if lost else "", f"新增取值 {new[0]}" if come else "") if x)
    en = "; ".join(x for x in (f"removes {gone[1]}" if lost else "", f"adds {new[1]}" if come else "") if x)
    return say(f"{symbol}：{zh}（{path}）", f"{symbol}: {en} ({path})")


def _lost_and_new(finding: Finding) -> tuple[list[str], list[str]]:
    """Literal values that only the old list has, and that only the new one has."""
    was, now = (_QUOTED.findall(x or "") for x in (finding.before, finding.after))
    return [v for v in was if v not in now], [v for v in now if v not in was]


def affected(findings: Sequence[Finding]) -> Text | None:
    """Who meets these findings (all of one kind and side)."""
    first = findings[0]
    if _is_choice(first):
        lost, _ = _lost_and_new(first)
        zh, en = coded(lost, 8) if lost else ("", "")
        return say(f"启动命令里仍写 {zh} 的部署", f"deployments whose launch commands still say {en}") if lost else None
    return _said(findings, _words(first).who)


def remedy(findings: Sequence[Finding]) -> Text | None:
    """What they do about it."""
    first = findings[0]
    if any(is_hash(x or "") for x in (first.before, first.after)):
        return None
    if successor := _successor(findings):
        return say(f"改用 {code(successor)}", f"use {code(successor)} instead")
    instead = {f.after for f in findings} == {first.after} and bool(first.after)
    words = _words(first)
    return (_said(findings, words.to) if instead else None) or _said(findings, words.how)


def _successor(findings: Sequence[Finding]) -> str | None:
    """The one name that a registry has now for what went; readers of registries know it, and tell no rename."""
    kind = kind_of(findings[0].kind)
    if len(findings) != 1 or kind.surface != "models" or kind.change != "removed":
        return None
    alias = findings[0].alias
    return alias.where if alias and alias.status == "none" else None


def _said(findings: Sequence[Finding], words: Text | None) -> Text | None:
    if not words or _asks_nothing(findings[0]) or _lacks(findings[0], words):
        return None  # nobody can be told to write a value that is not there
    return _fill(words, findings)


def _is_sought(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    return "sought" in kind.traits and kind.change == "removed"


def alias(findings: Sequence[Finding]) -> Text | None:
    """What the diff shows of a removed name when nothing more is known of its fate."""
    if all(_is_sought(f) and f.alias is None for f in findings):
        zh, en = coded(f.symbol.rsplit(".", 1)[-1] for f in findings)
        return say(
            f"在该提交的 diff 中，{zh} 只出现在被删除的行里。",
            f"In the commit's diff, {en} can be seen on removed lines only.",
        )
    return None
