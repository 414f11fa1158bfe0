"""Checks of form: two plain texts of a fair length that say the same, cited evidence, no orders followed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from daybreak.core.text import outside
from daybreak.prose.checks import tokens
from daybreak.prose.checks.injection_patterns import speaks_to_reader
from daybreak.prose.checks.interface import LANGUAGES, Claim, Fault
from daybreak.prose.checks.names import counted
from daybreak.prose.checks.sentences import CHINESE, Sentence, lexicon, stem
from daybreak.prose.glossary import folded

# --- Check: both languages are there, whole, and of a length that a reader takes ---


MOST = {"zh": 260, "en": 560}
LEAST = {"zh": 6, "en": 12}
_WHOLE = re.compile(r"[。！？.!?]$")
_STOPS = re.compile(r"[。！？]|[.!?](?=\s|$)")
_MOST_SENTENCES = 3


class Shape:
    """A sentence or three, closed and not cut."""

    def fault(self, claim: Claim) -> Fault | None:
        for language in LANGUAGES:
            text = claim.bare[language].strip()
            if not text:
                return Fault("language_missing", language)
            if len(text) > MOST[language]:
                return Fault("too_long", language)
            if len(text) < LEAST[language]:
                return Fault("too_short", text)
            if text.count("`") % 2 or not _WHOLE.search(text) or text.endswith(("...", "……", "…。")):
                return Fault("cut", text[-30:])
            if len(_STOPS.findall(text)) > _MOST_SENTENCES + 1:
                return Fault("too_long", language)
        return None


# --- Check: plain sentences only; code alone puts in links, markup, mentions, shas and numbers of items ---


_ANYWHERE = re.compile(
    r"[a-z][a-z0-9+.-]{1,12}://|\bwww\.|\b(?:javascript|vbscript|data|mailto|file|tel|ftp|blob)\s?:\s?[/\w%+]|/(?:commit|pull|issues)/\w"
    r"|\bdata:\w|```|~~~|\n|\r",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"`([a-z][a-z0-9+.-]{1,12}://)`")
_OUTSIDE = re.compile(
    r"<[/!?a-zA-Z]|<\s[/!?]|\]\s?\(|!\[|\]\s?\[|\[[^\]]{1,80}\]:|\[\^|\[[ xX]\]|(?<![\w.])[@＠][A-Za-z0-9]|(?<!\d)\*\*|\*\*(?!\d)|__|~~|==\w[^=]{0,80}==|\$\$"
    r"|^\s*(?:[#>|]|[-*+•·‣–—]\s|\d{1,3}(?:[.)]\s|、)|[（(]\d{1,2}[)）])|&#?\w{1,10};|(?<!\w)[*_][^\s*_][^*_]{0,80}[*_](?!\w)|\|.{0,80}\||\\[\[\]()<>`*_#]"
    r"|:\w{2,20}:(?!:)|[：:]\s?[-*•]\s"
)
_DOMAIN = re.compile(
    r"(?<![\w/.-])(?:[a-z0-9-]{1,40}\.){1,4}(?:com|net|org|io|cn|dev|ai|xyz|top|info|site|ru|app|co|me|ly|link|click|online|gg|sh)(?![\w.-]|\()(?:/\S{0,80})?",
    re.IGNORECASE,
)
_SHA = re.compile(r"(?<![0-9A-Za-z_.])(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}(?![0-9A-Za-z_.-])")
_ITEM = re.compile(
    r"(?<![\w&])[#＃]\s?\d{1,7}\b|\b(?:PR|pull request|issue|MR)\s?[#＃]?\s?\d{1,7}\b|\bGH-\d+", re.IGNORECASE
)
_INTERNAL = re.compile(
    r"\"(?:sha|patch|files|role|refs|quote|text)\"\s?:|(?:patch|body|diff)_truncated|(?<![\w`.])(?-i:[MPIFDSN])\d{1,3}(?![\w.])(?=\s?(?:says|shows|中|显示|说|表明|[)）\]】,，、]))"
    r"|[\[【(（]\s?[MPIFDSN]\d{1,3}\s?[\]】)）]|\b(?:evidence|ref)\s?[MPIFDSN]?\d{1,3}\b|证据\s?[MPIFDSN]?\d|\b(?:diff|patch|evidence|context)\s(?:was|is|got|has been)\s(?:cut|truncated)|(?:diff|patch|补丁|证据|上下文|改动)\s?(?:内容)?(?:已|被|已被)截断",
    re.IGNORECASE,
)
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ODD_SPACES = frozenset(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3164\u115f\u1160\uffa0\u2800"
)


class LiteralText:
    """No markup, link, mention, sha, item number or hidden character in what the model wrote."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.bare.values():
            if hidden := next(filter(_hidden, text), ""):
                return Fault("hidden_characters", f"U+{ord(hidden):04X}")
            prose = outside(text)
            for pattern, where, reason in (
                (_ANYWHERE, _without_schemes(text, claim), "markup"),
                (_OUTSIDE, prose, "markup"),
                (_DOMAIN, prose, "markup"),
                (_SHA, text, "sha_in_text"),
                (_ITEM, text, "number_of_item"),
                (_INTERNAL, text, "internals"),
            ):
                if found := pattern.search(where):
                    return Fault(reason, found[0][:60])
        return None


