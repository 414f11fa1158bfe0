"""The frame that code holds around a model's sentence: lines that exist, names and numbers that stand there, plain text in two
languages that name the same.

What the sentence means is the critic's to judge. Of grammar only what is next to a name is read here: that it came, that it went,
or that it took another's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from daybreak.core.model.drafts import Case, Draft, Fate, Piece, Span
from daybreak.core.model.statements import Proof, Side, Statement
from daybreak.core.text import named, outside, plain
from daybreak.judge.checks.statements import NUMBER, name_stands
from daybreak.prose.ground import Ground, finding_text, loose
from daybreak.prose.injection_patterns import speaks_to_reader
from daybreak.prose.plain_sentence import (
    LANGUAGES,
    PLACEHOLDER,
    QUOTED,
    Fault,
    blank,
    form_fault,
    render,
    unknown_placeholder,
)

# --- Names and numbers ---

_TECHNICAL = re.compile(r"(?<![\w`])[A-Za-z][\w./+-]*[\w+](?![\w`])")
_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*[A-Za-z0-9]")
_PROSE_WORD = re.compile(r"[A-Z]?[a-z]+(?:[-/][A-Z]?[a-z]+)*$|[A-Z]$")
_COMMON = frozenset(
    """AI API APIs AOT CLI CPU CPUs CUDA GPU GPUs HTTP HTTPS ID IDs IO JIT JSON LLM LLMs KV MoE ML OK OS PD PR PRs RAM REST SDK SQL TOML
    UI URL URLs UTF-8 VRAM YAML Python C++ Rust Go GitHub Git NVIDIA AMD PyTorch OpenAI Linux macOS Windows Docker e.g i.e
    vs etc DP TP PP EP CI dtype dtypes stdout stderr config configs params env vars async sync NaN NaNs int float bool str
    dict enum tokenizer kernel""".split()  # noqa: SIM905
)
"""Words of every engineer, which need no evidence."""


def _names(text: str) -> Iterator[str]:
    """Names in a text with its placeholders blanked: what stands in backticks."""
    return (name.strip() for name in named(text) if name.strip())


def _technical(text: str) -> Iterator[str]:
    """Words outside backticks that only the evidence can give: with digits, signs or capitals inside."""
    for found in _TECHNICAL.finditer(QUOTED.sub(" ", outside(text))):
        word = found[0].strip(".-/").removeprefix("non-")
        if (
            word
            and word not in _COMMON
            and not _PROSE_WORD.match(word)
            and (any(map(str.isupper, word[1:])) or re.search(r"[\d_]", word))
        ):
            yield word


def name_fault(text: str, grounds: Sequence[Ground]) -> Fault | None:
    """Names, options, technical words and numbers stand in the evidence: whether in the right relation is the critic's to say."""
    found = [ground.plain for ground in grounds]
    for name in (*_names(text), *_OPTION.findall(outside(text))):
        if not name_stands(name, found):
            return Fault("name_not_in_evidence", name[:80])
    for word in _technical(text):
        parts = [part for part in word.split("-") if not _PROSE_WORD.match(part)]
        if not all(
            name_stands(part, found) or any(_tight(part) in ground.loose for ground in grounds) for part in parts
        ):
            return Fault("name_not_in_evidence", word[:80])
    for number in _numbers(text):
        if not _number_stands(number, grounds):
            return Fault("number_not_in_evidence", number)
    return None


_CONTENT = re.compile(r"[A-Za-z]{4,}")
_STEM = 5
_IDLE = frozenset(
    """this that these those with from into when which while will than then them they their there where have been being does only
    also more most less same other such each every some what after before between because without within still just longer instead
    change changes changed commit author says version release user users code project""".split()  # noqa: SIM905
)


def rests(text: str, cited: Sequence[Ground]) -> bool:
    """Whether a sentence is about what it cites: it names something that stands there, or says it in two of its words."""
    bare = blank(text)
    if bare != text or any(True for _ in _names(bare)) or any(_number_stands(n, cited) for n in _numbers(bare)):
        return True
    words = {word[:_STEM] for word in _CONTENT.findall(bare.lower()) if word not in _IDLE}
    there = sum(any(word in ground.plain.lower() for ground in cited) for word in words)
    return there >= 2 or there == len(words) == 1


def _tight(word: str) -> str:
    return loose(plain(word))


def _number_stands(number: str, grounds: Iterable[Ground]) -> bool:
    """`4` is `4.0` as well."""
    form = re.compile(rf"(?<![\d.]){re.escape(number)}(?:\.0+)?(?!\d|\.\d)")
    return any(form.search(_in_full(ground.plain)) for ground in grounds)


