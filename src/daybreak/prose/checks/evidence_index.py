"""The evidence of a case made ready for many questions: each text is read once, in one pass.

Lines that give orders to a program are left out of everything: they are data, but evidence of nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from daybreak.core.model.drafts import Case, Piece
from daybreak.core.model.findings import Finding
from daybreak.core.text import digits, plain
from daybreak.prose.checks import tokens
from daybreak.prose.checks.injection_patterns import ordering
from daybreak.prose.checks.sentences import Concept, parts, stem, stems
from daybreak.prose.checks.tokens import blanked
from daybreak.prose.glossary import Term, folded

# --- Lines of a diff that took each other's place: one went where another came, and blocks of them ---


_LIKE = 0.5
_MOST_LINES, _MOST_OF_BLOCK, _MOST_PAIRS, _LONG = 400, 20, 2000, 600
"""Evidence may be large and is hostile: of each hunk, block, diff and line so much is read."""
_NAME = re.compile(r"\w+")


class Pair(NamedTuple):
    """What went, and what came in its place."""

    gone: str
    come: str


def replaced(hunks: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Lines that took each other's place, and the blocks that did."""
    return tuple(islice((pair for hunk in hunks for pair in _of_hunk(hunk[:_MOST_LINES])), _MOST_PAIRS))


def _of_hunk(hunk: Sequence[str]) -> Iterator[Pair]:
    gone: list[str] = []
    come: list[str] = []
    for line in (*hunk, " "):
        if line[:1] == "-" and not come:
            gone.append(line[1:])
        elif line[:1] == "+" and gone:
            come.append(line[1:])
        else:
            yield from _aligned(_joined(gone), _joined(come))
            gone, come = [line[1:]] if line[:1] == "-" else [], []


def _aligned(gone: Sequence[str], come: Sequence[str]) -> Iterator[Pair]:
    if not gone or not come:
        return
    yield Pair(" ".join(gone), " ".join(come))
    if len(gone) == len(come) == 1:
        return
    if len(gone) == len(come):  # line by line: as many came as went
        yield from map(Pair, gone, come)
        return
    news = [(new, _names(new)) for new in come[:_MOST_OF_BLOCK]]
    for old in gone[:_MOST_OF_BLOCK]:
        mine = _names(old)
        like, best = max((_likeness(mine, theirs), new) for new, theirs in news)
        if like >= _LIKE:
            yield Pair(old, best)


def _names(line: str) -> frozenset[str]:
    return frozenset(_NAME.findall(line))