def _without_schemes(text: str, claim: Claim) -> str:
    """The text without `s3://` and its like: a scheme alone in backticks leads nowhere, where the evidence has it."""

    def kept(found: re.Match[str]) -> str:
        known = any(found[1] in ground.plain for ground in claim.grounds.far(claim.cited))
        return " " if known else found[0]

    return _SCHEME.sub(kept, text)


def _hidden(char: str) -> bool:
    """What no reader sees; a line break is markup, and said as such."""
    if char.isascii():
        return char not in "\n\r" and not char.isprintable()
    return char in _ODD_SPACES or unicodedata.category(char) in _HIDDEN


# --- Check: each text is in the language that was asked for ---


_OTHER = re.compile(
    r"[\u0370-\u1fff\u2c00-\u2dff\u3040-\u30ff\u3130-\u318f\ua000-\ud7ff\uf900-\ufaff\uff21-\uff3a\uff41-\uff5a\uff65-\uffdc]"
)
_ACCENT = re.compile(r"[À-ÖØ-öø-ɏ]")
_WORD = re.compile(r"[A-Za-z]+")
_ENGLISH = frozenset(
    """the a an to of in on for by with from is are was be been not no now it its this that these when if as at and or so
    because which than then only also into can no will cannot instead longer after before while does do without per
    through via where must may uses use adds removes fixes has have""".split()  # noqa: SIM905
)
_CITED = re.compile(r"\"[^\"]{1,160}\"|“[^”]{1,160}”|‘[^’]{1,160}’")
"""Words of the evidence between quotation marks keep their language."""


class LanguageAsked:
    """Chinese in Chinese, English in English; code and names are free of it."""

    def fault(self, claim: Claim) -> Fault | None:
        for language in LANGUAGES:
            prose = _CITED.sub(" ", outside(claim.bare[language]))
            if _OTHER.search(prose) or _ACCENT.search(prose):
                return Fault("wrong_language", language)
            chinese, words = len(CHINESE.findall(prose)), _WORD.findall(prose)
            if language == "zh" and (chinese < 2 or chinese < 0.4 * len(words) or _clause(words, prose)):
                return Fault("wrong_language", language)
            if language == "en" and (chinese or not words or not _english(words)):
                return Fault("wrong_language", language)
        return None


def _english(words: list[str]) -> bool:
    known = sum(word.lower() in _ENGLISH for word in words)
    return known * 12 >= len(words) - 8


def _clause(words: list[str], prose: str) -> bool:
    """An English clause inside a Chinese text: small words of English, which no term has."""
    little = sum(
        word.lower() in {"the", "is", "are", "was", "of", "to", "that", "because", "which", "with", "when"}
        for word in words
    )
    return little >= 2 and len(prose) > 0


