"""Announced lines: what a changelog, a message or the notes of a release tell users under a heading, a tag or a sign.

Read line by line, in the forms that projects keep: Keep a Changelog, towncrier's files, changesets, Prometheus' tags,
Conventional Commits' footers. Fences, quotations, comments and boxes to tick announce nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area
from daybreak.core.model.quotes import Announcement, Claim, Form, Quote, QuoteSide, QuoteSource
from daybreak.findings.diff import SideLine, hunks, side
from daybreak.findings.paths import area

MOST = 40
"""Announcements of one change."""
_LINES = 6_000
"""Lines that are looked at."""
_LINE = 2_000
_TEXT = 1_200
"""Characters of one announcement."""

SIGN = re.compile("(?<!\u200d)[\U0001f6a8\U0001f4a5]")
"""🚨 and 💥 for themselves: joined to another sign, as in the broken chain, they mean something else."""
BANG = re.compile(r"[*_]{0,2}[A-Za-z]{2,20}(?:\([^)\n]{0,60}\))?!:[*_]{0,2}\s")
"""Conventional Commits' `feat(api)!: …`."""
_CLASSES: tuple[tuple[Claim, re.Pattern[str]], ...] = (
    ("breaks", re.compile(r"breaking|(?:backwards?[- ])?incompatib\w*|major|action[ -]required|compat", re.IGNORECASE)),
    ("removes", re.compile(r"remov(?:ed?|als?)|expired", re.IGNORECASE)),
    ("deprecates", re.compile(r"deprecat(?:ed?|ions?)", re.IGNORECASE)),
    ("changes", re.compile(r"changed?|behaviou?r", re.IGNORECASE)),
)
"""How a tag or the name of a file classes what it stands before, the gravest first."""
_HEADINGS: tuple[tuple[Claim, re.Pattern[str]], ...] = (
    ("breaks", re.compile(r"\bbreaking\b|\bincompatib|^major changes$|^action required", re.IGNORECASE)),
    ("removes", re.compile(r"^(?:removed|removals?)\b|\band removals?$", re.IGNORECASE)),
    ("deprecates", re.compile(r"^(?:deprecated|deprecations?)\b", re.IGNORECASE)),
    ("changes", re.compile(r"^changed$", re.IGNORECASE)),
)
_DENIES = re.compile(r"\b(?:no|non|not|without|fix\w{0,4}|undo\w{0,3}|avoid\w{0,3})\b|n't\b", re.IGNORECASE)
_BOT = re.compile(r"coderabbit|copilot|cursor|gemini|sourcery|\bbot\b|generated", re.IGNORECASE)
"""Headings over what no maintainer wrote."""
_DEPRECATED = re.compile(r"\bdeprecat", re.IGNORECASE)
_TO_GO = re.compile(
    r"\b(?:is|are|was|were|be|been)(?: now| being| hereby)? deprecated\b|\bdeprecat(?:es|ed (?:and|since|as of|in (?:favou?r|v?\d)))\b"
    r"|^\W{0,6}deprecated\b|[`*\w]\s{0,2}\(deprecated\b|\bdeprecation\b.{0,80}\b(?:will|to) be removed",
    re.IGNORECASE | re.MULTILINE,
)
_WISHES = re.compile(r"\b(?:should|could|might|may|can|to|not) be deprecated", re.IGNORECASE)
_IN_CODE = re.compile(
    r"`[^`\n]{2,120}`|\*\*[^*\n]{2,60}\*\*|(?<![\w-])--[a-z][\w-]+|\b\w{1,60}(?:_\w{1,60}|\(|=\w)|\b[a-z]{1,30}[A-Z]\w|\b[A-Z][a-z]+[A-Z]\w"
)
"""What stands in code: a flag, an option, a name."""
_OF_WORKERS: frozenset[Area] = frozenset({"test", "ci"})
_FOR_WORKERS = re.compile(
    r"(?:^|/)(?:\.[a-z][^/]{0,60}|tests?|testing|ci|skills?|CONTRIBUTING[^/]{0,20})(?:/|$)", re.IGNORECASE
)
"""Pages about how to work on the sources."""
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.{0,160})")
_BOLD = re.compile(r" {0,3}\*\*([^*]{3,80})\*\*[ \t]*:?[ \t]*$")
_UNDER = re.compile(r"([=\-~^\"'*+#])\1{3,120}[ \t]*$")
_RANK = "#=-~^\"*+'"
"""Marks under a heading, in the order that most pages use them."""
_ITEM = re.compile(r"([ \t]{0,24})(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)")
_BOX = re.compile(r"\[[ xX]\](?:\s|$)")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,12}|~{3,12})[ \t]{0,4}([\w-]{0,40})")
_TAG = re.compile(r"\[([A-Za-z][A-Za-z /-]{2,24})\](?![(\[:])[ \t:]{0,4}")
_LEAD = re.compile(
    r"[*_]{0,3}(?:\u26a0\ufe0f?[ ]?)?(?:Potentially[ ])?(?:BREAKING(?:[ -]CHANGES?)?|[Bb]reaking[ -][Cc]hanges?|Breaking(?=[*_]{0,3}:))(?:\s?\([^()\n]{0,60}\))?"
    r"(?:[*_]{0,3}[:：.!][*_]{0,3}|[*_]{2,3}[ \t]{0,2}[-–—:：]?)(?:[ \t]+|$)"
)
_SAYS = re.compile(
    r"\b(?:(?:this|these|it|there|we)\b(?: [\w']{1,20}){0,3} (?:is|are)|makes|introduces|contains|includes)"
    r"(?: [\w*']{1,20}){0,4} [*_]{0,2}breaking(?: [\w-]{1,20}){0,2} changes?\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{2,20}){0,4}(?:: |\s#)\S")
