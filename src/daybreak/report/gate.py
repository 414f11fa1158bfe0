"""The last gate before publishing: finished pages against the day that they tell.

It knows nothing of the renderer: it reads the pages as a stranger would, link by link and line by line, and says in
one sentence each what does not agree. A page with a problem must not go out.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field

from daybreak.core.markdown_page import Line, visible
from daybreak.core.markdown_page import Page as MarkdownPage
from daybreak.core.model.changes import PULL_KINDS
from daybreak.core.model.day import Claimed, Commit, Day, RepoDay, Skipped
from daybreak.core.model.report import Note, Page
from daybreak.core.text import plain

# --- What pages may say of a forge's items: addresses that are known, and quotes that stand in the body they come from ---


_QUOTED = re.compile(r"^(?:  > - |> )")
_DULL = str.maketrans("[]()", "{}{}")


class Items(Struct, frozen=True):
    """Web addresses of the report's items."""

    labels: dict[str, str] = field(default_factory=dict)
    """Address -> what a link to it is called."""
    texts: dict[str, str] = field(default_factory=dict)
    """Address of a pull request or a release -> what the day quotes of it."""
    made: dict[str, str] = field(default_factory=dict)

    def text(self, address: str) -> str:
        """A text in the form to compare in; made when first asked for, since few are quoted."""
        if address not in self.made:
            self.made[address] = plain(self.texts.get(address, ""))
        return self.made[address]


def items_of(day: Day) -> Items:
    """All that the forge has of the day's repositories."""
    labels: dict[str, str] = {}
    texts: dict[str, str] = {}
    for repo in day.repos:
        for pull in repo.pulls:
            claimed = pull.claimed or Claimed()
            labels[pull.url] = f"#{pull.number}"
            texts[pull.url] = "\n".join((claimed.why, *(line for one in claimed.numbers for line in one.lines)))
        labels |= {issue.url: f"#{issue.number}" for issue in repo.issues}
        for release in repo.releases:
            labels[release.url], texts[release.url] = release.tag, "\n".join(release.notes)
    return Items(labels, texts)


def item_problem(label: str, target: str, items: Items) -> str | None:
    """What is wrong with a link to an item; None when the address is no item of the forge."""
    if target not in items.labels:
        return None
    told, wanted = plain(visible(label)).translate(_DULL), plain(items.labels[target]).translate(_DULL)
    return "" if told == wanted else f"labels {target} as {told}"


def quote_problem(line: str, escaped: bool, named: str, items: Items) -> str:
    """A line that is told as the words of a pull request or release, and that the day does not quote of it."""
    words = plain(visible(_QUOTED.sub("", line))) if escaped else plain(line)
    if not words or words in items.text(named):
        return ""
    return f"quotes words that are not in {named or 'any pull request'}: {words[:60]!r}"


MARKERS = ("<!-- daybreak.report/1 -->", "<!-- daybreak.range/1 -->", "<!-- daybreak.index/1 -->")
HEAD_LINES = 10

_HEX = re.compile(r"[0-9a-f]{7,64}")
_COUNTS = re.compile(r"(\d+) / (≥ \d+|\d+|\?) · 🔴 (\d+) 🟡 (\d+) 🟢 (\d+) · [^·\d]*(\d+) · [^·\d]*(\d+)(?: ·|$)")
_REPOS = re.compile(r"· (\d+) [^·\d]+ · [^·\d]*\d+ / ")


class Read(MarkdownPage):
    """A page of ours, taken apart."""

    def __init__(self, page: Page) -> None:
        super().__init__(page.path, page.text)
        self.page = page

    def problem(self, line: int, words: str) -> str:
        """One sentence with page and line."""
        return f"{self.name}:{line}: {words}"


class Facts(Struct, frozen=True):
    """What a page may say, by web address of the repository."""

    names: dict[str, str]
    shas: dict[str, set[str]]
    pulls: dict[str, set[int]]
    hunks: dict[str, set[str]] = field(default_factory=dict)
    """Lines of the hunks of a commit, which were held against its patch."""
    items: Items = field(default_factory=Items)


def problems(
    pages: Sequence[Page], day: Day, existing: Callable[[str], bool], notes: Sequence[Note] = ()
) -> tuple[str, ...]:
    """Everything in the Markdown pages that the day does not bear out, one sentence each with page and line.

    `existing` tells whether a path relative to the output folder is already there (pages of other days, for example).
    """
    facts = _facts(day, notes)
    reads = [Read(page) for page in pages if page.path.endswith(".md")]
    known = {page.path for page in pages}
    found = disagreements(reads, facts, lambda path: path in known or existing(path))
    return (*found, *_complete(reads, day), *_uncounted(day))


def disagreements(reads: Sequence[Read], facts: Facts, there: Callable[[str], bool]) -> list[str]:
    """What holds for any page of ours: whole in form, links to known commits and places, hunks as in the patch."""
    anchors = {r.page.path: r.anchors for r in reads}
    found: list[str] = []
    for read in reads:
        found += _form(read)
        found += _links(read, facts)
        found += _places(read, anchors, there)
        found += _hunks(read, facts)
        found += _quotes(read, facts)
    return found