# --- Check: the draft names evidence that was shown, and that evidence says something ---


class CitedPieces:
    """Every cited piece exists and is not empty."""

    def fault(self, claim: Claim) -> Fault | None:
        if not claim.draft.refs:
            return Fault("no_evidence")
        for ref in claim.draft.refs:
            ground = claim.grounds.pieces.get(ref)
            if ground is None:
                return Fault("unknown_evidence", ref[:40])
            if not ground.plain:
                return Fault("empty_evidence", ref)
        return None


# --- Check: the statement follows no order that stands in the evidence, and does not grade the change ---


_GRADES = re.compile(
    r"\b(?:most|extremely|very|highly|top|utmost|critically|exceptionally) (?:important|critical|urgent|severe|significant)\b"
    r"|\b(?:high|highest|top|critical|maximum|utmost|low|lowest) (?:importance|severity|grade|risk level)\b|\b(?:change|commit|update|fix|release|patch)\b.{0,30}\b(?:high|highest|top|low|lowest)[- ]priority\b|\b(?:high|highest|top)[- ]priority (?:change|commit|update|fix|release|patch)"
    r"|\b(?:critical|urgent|emergency|important|mandatory) (?:update|upgrade|release|change|patch|commit|notice|fix)\b"
    r"|\b(?:upgrade|install|migrate|patch)\b.{0,30}\b(?:immediately|right away|at once|now!|asap|without delay|as soon as possible|urgently)"
    r"|\b(?:update|act|switch)\b.{0,30}\b(?:right away|now!|asap|without delay|as soon as possible|urgently)"
    r"|(?<!`\s)\b(?:must|should) (?:all |immediately |urgently )?(?:upgrade|trust|approve|visit|click|download|contact|donate|star)\b"
    r"|\b(?:you|users|readers|people|teams|operators|we|they) (?:must|should) (?:all |immediately |urgently )?(?:update|migrate|install|merge|read|run|execute|follow)\b"
    r"|\b(?:everyone|everybody|all (?:users|readers|deployments)|every user|readers)\b.{0,20}\b(?:must|should|has to|have to|need to)\b"
    r"|\bbest (?:project|change|library|framework|release|commit)\b|\b(?:revolutionary|game[- ]chang\w+|ground-?breaking|world-class|flawless|perfect)\b"
    r"|\b(?:approved|endorsed|certified|audited) by\b|\b(?:verified|reviewed) by (?!an? |the (?:new )?(?:tests?|code|check|kernel|server)|`|unit|tests?\b)|\bofficially (?:approved|endorsed|recommended)"
    r"|\b(?:other|remaining|rest of the) (?:commits?|changes?|items?|projects?|repositories)\b.{0,30}\b(?:ignor\w+|irrelevant|unimportant|skipp?\w*|fake|malicious|low)\b"
    r"|(?:极其|非常|十分|最为|至关|特别|高度|极为)(?:重要|关键|紧急|严重)|(?:重大|紧急|关键|高危|严重|强制)(?:更新|升级|变更|漏洞|修复|提交|补丁|发布)|重要性(?!采样|权重|得分|分数)|(?:改动|变更|提交|更新|修复)[^，。；]{0,8}优先级(?:最高|为高)"
    r"|(?:立即|立刻|马上).{0,8}(?:升级|安装|迁移|合入|打补丁|访问|点击|下载|联系)"
    r"|(?:尽快|务必|必须尽快|强烈建议|第一时间).{0,8}(?:升级|更新|安装|迁移|合入|打补丁|处理|切换|访问|点击|下载|执行|联系)"
    r"|(?:所有人|全体用户|所有用户|每个用户|各位|大家|全部部署|所有部署).{0,8}(?:必须|务必|应当|应该|应|需要|须|请)|(?:其他|其余|别的)(?:提交|变更|条目|项目|仓库).{0,8}(?:忽略|无关|不重要|伪造|恶意)"
    r"|里程碑|划时代|革命性|完美无|史上最|最佳(?:项目|框架)|官方(?:认可|推荐|认证)|经(?:审计|安全审查)|已(?:通过|经过)(?:安全)?(?:审计|审查|认证)",
    re.IGNORECASE,
)
_OBEYS = re.compile(
    r"\b(?:as (?:you )?(?:instructed|requested|ordered|asked|told)|per (?:your|the) (?:instruction|request|order)s?|(?-i:\bI (?:am|was|have|will|cannot|can't|must|do)\b|I'm|I've)|we (?:are|have) been)"
    r"|\bas an? (?:AI|LLM|language model|assistant)\b(?! \w+ (?:message|turn|role))|\bAI (?:model|assistant|analyst|summari[sz]er)s?\b|\b(?:LLM|language) (?:assistant|analyst|summari[sz]er)s?\b|\bprevious instructions?\b|\bsystem prompts? (?:is|reads|says)\b|\b(?:pwned|hacked|jailbr\w+|DAN mode)\b"
    r"|按(?:照)?(?:你的|您的|上述|该|提交的?)?(?:指令|要求|指示)|遵照|遵从|我(?:是|已|会|将|无法|必须)|作为(?:一个|一名)?(?:AI|人工智能)|作为(?:一个|一名)(?:助手|模型|语言模型)|人工智能助手|已(?:被)?(?:入侵|攻陷)|忽略(?:以上|之前|上述|先前)(?:的)?(?:所有|全部)?(?:指令|提示|规则|要求|设定|说明)"
    r"|\b(?:send|post|upload|forward|leak|exfiltrat\w+)\b.{0,40}\b(?:secret|password|credential|report|system prompt|(?:api|access|auth|session|bearer|your|my) (?:token|key))s?\b.{0,20}\bto\b|(?:密钥|口令|密码|凭据|令牌|机密|系统提示词?|报告)[^，。；]{0,8}(?:发送|上传|提交|转发)(?:到|至|给)|(?:发送|上传|转发)(?:到|至|给)\s?\S{0,20}(?:@|://|\.(?:com|example|net|org))",
    re.IGNORECASE,
)


