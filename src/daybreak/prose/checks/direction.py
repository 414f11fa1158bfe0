"""Check: what was removed is not called added, and what was added is not called removed.

It objects only where the name is the verb's own object: beside it stand places, users and what code does as it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.text import HELD, MARK, held_back, names_in, plain
from daybreak.findings.kinds import CAME, kind_of
from daybreak.prose.checks import tokens
from daybreak.prose.checks.evidence_index import Ground, Grounds, whole
from daybreak.prose.checks.interface import Claim, Fault

# --- What became of a name: added, removed, or neither, by the findings and by the signs of the diff's lines ---


Fate = Literal["added", "removed"]
_ADDED = CAME | {"widened"}
_GOES = re.compile(r"\b(?:remov|delet|drop|retir|strip|elimin|clean)|移除|删除|去掉", re.IGNORECASE)
_REMOVED = frozenset({"removed", "narrowed"})
_UNDOES = (
    r"(?:\bdel\s[^#\n]{0,80}?|\.(?:pop|remove|discard|delete|removeprefix|removesuffix|replace|strip|lstrip|rstrip|drop)\(\s?"
    r"|\bdelattr\([^)\n]{0,40}?|\bunset\s|\bfor\b.{0,80}\bif\b.{0,40}(?:!=\s?|\bnot in\s?[(\[{][^)\]}\n]{0,80}?))[\"']?"
)
"""Code that takes what follows away, or leaves it out, as it runs."""
_DELETES = re.compile(r"^\s*del\s|\bdelattr\(|^\s*unset\s")
_COMMENT = ("#", "//", "*", "/*")


def became(name: str, grounds: Grounds) -> Fate | None:
    """Added or removed as a whole; None when it stands on both sides, or on none."""
    name = plain(name).strip("'")
    stated = {_of_finding(name, finding) for finding in grounds.case.findings} - {None}
    if len(stated) == 1:
        return stated.pop()
    if stated:
        return None
    return _of_diff(name, grounds.diffs)


def _of_finding(name: str, finding: Finding) -> Fate | None:
    same = name in (finding.symbol, finding.symbol.rpartition(".")[2], finding.symbol.lstrip("-"))
    change = kind_of(finding.kind).change
    if same and change in _ADDED:
        return "added"
    if same and change in _REMOVED:
        return "removed"
    if finding.before and finding.after and finding.before != finding.after:
        if name == plain(finding.before):
            return "removed"
        if name == plain(finding.after):
            return "added"
    return None


def stays(name: str, grounds: Grounds, *, wholly: bool = False) -> bool:
    """It is not gone: it stands on more added lines than removed ones, or on no removed one, and nobody says so.

    What is `wholly` gone stands on fewer added lines than removed ones.
    """
    pattern = whole(plain(name).strip("'"))
    shown = [ground for ground in grounds.diffs if ground is not grounds.context] or list(grounds.diffs)
    plus = sum(not line.lstrip().startswith(_COMMENT) for line in _added(name, shown))
    minus = sum(bool(pattern.search(line)) for ground in shown for line in ground.removed.splitlines())
    if minus:
        return plus >= minus if wholly else plus > minus
    told = (line for g in grounds.pieces.values() if not g.diff for line in g.lines)
    return any(pattern.search(g.plain) for g in shown) and not any(
        pattern.search(line) and _GOES.search(line) for line in told
    )


def undone(name: str, cited: Sequence[Ground]) -> bool:
    """Some added line takes it away as it runs: `del x`, `.pop("x")`, all but `"x"`."""
    taken = re.compile(_UNDOES + whole(plain(name).strip("'")).pattern)
    return any(taken.search(line) for line in _added(name, cited))


def only_undone(name: str, cited: Sequence[Ground]) -> bool:
    """The added lines have it only to take it away: nothing of this name came."""
    lines = [line for line in _added(name, cited) if not line.lstrip().startswith(_COMMENT)]
    return bool(lines) and all(_DELETES.search(line) for line in lines)


def _added(name: str, cited: Sequence[Ground]) -> list[str]:
    pattern = whole(plain(name).strip("'"))
    return [line for ground in cited for line in ground.added.splitlines() if pattern.search(line)]


def _of_diff(name: str, diffs: Sequence[Ground]) -> Fate | None:
    """By the lines with a sign: what was added stands on an added line, whether or not it stands elsewhere too."""
    pattern = whole(name)
    plus = any(pattern.search(ground.added) for ground in diffs)
    minus = any(pattern.search(ground.removed) for ground in diffs)
    if plus == minus:
        return None
    return "added" if plus else "removed"


_NEXT = r"\s?(?:[a-z]+\s?)?(?:,\s?and|,|、|\band|\bor|和|与|及|以及)\s?(?:an?\s|the\s|its\s)?(?:[a-z]+\s)?"
_LIST = rf"{HELD}(?:{_NEXT}{MARK}){{0,8}}"
_WORDS = (
    r"(?:\s(?!(?:from|to|into|in|on|onto|beyond|with|within|at|under|over|above|below|through|via|between|against|than|per|if"
    r"|that|which|where|whose|outside|inside|past|by|when|and|but|or|as|so|because|before|after|instead|using|unless|while)\b)"
    r"[A-Za-z-]+){0,4}?"
)
"""Between a verb and its object: no word that says where, by what or when."""
_ADD = r"(?:adds?|added|adding|introduc(?:es|ed|ing|e)|creat(?:es|ed|e)|gains?|gained)"
_REMOVE = r"(?:remov(?:es|ed|ing|e)|delet(?:es|ed|ing|e)|drop(?:s|ped|ping)?|eliminat(?:es|ed|e)|strips?)"
_NO_LONGER = r"no longer\s(?:has|have|accepts?|offers?|exposes?|supports?|uses?|calls?|imports?|requires?|counts?|reads?|takes?|writes?|goes|passes)"
_ADD_ZH = r"(?:新增|添加|加入|引入|新建|增加|加上|补上|增添)(?:了)?"
_REMOVE_ZH = r"(?:移除|删除|去掉|去除|删掉|删去|取消)(?:了)?"
_NO_LONGER_ZH = r"不再(?:提供|接受|支持|使用|调用|导入|要求|读取|通过|用|把|将)"
_GAP_ZH = r"(?:(?!后(?![端备缀续处])|时(?![间延]))[^\ue000，。；：,;在从对到给]){0,12}"
"""`引入转义后 X 有歧义`: behind 后 and 时 something else begins."""
_BE = r"(?:is|are|was|were|has been|have been|gets|got|be|being)\s(?:now\s|also\s|then\s)?"
_CALL = r"\s(?:an?\s|the\s|its\s|one\s|new\s|old\s){0,2}(?:calls?|references?)\s(?:to|of)"
_CALL_ZH = r"(?:一次|一处)?对\s?"
_CALLED_ZH = r"\s?的(?:调用|引用|导入|依赖)"
_PLACE = rf"(?:\s(?:in|from|inside|within)\s(?:the\s|its\s)?{MARK}(?:\s[a-z]+)?)"
_ALSO_ZH = r"(?:字段|参数|选项|变量|函数|类|方法|标志|环境变量|分支|步骤|检查|断言|调用)?\s?(?:均|都|也|一并)?(?:被|已被|已经|已)"
_Verb = Literal["add", "remove"]
_WRITTEN: tuple[tuple[_Verb, str], ...] = (
    ("add", rf"\b{_ADD}\b(?:{_CALL}|{_WORDS})\s?{_LIST}"),
    ("add", rf"{_ADD_ZH}{_CALL_ZH}{_LIST}{_CALLED_ZH}"),
    ("add", rf"{_ADD_ZH}{_GAP_ZH}{_LIST}"),
    ("add", rf"{_LIST}(?:{_PLACE}|{_WORDS})\s{_BE}(?:added|introduced|created|new)\b"),
    ("add", rf"{_LIST}\s?{_ALSO_ZH}(?:新增|添加|加入|引入)"),
    ("add", rf"(?:\bnew|新的)\s?(?:[a-z]+\s){{0,2}}{_LIST}"),
    ("remove", rf"\b{_REMOVE}\b(?:{_CALL}|{_WORDS})\s?{_LIST}"),
    ("remove", rf"{_REMOVE_ZH}{_CALL_ZH}{_LIST}{_CALLED_ZH}"),
    ("remove", rf"\b{_NO_LONGER}\b{_WORDS}(?:\s(?:with|of|through|via|to{_WORDS}\s(?:through|via)))?\s?{_LIST}"),
    ("remove", rf"{_REMOVE_ZH}{_GAP_ZH}{_LIST}(?!\s?(?:上|中|里|内)?的)"),
    ("remove", rf"{_NO_LONGER_ZH}{_GAP_ZH}{_LIST}"),
    ("remove", rf"{_LIST}(?:{_PLACE}|{_WORDS})\s(?:{_BE}(?:removed|deleted|dropped|gone|eliminated)|no longer\s(?:exists?|available))\b"),
    ("remove", rf"{_LIST}{_WORDS}\s(?:is|are)\sno longer\s(?:used|passed|given|called|imported)\b"),
    ("remove", rf"{_LIST}\s?(?:{_ALSO_ZH}(?:移除|删除|去掉|删掉)|不再存在)"),
    ("remove", rf"(?:把|将)\s?{_LIST}\s?(?:移除|删除|去掉|删掉)"),
)  # fmt: skip
_FORMS = tuple((verb, re.compile(form, re.IGNORECASE)) for verb, form in _WRITTEN)
_SENTENCE = re.compile(r"(?<=[;；。！？!?])|(?<=\.)(?=\s)")
_RUNNING = re.compile(
    r"\b(?:if|when|whenever|once|unless|until|while|every time|each time|to|can|may|would|call(?:s|ed)?)\b"
    r"|若|如果|一旦|当|时|就|则|再|可|用于|用来|调用|以便|会|每次",
    re.IGNORECASE,
)
"""Before the verb: something does it as it runs, and not the change."""
_TURNS = re.compile(
    r"\b(?:renam|replac|chang|switch|swap|mov(?:es|ed|e|ing)\b|instead)\w*|改名|重命名|更名|替换|取代|换成|改为|改成|改用|迁移|移到|移至",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,，:：、]")
_DENIED = re.compile(
    r"\b(?:not|never|without|cannot|nor|avoids?|n't)\s(?:\w+\s)?$|(?:不|未|没有|没|尚未|无需|避免|防止|而非|不是)\s?$",
    re.IGNORECASE,
)
_PLACE_BEFORE = re.compile(
    r"\b(?:in|of|from|on|for|with|to|by|under|at|into|onto|via|through|than|beyond|above|below|over|past|between|within|outside|inside)\s(?:the |a |an |its )?(?:\w+\s)?$|[从在对按由经向给为除自到于]\s?$|(?<![里中内上])的\s?$",
    re.IGNORECASE,
)
_WHERE = re.compile(_PLACE)
_BARE = re.compile(
    rf"{MARK}\s?(?:{_BE}(?:removed|deleted)\b(?!\s(?:from|in)\b)|(?:is|are)\sno longer\s(?:used|passed)\b(?!\s(?:in|by|to|for)\b)"
    r"|(?:被|已被|已)(?:移除|删除|去掉|删掉))"
)
_GONE = re.compile(r"remov|delet|移除|删除|去掉|删掉|no longer (?:used|passed|given|called|imported)", re.IGNORECASE)


class _Act(NamedTuple):
    """What a statement says was done to which names."""

    verb: _Verb
    names: tuple[str, ...]
    gone: bool
    """Said with a word that leaves nothing of it."""
    bare: bool
    """Said of the name itself, and not of a step, a branch or a place of this name."""


class AddedOrRemoved:
    """The verb agrees with what became of the names that are its object."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.shown.values():
            for act in _acts(text):
                if wrong := _wrong(act, claim):
                    return Fault("added_removed", wrong[:80])
        return None


