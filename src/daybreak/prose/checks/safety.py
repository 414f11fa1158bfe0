"""Check: "no behaviour change", "compatible", "the old name still works" and their like need findings that agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.text import named, plain
from daybreak.findings.kinds import Kind, kind_of
from daybreak.prose.checks.before_after import turned, turns
from daybreak.prose.checks.direction import became
from daybreak.prose.checks.evidence_index import Ground, Grounds, carries, turned_numbers
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.sentences import Word, lexicon

# --- Whether a value that users have set is overwritten: an assignment that the diff adds under no condition ---


_ONLY_UNSET = re.compile(
    r"\bonly (?:when|if) (?:it is |it's |they are |that is |the \w+ is )?(?:unset|not set|not already set)"
    r"|\bunless (?:it is |it's |they are )?(?:already )?set\b|(?:未|没有|没|尚未)(?:被)?(?:设置|指定|设定|给出)(?:该\w{0,4})?(?:时)?才|仅在(?:未|没有)(?:被)?(?:设置|指定)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*).*|\s#\s.*$")
_CONDITION = re.compile(r"\b(?:if|elif|else|unless|case|setdefault|getenv|get|or|not in|is None)\b|\?\?|:-|\?=|\|\|")


def overwritten(text: str, claim: Claim) -> str:
    """The name that is said to be set only where users have not, and that every added line sets outright."""
    if not _ONLY_UNSET.search(text):
        return ""
    for name in named(text):
        sets = re.compile(rf"(?<!\w){re.escape(name)}[\"']?\]?\s*=(?!=)")
        found = [_conditional(g.lines, at) for g in claim.cited if g.diff for at in _added(g.lines, sets)]
        if found and not any(found):
            return name
    return ""


def _added(lines: Sequence[str], sets: re.Pattern[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if line[:1] == "+" and sets.search(_COMMENT.sub("", line[1:]))]


def _conditional(lines: Sequence[str], at: int) -> bool:
    """The line itself, or one above it that it stands under, asks for something."""
    code = _COMMENT.sub("", lines[at][1:])
    if _CONDITION.search(code):
        return True
    depth = len(code) - len(code.lstrip())
    for line in reversed(lines[:at]):
        if line.startswith("@@"):
            break
        above = _COMMENT.sub("", line[1:])
        if line[:1] == "-" or not above.strip() or len(above) - len(above.lstrip()) >= depth:
            continue
        depth = len(above) - len(above.lstrip())
        if _CONDITION.search(above):
            return True
    return False


_SAFE = re.compile(
    r"\bno (?:functional|behaviou?ral|behaviou?r|user[- ]visible|user[- ]facing|visible|api|breaking|semantic|externally visible|observable|runtime) (?:changes?|effects?|impacts?|differences?)"
    r"|\bwithout (?:any )?(?:changing|affecting|altering|breaking|impact\w*|side effects?|changes? (?:to|in) (?:behaviou?r|the api|callers?))"
    r"|\b(?:fully|completely|entirely|backwards?|back|still|remains?|stays?)[- ](?:fully )?compatib\w+|\bcompatib\w+ (?:is|with (?:existing|old|earlier|previous|all)|remains)"
    r"|\b(?:is|are|was|were|be) not (?:yet )?(?:affected|changed|altered|impacted|touched)\b|\b(?:does|do|did|will|would|should) not (?:change|affect|alter|break|impact|touch|influence|require any|need any)\b|\b(?:doesn't|don't|won't) (?:change|affect|alter|break|impact)\b"
    r"|\b(?:is|are|remains?|stays?|keeps?|left|kept) (?:fully |completely |otherwise |entirely )?(?:unaffected|unchanged|untouched|intact|the same|as (?:it was|they were|before)|identical)"
    r"|\b(?:unaffected|unchanged|drop-in|behaves? (?:exactly )?(?:as before|the same|identically)|works? (?:exactly )?(?:as before|the same)|same behaviou?r|nothing (?:changes|else changes|breaks))\b"
    r"|\b(?:fully|completely|entirely|wholly) (?:equivalent|interchangeable)\b|完全(?:等价|等同|通用)"
    r"|\bno (?:migration|action|change|code change|config change|changes|update|adaptation|further action) (?:is |are )?(?:needed|required|necessary)|\bsafe(?:ly)? (?:to )?(?:upgrade|ignore|update|skip)"
    r"|\b(?:need|needs|have|has) (?:not|no|nothing) to (?:change|do|be changed|adapt)|\bneed(?:s)? (?:no|nothing)(?: \w+)? (?:change|changes|edit|edits|migration|action|update|adaptation|work|modification)s?\b|\bneed(?:s)? not (?:be )?(?:change|do|adapt|migrat|updat|modif)|\bneeds? nothing\b|\bno (?:impact|effect|influence) on\b|\bonly (?:affects|touches|changes|concerns) (?:tests?|docs?|documentation|comments?|ci|formatting)"
    r"|\b(?:see|sees|notice|notices) no (?:difference|change)s?\b|\b(?:purely|merely|just) (?:a )?(?:cosmetic|refactor\w*|internal|formatting|rename)|\bpreserv(?:es|ing|e) (?:the )?(?:existing|old|current|previous|all|full)?\s?(?:behaviou?r|compatib\w+|semantics|api)"
    r"|向后兼容|向下兼容|完全兼容|保持兼容|仍然兼容|兼容(?:旧|现有|原有|所有|以往)|不影响|无影响|没有影响|不受影响|不会影响|不(?:会)?改变|未改变|没有改变|不变(?!量)|保持原(?:有|来|样)|(?<!的)行为(?:一致|相同|照旧)|与(?:之前|原来|以前|旧版|此前)(?:的)?(?:行为)?(?:完全)?(?:一致|相同|一样)"
    r"|(?:不会|未|没有|不)受到?(?:任何|丝毫)?影响|(?:不必|不用|无须)(?:任何)?(?:修改|改动|迁移|调整|适配|更改|改写)|无需(?:任何)?(?:修改|改动|迁移|操作|调整|适配|处理|更改)|不需要(?:修改|改动|迁移|操作|调整|适配)|无(?:破坏性|行为|功能)(?:变更|变化|改动)|没有(?:破坏性|行为|功能)(?:变更|变化|改动)|可(?:以)?(?:安全|放心)(?:升级|忽略|跳过)|平滑升级|无缝|无感|没有感知|毫无感知|仅(?:是|为)?(?:重构|格式|注释|文档)|只(?:是|改)(?:重构|格式|注释|文档)|不破坏",
    re.IGNORECASE,
)
_PARTIAL = re.compile(
    r"without (?:any )?(?:changing|affecting|altering)|(?:is|are|was|were|be) not (?:yet )?(?:affected|changed|altered|impacted|touched)"
    r"|(?:does|do|did|will|would|should) not (?:change|affect|alter|impact|touch|influence)|(?:doesn't|don't|won't) (?:change|affect|alter|impact)"
    r"|(?:is|are|remains?|stays?|keeps?|left|kept) (?:fully |completely |otherwise |entirely )?(?:unaffected|unchanged|untouched|intact|the same|as (?:it was|they were|before)|identical)"
    r"|unaffected|unchanged|no (?:impact|effect|influence) on|不影响|无影响|没有影响|不受影响|不会影响|不(?:会)?改变|未改变|没有改变|不变|保持原(?:有|来|样)",
    re.IGNORECASE,
)
"""Said of a part, these assure nothing about the rest."""
_OLD_NAME = re.compile(
    r"\b(?:old|former|previous|original|legacy|deprecated) (?:name|flag|option|spelling|variable|path|import|api|parameter|argument|value|endpoint|route|alias|one)s?\b[^,.;]{0,40}\b(?:still|keeps?|remains?|continues?)\b"
    r"|\b(?:still|continues? to) (?:works?|accepted|be accepted|available|be used|supported|valid|recogni[sz]ed|exists?|parsed|honou?red|exports?|provides?|offers?)|\b(?:kept|keeps|stays|remains|retained) as (?:an? )?(?:deprecated )?alias|\bremains? (?:available|accepted|usable|supported|valid)"
    r"|\b(?:old|older|existing|current) (?:clients?|code|callers?|users?|configs?|scripts?|checkpoints?|deployments?|servers?)\b.{0,20}\b(?:(?:can|may) (?:keep|still|continue)|keeps? (?:working|running)|works? as)"
    r"|(?:旧|老|现有)(?:的)?(?:客户端|代码|调用方|调用者|配置|脚本|部署|用户|服务端)[^，。；]{0,6}(?:仍|可(?:以)?继续|继续|照常|照旧)"
    r"|(?:旧|原|老|此前|原有)(?:的)?(?:名|名称|参数|选项|写法|变量|路径|接口|取值|用法|别名|标志)[^，。；不未没无]{0,30}(?:仍|依然|继续|还|保留)|仍(?:然)?(?:可|能|有效|可用|接受|支持|保留|兼容|导出|提供)|依然(?:可用|有效)|继续(?:可用|有效|支持)|作为别名保留|保留(?:了)?(?:别名|(?:旧|原)(?:有|来)?(?:的)?(?:名|参数|选项|写法|变量|路径|接口|取值|用法|别名|标志))",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|isn't|aren't|no longer|never|cannot|hardly)\s(?:[a-z]+\s){0,2}$|\bwithout (?:an? )?$|(?:不再|并不|并非|不是|未必|无法|没有|未|不)[^，。；]{0,4}$",
    re.IGNORECASE,
)
_LIKE_OLD = re.compile(r"\bas before\b|与(?:之前|原来|以前|此前)(?:的)?(?:一致|相同|一样)", re.IGNORECASE)
_SAYS_SO = re.compile(r"\bas[\s#/*]+before\b(?!\s\w)", re.IGNORECASE)
_TELLING_CHANGES = frozenset(
    {"default_changed", "removed", "renamed", "required_added", "choices_changed", "narrowed", "off"}
)
_TELLING_FAMILIES = frozenset({"guard", "gate", "dispatch"})


_HANDED_ON = re.compile(
    r"\b(?:pass|hand|forward|go|giv|return|send|us|writ|stor|cop|tak|deliver)\w*\b[^.;]{0,60}$", re.IGNORECASE
)
"""A value that is passed on unchanged is no assurance about the change."""


_GIVEN = re.compile(r"\b(?:while|when|if|whenever|although|even though)\s[^,.;]{0,50}$", re.IGNORECASE)
_GIVEN_ZH = re.compile(r"时|的情况|的前提|期间|[^，。；]{0,16}(?:即可|就能|便可|就可)")
_IN_A_CASE = re.compile(r"(?:为|是|等于|没有|未|不|关闭|开启)[^，。；]{0,8}时[^，。；]{0,8}$")
"""A condition is no assurance: `while the mapping stays unchanged`."""


def _gone(ground: Ground, line: str) -> bool:
    """A comment of the code may give an assurance too, unless it was taken out."""
    return ground.diff and line[:1] == "-"


_GENERAL = re.compile(
    r"\b(?:behaviou?rs?|users?|clients?|callers?|deployments?|everyone|apis?|interfaces?|semantics|results?|outputs?"
    r"|accuracy|performance|functionality|compatib\w+|existing|requests?|nothing|anything|default|defaults|change|commit)\b"
    r"|行为|用户|客户端|调用方|调用者|部署|现有|接口|语义|结果|输出|精度|性能|功能|兼容|请求|默认|(?:此|该|本|这次)(?:改动|变更|提交)",
    re.IGNORECASE,
)
"""What an assurance about the whole change speaks of; `the FP8 branch is not touched` says less."""
_OLD = re.compile(
    r"\b(?:old|former|previous|original|legacy|deprecated|existing|older|alias)\b|[旧老]|原|现有|此前|别名",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"(?<!not )(?<!never )\b(?:fails?|failed|breaks)\b|(?<!no )(?<!without )(?<!an )\berrors?\b|(?<!不会)(?<!不再)(?<!不)(?:失败|报错|出错)",
    re.IGNORECASE,
)
"""`Code that still imports it fails`: a warning, and no promise."""
_CLAUSE = re.compile(r"[,;，；。]|\.(?=\s|$)|\b(?:and|but|while|so)\b")
_SUBJECT = re.compile(r"(?:^|[,;，；。.]\s?)(?:the |its )?`([^`]+)`\s?(?:的|itself |本身)?$", re.IGNORECASE)
"""What stays, said of a name alone: a lie where that name came or went."""
_PEOPLE = re.compile(
    r"\b(?:users?|callers?|downstream|clients?|plugins?|code|scripts?|forks?|any way)\b|下游|调用方|调用者|用户|客户端|插件|代码|脚本",
    re.IGNORECASE,
)
"""Whoever uses a name: to them its end is no matter of another clause."""
_VERSION = re.compile(r"(?<![\w.])v?\d+\.(?:\d+|x)\b")


class SafetyProved:
    """No assurance about the whole change without a finding or a word of its author, and none over what is gone."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.bare.values():
            if name := overwritten(text, claim):
                return Fault("not_proved_safe", name[:80])
            for found in _SAFE.finditer(text):
                if not _excused(text, found) and (fault := self._safe(claim, text, found)):
                    return fault
            for found in _OLD_NAME.finditer(text):
                denied = _DENIES.search(text[max(found.start() - 30, 0) : found.start()])
                if not denied and (fault := self._old_name(claim, text, found)):
                    return fault
        return None

    def _safe(self, claim: Claim, text: str, found: re.Match[str]) -> Fault | None:
        findings, clause = claim.grounds.case.findings, _clause(text, found)
        if gone := _taken_out(text if _PEOPLE.search(clause) else clause, claim):
            return Fault("not_proved_safe", gone[:80])
        if _PARTIAL.fullmatch(found[0]) and not _GENERAL.search(clause):
            subject = _SUBJECT.search(text[: found.start()])
            wrong = subject and became(subject[1], claim.grounds)
            return Fault("not_proved_safe", subject[1][:80]) if subject and wrong else None
        if any(f.breaking for f in findings):
            return Fault("denies_breaking", found[0])
        kinds = [kind_of(f.kind) for f in findings]
        if any(kind.surface == "safe" for kind in kinds):
            return None
        telling = any(kind.change in _TELLING_CHANGES or kind.family in _TELLING_FAMILIES for kind in kinds)
        lines = (line[:2000] for g in claim.cited for line in g.lines[:2000] if not _gone(g, line))
        told = any(_SAFE.search(line) and _same_case(clause, line) for line in lines) or _as_before(clause, claim)
        return None if told and not telling else Fault("not_proved_safe", found[0])

    def _old_name(self, claim: Claim, text: str, found: re.Match[str]) -> Fault | None:
        """That something goes on is a lie where it is gone; of an old name somebody has to say that it stays."""
        if _FAILS.search(text):
            return None
        clause = _clause(text, found)
        aliases = [f.alias.status for f in claim.grounds.case.findings if f.alias is not None]
        if any(status != "none" for status in aliases):
            return None
        if any(became(name, claim.grounds) == "removed" for name in named(clause)):
            return Fault("old_name_gone", found[0])
        if not _OLD.search(clause):
            return None
        if aliases or any(f.breaking for f in claim.grounds.case.findings):
            return Fault("old_name_gone", found[0])
        told = any(_OLD_NAME.search(line[:2000]) for g in claim.cited for line in g.lines[:2000])
        return None if told else Fault("old_name_gone", found[0])


