"""Checks of words: every technical word stands in the evidence, and plain words rest on it too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.text import plain
from daybreak.prose.checks.evidence_index import Ground, carries, stands_term, whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.names import stands
from daybreak.prose.checks.safety import follows, mended
from daybreak.prose.checks.sentences import Sentence, Word, lexicon, parts, stem, stems
from daybreak.prose.checks.tokens import unit
from daybreak.prose.glossary import Term, folded

# --- Check: every technical word stands in the evidence, in the findings or in the glossary ---


_FREE = frozenset({"id", "ok", "vs", "etc", "bug", "bugs", "i", "a", "app", "demo"})
_EVERYDAY = frozenset(
    {"api", "apis", "cli", "http", "https", "json", "url", "urls", "ui", "os", "io", "i/o",
     "sdk", "uuid", "readme", "todo", "utf", "ascii", "stdin", "stdout", "ram"}
)  # fmt: skip
"""Abbreviations that prose about any program has."""
_BY_FILES: dict[str, tuple[str, ...]] = {
    "python": (".py",), "rust": (".rs", "cargo."), "cuda": (".cu", ".cuh"), "c++": (".cpp", ".cc", ".h", ".hpp", ".cu"),
    "go": (".go",), "docker": ("dockerfile",), "dockerfile": ("dockerfile",), "yaml": (".yml", ".yaml"), "shell": (".sh",),
    "bash": (".sh",), "cmake": (".cmake", "cmakelists"), "markdown": (".md",), "toml": (".toml",), "pytest": ("test_", "tests/"),
    "pip": ("requirements", "pyproject.toml", "setup.py"), "pypi": ("pyproject.toml", "setup.py"), "ci": (".github/", "ci/"),
    "github": (".github/",), "typescript": (".ts",), "javascript": (".js",), "pytorch": ("torch",), "kubernetes": ("k8s",),
    "nvidia": ("cuda", "nvcc", "nvfp4"), "amd": ("rocm", "gfx", "aiter"), "intel": ("xpu",), "openai": ("chat_completion",),
    "transformers": ("autoconfig", "hf_"), "linux": ("ubuntu", "debian", "manylinux"),
    "arm": ("aarch64", "arm64", "armv7", "armv8"), "arm64": ("aarch64",), "aarch64": ("arm64",), "x86": ("x86_64", "x86-64", "amd64"),
}  # fmt: skip
"""What the names of the files say."""
_SHOWS: dict[str, tuple[str, ...]] = {
    "speculative decoding": ("draft", "eagle", "mtp", "ngram"), "draft model": ("speculative", "eagle", "mtp"),
    "MM": ("vision", "image", "video", "audio"), "VLM": ("vision", "image", "-vl"), "LLM": ("llm", "token"),
    "quantization": ("fp8", "fp4", "int8", "int4", "awq", "gptq", "w8a8", "w4a", "gguf"),
    "dequantization": ("fp8", "fp4", "int8", "int4", "awq", "gptq", "w8a8", "w4a", "gguf"),
    "PD": ("nixl", "mooncake", "disagg"), "disaggregation": ("nixl", "mooncake", "disagg"),
    "RL": ("rlhf", "rollout", "update_weights", "update weights"), "RLHF": ("rollout",),
    "GEMM": ("matmul", "_mm", "cublas", "linear"), "prefix caching": ("radix", "prefix"), "FP8": ("e4m3", "e5m2", "float8"),
    "CUDA graph": ("cuda_graph", "cudagraph", "graph_capture"), "MoE": ("expert",), "structured output": ("xgrammar", "grammar"),
    "DeepSeek": ("dsv3", "dsv4", "ds_v"), "ROCm": ("gfx", "mi300", "mi35"), "scale factor": ("e8m0", "mxfp", "nvfp4"),
    "OOM": ("sufficient host memory", "insufficient memory", "not enough memory", "insufficient host memory"), "HF": ("transformers", "huggingface"),
}  # fmt: skip
"""What a change shows that speaks of a term in none of its spellings: drafts are for speculative decoding."""
_RELEASE = re.compile(r"[A-Za-z]+\d+\.\d+")
_WEIGHTS = re.compile(r"[Ww]\d{1,2}[Aa]\d{1,2}")
_SPLIT = re.compile(r"[-/+:=.]+")
_ABBREVIATIONS = re.compile(r"[A-Z][A-Z0-9]+(?:/[A-Z][A-Z0-9]+)+")


class WordsStand:
    """Words in backticks stand verbatim; other technical words in any case, or by their glossary spellings."""

    def fault(self, claim: Claim) -> Fault | None:
        grounds = tuple(claim.grounds.far(claim.cited))
        shown = [g for g in grounds if g.id]
        for language, sentence in claim.sentences.items():
            for span in sentence.spans:
                if not stands(span, shown):
                    return Fault("word_not_in_evidence", span[:80])
            phrases = {word for phrase in claim.glossary.phrases(sentence.outside) for word in phrase.split()}
            for token in dict.fromkeys(sentence.tokens):
                if token in phrases or folded(token) in phrases:
                    continue  # a word of a term, which is looked at as a whole
                if not self._stands(token, grounds, claim, chinese=language == "zh"):
                    return Fault("word_not_in_evidence", token[:80])
            for phrase in dict.fromkeys(claim.glossary.phrases(sentence.outside)):
                terms = claim.glossary.of(phrase)
                if terms and not any(
                    _licensed(term, grounds) or _ordinary(phrase, term) or _names_repo(term, claim) for term in terms
                ):
                    return Fault("word_not_in_evidence", phrase)
        return None

    def _stands(self, token: str, grounds: tuple[Ground, ...], claim: Claim, *, chinese: bool) -> bool:
        if token.lower() in _FREE or token.lower() in _of_repo(claim) or any(g.has(token) for g in grounds):
            return True
        low = token.lower()
        if (
            (len(low) > 1 and unit(low))
            or low in _EVERYDAY
            or any(end in g.low for end in _BY_FILES.get(low, ()) for g in grounds)
        ):
            return True
        named = claim.glossary.named(token)
        terms = (
            (named,)
            if named
            else claim.glossary.of(token) or (claim.glossary.of(token[:-1]) if token.endswith("s") else ())
        )
        if terms:
            return any(_licensed(term, grounds) or _names_repo(term, claim) for term in terms) or _in_name(
                token, grounds
            )
        if _as_word(token, grounds, claim, chinese=chinese) or _begins_name(token, grounds) or _in_name(token, grounds):
            return True
        if _ABBREVIATIONS.fullmatch(token):
            return all(self._stands(part, grounds, claim, chinese=chinese) for part in token.split("/"))
        pieces = [part for part in _SPLIT.split(token) if part]
        joined = len(pieces) > 1 and not token.startswith(("-", "/")) and "." not in token
        return joined and all(self._stands(part, grounds, claim, chinese=chinese) for part in pieces)


def _of_repo(claim: Claim) -> set[str]:
    """Whose change it is, everybody knows."""
    return set(re.split(r"[/_-]", claim.grounds.case.repo.lower())) | {
        claim.grounds.case.repo.lower().rpartition("/")[2]
    }


def _names_repo(term: Term, claim: Claim) -> bool:
    """Some spelling of the term is the name of the repository itself."""
    name = _squeezed(claim.grounds.case.repo.rpartition("/")[2])
    return any(_squeezed(spelling) == name for spelling in (term.name, *term.spellings))


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())


def _as_word(token: str, grounds: tuple[Ground, ...], claim: Claim, *, chinese: bool) -> bool:
    """A plain word: some form of it stands there, or the English text has it too, and stands or falls with it."""
    if not token.isalpha() or (chinese and not token.islower()):
        return False
    if any(parts(token)[-1] in ground.stems for ground in grounds):
        return True
    return chinese and stem(token) in {word.stem for word in claim.sentences["en"].words}


def _begins_name(token: str, grounds: tuple[Ground, ...]) -> bool:
    """`CMake` stands in `CMakeLists.txt`, MiniCPM-V in `MiniCPMV4_5`, Qwen3 and XML in `qwen3xml_parser.py`."""
    name = token.replace("-", "")
    if len(name) > 2 and name.isalpha() and name.isupper():
        ends = re.compile(rf"(?<=\d){name.lower()}(?=[_.-])")
        return any(ends.search(ground.low) for ground in grounds)
    if len(name) < 4 or not name.isalnum() or not name[:1].isupper():
        return False
    after = r"(?=[A-Z_]|\d[\d_.])" if name[-1].isalpha() else r"(?=[A-Z_])"
    begins = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}{after}")
    if any(name in ground.plain and begins.search(ground.plain) for ground in grounds):
        return True
    family = re.compile(rf"(?<![a-z0-9]){re.escape(name.lower())}(?=[a-z_.-])") if name[-1].isdigit() else None
    return family is not None and any(family.search(ground.low) for ground in grounds)


def _in_name(token: str, grounds: tuple[Ground, ...]) -> bool:
    """Qwen3.5 stands in `qwen3_5.py`, W8A8 in `NPUW8A8Int8Method`: a name has no dot, and may go on before and behind."""
    low = token.lower()
    if _RELEASE.fullmatch(token):
        form = rf"(?<![a-z0-9]){re.escape(low.replace('.', '_'))}(?![0-9])"
    elif _WEIGHTS.fullmatch(token):
        form = rf"(?<![0-9]){low}(?![0-9])"
    else:
        return False
    return any(re.search(form, ground.low) for ground in grounds)


def _licensed(term: Term, grounds: tuple[Ground, ...]) -> bool:
    if term.common or stands_term(grounds, term):
        return True
    return any(sign in ground.low for sign in _SHOWS.get(term.name, ()) for ground in grounds)


def _ordinary(phrase: str, term: Term) -> bool:
    """`tuned`, `ahead of time`: prose has it in no sense of the term too, and it counts among the plain words."""
    if phrase == term.name.lower():
        return False
    table = lexicon()
    by_word = table.by_stem.get(stem(phrase), ()) if phrase.isalpha() else table.by_phrase.get(phrase, ())
    concepts = table.by_chinese.get(phrase, ()) or by_word
    return any(concept.weight == "soft" for concept in concepts)


# --- Check: plain words rest on the evidence too: a cause or effect in words that no evidence has is invented ---


MOST_LOOSE = {"what": 0.6, "action": 0.7, "why": 0.6, "impact": 0.6, "risk": 0.7}
"""Share of the plain words that may be without support; measured on the first half of the corpus."""
LEAST_NAMES = {"what": 1, "action": 1, "impact": 2, "risk": 2, "why": 3}
"""With so many names of the change it is about the change, whatever its other words are."""
MOST_UNREAD = 0.6
"""Share of Chinese characters that may be in no known word."""
LEAST_UNREAD = 8
_FAULTS = frozenset({"wrong", "wrongly", "exception", "fail", "missing", "stale", "breaking"})
_MEASURE = re.compile(
    r"\b(?:memory|vram|latency|throughput|time|times|traffic|bandwidth|utili[sz]ation|usage|loads?|overhead|costs?|power|perf\w*|speed"
    r"|accuracy|footprint|cpu|gpu|pressure|wait\w*|delays?|stalls?|quality|risk|capacity)\b",
    re.IGNORECASE,
)
"""What an effect is measured in: more or less of anything else only tells how code works."""
_GAINS = frozenset({"improve", "speed", "performance", "throughput", "accuracy", "increase", "decrease"})
_GRAVE = frozenset(
    {"crash", "hang", "deadlock", "leak", "oom", "illegal_access", "bounds", "overflow", "nan", "security", "credential",
     "regression", "throughput", "privacy", "license_"}
)  # fmt: skip
"""What a reader of one language must not learn alone."""
_WAYS = frozenset({"increase", "decrease", "greater", "lesser"})
_VERB = {"greater": "increase", "lesser": "decrease"}
"""`More` of something stands in most messages: only a verb says that a thing goes the other way."""
LEAST_NEAR = 0.45
"""Share of a cause's words that its cited pieces, the message or the findings must have: of 173 causes that people
wrote, true ones had half of them or more and the invented ones below this had words of other places alone."""
LEAST_WORDS = 5
"""Of fewer words a share says nothing."""
HEAVY = 2
"""A hard word without support counts as so many others."""
_BOTH_SIDES = frozenset({"differ", "replace", "upgrade", "old"})
MOST_NAMES = 3
"""Technical words, which stand by another check, count as words that rest; more than these say no more."""


class _Read(NamedTuple):
    """What a statement's words are held against."""

    claim: Claim
    near: tuple[Ground, ...]
    far: tuple[Ground, ...]
    meant: frozenset[str]
    """Names of all that the English text means."""


