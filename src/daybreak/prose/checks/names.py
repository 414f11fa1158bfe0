"""Checks of names and numbers: each stands in the evidence, put together from it or in a line that speaks of the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from daybreak.core.text import plain
from daybreak.prose.checks import tokens
from daybreak.prose.checks.evidence_index import Ground, stands_term
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.sentences import lexicon, parts, stem, stems, words
from daybreak.prose.checks.tokens import Number, same, technical
from daybreak.prose.glossary import Term, folded

_ATOM = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_]\w*|\d+(?:\.\d+)?")
_JOINED = re.compile(r"[\w.:()\[\]\"'@]+")
"""Names joined by dots, colons and brackets: `Class.method`, `scale[0]`, `cleanup()`."""
_SIGNS = re.compile(r"[=<>!+*/%|&^-]+")
_SPAN = re.compile(r"`([^`]*)`")
_POWER = re.compile(r"(?<![\w*.])\d+\*\*\d+(?![\w*])")
_MOST_LINES, _LONG = 4000, 600


def stands(span: str, shown: Sequence[Ground]) -> bool:
    """Verbatim, but for blanks and the kind of quotes; or every part of it, where joining them claims nothing more."""
    word = plain(span)
    if any(ground.has_verbatim(word) for ground in shown):
        return True
    if any(char in word for char in " \"'=") and any(_squeezed(word) in _squeezed(g.unsigned) for g in shown):
        return True
    parts = atoms(word)
    if len(parts) < 2 and not word.endswith("()"):
        return False
    if _JOINED.fullmatch(word):
        return all(any(g.has_verbatim(part) for g in shown) for part in parts) and _member(word, parts, shown)
    return any(_in_one_line(word, parts, ground) for ground in shown)


def _member(word: str, parts: Sequence[str], shown: Sequence[Ground]) -> bool:
    """What a dot joins is a class and its member, or something that the change defines: `cl.asm` may not exist at all."""
    if "." not in word and "::" not in word:
        return True
    owner, last = parts[-2:]
    return owner.lstrip("_")[:1].isupper() or any(_defined(last).search(ground.text) for ground in shown)


def _defined(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:def|class|fn|func|function|struct|enum)\s+{re.escape(name)}\b|(?m:^[+ -]?[ \t]*{re.escape(name)}\s?[:=])"
    )


def atoms(word: str) -> list[str]:
    """The names and numbers of an expression."""
    return list(dict.fromkeys(_ATOM.findall(word)))


def taken_apart(text: str, shown: Sequence[Ground]) -> str:
    """The text with nothing in backticks but what stands verbatim: `A.b` becomes `A`.`b`, and a bare 2**31 gets its own."""

    def verbatim(found: re.Match[str]) -> str:
        word = plain(found[1])
        if "{" in word or not atoms(word) or any(word in ground.plain for ground in shown):
            return found[0]
        return _ATOM.sub(lambda atom: f"`{atom[0]}`", found[1])

    parts = re.split(r"(`[^`]*`)", text)
    powers = (p if p.startswith("`") else _POWER.sub(lambda found: f"`{found[0]}`", p) for p in parts)
    return _SPAN.sub(verbatim, "".join(powers))


def _squeezed(text: str) -> str:
    return text.replace(" ", "").replace('"', "'")


def _in_one_line(word: str, parts: Iterable[str], ground: Ground) -> bool:
    """An expression says how its parts belong together: one line has them all, and its signs."""
    wanted = [re.compile(rf"(?<![\w-]){re.escape(part)}(?!\w)") for part in parts]
    signs = _SIGNS.findall(_ATOM.sub(" ", word))
    return bool(signs) and any(
        all(sign in line for sign in signs) and all(part.search(line) for part in wanted)
        for line in (line[:_LONG] for line in ground.lines[:_MOST_LINES])
    )


# --- Check: a long form of an abbreviation is the glossary's, or stands in the evidence ---


_ABBREVIATION = r"[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*"
_AFTER = re.compile(rf"(?<![\w-])({_ABBREVIATION})\s?[(（]([^()（）]{{3,80}})[)）]")
_BEFORE = re.compile(
    rf"(?<![\w-])((?:[A-Za-z][\w/-]*\s){{1,6}}|[\u4e00-\u9fff][\u4e00-\u9fff A-Za-z-]{{1,20}})\s?[(（]({_ABBREVIATION})[)）]"
)
_MEANS = re.compile(
    rf"(?<![\w-])({_ABBREVIATION})\s?(?:,? (?:which )?(?:stands for|short for|is short for|means)|，?即|指的是|全称(?:是|为)?)\s?[“\"]?((?:[A-Za-z][\w-]*[ -]?){{2,5}}|[\u4e00-\u9fff]{{3,10}})"
)
_REMARK = re.compile(r"^[仅如需已未非不只在含]|[时、，的后前]$|[、，]|默认|例如|开启|关闭|启用|\d")
"""Chinese that says something about it, and does not spell it out."""
_PART = re.compile(r"(?<![A-Za-z])(?:[A-Z]{3,5}|[a-z]{3,5})(?![A-Za-z])")
_WORDS = re.compile(r"[a-z]+")
_RUN = re.compile(r"(?<![\w-])[A-Za-z][a-z]{2,}(?![\w])")
_CHINESE_END = re.compile(r"[\u4e00-\u9fff]")


class LongForms:
    """SP is sequence parallel here, whatever it may be elsewhere."""

    def fault(self, claim: Claim) -> Fault | None:
        grounds = tuple(claim.grounds.near(claim.cited))
        for sentence in claim.sentences.values():
            text = sentence.outside
            pairs = [(m[1], m[2]) for pattern in (_AFTER, _MEANS) for m in pattern.finditer(text)]
            pairs += [(m[2], m[1]) for m in _BEFORE.finditer(text)]
            for short, long in pairs:
                if not _fits(short, long.strip(), claim, grounds):
                    return Fault("wrong_long_form", f"{short}: {long.strip()}"[:80])
            if wrong := _stands_in(text, claim):
                return Fault("wrong_long_form", wrong)
            if wrong := _never(text, claim, grounds):
                return Fault("wrong_long_form", wrong)
        return None


def _fits(short: str, long: str, claim: Claim, grounds: tuple[Ground, ...]) -> bool:
    term = claim.glossary.named(short) or (claim.glossary.named(short[:-1]) if short.endswith("s") else None)
    low = folded(long)
    if term is not None and any(low.endswith(folded(s)) or low.startswith(folded(s)) for s in term.spellings):
        return True
    if any(low in g.folds for g in grounds):
        return True
    # A remark in brackets that spells nothing out ("NCCL (multi-node only)") is no long form.
    if term is None or _REMARK.search(long):
        return not _spells(short, long)
    return not _spells(short, long) and not _like(term, long)


def _spells(short: str, long: str) -> bool:
    """Whether the words begin with the letters of the abbreviation."""
    first = "".join(word[0] for word in re.split(r"[\s-]+", long) if word[:1].isalpha()).upper()
    return first == short.upper() or (
        len(first) > 1 and len(first) >= len(short) - 1 and short.upper().startswith(first[:2])
    )


def _like(term: Term, long: str) -> bool:
    """Chinese words as long as the glossary's: a reading of the abbreviation, and not the glossary's."""
    return any(_CHINESE_END.search(long[:1]) and abs(len(long) - len(z)) <= 3 for z in term.zh)


def _stands_in(text: str, claim: Claim) -> str:
    """Words in a row that spell a part of a name of the statement or its quote, and that nobody else has written."""
    quoted = claim.draft.quote or ""
    names = " ".join((*claim.sentences["en"].spans, *claim.sentences["en"].tokens, quoted))
    shorts = {part.lower() for part in _PART.findall(names)} - set(_WORDS.findall(text.lower()))
    run = _RUN.findall(text)
    for at in range(len(run)):
        for size in (3, 4, 5):
            words = run[at : at + size]
            long = " ".join(words)
            if len(words) < size or long not in text or "".join(w[0] for w in words).lower() not in shorts:
                continue
            if not _written(long, claim):
                return f"{''.join(w[0] for w in words)}: {long}"
    return ""


def _written(long: str, claim: Claim) -> bool:
    """Some evidence has these words in a row, the glossary has, or each of them stands by itself."""
    low = folded(long)
    if any(
        low.endswith(folded(s)) or folded(s).startswith(low) for term in claim.glossary.terms for s in term.spellings
    ):
        return True
    grounds = tuple(claim.grounds.far(claim.cited))
    return any(low in g.folds for g in grounds) or all(
        any(stem(word) in g.stems for g in grounds) for word in long.split()
    )


def _never(text: str, claim: Claim, grounds: tuple[Ground, ...]) -> str:
    """A reading that the glossary rules out, of a term that the evidence has, in words that it has not."""
    low = folded(text)
    for term in claim.glossary.terms:
        for wrong in term.never:
            fold = folded(wrong)
            if fold not in low or not re.search(rf"(?<![a-z0-9]){re.escape(fold)}", low):
                continue
            if any(fold in g.folds for g in grounds) or _right_elsewhere(wrong, claim, grounds):
                continue
            if any(g.has(s) for g in grounds for s in (term.name, *term.en)):
                return f"{term.name}: {wrong}"
            if _several(fold) and _in_a_name(term.name, claim):
                return f"{term.name}: {wrong}"
    return ""


def _right_elsewhere(wrong: str, claim: Claim, grounds: tuple[Ground, ...]) -> bool:
    """The same words are the reading of another term that the evidence has: shared memory is no SM, but it is SMEM."""
    return any(stands_term(grounds, term) for term in claim.glossary.of(wrong))


def _several(fold: str) -> bool:
    """One plain word, such as endpoint, may stand for itself."""
    return " " in fold or len(_CHINESE_END.findall(fold)) > 3


def _in_a_name(short: str, claim: Claim) -> bool:
    """A name of the statement begins with it or has it as a part: `DPEngineCoreProc`, `dp_size`."""
    return any(short.lower() in parts(word) for span in claim.sentences["en"].spans for word in words(span))


# --- Check: every number stands in the evidence with its unit, in a line that speaks of the same thing ---

# --- Number words that a reader counts: so many entries of one form, so many names in one list ---


MOST = 12
"""More than these nobody writes as a word. A count in digits is for code to put in."""
_LEAST = 2
_ITEM = r"(?:`[^`]{1,80}`|[A-Za-z][\w.+/-]*)(?:\s?[\w\u4e00-\u9fff-]{1,12})?"
_ENUMERATION = re.compile(
    rf"{_ITEM}(?:(?:\s?[、,，]\s?(?:and |or )?){_ITEM}){{0,10}}\s?(?:和|与|及|以及|或|and|or)\s?(?:the )?{_ITEM}"
)
_JOINT = re.compile(r"\s?[、,，]\s?(?:and |or )?|\s?(?:和|与|以及|及|或)\s?|\s(?:and|or)\s")
_NUMBERS_MOST_LINES, _NUMBERS_LONG = 4000, 400
_STRING = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'")
_LONE = re.compile(r"[+\- ]\s*[\"']?[\w.*=-]+[\"']?(?:\s?[:=]\s?[^,]{1,80})?,$")
_COUNTING = re.compile(r"[个种项条处份套类组列]")
_DIGITS = re.compile(r"\d+")
_LIST = re.compile(
    r"^\s*(?:for\s+)?([\w.*]+(?:\s*,\s*[\w.*]+){1,11})\s*(?:=[^=]|\bin\b|$)|[(\[{]([^()\[\]{}]{3,300})[)\]}]"
)


def counted(number: Number, claim: Claim) -> bool:
    """Whether the statement lists so many, cites so many pieces or files, or the cited lines have so many of one form."""
    if number.unit or not number.value.isdigit():
        return False
    wanted = int(number.value)
    if not _LEAST <= wanted <= MOST:
        return False
    if wanted in _enumerated(claim) or wanted in _cited(claim):
        return True
    if number.written[:1].isdigit() and not _COUNTING.search(number.written):
        return False
    cited = [ground for ground in claim.cited if ground.diff]
    return wanted in _occurrences(claim) or any(
        wanted in _forms(g) or wanted in _listed(g) or wanted in _runs(g) for g in cited
    )


def _enumerated(claim: Claim) -> set[int]:
    """How long the lists are that the statement itself gives, and how many names it has."""
    named = claim.sentences["en"]
    names = len(dict.fromkeys((*named.spans, *(t for t in named.tokens if technical(t)))))
    lists = (found for text in claim.shown.values() for found in _ENUMERATION.finditer(text))
    lengths = {len(_JOINT.split(found[0])) for found in lists}
    return {count for count in (names, *lengths) if count > _LEAST}


def _cited(claim: Claim) -> set[int]:
    """How many pieces it cites of one sort, and how many files the change has."""
    kinds = Counter(ground.ref[:1] for ground in claim.cited if ground.ref[:1] in "DF")
    files = {g.id for g in claim.grounds.pieces.values() if g.diff}
    return {*kinds.values(), len({g.id for g in claim.cited if g.diff}), len(files)}


def _occurrences(claim: Claim) -> set[int]:
    """On how many added, and on how many removed lines a name of the statement stands."""
    out: set[int] = set()
    shown = [ground for ground in claim.grounds.pieces.values() if ground.diff]
    for span in dict.fromkeys(map(plain, claim.sentences["en"].spans)):
        for sides in ([g.added for g in shown], [g.removed for g in shown]):
            out.add(sum(span in line for side in sides for line in side.splitlines()))
    return out


def _forms(ground: Ground) -> set[int]:
    """How many added lines, and how many removed ones, have the same form, strings and digits aside."""
    found: Counter[str] = Counter()
    for line in ground.lines[:_NUMBERS_MOST_LINES]:
        if line[:1] in "+-" and len(line) > 3:
            found[_DIGITS.sub("0", _STRING.sub("S", line[:_NUMBERS_LONG])).rstrip(" ,")] += 1
    return {count for form, count in found.items() if any(c.isalnum() for c in form)}


def _listed(ground: Ground) -> set[int]:
    """How many items the lists of the changed lines have."""
    out: set[int] = set()
    for line in ground.lines[:_NUMBERS_MOST_LINES]:
        if line[:1] in "+-":
            for found in _LIST.finditer(line[1:_NUMBERS_LONG]):
                items = [item for item in (found[1] or found[2]).split(",") if item.strip()]
                out.add(len(items))
    return out - {0, 1}


def _runs(ground: Ground) -> set[int]:
    """How many lines with one item each stand together: arguments of a call, entries of a list."""
    out, run = set[int](), 0
    for line in (*ground.lines[:_NUMBERS_MOST_LINES], ""):
        if line[:1] in "+- " and _LONE.match(line[:_NUMBERS_LONG].rstrip()):
            run += 1
        else:
            out.add(run)
            run = 0
    return out - {0, 1}


_SEVERAL = re.compile(r"\b(?:more|greater) than (?:one|1)\b|(?:大于|超过|多于)\s?[1一](?![\d.])", re.IGNORECASE)
"""More than one is no amount: it says that there are several."""
SMALL = 16
"""Numbers up to this one stand in every diff; a larger one is seldom met by chance."""
AROUND = 3
SHORT = 6
"""Lines of a text that is about one thing; in longer ones a number must stand near the statement's own words."""
LONG = 4000
"""Longer lines are data, not prose or code; their beginning has to do."""
_UNIT_WORDS = {
    "ms": {"ms", "msec", "millisecond"},
    "us": {"us", "usec", "microsecond"},
    "ns": {"ns", "nanosecond"},
    "s": {"s", "sec", "secs", "second", "timeout", "sleep", "ttl"},
    "min": {"min", "minute"},
    "h": {"hour", "hr", "hours"},
    "day": {"day", "days"},
    "gb": {"gb", "gib", "gigabyte"},
    "mb": {"mb", "mib", "megabyte"},
    "kb": {"kb", "kib"},
    "b": {"byte", "bytes", "nbytes"},
    "%": {"percent", "pct", "percentage"},
}
_POWERS = {
    "kb": r"\s?(?:\*\s?1024\b|<<\s?10)",
    "mb": r"\s?(?:\*\s?1024\s?\*\s?1024\b|\*\s?1024\s?\*\*\s?2|<<\s?20)",
    "gb": r"\s?(?:\*\s?1024\s?\*\s?1024\s?\*\s?1024|\*\s?1024\s?\*\*\s?3|<<\s?30)",
}
"""How code writes a size: `50 * 1024 * 1024`."""
_MULTIPLE = r"[*×]\s?{0}(?![\w.])|(?<![\w.]){0}\s?[*×]|(?<![\w.]){0}(?:\s?x\b|-fold|\s?倍)"
_TWICE = re.compile(r"\b(?:twice|doubl(?:e|es|ed|ing))\b|两倍|翻倍|加倍", re.IGNORECASE)
"""So many times as much: a factor in code, or a word of its own."""