def _as_before(clause: str, claim: Claim) -> bool:
    """The author says `as before` of what a comment names too: it is no assurance about the rest."""
    if not _LIKE_OLD.search(clause) or _GENERAL.search(clause):
        return False
    return any(_SAYS_SO.search(g.added if g.diff else g.text) for g in claim.cited)


def _taken_out(text: str, claim: Claim) -> str:
    """A name of the sentence that the change takes away: nobody who uses it is unaffected."""
    if _FAILS.search(text):
        return ""
    names = (name for name in named(text) if not name[:1].isdigit())
    return next((name for name in names if became(name, claim.grounds) == "removed"), "")


def _same_case(clause: str, line: str) -> bool:
    """That users of 13.x are unaffected says nothing of those of 12.x."""
    mine, theirs = (set(_VERSION.findall(text)) for text in (clause, line))
    return not mine or not theirs or bool(mine & theirs)


def _excused(text: str, found: re.Match[str]) -> bool:
    """A value that is passed on as it is, a condition, or a denial is no assurance."""
    ahead = text[max(found.start() - 80, 0) : found.start()]
    if found[0].lower() == "unchanged" and _HANDED_ON.search(ahead):
        return True
    if _IN_A_CASE.search(ahead) and not _GENERAL.search(_clause(text, found)):
        return True
    if _GIVEN.search(ahead) or _GIVEN_ZH.match(text[found.end() : found.end() + 24]):
        return True
    return bool(_DENIES.search(ahead[-30:]))