class PlainWords:
    """Symptoms and measures need evidence one by one, the other words in their majority.

    The majority is counted in English: the Chinese text is bound to it by its hard words, names and numbers.
    """

    def fault(self, claim: Claim) -> Fault | None:
        quoted = Ground("Q", "", claim.draft.quote)
        meant = frozenset(c.name for word in claim.sentences["en"].words for c in word.concepts)
        near, far = claim.grounds.near(claim.cited), claim.grounds.far(claim.cited)
        read = _Read(claim, (*near, quoted), (*far, quoted), meant)
        for sentence in claim.sentences.values():
            if fault := self._of(sentence, read):
                return fault
        return _far_fetched(read) if claim.draft.role == "why" else None

    def _of(self, sentence: Sentence, read: _Read) -> Fault | None:
        english, free = sentence.language == "en", _free(read.claim)
        loose: list[str] = []
        every = min(len(sentence.spans) + len(sentence.tokens), MOST_NAMES)
        for word in dict.fromkeys(sentence.words):
            if word.weight == "plain" or word.written in free:
                every += word.weight != "plain" and english and _rests(word, read.far, around=True)
                continue
            every += 1
            if word.weight == "hard":
                if fault := _hard(word, read, english=english):
                    return fault
                if english and not _borne(word, read) and not _rests(word, read.far):
                    if _nameless_fault(word, sentence, read.claim):
                        return Fault("effect_not_in_evidence", word.written)
                    loose += [word.written] * HEAVY
                    every += HEAVY - 1
            elif english and not (_rests(word, read.far, around=True) or _signed(word, read.claim)):
                loose.append(word.written)
        if english and every == len(loose) and not _named(read.claim):
            return Fault("not_grounded", ", ".join(loose[:6]))
        return _too_loose(read.claim, sentence, loose, every)