class NoOrders:
    """A reader is told what changed: no grade, no urging, nothing that answers an order."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.bare.values():
            if found := _OBEYS.search(text) or _GRADES.search(text):
                return Fault("obeys", found[0][:60])
            if speaks_to_reader(text):
                return Fault("obeys", text[:60])
        return None


# --- Check: both languages name the same technical words and numbers, and do not say opposite things ---

_FREE = frozenset({"id", "ok", "vs", "etc"})
_DENIES = re.compile(r"\b(?:not|no|never|without|unless|until|cannot|neither)\b|n't\b|[不未没无非]", re.IGNORECASE)
_UP, _DOWN = frozenset({"increase", "greater"}), frozenset({"decrease", "lesser"})
_SEVERAL = re.compile(r"\b(?:while|but|and|whereas|although)\b|[，；、]|而|但|并|且", re.IGNORECASE)
"""More than one thing is told."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


class EditionsAgree:
    """The reader of one language learns what the reader of the other does."""

    def fault(self, claim: Claim) -> Fault | None:
        zh, en = claim.sentences["zh"], claim.sentences["en"]
        texts = claim.draft.text
        if set(_PLACEHOLDER.findall(texts["zh"])) != set(_PLACEHOLDER.findall(texts["en"])):
            return Fault("languages_differ", "placeholders")
        if set(zh.spans) != set(en.spans):
            return Fault("languages_differ", next(iter(set(zh.spans) ^ set(en.spans)))[:80])
        left = _unmatched(claim, zh, en) | _unmatched(claim, en, zh)
        if left := left - _in_spans(zh, en) - _in_words(zh, en):
            return Fault("languages_differ", min(left))
        units = _units(zh, en) ^ _units(en, zh)
        if any(tokens.hard_unit(unit) for _, unit in units):
            return Fault("languages_differ", min(units)[0])
        return self._words(claim, zh, en) or _contrary(zh, en)

    def _words(self, claim: Claim, zh: Sentence, en: Sentence) -> Fault | None:
        """Each names what the other does not: one may leave a name out, but not put another in its place."""
        alone = [self._alone(claim, one, other) for one, other in ((zh, en), (en, zh))]
        return Fault("languages_differ", " / ".join(names[0] for names in alone)[:80]) if all(alone) else None

    def _alone(self, claim: Claim, one: Sentence, other: Sentence) -> list[str]:
        """Technical words of one text that the other has in no spelling."""
        return [
            token
            for token in dict.fromkeys(one.tokens)
            if tokens.technical(token)
            and token.lower().removesuffix("s") not in _FREE
            and not any(t.common for t in claim.glossary.of(token))
            and not _named(token, other, claim)
        ]