def _clause(text: str, found: re.Match[str]) -> str:
    """The clause around it."""
    return _CLAUSE.split(text[: found.start()])[-1] + found[0] + _CLAUSE.split(text[found.end() :])[0]


# --- What follows by itself: code that still uses a removed thing fails, and a number that went from 10 to 30 rose ---


_UP, _DOWN = frozenset({"increase", "greater"}), frozenset({"decrease", "lesser"})
_CONSEQUENCES_FAILS = frozenset({"fail", "breaking", "exception"})
_USES_OLD = re.compile(
    r"\b(?:still|old|former|previous|original|older|existing|rel(?:y|ies)|depends?|expects?|without|refers?|uses?|import\w*|pass(?:es)?|set|sets|calls?)\b"
    r"|仍|旧|原|依赖|继续|沿用|此前|引用|使用|传入|导入|调用|未",
    re.IGNORECASE,
)
_MENDED = re.compile(r"\b(?:no longer|not|never|avoids?|prevents?|instead of)\b|不再|避免|防止|不会", re.IGNORECASE)
_GONE = frozenset({"removed", "renamed", "required_added", "narrowed"})
_CONSEQUENCES_VERSION = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,4})")


def follows(word: Word, claim: Claim) -> bool:
    """Whether the change itself proves it, in no words of its own."""
    names = {concept.name for concept in word.concepts}
    if names & (_UP | _DOWN):
        up, down = _went(claim)
        return bool((up and names & _UP) or (down and names & _DOWN))
    if "fail" in names and claim.draft.role == "risk":
        return True  # what a risk is about
    if names & _CONSEQUENCES_FAILS and claim.draft.role in ("impact", "risk", "action"):
        text = " ".join(claim.shown.values())
        return bool(_USES_OLD.search(text)) and _takes_away(claim)
    return False