# --- reading -----------------------------------------------------------------------------------------------------


def _facts(day: Day, notes: Sequence[Note]) -> Facts:
    shas: dict[str, set[str]] = {}
    pulls: dict[str, set[int]] = {}
    for repo in day.repos:
        own = shas.setdefault(repo.url, set())
        own |= {sha for one in repo.changes for sha in (one.sha, *one.merged)}
        own |= {sha for story in repo.stories for sha in story.commits}
        own |= {sha for sha in (repo.head, repo.rewritten) if sha}
        own |= {sha for note in notes if note.repo == repo.name for sha in (note.fault, note.repair)}
        own |= {one.sha for one in day.across.earlier if one.repo == repo.name}
        pulls.setdefault(repo.url, set()).update(one.pr.number for one in repo.changes if one.pr)
    hunks = {
        one.sha: {row.rstrip() for hunk in one.hunks for row in (hunk.text or "").split("\n")} | _proof(one)
        for _, one in day.changes()
    }
    return Facts({repo.url: repo.name for repo in day.repos}, shas, pulls, hunks, items_of(day))


# --- the form ----------------------------------------------------------------------------------------------------


def _form(read: Read) -> list[str]:
    found = []
    if not read.page.text.startswith(MARKERS):
        found.append(read.problem(1, "does not begin with Daybreak's marker"))
    found += [read.problem(line, "opens a code block that is never closed") for line in read.unclosed]
    opened = [line.number for line in read.prose if line.raw.startswith("<details>")]
    closed = sum(line.raw.startswith("</details>") for line in read.prose)
    if len(opened) != closed:
        found.append(read.problem(opened[-1] if opened else 1, f"has {len(opened)} <details> and {closed} </details>"))
    return found


# --- links -------------------------------------------------------------------------------------------------------


def _links(read: Read, facts: Facts) -> Iterator[str]:
    """Addresses on the web: only commits and items of a forge that the report knows."""
    for line in read.prose:
        for link in line.raw_links:
            if "://" in link.target:
                words = item_problem(link.label, link.target, facts.items)
                words = _link_problem(link.label, link.target, facts) if words is None else words
                yield from [read.problem(line.number, words)] if words else []
        if line.bare_address:
            yield read.problem(line.number, "has an address in its text that GitHub would turn into a link")


def _link_problem(label: str, target: str, facts: Facts) -> str:
    address, kind, rest = _split(target)
    if address not in facts.names or kind not in ("commit", "pull"):
        return f"links to {target}, which is no commit or pull request of a watched repository"
    plain = label.strip("`")
    name = facts.names[address]
    if kind == "pull":
        if not rest.isdigit() or int(rest) not in facts.pulls[address]:
            return f"links to pull request {rest} of {name}, which belongs to no commit of the report"
        return "" if plain == f"#{rest}" else f"labels pull request {rest} as {plain}"
    if len(rest) not in (40, 64) or not _HEX.fullmatch(rest):
        return f"links to commit {rest}, which has {len(rest)} digits"
    if rest not in facts.shas[address]:
        return f"links to commit {rest[:9]}, which the report does not know in {name}"
    return f"labels commit {rest[:9]} as {plain}" if _HEX.fullmatch(plain) and not rest.startswith(plain) else ""


def _split(target: str) -> tuple[str, str, str]:
    """Repository address, `commit` or `pull`, and what follows."""
    head, _, rest = target.rpartition("/")
    address, _, kind = head.rpartition("/")
    return address.removesuffix("/-"), "pull" if kind in PULL_KINDS else kind, rest


def _places(read: Read, anchors: dict[str, frozenset[str]], there: Callable[[str], bool]) -> Iterator[str]:
    """Anchors of this page, and files beside it with theirs."""
    folder = posixpath.dirname(read.page.path)
    for line in read.prose:
        for target in (link.target for link in line.raw_links if "://" not in link.target):
            file, _, fragment = target.partition("#")
            path = posixpath.normpath(posixpath.join(folder, file)) if file else read.page.path
            if file and not there(path):
                yield read.problem(line.number, f"links to {target}, but there is no {path}")
            elif fragment and path in anchors and fragment not in anchors[path]:
                yield read.problem(line.number, f"links to {target}, but {path} has no such anchor")


def _proof(commit: Commit) -> set[str]:
    """Lines that sentences rest on: the frame found them in the patch."""
    return {f"{one.side}{one.line}".rstrip() for said in commit.statements for one in said.proof}


def _hunks(read: Read, facts: Facts) -> Iterator[str]:
    """Each line of a `diff` block stands in the hunks of the commit that was named last before it."""
    sha = ""
    for line in read.lines:
        if line.fence is None:
            links = [_split(link.target) for link in line.raw_links] if "/commit/" in line.raw else []
            named = [rest for _, kind, rest in links if kind == "commit"]
            sha = named[-1] if named else sha
        elif (
            _is_in(line, "diff")
            and line.raw[:1] in ("+", "-", " ", "@")
            and line.raw.rstrip() not in facts.hunks.get(sha, ())
        ):
            yield read.problem(line.number, f"quotes a line that is not in the patch of {sha[:9]}: {line.raw[:60]!r}")