def _wrong(act: _Act, claim: Claim) -> str:
    """The name that came where it is said to go, or went where it is said to come; empty when none did."""
    wrong: Fate = "removed" if act.verb == "add" else "added"
    fates = [became(name, claim.grounds) for name in act.names]
    if act.verb == "add":
        if all(only_undone(name, claim.cited) for name in act.names):
            return act.names[0]
    elif any(undone(name, claim.cited) for name in act.names):
        return ""  # the new code takes it away as it runs
    if wrong in fates and all(fate in (wrong, None) for fate in fates):
        return act.names[fates.index(wrong)]
    alone = act.names[0] if len(act.names) == 1 and act.gone and fates[0] is None else ""
    return alone if alone and "/" not in alone and stays(alone, claim.grounds, wholly=act.bare) else ""


def _acts(text: str) -> Iterator[_Act]:
    shown, held = held_back(text)
    for sentence in _SENTENCE.split(shown):
        for verb, form in _FORMS:
            for found in form.finditer(sentence):
                if not _excused(sentence, found):
                    names = tuple(names_in(_WHERE.sub("", found[0]), held))
                    yield _Act(verb, names, bool(_GONE.search(found[0])), _bare(sentence, found.start()))


def _bare(sentence: str, at: int) -> bool:
    return bool(_BARE.match(sentence, at)) and not sentence[:at].rstrip().endswith("的")