def mended(word: Word, claim: Claim) -> bool:
    """`No longer fails`, where the change's own message calls itself a fix."""
    if not {"fail", "wrong"} & {concept.name for concept in word.concepts} or claim.draft.role not in ("why", "impact"):
        return False
    if not _MENDED.search(" ".join(claim.shown.values())):
        return False
    told = [g for g in claim.grounds.pieces.values() if g.ref[:1] in "MP"]
    return carries(told, lexicon().named["fix"])


def _went(claim: Claim) -> tuple[bool, bool]:
    """Whether some number or version went up, and whether some went down: by a finding, or by a turn that is told."""
    up, down = turned_numbers(claim.grounds)
    for text in claim.shown.values():
        for before, after in turns(text):
            one, two = _value(before), _value(after)
            if one and two and one != two and turned(before, after, claim.grounds):
                up, down = up or two > one, down or two < one
    return up, down


def _value(text: str) -> tuple[int, ...]:
    found = _CONSEQUENCES_VERSION.fullmatch(text.replace(",", "").strip("=<>~ "))
    return tuple(map(int, found[1].split("."))) if found else ()


def _takes_away(claim: Claim) -> bool:
    """Something that others may use is gone or wants more: by a finding, by a name, or by the line that is quoted."""
    findings = claim.grounds.case.findings
    if any(f.breaking or _wants_more(kind_of(f.kind)) for f in findings):
        return True
    names = {name for sentence in claim.sentences.values() for name in sentence.spans}
    if any(became(name, claim.grounds) == "removed" for name in names):
        return True
    return on_removed_side(claim.draft.quote, claim.cited, claim.grounds)


def _wants_more(kind: Kind) -> bool:
    return kind.change in _GONE or kind.means("extension_method", "signature_changed")


def on_removed_side(quote: str, cited: tuple[Ground, ...], grounds: Grounds) -> bool:
    """The quote stands on lines that were taken out, and on none that came."""
    quoted = plain(quote).lstrip("+-").strip()
    diffs = [ground for ground in (*cited, *grounds.diffs) if ground.diff]
    gone, come = ({line for side in sides for line in _lines(side)} for sides in _sides(diffs))
    if quoted in gone and quoted not in come:
        return True
    return len(quoted) > 5 and any(quoted in line for line in gone) and not any(quoted in line for line in come)


def _sides(diffs: list[Ground]) -> tuple[list[str], list[str]]:
    return [ground.removed for ground in diffs], [ground.added for ground in diffs]


def _lines(side: str) -> Iterator[str]:
    return (plain(line).strip() for line in side.splitlines())