class NumbersStand:
    """Wrong numbers, right numbers of other things, and wrong units do not pass."""

    def fault(self, claim: Claim) -> Fault | None:
        near = claim.grounds.near(claim.cited)
        about = _about(claim)
        spans = {plain(span) for sentence in claim.sentences.values() for span in sentence.spans}
        for sentence in claim.sentences.values():
            for number in sentence.numbers:
                if number.value == "1" and _SEVERAL.search(sentence.outside):
                    continue
                writings = list(same(number))
                if not (any(self._stands(w.value, near, about, spans) for w in writings) or counted(number, claim)):
                    return Fault("number_not_in_evidence", number.written)
                if tokens.hard_unit(number.unit) and not any(_measured(g, w) for g in near for w in writings):
                    return Fault("unit_not_in_evidence", number.written)
        return None

    def _stands(self, value: str, near: Iterable[Ground], about: set[str], spans: set[str]) -> bool:
        """In what is cited; a small one, which stands everywhere, beside words of the statement."""
        large = not value.isdigit() or len(value) > 2 or int(value) > SMALL
        for ground in near:
            for at in ground.numbers.get(value, ())[:200]:
                if large or not about or len(ground.lines) < SHORT:
                    return True
                around = " ".join(line[:LONG] for line in ground.lines[max(at - AROUND, 0) : at + AROUND + 1])
                if about & stems(around) or any(span in plain(around) for span in spans):
                    return True
        return False