def _far_fetched(read: _Read) -> Fault | None:
    """A cause in words that what it rests on has not, even where other lines of the change have them."""
    words = [w for w in dict.fromkeys(read.claim.sentences["en"].words) if w.weight != "plain"]
    loose = [word.written for word in words if not _rests(word, read.near, around=True)]
    if len(words) < LEAST_WORDS or len(loose) / len(words) <= 1 - LEAST_NEAR or _all_quoted(read.claim):
        return None
    return Fault("not_grounded", ", ".join(loose[:6]))


def _all_quoted(claim: Claim) -> bool:
    """Both of its names stand in its quote: the author's own words couple them, and it is about them."""
    names, quote = set(claim.sentences["en"].spans), plain(claim.draft.quote or "")
    return len(names) > 1 and all(whole(plain(name)).search(quote) for name in names)


def _borne(word: Word, read: _Read) -> bool:
    return _rests(word, read.far) or follows(word, read.claim) or mended(word, read.claim)


def _denied(word: Word, claim: Claim, *, english: bool) -> bool:
    """`Not faster`, `未必更好`: that a gain is not there is no gain that somebody made up."""
    if _GAINS.isdisjoint(concept.name for concept in word.concepts):
        return False
    ahead = (
        r"(?:\b(?:not|no(?! longer)|never|nor)|n't)\s(?:\w+\s){0,2}"
        if english
        else r"(?:未必|不一定|不会|并不|没有|未见|无)[^，。；]{0,2}"
    )
    return bool(re.search(ahead + re.escape(word.written), claim.shown["en" if english else "zh"], re.IGNORECASE))