def _likeness(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """Share of the words that both have: evidence may be large, so nothing slower."""
    return 2 * len(mine & theirs) / (len(mine) + len(theirs) or 1)


def _joined(lines: Sequence[str]) -> list[str]:
    """Lines of a call or a declaration that is spread over several count as one."""
    out: list[str] = []
    depth = 0
    for line in lines:
        text = plain(line[:_LONG])
        if not text:
            continue
        if depth > 0:
            out[-1] += " " + text
        else:
            out.append(text)
            depth = 0
        depth += sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
    return out


_SIGN = re.compile(r"^[+\-](?![+\-]{2} )")
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SPOKEN = re.compile(r"(?<![\w.])[A-Za-z][a-z]+(?![\w(]|\.\w)")
_FORMAT = re.compile(r"(?:fp|int|bf|float)\d{1,2}", re.IGNORECASE)
_FORMATS = re.compile(r"((?:FP|Fp|fp|INT|Int|int|BF|bf)\d{1,2})(?![0-9])")
_MOST_CASES = 8


class Ground:
    """One text of evidence."""

    def __init__(self, ref: str, id_: str, text: str, beside: Sequence[Ground] = ()) -> None:
        self.beside = beside
        """Texts that this one repeats: what speaks to a reader is known from them and not looked for again."""
        self.ref = ref
        self.id = id_
        self.raw = text
        self.diff = ref.startswith("D")
        self.turns: tuple[tuple[str, str], ...] | None = None
        """Turns from one thing to another that it tells, once someone asked."""
        self.code = ref.startswith(("D", "Q"))
        """May hold code, whose signs carry a meaning too."""

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Lines that count, without the places that hunks give."""
        orders = self.orders
        kept = (line for line in self.raw.splitlines() if not orders or line.lstrip("+- ") not in orders)
        return tuple(_HUNK.sub("@@", line) if line.startswith("@@") else line for line in kept)

    @cached_property
    def replaced(self) -> tuple[Pair, ...]:
        """Lines that took each other's place."""
        return replaced(self.hunks)

    @cached_property
    def orders(self) -> frozenset[str]:
        """Lines that speak to a reader, without what stands before their first letter."""
        if self.beside:
            return frozenset().union(*(ground.orders for ground in self.beside))
        raw = "\n".join(self.raw.splitlines())
        found = ordering(_seen(raw))
        return frozenset(raw[at : end if (end := raw.find("\n", at)) >= 0 else None].lstrip("+- ") for at in found)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def plain(self) -> str:
        """As quotes and words in backticks are compared."""
        return _flat(self.lines)

    @cached_property
    def plain_lines(self) -> tuple[str, ...]:
        """The same line by line, each with its sign."""
        return tuple(flat for line in self.lines if (flat := plain(line)))

    @cached_property
    def unsigned(self) -> str:
        """The same without the signs at the beginning of a diff's lines: quotes of several lines leave them out."""
        return _flat(line[1:] if line[:1] in "+- " else line for line in self.lines) if self.diff else self.plain

    @cached_property
    def low(self) -> str:
        return self.plain.lower()

    @cached_property
    def folds(self) -> str:
        return folded(self.plain)

    @cached_property
    def stems(self) -> set[str]:
        return stems(self.text)

    @cached_property
    def changed(self) -> str:
        """Lines that the diff adds or removes; all of any other text."""
        if not self.diff:
            return self.text
        return "\n".join(line for line in self.lines if line[:1] in "+-" or line.startswith(("@@", "diff ", "path")))

    @cached_property
    def changed_stems(self) -> set[str]:
        return stems(self.changed)

    @cached_property
    def spoken(self) -> set[str]:
        """Stems of the words that are no part of a longer name and no call."""
        if not self.code:
            return self.changed_stems
        return {stem(found[0]) for found in _SPOKEN.finditer(self.changed)}

    @cached_property
    def added(self) -> str:
        return "\n".join(line[1:] for line in self.lines if line[:1] == "+" and _SIGN.match(line)) if self.diff else ""

    @cached_property
    def removed(self) -> str:
        return "\n".join(line[1:] for line in self.lines if line[:1] == "-" and _SIGN.match(line)) if self.diff else ""

    @cached_property
    def hunks(self) -> list[list[str]]:
        """The lines of a diff hunk by hunk, each with its header."""
        out: list[list[str]] = [[]]
        for line in self.lines:
            if line.startswith("@@") and out[-1]:
                out.append([])
            out[-1].append(line)
        return out

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Value -> the lines it stands in; `{count:2}` says nothing of two."""
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self.lines):
            text = line[1:] if self.diff and line[:1] in "+-" else line if self.diff else blanked(line)
            for number in {*tokens.loose_numbers(text), *tokens.statuses(text), *tokens.written_out(text)}:
                found.setdefault(number, []).append(at)
        return found

    @cached_property
    def formats(self) -> set[str]:
        """Number formats that names end their parts with."""
        return {found[1].lower() for found in _FORMATS.finditer(self.plain)}

    @cached_property
    def digits(self) -> set[str]:
        """Every run of digits, as the checks of all statements see them."""
        return digits(self.plain)

    def has(self, word: str) -> bool:
        """Whether a technical word stands here, as a whole word, whatever its case."""
        low = word.lower()
        if low in self.low and whole(low).search(self.low):
            return True
        fold = folded(word)
        return fold in self.folds and bool(whole(fold, plural="s?").search(self.folds))

    def has_verbatim(self, word: str) -> bool:
        return word in self.plain and bool(whole(word).search(self.plain))


def _flat(lines: Iterable[str]) -> str:
    """The plain form of lines, by a short way where no character is hidden."""
    text = " ".join(lines).replace("\t", " ")
    if any(unicodedata.category(char) in _HIDDEN for char in set(text)):
        return plain(text)
    return " ".join(text.split()).replace("`", "'")


def _seen(text: str) -> str:
    """The text with every hidden character as a mark that patterns see through: offsets stay."""
    if text.isascii():
        return text
    hidden = {c for c in set(text) if unicodedata.category(c) == "Cf"}
    return text.translate({ord(c): " " for c in hidden}) if hidden else text


_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+")


def whole(word: str, plural: str = "") -> re.Pattern[str]:
    """A pattern for the word that is no part of a longer one."""
    left = r"(?<![A-Za-z0-9_])" if word[:1].isalnum() or word[:1] == "_" else r"(?<![\w-])" if word[:1] == "-" else ""
    right = r"(?![A-Za-z0-9_])" if word[-1:].isalnum() or word[-1:] == "_" else ""
    if word.startswith("--"):
        right += r"(?!-[A-Za-z0-9])"
    if _VERSION.fullmatch(word):  # a part of a longer version is another version
        left, right = left + r"(?<![0-9]\.)", right + r"(?!\.[A-Za-z0-9])"
    return re.compile(left + re.escape(word) + (plural if word[-1:].isalpha() else "") + right, re.ASCII)


class Grounds:
    """All evidence of a case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.pieces = {piece.ref: Ground(piece.ref, piece.id, _shown(piece)) for piece in case.pieces}
        self.findings = tuple(
            Ground(f"finding {f.id}", f"finding:{f.id}", finding_text(f)) for f in case.findings if not f.inner
        )
        told, message = (any(piece.ref.startswith(letter) for piece in case.pieces) for letter in "SM")
        self.of_change = message or not told
        """A question about one change: its message and findings count even where they are not cited."""
        self.context = (
            Ground("D-context", "", case.context, tuple(self.pieces.values()))
            if self.of_change
            else Ground("context", "", "")
        )

    @cached_property
    def diffs(self) -> tuple[Ground, ...]:
        """Evidence whose lines have signs: the parts that are shown, then the whole change."""
        shown = tuple(ground for ground in self.pieces.values() if ground.diff)
        return (*shown, self.context) if self.context.raw else shown

    def near(self, cited: Sequence[Ground]) -> tuple[Ground, ...]:
        """What a cause, an effect or a number may rest on: the cited pieces, the findings, and the change's message."""
        if not self.of_change:
            return tuple(cited)
        more = [g for ref, g in self.pieces.items() if ref.startswith(("M", "F")) and g not in cited]
        return (*cited, *more, *self.findings)

    def far(self, cited: Sequence[Ground]) -> Iterator[Ground]:
        """What a word may stand in, nearest first."""
        near = self.near(cited)
        yield from near
        if self.of_change:
            yield from (g for g in self.pieces.values() if g not in near)
            yield self.context


def _shown(piece: Piece) -> str:
    """The piece with the paths that its prompt shows before it: `headdim=64` may stand in the name of a file alone."""
    paths = [path for name, path in piece.names.items() if name.startswith("file:") and path not in piece.text]
    return "\n".join((*paths, piece.text))


def finding_text(finding: Finding) -> str:
    """A finding as evidence: its kind's words carry what happened."""
    alias = f"alias {finding.alias.status} {finding.alias.where or ''}" if finding.alias else ""
    rows = (
        f"{finding.kind} {finding.kind.replace('_', ' ')} {finding.symbol}",
        finding.path,
        f"{finding.symbol} before {finding.before}" if finding.before is not None else "",
        f"{finding.symbol} after {finding.after}" if finding.after is not None else "",
        "breaking: users fail with an error" if finding.breaking else "",
        alias,
        finding.effective or "",
    )
    return "\n".join(row for row in rows if row)


def carries(grounds: Iterable[Ground], concept: Concept) -> bool:
    """Whether some evidence has a word for this meaning; of a diff only changed lines count, but for a scene."""
    for ground in grounds:
        known = ground.spoken if concept.spoken else ground.stems if concept.scene else ground.changed_stems
        if not concept.stems.isdisjoint(known) or (ground.code and not concept.code.isdisjoint(known)):
            return True
        if ground.code and any(sign in ground.changed for sign in concept.signs):
            return True
        if any(phrase in ground.folds for phrase in concept.phrases):
            return True
        if any(word in ground.text for word in concept.chinese if len(word) > 1):
            return True
        if any(not one.stems.isdisjoint(known) for one in concept.kin):
            return True
    return False


def turned_numbers(grounds: Grounds) -> tuple[bool, bool]:
    """Whether some number of the change went up, and whether some went down."""
    up = down = False
    for finding in grounds.case.findings:
        before, after = _number(finding.before), _number(finding.after)
        if before is not None and after is not None:
            up, down = up or after > before, down or after < before
    return up, down


def _number(text: str | None) -> float | None:
    try:
        return float(text.replace(",", "").replace("_", "")) if text and len(text) < 40 else None
    except ValueError:
        return None


def stands_term(grounds: Iterable[Ground], term: Term) -> bool:
    """Whether some evidence has the term in any of its spellings."""
    return any(ground.has(spelling) or _in_names(ground, spelling) for ground in grounds for spelling in term.spellings)


def _in_names(ground: Ground, spelling: str) -> bool:
    """`tp_size` speaks of TP, `CutlassExpertsFp4` and `nvfp4_gemm` of FP4."""
    if _FORMAT.fullmatch(spelling):
        return spelling.lower() in ground.formats
    return (
        spelling.isascii()
        and " " not in spelling
        and bool(set(parts(spelling)[:1]) & ground.stems)
        and len(parts(spelling)) == 1
    )


_kept: OrderedDict[int, Grounds] = OrderedDict()


def prepared(case: Case) -> Grounds:
    """The grounds of a case; those of the last few cases are kept, since a case is asked about many drafts."""
    key = id(case)
    found = _kept.get(key)
    if found is None or found.case is not case:
        found = Grounds(case)
        _kept[key] = found
    _kept.move_to_end(key)
    while len(_kept) > _MOST_CASES:
        _kept.popitem(last=False)
    return found


def names_of(pieces: Iterable[Piece]) -> dict[str, Piece]:
    """Placeholder -> the piece that lists it."""
    return {name: piece for piece in pieces for name in piece.names}