def _about(claim: Claim) -> set[str]:
    """Stems of what the statement is about, in names and in plain words."""
    out: set[str] = set()
    table = lexicon()
    for sentence in claim.sentences.values():
        for name in (*sentence.spans, *sentence.tokens):
            out.update(part for word in words(name) for part in parts(word))
        for word in sentence.words:
            if word.weight != "plain":
                out.add(word.stem)
                out.update(s for c in word.concepts for s in c.stems)
    out |= {part for text in claim.shown.values() for name in words(text) for part in parts(name)}
    return {s for s in out if len(s) > 1 and not any(c.weight == "plain" for c in table.by_stem.get(s, ()))}


def _measured(ground: Ground, number: tokens.Number) -> bool:
    """With its unit; a writing that needs none, such as 0.9 for 90 %, stands by its digits."""
    if _times(ground, number):
        return True
    return _with_unit(ground, number) if number.unit else number.value in ground.numbers


def _times(ground: Ground, number: tokens.Number) -> bool:
    return number.unit == "x" and number.value == "2" and bool(_TWICE.search(ground.text))


def _with_unit(ground: Ground, number: tokens.Number) -> bool:
    """The number stands with this unit, or in a line whose names carry the unit."""
    for at in ground.numbers.get(number.value, ())[:200]:
        line = ground.lines[at][:LONG]
        stated = [n for n in tokens.numbers(line) if n.value == number.value]
        if any(n.unit == number.unit for n in stated):
            return True
        if any(tokens.hard_unit(n.unit) for n in stated):
            continue
        if number.unit == "x" and re.search(_MULTIPLE.format(re.escape(number.value)), line):
            return True
        if number.unit in _POWERS and re.search(rf"(?<![\w.]){re.escape(number.value)}{_POWERS[number.unit]}", line):
            return True
        names = {part.lower() for word in words(line) for part in word.replace("-", "_").split("_")}
        if names & _UNIT_WORDS.get(number.unit, set()):
            return True
    return False