"""A trailer ends the footer before it."""
_NUMBER = re.compile(r"(?<![\w/&])#(\d{1,7})\b|/(?:pull|issues)/(\d{1,7})\b")
_REFERENCE = re.compile(r"\[[^\]\n]{1,80}\]:\s")
"""Where a link of the page leads."""
_NOTE = frozenset({"release-note", "release-notes"})
_NONE = re.compile(r"\W*(?:none|n/?a|no)?\W*", re.IGNORECASE)


_COMPARED, _TELLING = 400, 12
"""Lines that are held against those which went, and letters of one that says enough to be known again."""
_OWN = 2
"""A change that adds lines with more numbers than these writes the notes of a release: they tell of other changes."""


class Line(NamedTuple):
    """One announcement among lines: what it claims, its words, and the line that it begins on."""

    claim: Claim
    text: str
    line: int
    changed: bool
    note: bool = False
    """It stands in a `release-note` block."""

    def as_of(self, form: Form, source: QuoteSource, path: str = "", side: QuoteSide = "message") -> Announcement:
        quote = Quote(source, path, self.line, side, self.text)
        return Announcement(self.claim, form, quote, pulls=numbers(self.text))


def numbers(text: str) -> tuple[int, ...]:
    """What a text refers to in its own repository."""
    found = (int(m[1] or m[2]) for m in _NUMBER.finditer(text))
    return tuple(dict.fromkeys(n for n in found if n))[:20]


def is_to_go(quote: Quote) -> bool:
    """It says of something that it names in code that it is deprecated, to those who use it."""
    if _FOR_WORKERS.search(quote.path) or area(quote.path) in _OF_WORKERS:
        return False
    text = quote.text[:2000]
    return _TO_GO.search(text) is not None and not _WISHES.search(text) and _IN_CODE.search(text) is not None


def lines_of(text: str) -> list[SideLine]:
    """A text as lines that are all new."""
    return [SideLine(line, n, True) for n, line in enumerate(text.split("\n")[:_LINES], 1)]