_SCALES = {"k": 1_000, "K": 1_000, "M": 1_000_000, "万": 10_000, "亿": 100_000_000}
_SCALED = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?) ?([{''.join(_SCALES)}])(?![A-Za-z0-9_])")


def _in_full(text: str) -> str:
    """Each language counts by steps of its own: `100K`, `100,000` and `10 万` are one number."""
    bare = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    return _SCALED.sub(lambda found: f"{round(float(found[1]) * _SCALES[found[2]])} ", bare)


def _numbers(text: str) -> list[str]:
    """What a text counts, outside of its names."""
    return NUMBER.findall(_in_full(outside(text)))


# --- What came, what went, what took whose place ---

_NAME = r"`([^`]+)`"
_VALUE = r"(?:`([^`]+)`|(\d[\w.]*\w|\d))"
_WORD = r"(?:\s(?!(?:after|as|at|before|by|for|from|if|in|of|on|once|only|since|to|unless|until|when|where|while|with|without)\b)[\w-]+)"
"""A word between a verb and its object: behind a preposition or a conjunction stands something else."""
_CAME = re.compile(
    rf"\b(?:adds?|added|introduces?|introduced|gains?|new)\b{_WORD}{{0,4}}\s{_NAME}|\bbecomes? {_NAME}"
    rf"|\bnow (?:includes|sets) {_NAME}|(?:新增|添加|引入|加入|改为|变为|改成|现在包含|现在设为)[^，。；`]{{0,12}}{_NAME}"
    rf"|{_NAME}\s?(?:被|已|已被)?(?:新增|添加|引入)",
    re.IGNORECASE,
)
_WENT = re.compile(
    rf"\b(?:removes?|removed|deletes?|deleted|drops?|dropped)\b{_WORD}{{0,3}}\s{_NAME}"
    rf"|{_NAME} (?:is|are|was|were) (?:removed|deleted|dropped)|{_NAME} (?:goes away|is gone)"
    rf"|(?:删除|移除|去掉)(?:了)?[^，。；`]{{0,8}}{_NAME}|{_NAME}\s?(?:被|已|已被)?(?:删除|移除|去掉)",
    re.IGNORECASE,
)
_TURNS = re.compile(
    rf"\bfrom {_VALUE} (?:\w+ ){{0,3}}?to {_VALUE}|{_NAME}\s?(?:->|→)\s?{_NAME}"
    rf"|\b(?:renames?|renamed|moves?|moved|changes?|replaces?|replaced) {_NAME} (?:to|with|by|into) {_NAME}"
    rf"|{_NAME} (?:is |was |has been )?(?:renamed|moved|changed) to {_NAME}|{_NAME} becomes {_NAME}"
    rf"|[从由]\s?{_VALUE}\s?(?:[^`。；，]{{0,8}}?)(?:改为|改成|变为|换成|改回|放宽到|收紧为|降到|升到|到)\s?{_VALUE}"
    rf"|{_NAME}\s?(?:更名为|改名为|重命名为|移到了?|移至|改为|改成|换成|变为)\s?{_NAME}",
    re.IGNORECASE,
)
GONE = re.compile(
    r"\b(?:no longer|not?|never|without|nor|remov\w+|delet\w+|drop\w*|gone|instead|replac\w+|former\w*|old|only|fails?|left)\b"
    r"|不|未|没有|无|删|移除|去掉|取消|代替|取代|只|旧|原",
    re.IGNORECASE,
)
_NEGATES = re.compile(r"\b(?:no longer|not|never|without|nor|if|when|unless)\b|不再|不|未|没有|若|时", re.IGNORECASE)


def turns(text: str) -> Iterator[tuple[str, str]]:
    """(before, after) where a sentence says that one took the other's place."""
    for found in _TURNS.finditer(text):
        before, after = (name for name in found.groups() if name)
        yield before, after