def _given(word: Word, claim: Claim, *, english: bool) -> bool:
    """`With X enabled`, `启用 X 后`: a condition that changed lines ask for is no claim that somebody switched it on."""
    if not any(concept.name in ("enable", "disable") for concept in word.concepts):
        return False
    said = re.escape(word.written)
    form = (
        rf"\b(?:with|when)\s([^,.;]{{2,30}}?)\s(?:is\s)?{said}"
        if english
        else rf"{said}\s?([^，。；]{{2,20}}?)\s?(?:后|时)，"
    )
    found = re.search(form, claim.shown["en" if english else "zh"], re.IGNORECASE)
    wanted = stems(found[1]) if found else set()
    return bool(wanted) and any(_asks(line) and wanted & stems(line) for g in claim.cited for line in g.lines)


def _asks(line: str) -> bool:
    """A line of a condition; which way it asks is for the check of conditions."""
    return bool(re.match(r"[+ ]\s*(?:if|elif|and|or|self\.\w+$)\b", line))


def _only_translates(word: Word, read: _Read) -> bool:
    """The English text is judged by itself, and the same names bind both: of them other words than grave ones say no more."""
    if _translates(word, read.claim) or _rides(word, read):
        return True
    return bool(read.claim.sentences["en"].spans) and _GRAVE.isdisjoint(concept.name for concept in word.concepts)