_WITHIN = 7
"""Depth of what stands among the items of a list and heads those behind it."""


class _Reader:
    """Where the pass stands: the heading in force, and the paragraph that is gathered."""

    def __init__(self, message: bool) -> None:
        self.message = message
        """Only what says that it breaks something counts: in a message, headings and tags are for colleagues."""
        self.section: Claim | None = None
        self.depth = 0
        self.told = False
        """The section has a paragraph already: what follows it explains."""
        self.held: list[SideLine] = []
        self.lead: Claim | None = None
        self.item, self.indent = False, 0
        self.note = False
        self.bot = 0
        """How deep the heading is over what no maintainer wrote; 0 elsewhere."""

    def end(self) -> Iterator[Line]:
        held, lead, item = self.held, self.lead, self.item
        self.held, self.lead, self.item = [], None, False
        if not held or self.bot:
            return
        text = " ".join(" ".join(line.text.split()) for line in held)[:_TEXT]
        claim = lead or self._classed(text, item)
        if claim is None or text.endswith(":") or not re.search(r"\w", text):
            return
        self.told = self.told or not item
        yield Line(claim, text, held[0].number, any(line.changed for line in held), self.note)

    def _classed(self, text: str, item: bool) -> Claim | None:
        if self.note:
            return None if _NONE.fullmatch(text) or _TAG.match(text) else "changes"
        if self.section is not None:
            if not item and self.told:
                return None
            return "deprecates" if self.section == "removes" and _DEPRECATED.search(text[:200]) else self.section
        said = _SAYS.search(text) if self.message else None
        return "breaks" if said and not _DENIES.search(text[max(said.start() - 30, 0) : said.end()]) else None

    def heading(self, text: str, depth: int) -> None:
        """One that stands below another and classes nothing keeps what that says."""
        if depth <= self.bot or _BOT.search(text):
            self.bot = depth if _BOT.search(text) else 0
        claim = None if self.bot else classed(text)
        if self.message and claim != "breaks":
            claim = None
        if claim is not None or depth <= self.depth or not self.section:
            self.section, self.depth, self.told = claim, depth, False

    def begin(self, line: SideLine, text: str, item: re.Match[str] | None) -> None:
        """A paragraph or an item, without its sign, its tag and its lead."""
        self.item, self.indent = item is not None, len(item[1].expandtabs(4)) if item else 0
        text, self.lead = _led(text, self.message and not self.note)
        if text:
            self.held = [line._replace(text=text)]
        elif self.lead is not None:
            self.section, self.depth, self.told, self.lead = self.lead, _WITHIN, False, None


def classed(heading: str) -> Claim | None:
    """What a heading says of all that stands under it."""
    bare = heading.strip(" \t#*_:⚠️!").removeprefix("API ")
    found = next((claim for claim, pattern in _HEADINGS if pattern.search(bare)), None)
    return None if found == "breaks" and _DENIES.search(bare) else found


def _led(text: str, message: bool) -> tuple[str, Claim | None]:
    """The text behind its tag, sign or lead, and what those say."""
    text = text.removeprefix("\u26a0").lstrip("\ufe0f ")
    if lead := _LEAD.match(text):
        return text[lead.end() :], "breaks"
    if not message and BANG.match(text):
        return text, "breaks"
    if sign := SIGN.match(text):
        return text[sign.end() :].lstrip("\ufe0f "), "breaks"
    tag = _TAG.match(text)
    claim = _named(tag[1]) if tag else None
    if tag and claim and not (message and claim != "breaks"):
        return text[tag.end() :], claim
    return text, None


def _named(word: str) -> Claim | None:
    """What a tag or a part of a file's name says."""
    bare = re.sub(r"[ _-]changes?$", "", word.strip(), flags=re.IGNORECASE)
    return next((claim for claim, pattern in _CLASSES if pattern.fullmatch(bare)), None)