def _excused(sentence: str, found: re.Match[str]) -> bool:
    """It is denied, happens as code runs, is part of a turn, or the name only says where."""
    before = sentence[: found.start()]
    clause = _CLAUSE.split(before)[-1] + found[0] + _CLAUSE.split(sentence[found.end() :])[0]
    running = _RUNNING.search(before) and not found[0].lower().startswith(("no longer", "不再"))
    if _DENIED.search(before) or running or _TURNS.search(clause):
        return True
    return found[0].startswith("\ue000") and bool(_PLACE_BEFORE.search(before))


# --- Check: "the commit gives no performance numbers" stands only where it gives none; it claims nothing else ---


_WHAT = r"(?:performance|speed|latency|throughput|memory|benchmark|accuracy|timing|perf|measured)"
_DATA = r"(?:numbers?|figures?|data|results?|measurements?|benchmarks?|values?)"
_WHO = r"(?:commit(?: message)?|change|message|patch|pull request|PR|author|diff|evidence|description|title)"
_ABSENT = re.compile(
    rf"[,;.]?\s*\b(?:and |but |although |while |though )?(?:the |this |its )?{_WHO} (?:gives?|contains?|comes?|has|have|states?|reports?|provides?"
    rf"|includes?|shows?|names?|does not (?:give|contain|state|report|provide|include|show|name))(?: with)? ?(?:no|without|any)?(?: any)? ?(?:\w+ )?{_WHAT}(?: (?:or|and) {_WHAT})? {_DATA}\b"
    rf"|[,;.]?\s*\b(?:and |but )?no {_WHAT} {_DATA} (?:is|are|was|were) (?:given|stated|reported|provided|shown|included)"
    r"|[，；。]?\s*(?:但|而|且)?(?:该|此|本|这个|这次)?\s?(?:commit|提交|改动|变更|证据|作者|PR|说明|正文|补丁)(?:信息|说明|正文)?(?:里|中)?\s?(?:并)?(?:没有|没|未|并未|不)(?:有|给出|附带|附上|附|提供|包含|列出|说明|报告|带)?"
    r"(?:任何|具体)?的?(?:性能|延迟|吞吐|速度|显存|内存|精度|基准|测试|benchmark)(?:相关)?的?(?:数据|数字|指标|结果|数值|测试|对比)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:no|not|without)\b|没|未|不", re.IGNORECASE)
_MEASURES = frozenset({"%", "x", "ms", "us", "ns", "gb/s", "tok/s", "req/s", "tflops", "gflops", "gb", "mb"})


def without_absent(text: str) -> str:
    """The text without clauses that only say which figures are not there."""
    return _ABSENT.sub(lambda found: "" if _DENIES.search(found[0]) else found[0], text)


class NothingMeasured:
    """Figures that the evidence gives are not denied."""

    def fault(self, claim: Claim) -> Fault | None:
        denied = [text for text in claim.bare.values() if without_absent(text) != text]
        if not denied:
            return None
        for ground in claim.grounds.pieces.values():
            if ground.ref[:1] in "MP":
                for line in ground.lines[:2000]:
                    figure = next((n for n in tokens.numbers(line[:400]) if n.unit in _MEASURES), None)
                    if figure is not None:
                        return Fault("opposite", figure.written)
        return None