def _translates(word: Word, claim: Claim) -> bool:
    """A Chinese word with several meanings stands for an English one that is judged there."""
    said = claim.sentences["en"]
    known = {stem(one) for one in re.findall(r"[A-Za-z]+", said.text)}
    return not lexicon().also.get(word.written, frozenset()).isdisjoint(known)


def _rides(word: Word, read: _Read) -> bool:
    """The English text has a word of this weight that rests, and that no Chinese word translates but this one."""
    chinese = {c.name for one in read.claim.sentences["zh"].words if one != word for c in one.concepts}
    return any(
        one.weight == "hard" and chinese.isdisjoint(c.name for c in one.concepts) and _borne(one, read)
        for one in read.claim.sentences["en"].words
    )


def _of_value(word: Word, claim: Claim, *, english: bool) -> bool:
    """It raises `A` to `B`: which way a named value goes is for the checks of turns and numbers."""
    language = "en" if english else "zh"
    ways = [w.written for w in claim.sentences[language].words if _WAYS & {c.name for c in w.concepts}]
    if word.written not in ways:
        return False
    way = f"(?:{'|'.join(map(re.escape, ways))})"
    if english and not _MEASURE.search(claim.shown[language]):
        return True
    near = rf"\b{way}\b(?:\s[\w-]+){{0,3}}?\s`|`\s(?:is|are|was|were|gets|be)\s(?:\w+\s)?{way}\b"
    form = near if english else rf"{way}[^，。；`]{{0,8}}`|`[^，。；`]{{0,8}}{way}"
    return bool(re.search(form, claim.shown[language], re.IGNORECASE))


def _nameless_fault(word: Word, sentence: Sentence, claim: Claim) -> bool:
    """Something was wrong or missing, says a statement that names nothing it could be held against."""
    named = sentence.spans or sentence.tokens or _named(claim)
    return not named and any(concept.name in _FAULTS for concept in word.concepts)


