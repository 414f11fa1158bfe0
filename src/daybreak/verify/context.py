"""What each line of a report speaks of: the repository, the commits, and whether it tells, advises or only mentions.

Reports say "this file" under a heading, in a list below a sha, or in the next cell of a row. A claim is held against
every commit its place can mean and is false only when none of them bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec import Struct

from daybreak.core.markdown_page import Line, Link, Page, plain
from daybreak.verify.mirror import Commit, Mirror

# --- Patterns that are tried only where a word stands that they cannot do without ---


class Sieve:
    """A pattern and words, in lower case, of which every match has one: looking for words is far cheaper."""

    def __init__(self, pattern: re.Pattern[str], *words: str) -> None:
        self.pattern, self._words = pattern, words

    def on(self, page: Page) -> Callable[[str], re.Match[str] | None]:
        """Searches a text of this page."""
        words, search = page.having(self._words), self.pattern.search
        if not words:
            return nothing

        def found(text: str) -> re.Match[str] | None:
            low = text.lower()
            for word in words:
                if word in low:
                    return search(text)
            return None

        return found

    def all_on(self, page: Page) -> Callable[[str], Iterator[re.Match[str]]]:
        """Finds every match in a text of this page."""
        first, every = self.on(page), self.pattern.finditer
        return lambda text: every(text) if first(text) else iter(())


def nothing(_text: str) -> re.Match[str] | None:
    """What a pattern finds on a page that has none of its words."""
    return None


HEX = re.compile(r"(?<![\w./-])[0-9a-f]{7,64}(?![\w./-])")
SHA = re.compile(r"[0-9a-f]{7,64}")
_LINKED_SHA = re.compile(r"[0-9a-f]{6,64}")
_NO_WORD = re.compile(r"[^a-z0-9]+")
_SAYS_COMMIT = re.compile(r"sha|commit|提交", re.IGNORECASE)
_STRONG = re.compile(r"\*\*([0-9a-f]{7,64})\*\*")
_NEAR_COMMIT = re.compile(r"(?:commits?|sha|提交|revision)[\s:：#*`(（]{0,4}$", re.IGNORECASE)
_ADDRESS = re.compile(r"(https?://[^/\s]+/[\w.-]+/[\w.-]+?)(?:\.git)?(?:/([\w.-]+)(?:/([^\s?]*))?)?(?:\?.*)?$")
_TITLE_END = re.compile(r"\(#\d{1,9}\)\s*$")
_LATE = re.compile(r"迟到|late arrival|补报|更正|已知问题的后续", re.IGNORECASE)
_ADVICE = re.compile(
    r"关注建议|潜在风险|风险 ?[&与]|建议[*：:]|\*\*建议|对开发者|对使用者|关键风险|技术洞察|后续关注"
    r"|\b(?:recommendations?|suggest(?:ions?|ed)|advice|potential risks?|risks? and|next steps|what to watch)\b",
    re.IGNORECASE,
)
_IMPACT = re.compile(r"影响范围|影响模块|\baffected (?:areas?|modules?|scope)\b", re.IGNORECASE)
_ISSUES = re.compile(
    r"^[\W_]*(?:[^\W\d_]{0,8}\s*)?issues?\b|^[\W_]*(?:相关|新建|热门)?\s*(?:议题|问题列表)", re.IGNORECASE
)
_COMMITS = re.compile(
    r"^[\W_]*(?:[^\W\d_]{0,8})?(?:提交|合并)|^[\W_]*(?:[a-z]{0,10} )?(?:commits|merged|changes)\b", re.IGNORECASE
)
_ADVICE_IN = Sieve(
    _ADVICE,
    *("建议", "风险", "对开发者", "对使用者", "技术洞察", "后续关注"),
    *("recommendation", "suggest", "advice", "risk", "next steps", "what to watch"),
)
_IMPACT_IN = Sieve(_IMPACT, "影响范围", "影响模块", "affected")
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*$")
NOT_MERGED = re.compile(
    r"\b(?:open|opened|draft|coming|unmerged|closed|proposed|wip|todo|pending)\b|未合并|未合入|进行中|即将|开放|草稿|待合|评审|计划|提议",
    re.IGNORECASE,
)
NOT_MERGED_IN = Sieve(
    NOT_MERGED,
    *("open", "draft", "coming", "unmerged", "closed", "proposed", "wip", "todo", "pending"),
    *("未合并", "未合入", "进行中", "即将", "开放", "草稿", "待合", "评审", "计划", "提议"),
)


class Address(Struct, frozen=True):
    """A link into a repository."""

    base: str
    """Web address of the repository, in lower case."""
    kind: str
    """`commit`, `pull`, `issues`, `blob`, …; empty for the repository itself."""
    rest: str


@lru_cache(maxsize=1 << 12)
def address(target: str) -> Address | None:
    found = _ADDRESS.match(target.partition("#")[0]) if target.startswith("http") else None
    return Address(found[1].lower(), (found[2] or "").lower(), (found[3] or "").strip("/")) if found else None


class Named(Struct, frozen=True):
    """A sha as the report writes it."""

    text: str
    line: int
    start: int
    end: int
    linked: bool
    base: str | None = None
    """Web address of the repository it is linked to."""
    sure: bool = True
    """It can hardly be anything but a commit."""


@dataclass(slots=True)
class Spot:
    """What one line speaks of."""

    line: Line
    repo: str | None = None
    """The repository of the section, when it has a mirror."""
    names: tuple[Named, ...] = ()
    own: tuple[Commit, ...] = ()
    """Commits that this line names, in its order."""
    around: tuple[Commit, ...] = ()
    """Commits of the item, the section or the line before."""
    title: str = ""
    """The heading just above, in plain words."""
    title_line: int = 0
    advice: bool = False
    impact: bool = False
    issues: bool = False
    late: bool = False
    listing: bool = False
    """In a part that lists what was merged."""
    foreign: bool = False
    """In the section of a repository that no mirror is here for."""

    commits: tuple[Commit, ...] = field(init=False)
    """Both, each once."""

    def __post_init__(self) -> None:
        both = (*self.own, *self.around) if self.own and self.around else self.own or self.around
        self.commits = tuple({c.sha: c for c in both}.values()) if len(both) > 1 else both


@dataclass(slots=True)
class Known:
    """The mirrors, found by name, address and short name."""

    mirrors: Mapping[str, Mirror]
    by_url: dict[str, Mirror] = field(default_factory=dict)
    by_word: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str | None] = field(default_factory=dict)
    """Heading -> what was found in it."""

    def __post_init__(self) -> None:
        self.by_url = {m.url.lower(): m for m in self.mirrors.values()}
        words: dict[str, list[str]] = {}
        for name in self.mirrors:
            words.setdefault(_word(name.rpartition("/")[2]), []).append(name)
        self.by_word = {word: names[0] for word, names in words.items() if len(names) == 1}

    def named_in(self, heading: str) -> str | None:
        """The repository that a heading is about."""
        if heading not in self.seen:
            self.seen[heading] = self._named_in(heading)
        return self.seen[heading]

    def _named_in(self, heading: str) -> str | None:
        text = plain(heading)
        low = text.lower()
        full = [name for name in self.mirrors if name.lower() in low or self.mirrors[name].url.lower() in low]
        if full:
            return max(full, key=len)
        words = _NO_WORD.sub(" ", low.replace("-", "")).split()
        return next((self.by_word[word] for word in words if word in self.by_word), None)


def _word(name: str) -> str:
    return _NO_WORD.sub("", name.lower())


_OTHER_REPO = re.compile(r"^[\W_\d]*([A-Za-z0-9][\w.-]*/[A-Za-z][\w.-]*)[\W_]*$")


def names_of(line: Line) -> Iterator[Named]:
    """Every sha that a line writes: in links, in backticks, in bold, after the word commit."""
    taken: list[tuple[int, int]] = []
    for link in line.links:
        taken.append((link.start, link.end))
        found = address(link.target)
        if found and found.kind in ("commit", "commits") and _LINKED_SHA.fullmatch(found.rest):
            yield Named(found.rest, line.number, link.start, link.end, True, found.base)
    if line.fence is not None:
        return
    for one in line.ticked:
        if SHA.fullmatch(one.text) and not _inside(one.start, taken):
            taken.append((one.start, one.end))
            yield Named(one.text, line.number, one.start, one.end, False, sure=_mixed(one.text))
    for m in _STRONG.finditer(line.text) if "**" in line.text else ():
        if not _inside(m.start(), taken):
            taken.append((m.start(), m.end()))
            yield Named(m[1], line.number, m.start(1), m.end(1), False, sure=_mixed(m[1]))
    for m in HEX.finditer(line.text):
        if _mixed(m[0]) and not _inside(m.start(), taken):
            near = bool(_NEAR_COMMIT.search(line.text[max(0, m.start() - 16) : m.start()])) or len(m[0]) == 40
            yield Named(m[0], line.number, m.start(), m.end(), False, sure=near)


def _inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def _mixed(text: str) -> bool:
    """Digits and letters: neither a number nor a word."""
    return not text.isdigit() and not text.isalpha()


Names = Mapping[int, tuple[Named, ...]]
"""Line -> the shas it writes; lines without one are left out."""


def _names_on(page: Page) -> Names:
    return {line.number: names for line in page.prose if not line.blank and (names := tuple(names_of(line)))}


def _look_up(named: Names, known: Known) -> None:
    """Ask each repository for the shas that are linked to it or to none; for one it lacks, for the beginning of it."""
    asked: dict[str, set[str]] = {name: set() for name in known.mirrors}
    for one in (one for some in named.values() for one in some):
        mirror = known.by_url.get(one.base) if one.base else None
        for name in (mirror.name,) if mirror else () if one.base else known.mirrors:
            asked[name].add(one.text)
    for name, texts in asked.items():
        mirror = known.mirrors[name]
        mirror.seek(sorted(texts))
        mirror.seek(sorted({text[:12] for text in texts if len(text) >= 12 and mirror.commit(text) is None}))


def scene(page: Page, known: Known) -> list[Spot]:
    """A spot for each line of text, and for each line that opens a code block: that of the line before."""
    named = _names_on(page)
    _look_up(named, known)
    walk = _Walk(known, page)
    spots: list[Spot] = []
    for line in page.lines:
        if line.fence is None or not spots:
            spots.append(walk.step(line, named.get(line.number, ())))
        elif line.fence == line.number:
            spots.append(_again(spots[-1], line))
    return spots


def _again(last: Spot, line: Line) -> Spot:
    return Spot(
        line, last.repo, (), (), last.commits, last.title, last.title_line, last.advice, last.impact, last.issues,
        last.late, last.listing, last.foreign,
    )  # fmt: skip


class _Walk:
    """Goes through the lines and remembers what they speak of."""

    def __init__(self, known: Known, page: Page) -> None:
        self._known = known
        self._is_advice, self._is_impact = _ADVICE_IN.on(page), _IMPACT_IN.on(page)
        self._not_merged = NOT_MERGED_IN.on(page)
        self._repo: str | None = None
        self._foreign = False
        self._title, self._title_line = "", 0
        self._head: tuple[Commit, ...] = ()
        self._at: tuple[Commit, ...] = ()
        self._advice = self._impact = self._issues = self._late = self._listing = False
        self._told = False
        """A line of text was seen since the heading."""
        self._gap = True

    def step(self, line: Line, names: tuple[Named, ...]) -> Spot:
        if line.blank:
            self._gap = True
            return self._spot(line, (), ())
        if line.heading:
            self._heading(line)
        elif _RULE.match(line.text) and not line.table:
            self._at, self._issues, self._advice, self._impact = (), False, False, False
        else:
            self._label(line)
        own = tuple(self._own(line, names))
        spot = self._spot(line, names, own)
        self._remember(line, own)
        return spot

    def _heading(self, line: Line) -> None:
        assert line.heading
        text = line.heading[1]
        self._at = self._head = ()
        self._title, self._title_line = plain(text), line.number
        self._advice = bool(_ADVICE.search(text))
        self._impact, self._told = bool(_IMPACT.search(text)), False
        if _TITLE_END.search(self._title):
            self._issues = False
            return
        self._late, self._issues = bool(_LATE.search(text)), bool(_ISSUES.match(text)) or "Issue" in text
        self._listing = bool(_COMMITS.match(text))
        repo = self._known.named_in(text)
        if repo:
            self._repo, self._foreign = repo, False
        elif _OTHER_REPO.match(self._title):
            self._repo, self._foreign = None, True
        elif line.heading[0] <= 2 and not self._issues and not self._listing:
            self._repo, self._foreign = None, False

    def _label(self, line: Line) -> None:
        text = line.text
        if line.table or "/issues/" in text:
            self._at = ()
        if len(text) < 60 and _ISSUES.match(text) and "/pull/" not in text and not line.item:
            self._issues, self._listing, self._at = True, False, ()
        elif len(text) < 60 and _COMMITS.match(text) and not line.item:
            self._issues, self._listing = False, True
        self._advice = self._advice or bool(self._is_advice(text))
        self._impact = self._impact or bool(self._is_impact(text))
        if self._gap and not line.item and not line.blank and not line.indent and not line.table:
            self._at = ()

    def _own(self, line: Line, names: tuple[Named, ...]) -> Iterator[Commit]:
        seen: set[str] = set()
        for one in names:
            commit = self._commit(one)
            if commit and commit.sha not in seen:
                seen.add(commit.sha)
                yield commit
        if seen or not line.links or "/issues/" in line.text or self._not_merged(line.text):
            return  # what is not merged yet has no commit that could be told of
        for link in line.links:
            pulled = self._pulled(link)
            if pulled and pulled.sha not in seen:
                seen.add(pulled.sha)
                yield pulled

    def _commit(self, one: Named) -> Commit | None:
        """The commit that is meant, even when the sha is not quite right: what is said of it can be checked."""
        mirror = self._known.by_url.get(one.base) if one.base else self._known.mirrors.get(self._repo or "")
        if mirror is None:
            if one.base or self._foreign:
                return None
            found = [c for m in self._known.mirrors.values() if (c := m.commit(one.text))]
            return found[0] if len(found) == 1 else None
        found_here = mirror.commit(one.text)
        if found_here is None and one.linked and len(one.text) >= 12:
            found_here = mirror.commit(one.text[:12])
        return found_here

    def _pulled(self, link: Link) -> Commit | None:
        found = address(link.target)
        if not found or found.kind != "pull" or not found.rest.split("/")[0].isdigit():
            return None
        mirror = self._known.by_url.get(found.base)
        return mirror.pull(int(found.rest.split("/")[0])) if mirror else None

    def _spot(self, line: Line, names: tuple[Named, ...], own: tuple[Commit, ...]) -> Spot:
        around = () if line.table and own else (*self._at, *self._head)
        title = self._title if line.number - self._title_line <= 3 else ""
        return Spot(
            line, self._repo, names, own, around, title, self._title_line, self._advice, self._impact, self._issues,
            self._late, self._listing, self._foreign,
        )  # fmt: skip

    def _remember(self, line: Line, own: tuple[Commit, ...]) -> None:
        if own:
            if line.table:
                self._at = ()
            elif not self._advice or _SAYS_COMMIT.search(line.text):
                self._at = own
                if (line.item and not line.indent) or line.number - self._title_line <= 3:
                    self._advice = self._impact = False
            if line.heading or (not self._told and not line.item and not line.table):
                self._head = own
        if not line.heading:
            self._told = True
        self._gap = False


def listed(commits: Iterable[Commit]) -> str:
    """Short shas for a sentence."""
    some = [c.short for c in commits]
    return ", ".join(some[:3]) + (f" and {len(some) - 3} more" if len(some) > 3 else "")