def announced(lines: Sequence[SideLine], *, message: bool = False) -> Iterator[Line]:
    """Announcements among lines of Markdown or reStructuredText, in their order."""
    reader, fence, comment = _Reader(message), "", False
    for at, line in enumerate(lines[:_LINES]):
        text = line.text[:_LINE].rstrip("\r")
        if opened := _FENCE.match(text):
            yield from reader.end()
            if not fence:
                fence, reader.note = opened[1], opened[2].lower() in _NOTE
            elif text.strip().startswith(fence):
                fence, reader.note = "", False
            continue
        comment = comment or (not fence and text.lstrip().startswith("<!--"))
        if comment:
            comment = "-->" not in text
            continue
        if fence and not reader.note:
            continue
        under = lines[at + 1].text[:_LINE] if at + 1 < len(lines) else ""
        yield from _take(reader, line, text, under)
    yield from reader.end()


def _take(reader: _Reader, line: SideLine, text: str, under: str) -> Iterator[Line]:
    bare = text.strip()
    if not bare or bare[0] in ">|" or _UNDER.match(text) or _REFERENCE.match(bare):
        yield from reader.end()
        return
    atx, bold = _ATX.match(text), _BOLD.match(text)
    if atx or bold or (_UNDER.match(under) and not _ITEM.match(text)):
        yield from reader.end()
        depth = len(atx[1]) if atx else 6 if bold else 1 + _RANK.find(under.strip()[:1])
        reader.heading(atx[2] if atx else bold[1] if bold else bare, depth)
        return
    item = _ITEM.match(text)
    if item and reader.item and reader.held and len(item[1].expandtabs(4)) > reader.indent:
        reader.held.append(line)  # what an item says in items of its own belongs to it
        return
    begins = item or not reader.held or (reader.message and (_LEAD.match(bare) or _TOKEN.match(bare)))
    if not begins:
        reader.held.append(line)
        return
    yield from reader.end()
    rest = text[item.end() :].strip() if item else bare
    if reader.message and _TOKEN.match(rest) and not _LEAD.match(rest):
        reader.section = None
    elif item and _BOLD.match(rest):
        reader.heading(rest, _WITHIN)
    elif not (item and _BOX.match(rest)):
        reader.begin(line, rest, item)


# --- Files of a change that announce ---


_CHANGELOG = re.compile(
    r"(?:^|/)(?:CHANGELOG|CHANGES|HISTORY|NEWS|RELEASE[-_]?NOTES|BREAKING[-_]?CHANGES?)"
    r"(?:[-_.]v?\d[\d.x]{0,12}|[-_][A-Za-z][\w-]{0,16})?(?:\.(?:md|mdx|rst|txt|adoc))?$",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"(?:^|/)(?:changelog(?:\.d)?|changes(?:\.d)?|news(?:fragments|\.d)?|upcoming_changes|fragments)/(?:[^/]{1,40}/)?"
    r"[\w+#-]{1,60}\.([a-z]{3,20})(?:\.\d{1,3})?(?:\.(?:md|rst|txt))?$",
    re.IGNORECASE,
)
_PART = re.compile(r"(?:^|/)(?:changelog|changes|news)\.d/[\w.+#-]{1,80}\.(?:md|rst|txt)$", re.IGNORECASE)
"""A file of a folder that holds nothing but parts of a changelog, whatever it is named."""
_HARMLESS = frozenset(
    "feature enhancement improvement bugfix bug fix fixed added new doc docs misc security performance packaging contrib".split()  # noqa: SIM905  words read better than a list of strings
)
"""What else such files are named by."""
_CHANGESET = re.compile(r"(?:^|/)\.changeset/(?!README)[\w.-]{1,80}\.md$", re.IGNORECASE)
_MAJOR = re.compile(r"[\"']?[@\w./-]{1,120}[\"']?\s{0,4}:\s{0,4}major\s*$")