def _hard(word: Word, read: _Read, *, english: bool) -> Fault | None:
    """What is wrong with a hard word: a symptom or measure that nothing carries, or the opposite of what is carried."""
    if (
        _borne(word, read)
        or (not english and _only_translates(word, read))
        or _denied(word, read.claim, english=english)
        or _given(word, read.claim, english=english)
    ):
        return None
    reason = _opposed(word, read)
    if not all(concept.loose for concept in word.concepts) and not _of_value(word, read.claim, english=english):
        return Fault(reason, word.written)
    if reason == "opposite" and (english or not any(concept.name in read.meant for concept in word.concepts)):
        return Fault(reason, word.written)
    return None


def _free(claim: Claim) -> set[str]:
    """Words of glossary terms, whose standing another check looks at."""
    text = claim.sentences["en"].outside
    chinese = "".join(claim.glossary.phrases(claim.sentences["zh"].outside))
    out = {w.written for w in claim.sentences["zh"].words if w.written in chinese}
    out |= {word for phrase in claim.glossary.phrases(text) for word in phrase.split()}
    for word in claim.sentences["en"].words:
        if any(term.common for term in claim.glossary.of(word.written)):
            out.add(word.written)
    return out


def _named(claim: Claim) -> bool:
    """It names a file, an item, a number or a term: something that code put in or that another check found."""
    sentence = claim.sentences["en"]
    terms = (claim.glossary.of(phrase) for phrase in claim.glossary.phrases(sentence.outside))
    return (
        claim.shown["en"] != claim.bare["en"] or bool(sentence.numbers) or any(not t.common for ts in terms for t in ts)
    )


def _too_loose(claim: Claim, sentence: Sentence, loose: list[str], every: int) -> Fault | None:
    about_names = len(set(sentence.spans)) >= LEAST_NAMES[claim.draft.role]  # and each of them stands in the change
    if (
        sentence.language == "en"
        and every
        and not about_names
        and len(loose) > 1
        and len(loose) / every > MOST_LOOSE[claim.draft.role]
    ):
        return Fault("not_grounded", ", ".join(loose[:6]))
    if (
        sentence.language == "zh"
        and sentence.unread > MOST_UNREAD
        and sentence.unread * len(sentence.outside) > LEAST_UNREAD
    ):
        return Fault("not_grounded", "zh")
    return None


def _rests(word: Word, grounds: Iterable[Ground], *, around: bool = False) -> bool:
    """Whether the evidence has the word or its meaning; `around`: the lines beside the changed ones do for it."""
    for ground in grounds:
        known = ground.stems if around else ground.changed_stems
        if word.stem in known and word.stem and (word.named or not any(concept.spoken for concept in word.concepts)):
            return True
        if any(carries((ground,), concept) for concept in word.concepts):
            return True
    return False


def _signed(word: Word, claim: Claim) -> bool:
    """Added and removed lines bear out that something was added or removed, and both that something differs now."""
    names = {concept.name for concept in word.concepts}
    if names & _BOTH_SIDES and any(g.added and g.removed for g in claim.cited):
        return True
    return any(("add" in names and g.added) or ("remove" in names and g.removed) for g in claim.cited)


def _opposed(word: Word, read: _Read) -> str:
    """`opposite` when the evidence's words have the contrary and the statement has not, else that there is no such thing."""
    table = lexicon()
    contrary = [
        table.named[table.opposite[_VERB.get(c.name, c.name)]] for c in word.concepts if c.name in table.opposite
    ]
    told = [c for c in contrary if read.meant.isdisjoint((c.name, *(kin.name for kin in c.kin)))]
    plain_words = [replace(c, kin=(), code=frozenset()) if c.name in _WAYS else c for c in told]
    return "opposite" if any(carries(read.near, concept) for concept in plain_words) else "effect_not_in_evidence"