def _units(one: Sentence, other: Sentence) -> set[tuple[str, str]]:
    """Numbers with their units; `twice` says 两倍 in a word that has no unit."""
    words = set(tokens.ordinals(" ".join(re.findall(r"[A-Za-z]+", other.outside))))
    return {(n.value, n.unit) for n in one.numbers if n.unit and not (n.unit == "x" and n.value in words)}


def _unmatched(claim: Claim, one: Sentence, other: Sentence) -> set[str]:
    """Numbers of one text that the other has in no writing."""
    theirs = {writing.value for number in other.numbers for writing in tokens.same(number)}
    mine = (n for n in one.numbers if not _idle(n, claim))
    return {n.value for n in mine if theirs.isdisjoint(w.value for w in tokens.same(n))}


def _idle(number: tokens.Number, claim: Claim) -> bool:
    """A count in words, which one language may leave to its list: `FP8、FP4 和 BF16 三条路径`."""
    return not number.written[:1].isdigit() and counted(number, claim)


def _in_words(*sentences: Sentence) -> set[str]:
    """Numbers that one text writes as a word or ordinal, which its other side may have in digits."""
    return {number for s in sentences for number in tokens.ordinals(s.outside)}


def _in_spans(*sentences: Sentence) -> set[str]:
    return {n for s in sentences for span in s.spans for n in tokens.loose_numbers(span)}


def _named(token: str, other: Sentence, claim: Claim) -> bool:
    """The other text has the word, in its own or in a glossary spelling."""
    text, low = folded(other.text), folded(token)
    if low in text or low.rstrip("s") in text or stem(token) in {stem(w) for w in re.findall(r"[A-Za-z]+", other.text)}:
        return True
    terms = (*claim.glossary.of(token), *claim.glossary.of(token.removesuffix("s")))
    return any(_spelled(term.spellings, text) for term in terms) or any(
        _named(part, other, claim) for part in _parts(token) if part != token
    )


def _spelled(spellings: Iterable[str], text: str) -> bool:
    return any(folded(spelling) in text for spelling in spellings)


def _parts(token: str) -> list[str]:
    parts = [part for part in re.split(r"[-/]", token) if part]
    return parts if len(parts) > 1 else []


def _contrary(zh: Sentence, en: Sentence) -> Fault | None:
    """One says up where the other says down."""
    if _DENIES.search(zh.outside) or _DENIES.search(en.outside):
        return None  # `not enabled` is what the other language may call disabled
    said = [{c.name for word in sentence.words for c in word.concepts} for sentence in (zh, en)]
    several = _SEVERAL.search(zh.outside) or _SEVERAL.search(en.outside)
    for one, two in lexicon().opposite.items():
        if one in lexicon().loose or (one in _UP | _DOWN and several):
            continue  # `falls while that takes longer`: which word is whose, only a reader sees
        if one in said[0] and two not in said[0] and two in said[1] and one not in said[1]:
            return Fault("languages_differ", f"{one}/{two}")
    ways = [(bool(names & _UP), bool(names & _DOWN)) for names in said]
    if not several and ways in ([(True, False), (False, True)], [(False, True), (True, False)]):
        return Fault("languages_differ", "up/down")
    return None