def _is_in(line: Line, info: str) -> bool:
    """Whether the line is in a block of this sort, and neither opens nor closes it."""
    return line.fence is not None and line.info == info and not line.edge


def _quotes(read: Read, facts: Facts) -> Iterator[str]:
    """Each line of a `text` block, and each quotation below the link of a pull request or release, stands in its body."""
    named, label = "", False
    for line in read.lines:
        if line.fence is None and not line.raw.startswith(("> ", "  > ")):
            targets = (link.target for link in line.raw_links)
            found = [target for target in targets if _split(target)[1] == "pull" or "/releases/tag/" in target]
            label = bool(found) or (label and line.blank)
            named = found[-1] if found else named
        elif _is_in(line, "text") or (line.fence is None and label):
            words = quote_problem(line.raw, line.fence is None, named, facts.items)
            yield from [read.problem(line.number, words)] if words else []


# --- completeness ------------------------------------------------------------------------------------------------


def _uncounted(day: Day) -> Iterator[str]:
    """A difference to git's own count needs its explanation."""
    for repo in day.repos:
        if repo.in_git is not None and repo.in_git != len(repo.commits) and not repo.skipped:
            yield f"{repo.name}: git has {repo.in_git} commits, the report {len(repo.commits)}, and nothing is skipped"


def _complete(reads: Sequence[Read], day: Day) -> list[str]:
    """Every language has a day page and a page for each repository, with every commit on it and the right head."""
    found: list[str] = []
    label = day.window.label
    by_path = {read.page.path: read for read in reads}
    for language in day.languages:
        ending = ".md" if language == day.languages[0] else f".{language}.md"
        whole = by_path.get(f"reports/{label}{ending}")
        if whole is None:
            found.append(f"reports/{label}{ending}: the page is missing")
        else:
            found += _head(whole, day, day.repos, day.coverage.skipped) + _listed(whole, day.repos)
        for repo in day.repos:
            own = _repo_read(reads, day, repo, ending)
            if own is None:
                found.append(f"reports/{label}/: there is no page of {repo.name} ending in {ending}")
            else:
                found += _head(own, day, (repo,), repo.skipped) + _listed(own, (repo,))
    return found


def _repo_read(reads: Sequence[Read], day: Day, repo: RepoDay, ending: str) -> Read | None:
    """The page that has the repository's name as its title, whatever its file is called."""
    others = {f".{x}.md" for x in day.languages[1:]} - {ending}
    for read in reads:
        path = read.page.path
        fits = path.startswith(f"reports/{day.window.label}/") and path.endswith(ending)
        if fits and (ending != ".md" or not path.endswith(tuple(others))):
            title = next((line.heading[1] for line in read.prose if line.heading), "")
            if repo.name in html.unescape(title.replace("\\", "")).split():
                return read
    return None


def _listed(read: Read, repos: Sequence[RepoDay]) -> list[str]:
    found = []
    for repo in repos:
        linked = repo.url.startswith(("http://", "https://"))
        missing = (c for c in repo.changes if (c.url if linked else c.sha[:9]) not in read.page.text)
        found += [read.problem(1, f"leaves out {one.sha[:9]} of {repo.name}") for one in missing]
    return found


def _head(read: Read, day: Day, repos: Sequence[RepoDay], skipped: Sequence[Skipped]) -> list[str]:
    """The head line within the first lines: window, zone and counts as the data has them."""
    window = day.window
    for line in read.lines[:HEAD_LINES]:
        if line.raw.startswith("> ") and f"{window.label} 00:00 – 24:00" in line.raw:
            break
    else:
        return [read.problem(1, f"does not state its window in the first {HEAD_LINES} lines")]
    found = (
        [] if window.timezone in line.raw else [read.problem(line.number, f"does not state the zone {window.timezone}")]
    )
    counts, number = _COUNTS.search(line.raw), _REPOS.search(line.raw)
    if not counts or not number:
        return [*found, read.problem(line.number, "does not have the counts in the agreed form")]
    said = (number[1], *counts.groups())
    real = (*_counted(repos), str(len(skipped)))
    if said != real:
        found.append(read.problem(line.number, f"counts {' '.join(said)}, but the data has {' '.join(real)}"))
    return found


def _counted(repos: Sequence[RepoDay]) -> tuple[str, ...]:
    """Repositories, reported, in git, high, medium, low, breaking."""
    told = [e for r in repos for e in r.told]
    levels = Counter(e.importance.level for e in told)
    asked = [r.in_git for r in repos if r.in_git is not None]
    in_git = str(sum(asked)) if len(asked) == len(repos) else f"≥ {sum(asked)}" if asked else "?"
    grades = [levels[level] for level in ("high", "medium", "low")]
    breaking = sum(e.breaking for e in told)
    return tuple(map(str, (len(repos), sum(len(r.commits) for r in repos), in_git, *grades, breaking)))