def is_changelog(path: str) -> bool:
    """A page that tells users what changed, or a file that becomes a part of one."""
    tail = path[-300:]
    fragment = _FRAGMENT.search(tail)
    if (fragment and (_named(fragment[1]) or fragment[1].lower() in _HARMLESS)) or _PART.search(tail):
        return True
    return _CHANGELOG.search(tail) is not None or _CHANGESET.search(tail) is not None


def in_files(change: Change) -> Iterator[Announcement]:
    """What the changelogs of a change announce anew; what it only moves from one file into another was said before."""
    files = [file for file in change.files if file.patch and is_changelog(file.path)]
    gone = {_plain(text) for file in files for text in _paragraphs(file, "-")}
    long = [text for text in gone if len(text) >= _TELLING][:_COMPARED]
    for file in files:
        named = {number for text in _paragraphs(file, "+") for number in numbers(text)}
        for one in islice(_of_file(file), _COMPARED):
            words = _plain(one.quote.text)
            if words not in gone and not any(old in words or words in old for old in long):
                others = len(named) > _OWN and change.pr not in one.pulls
                others = others or (file.status == "A" and one.form == "changelog")
                yield replace(one, state="elsewhere") if others else one


def _of_file(file: FileChange) -> Iterator[Announcement]:
    added = [side(hunk, "+") for hunk in hunks(file.patch)]
    tail = file.path[-300:]
    if _CHANGESET.search(tail):
        yield from _changeset(file.path, [line for some in added for line in some])
    elif (fragment := _FRAGMENT.search(tail)) and not _CHANGELOG.search(tail):
        claim = _named(fragment[1])
        first = next(iter(_paragraph(line for some in added for line in some if line.changed)), None)
        if claim and first:
            one = Line(claim, first[1], first[0], True).as_of("fragment", "changelog", file.path, "added")
            yield one
    else:
        for some in added:
            for line in announced(some):
                if line.changed:
                    yield line.as_of("changelog", "changelog", file.path, "added")


def _changeset(path: str, lines: Sequence[SideLine]) -> Iterator[Announcement]:
    """A front matter that names packages and how their versions rise, then the words for their users."""
    rules = [at for at, line in enumerate(lines) if line.text.strip() == "---"][:2]
    if len(rules) < 2:
        return
    major = any(_MAJOR.match(line.text) for line in lines[rules[0] : rules[1]])
    said = [(number, *_led(text, False)) for number, text in _paragraph(lines[rules[1] + 1 :])]
    led = [(number, text) for number, text, claim in said if claim == "breaks" and text]
    for number, text in led or [one[:2] for one in said[:1] if major]:
        yield Line("breaks", text, number, True).as_of("changeset", "changelog", path, "added")


def _paragraphs(file: FileChange, sign: str) -> Iterator[str]:
    for hunk in hunks(file.patch):
        yield from (text for _, text in _paragraph(SideLine(x.text, x.old, True) for x in hunk.lines if x.sign == sign))


def _paragraph(lines: Iterable[SideLine]) -> Iterator[tuple[int, str]]:
    """Paragraphs and items, each on one line, with the number of its first."""
    held: list[SideLine] = []
    for line in (*lines, SideLine("", 0, True)):
        item = _ITEM.match(line.text[:_LINE])
        if held and (item or not line.text.strip()):
            yield held[0].number, " ".join(" ".join(x.text[:_LINE].split()) for x in held)[:_TEXT]
            held = []
        if line.text.strip():
            held.append(line._replace(text=line.text[item.end() :] if item else line.text))


_NAMES = re.compile(r"https?://[^\s)>]{1,400}|(?<!\w)[0-9a-f]{7,40}(?!\w)")


def _plain(text: str) -> str:
    """Its letters alone: another address or another length of a commit's name is no other announcement."""
    return "".join(filter(str.isalpha, _NAMES.sub("", text))).lower()
