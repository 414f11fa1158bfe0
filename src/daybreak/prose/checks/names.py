"""Whether a name or an expression in backticks stands in the evidence, also where it is put together from what does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daybreak.core.text import plain
from daybreak.prose.checks.evidence_index import Ground, stands_term
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.sentences import parts, stem, words
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