def _next_to(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Names that a word of coming or going stands next to, and no denial or condition before it."""
    for found in pattern.finditer(text):
        if not _NEGATES.search(text[max(found.start() - 24, 0) : found.start()]):
            yield from (name for name in found.groups() if name)


def side_fault(text: str, diffs: list[Ground], known: Iterable[Ground] = ()) -> Fault | None:
    """What is said to come stands after the change, what is said to go stood before it; `known` may say otherwise."""
    known = tuple(known)
    for before, after in turns(text):
        if only_on("-", after, diffs) and only_on("+", before, diffs):
            return Fault("only_removed", after[:80])
    for name in _next_to(_CAME, text):
        if only_on("-", name, diffs) and not any(plain(name) in ground.plain for ground in known):
            return Fault("only_removed", name[:80])
    for name in _next_to(_WENT, text):
        if only_on("+", name, diffs):
            return Fault("only_added", name[:80])
    return None


def only_on(sign: str, name: str, diffs: Iterable[Ground]) -> bool:
    """It stands on lines of this side and on no others."""
    wanted, there = plain(name), False
    for ground in diffs:
        if any(wanted in ground.side(side) for side in {"+", "-", " "} - {sign}):
            return False
        there = there or wanted in ground.side(sign)
    return there


# --- Effects that models invent, and assurances ---

_EFFECTS: tuple[tuple[str, str], ...] = (
    (r"throughput|吞吐", r"throughput|tok(?:en)?s?/s|req/s|qps|吞吐"),
    (r"latenc(?:y|ies)|延迟|时延", r"latenc|ttft|tpot|itl|delay|slow|fast|延迟|时延|overhead"),
    (r"deadlocks?\b|死锁", r"dead\s?-?lock|hang|stuck|死锁"),
    (r"\bhangs?\b|\bhung\b|挂起|卡死", r"hang|hung|stuck|dead\s?-?lock|freez|卡死|挂起|livelock|stall|forever|suspen"),
    (r"\bleak(?:s|ed|ing)?\b|泄[漏露]", r"leak|泄|never .{0,20}(?:clos|free|releas)|accumulat|orphan"),
    (
        r"\bfaster\b|\bspeed(?:s|up|-up)?\b|更快|加速|提速",
        r"fast|speed|perf|latenc|throughput|optimi|quick|accelerat|快|性能",
    ),
    (r"\bslower\b|\boverhead\b|更慢|变慢|开销", r"slow|perf|latenc|overhead|regress|cost|慢|开销"),
    (r"\btimeouts?\b|\btimes? out\b|超时", r"times?\s?-?_?out|timed out|超时|deadline"),
    (r"\bOOM\b|out[- ]of[- ]memory|显存不足|内存不足|显存溢出", r"oom|out.{0,3}of.{0,3}memory|显存不足|内存不足"),
    (
        r"\b(?:less|lowers?|lower|smaller|reduces?)\b[^.;]{0,24}\bmemory\b|\bmemory\b[^.;]{0,24}\b(?:less|lower|smaller|halved|drops?)|(?:显存|内存)[^，。；]{0,6}(?:减|降|更小|更少)",
        r"memor|footprint|显存|内存",
    ),
    (
        r"\bcrash(?:es|ed|ing)?\b|崩溃",
        r"crash|segfault|abort|panic|illegal|fatal|unhandled|崩|use.after.free|out.of.bounds|[A-Z]\w+Error|exception",
    ),
    (
        r"\baccuracy\b|准确率|精度",
        r"accura|precis|wrong|incorrect|correct|numeri|\bnan\b|精度|quality|diverg|float|bf16|fp\d|dtype",
    ),
    (
        r"\bsegfault|segmentation fault|illegal memory access|段错误|非法内存访问|非法访存",
        r"seg(?:mentation )?fault|illegal|out.of.bounds|sigsegv",
    ),
    (r"\b(?:twice|half|\w+ times) as \w+|[一两三]倍|翻倍|减半", r"twice|half|double|\d\s?[x×]|times|倍|%"),
    (r"\bvulnerabilit|漏洞|\bRCE\b", r"vulnerab|\bcve|secur|ghsa|inject|exploit|漏洞|pickle|ssrf|traversal"),
)
_EFFECT_PATTERNS = tuple(
    (re.compile(said, re.IGNORECASE), re.compile(rf"(?<![a-z])(?:{shown})", re.IGNORECASE)) for said, shown in _EFFECTS
)
ASSURES = re.compile(
    r"\b(?:backward|forward|backwards)[- ]compatible\b|\bfully compatible\b|\bno (?:breaking|behaviou?ral?|functional) changes?\b"
    r"|\b(?:existing|current|all) (?:\w+ ){0,2}(?:users|deployments|callers|clients|commands|configs?|code|scripts)\b[^.;]{0,20}\b(?:unaffected|not affected|keep working|keeps working|still works?|continue to work|need(?:s)? no)\b"
    r"|\b(?:users|deployments|callers|clients|behaviou?r) (?:is|are|remains?|stays?) (?:not affected|unaffected|unchanged|the same)\b"
    r"|\bno (?:migration|action|code changes?|changes?) (?:is |are )?(?:needed|required|necessary)\b|\bsafe(?:ly)? to (?:upgrade|ignore|update|skip)\b|\bneeds? no (?:new |further )?(?:change|check|test)|\b(?:exactly|bitwise|bit-for-bit) the same\b"
    r"|\bdrop-in\b|\bnothing (?:changes|breaks)\b|向后兼容|向下兼容|完全兼容|(?:用户|部署|调用方|客户端|行为)[^，。；]{0,6}(?:不受影响|不变|没有影响|无影响)|对现有[^，。；]{0,16}(?:没有影响|无影响)"
    r"|无需(?:任何)?(?:修改|改动|迁移|操作|调整|适配)|(?:都能|可以?)照常使用|可(?:以)?(?:安全|放心)(?:升级|忽略)|平滑升级|无缝|(?:完全|逐位)一致",
    re.IGNORECASE,
)


_LEAST_SPAN = 4


class Frame:
    """All sentences about one case are held against its evidence, which is read once."""

    def __init__(self, case: Case) -> None:
        self._case, self._names = case, case.names
        self._grounds = {piece.ref: _ground(piece) for piece in case.pieces}
        self._findings = tuple(Ground("F", f"finding:{f.id}", finding_text(f)) for f in case.findings)

    @cached_property
    def _of_statements(self) -> bool:
        """The case shows statements and no change: what is said of them names them, and has no line of its own."""
        return not any(ref.startswith(("D", "P", "I")) for ref in self._grounds)

    @cached_property
    def _context(self) -> Ground:
        return Ground("C", "", f"{self._case.repo}\n{self._case.context}")

    def fate(self, draft: Draft) -> Fate:
        """A rendered statement, or the first reason against it."""
        fault = self._of_texts(draft) or self._of_spans(draft) or self._of_names(draft)
        fault = fault or self._of_sides(draft) or self._of_effects(draft)
        if fault is not None:
            return Fate(draft, None, fault.reason, fault.detail)
        return Fate(draft, self._statement(draft))

    def side_of(self, span: Span) -> Side | None:
        """The side that a line stands on in the piece it names."""
        ground = self._grounds.get(span.ref)
        return ground.side_of(span.line) if ground is not None and len(plain(span.line)) >= _LEAST_SPAN else None

    # --- the checks, cheap ones first ---

    def _of_texts(self, draft: Draft) -> Fault | None:
        for language in LANGUAGES:
            text = draft.text.get(language, "")
            if not text.strip():
                return Fault("language_missing", language)
            if len(text) > 4000:
                return Fault("too_long", language)
            if wrong := unknown_placeholder(text, self._names):
                return Fault("unknown_placeholder", wrong)
            if fault := form_fault(blank(text).strip(), language):
                return fault
        return _alike(draft)

    def _of_spans(self, draft: Draft) -> Fault | None:
        if not draft.spans and not (draft.refs and self._of_statements):
            return Fault("no_evidence")
        for ref in draft.refs:
            if ref not in self._grounds:
                return Fault("unknown_evidence", ref[:40])
        for span in draft.spans:
            ground = self._grounds.get(span.ref)
            if ground is None:
                return Fault("unknown_evidence", span.ref[:40])
            if self.side_of(span) is None:
                ordered = any(plain(span.line) in plain(line) for line in ground.orders)
                return Fault("span_is_order" if ordered else "span_not_verbatim", span.line[:80])
            if speaks_to_reader(span.line):
                return Fault("span_is_order", span.line[:80])
        return None

    def _cited(self, draft: Draft) -> list[Ground]:
        """Of statements the named ones; of a change all of its evidence."""
        if draft.refs and self._of_statements:
            return [self._grounds[ref] for ref in draft.refs]
        return [*self._grounds.values(), *self._findings]

    def _of_names(self, draft: Draft) -> Fault | None:
        every = (*self._cited(draft), self._context)
        fault = next((f for text in draft.text.values() if (f := name_fault(blank(text), every))), None)
        own = [ground for ref, ground in self._grounds.items() if ref in (*draft.cited, "M1", "R1")]
        about = rests(draft.text.get("en", ""), (*own, *self._findings))
        return fault or (None if about else Fault("not_grounded"))

    def _of_sides(self, draft: Draft) -> Fault | None:
        diffs = [ground for ground in self._cited(draft) if ground.diff]
        texts = map(blank, draft.text.values()) if diffs else ()
        return next((f for text in texts if (f := side_fault(text, diffs, self._findings))), None)

    def _of_effects(self, draft: Draft) -> Fault | None:
        """A symptom or measure needs a word for it in the evidence; an assurance about everybody needs a finding."""
        said_so = "\n".join(ground.plain for ground in self._cited(draft))
        safe = any(finding.kind.startswith("safe") for finding in self._case.findings)
        for text in draft.text.values():
            prose = outside(blank(text))
            if not safe and (found := ASSURES.search(prose)):
                return Fault("not_proved_safe", found[0][:60])
            for said, shown in _EFFECT_PATTERNS:
                if (found := said.search(prose)) and not shown.search(said_so):
                    return Fault("effect_not_in_evidence", found[0])
        return None

    # --- what stands ---

    def _statement(self, draft: Draft) -> Statement:
        text = {language: render(draft.text[language], self._names).strip() for language in LANGUAGES}
        owners = {name: piece for piece in reversed(self._case.pieces) for name in piece.names}
        used = [owners[found[1]].id for value in draft.text.values() for found in PLACEHOLDER.finditer(value)]
        cited = [self._grounds[ref].id for ref in (*(span.ref for span in draft.spans), *draft.refs)]
        held = self._holding(draft, {*cited, *used})
        return Statement(
            draft.role,
            text,
            tuple(dict.fromkeys((*cited, *used, *held))),
            author="model",
            proof=tuple(self._proof(draft)),
        )

    def _proof(self, draft: Draft) -> Iterator[Proof]:
        for span in draft.spans:
            ground = self._grounds[span.ref]
            side = ground.side_of(span.line) or " "
            yield Proof(ground.id, ground.whole(span.line), side)
        yield from self._around_proof(draft)

    def _around_proof(self, draft: Draft) -> Iterator[Proof]:
        """A line for each name that stands next to the change and on none of its lines, or for each part of it."""
        shown = [g for g in self._grounds.values() if g.diff or g.ref in _OF_TREES]
        changed = "\n".join(g.side("+") + g.side("-") for g in shown if g.diff)
        rows = [(g, text, plain(text)) for g in shown for raw in g.lines if (text := g.bare(raw).rstrip())]
        for name in dict.fromkeys(plain(name) for text in draft.text.values() for name in _names(blank(text))):
            # Of a flag with its value each has a line of its own, and of what stands nowhere as it is each part.
            words = [name] if any(name in row[2] for row in rows) else re.split(r"[\s=]+", name)
            parts = (p for word in words for p in ([word] if any(word in r[2] for r in rows) else _PARTS.findall(word)))
            for part in dict.fromkeys(parts):
                found = next((row for row in rows if part in row[2]), None)
                if part and part not in changed and found is not None:
                    yield Proof(found[0].id, found[1], " ")

    def _holding(self, draft: Draft, ids: set[str]) -> Iterator[str]:
        """Ids of evidence that holds a name which the cited evidence has not."""
        mine = [ground for ground in (*self._grounds.values(), *self._findings) if ground.id in ids]
        every = [ground for ground in (*self._grounds.values(), *self._findings) if ground.id not in ids]
        for text in draft.text.values():
            for name in (*_names(blank(text)), *_numbers(blank(text))):
                if not name_stands(name, [g.plain for g in mine]):
                    yield from [ground.id for ground in every if name_stands(name, [ground.plain])][:1]


_PARTS = re.compile(r"\w{2,}")
_OF_TREES = ("T1", "T2", "R1")
"""Pieces with lines that the change does not touch."""


def _ground(piece: Piece) -> Ground:
    return Ground(piece.ref, piece.id, piece.text)


def _alike(draft: Draft) -> Fault | None:
    """Every language has the same names, numbers and placeholders."""
    first, *others = (draft.text[language] for language in LANGUAGES)
    for other in others:
        for found in (
            PLACEHOLDER.findall,
            lambda text: named(blank(text)),
            lambda text: _numbers(blank(text)),
        ):
            one, two = set(found(first)), set(found(other))
            if apart := [name for name in one ^ two if not _in_words(name, other if name in one else first)]:
                return Fault("languages_differ", min(apart)[:80])
    return None


_WORDS = dict(enumerate("zero one two three four five six seven eight nine ten".split()))  # noqa: SIM905
_SIGNS = dict(enumerate("零一二三四五六七八九十"))


def _in_words(number: str, text: str) -> bool:
    """A small number that the other language spells out: `2 的幂` is a power of two."""
    value = int(number) if re.fullmatch(r"\d|10", number) else None
    return value is not None and (
        _SIGNS[value] in text or re.search(rf"\b{_WORDS[value]}\b", text, re.IGNORECASE) is not None
    )
