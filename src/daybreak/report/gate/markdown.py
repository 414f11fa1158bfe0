"""The last gate before publishing: finished pages against the report's facts.

It knows nothing of the renderer: it reads the pages as a stranger would, link by link and line by line, and says in
one sentence each what does not agree. A page with a problem must not go out.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from msgspec import Struct, field

from daybreak.core.markdown_page import Line, visible
from daybreak.core.markdown_page import Page as MarkdownPage
from daybreak.core.model.changes import Skipped
from daybreak.core.model.report import Entry, Page, RepoReport, Report
from daybreak.core.text import plain

# --- What pages may say of a forge's items: addresses that are known, and quotes that stand in the body they come from ---


_MARKS = re.compile(r"\*\*|`")
_QUOTED = re.compile(r"^(?:  > - |> )")
_DULL = str.maketrans("[]()", "{}{}")


class Items(Struct, frozen=True):
    """Web addresses of the report's items."""

    labels: dict[str, str] = field(default_factory=dict)
    """Address -> what a link to it is called."""
    bodies: dict[str, str] = field(default_factory=dict)
    """Address of a pull request or a release -> its text."""
    made: dict[str, str] = field(default_factory=dict)

    def body(self, address: str) -> str:
        """A text in the form to compare in; made when first asked for, since few are quoted."""
        if address not in self.made:
            self.made[address] = plain(self.bodies.get(address, ""))
        return self.made[address]


def items_of(report: Report) -> Items:
    """All that the forge has of the report's repositories."""
    labels: dict[str, str] = {}
    bodies: dict[str, str] = {}
    for repo in report.repos:
        found = report.forge.activity(repo.repo.name) if report.forge else None
        if found is None:
            continue
        url = repo.repo.url
        for pull in found.pulls:
            labels[f"{url}/pull/{pull.number}"] = f"#{pull.number}"
            bodies[f"{url}/pull/{pull.number}"] = pull.body
        labels |= {f"{url}/issues/{issue.number}": f"#{issue.number}" for issue in found.issues}
        for release in found.releases:
            address = f"{url}/releases/tag/{quote(release.tag, safe='/', errors='replace')}"
            labels[address], bodies[address] = release.tag, _MARKS.sub("", release.body)
    return Items(labels, bodies)


def item_problem(label: str, target: str, items: Items) -> str | None:
    """What is wrong with a link to an item; None when the address is no item of the forge."""
    if target not in items.labels:
        return None
    told, wanted = plain(visible(label)).translate(_DULL), plain(items.labels[target]).translate(_DULL)
    return "" if told == wanted else f"labels {target} as {told}"


def quote_problem(line: str, escaped: bool, named: str, items: Items) -> str:
    """A line that is told as the words of a pull request or release and is not in its body; of notes without emphasis."""
    words = plain(visible(_QUOTED.sub("", line))) if escaped else plain(line)
    if not words or words in items.body(named):
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

    repos: dict[str, RepoReport]
    shas: dict[str, set[str]]
    pulls: dict[str, set[int]]
    entries: dict[str, Entry]
    patches: dict[str, set[str]] = field(default_factory=dict)
    items: Items = field(default_factory=Items)

    def patch(self, sha: str) -> set[str]:
        """The lines of a commit's patches; made when first asked for, since few commits are quoted."""
        if sha not in self.patches:
            files = self.entries[sha].change.files if sha in self.entries else ()
            self.patches[sha] = {row.rstrip() for f in files for row in f.patch.split("\n")}
        return self.patches[sha]


def problems(pages: Sequence[Page], report: Report, existing: Callable[[str], bool]) -> tuple[str, ...]:
    """Everything in the Markdown pages that the report does not bear out, one sentence each with page and line.

    `existing` tells whether a path relative to the output folder is already there (pages of other days, for example).
    """
    facts = _facts(report)
    reads = [Read(page) for page in pages if page.path.endswith(".md")]
    known = {page.path for page in pages}
    found = disagreements(reads, facts, lambda path: path in known or existing(path))
    return (*found, *_complete(reads, report), *_uncounted(report))


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


def _facts(report: Report) -> Facts:
    shas: dict[str, set[str]] = {}
    pulls: dict[str, set[int]] = {}
    entries: dict[str, Entry] = {}
    for repo in report.repos:
        told = (*repo.entries, *repo.late)
        entries |= {e.change.sha: e for e in told}
        own = shas.setdefault(repo.repo.url, set())
        own |= {e.change.sha for e in told} | {sha for e in told for sha in e.change.merged}
        own |= {sha for story in repo.stories for sha in story.commits}
        own |= {sha for sha in (repo.head, repo.rewritten) if sha}
        own |= {sha for n in report.notes if n.repo.name == repo.repo.name for sha in (n.fault, n.repair)}
        own |= {one.sha for one in (report.forge.earlier if report.forge else ()) if one.repo == repo.repo.name}
        pulls.setdefault(repo.repo.url, set()).update(e.change.pr for e in told if e.change.pr)
    return Facts({r.repo.url: r for r in report.repos}, shas, pulls, entries, items=items_of(report))


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
    if address not in facts.repos or kind not in ("commit", "pull"):
        return f"links to {target}, which is no commit or pull request of a watched repository"
    plain = label.strip("`")
    name = facts.repos[address].repo.name
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
    return address, kind, rest


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


def _hunks(read: Read, facts: Facts) -> Iterator[str]:
    """Each line of a `diff` block stands in the patch of the commit that was named last before it."""
    sha = ""
    for line in read.lines:
        if line.fence is None:
            links = [_split(link.target) for link in line.raw_links] if "/commit/" in line.raw else []
            named = [rest for _, kind, rest in links if kind == "commit"]
            sha = named[-1] if named else sha
        elif (
            _is_in(line, "diff") and line.raw[:1] in ("+", "-", " ", "@") and line.raw.rstrip() not in facts.patch(sha)
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
            found = [target for target in targets if "/pull/" in target or "/releases/tag/" in target]
            label = bool(found) or (label and line.blank)
            named = found[-1] if found else named
        elif _is_in(line, "text") or (line.fence is None and label):
            words = quote_problem(line.raw, line.fence is None, named, facts.items)
            yield from [read.problem(line.number, words)] if words else []


# --- completeness ------------------------------------------------------------------------------------------------


def _uncounted(report: Report) -> Iterator[str]:
    """A difference to git's own count needs its explanation."""
    for repo in report.repos:
        if repo.in_git is not None and repo.in_git != len(repo.entries) and not repo.skipped:
            yield f"{repo.repo.name}: git has {repo.in_git} commits, the report {len(repo.entries)}, and nothing is skipped"
        found = report.forge.activity(repo.repo.name) if report.forge else None
        for one in found.skipped if found else ():
            if one not in repo.skipped:
                yield f"{repo.repo.name}: {one.what} could not be had, and the report does not count it"


def _complete(reads: Sequence[Read], report: Report) -> list[str]:
    """Every language has a day page and a page for each repository, with every commit on it and the right head."""
    found: list[str] = []
    label = report.window.label
    by_path = {read.page.path: read for read in reads}
    for language in report.languages:
        ending = ".md" if language == report.languages[0] else f".{language}.md"
        day = by_path.get(f"reports/{label}{ending}")
        if day is None:
            found.append(f"reports/{label}{ending}: the page is missing")
        else:
            found += _head(day, report, report.repos, report.skipped) + _listed(day, report.repos)
        for repo in report.repos:
            own = _repo_read(reads, report, repo, ending)
            if own is None:
                found.append(f"reports/{label}/: there is no page of {repo.repo.name} ending in {ending}")
            else:
                found += _head(own, report, (repo,), repo.skipped) + _listed(own, (repo,))
    return found


def _repo_read(reads: Sequence[Read], report: Report, repo: RepoReport, ending: str) -> Read | None:
    """The page that has the repository's name as its title, whatever its file is called."""
    others = {f".{x}.md" for x in report.languages[1:]} - {ending}
    for read in reads:
        path = read.page.path
        fits = path.startswith(f"reports/{report.window.label}/") and path.endswith(ending)
        if fits and (ending != ".md" or not path.endswith(tuple(others))):
            title = next((line.heading[1] for line in read.prose if line.heading), "")
            if repo.repo.name in html.unescape(title.replace("\\", "")).split():
                return read
    return None


def _listed(read: Read, repos: Sequence[RepoReport]) -> list[str]:
    found = []
    for repo in repos:
        linked = repo.repo.url.startswith(("http://", "https://"))
        for entry in (*repo.entries, *repo.late):
            sign = repo.repo.commit_url(entry.change.sha) if linked else entry.change.short
            if sign not in read.page.text:
                found.append(read.problem(1, f"leaves out {entry.change.short} of {repo.repo.name}"))
    return found


def _head(read: Read, report: Report, repos: Sequence[RepoReport], skipped: Sequence[Skipped]) -> list[str]:
    """The head line within the first lines: window, zone and counts as the data has them."""
    window = report.window
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


def _counted(repos: Sequence[RepoReport]) -> tuple[str, ...]:
    """Repositories, reported, in git, high, medium, low, breaking."""
    told = [e for r in repos for e in r.entries if not e.change.filtered]
    levels = Counter(e.importance.level for e in told)
    asked = [r.in_git for r in repos if r.in_git is not None]
    in_git = str(sum(asked)) if len(asked) == len(repos) else f"≥ {sum(asked)}" if asked else "?"
    grades = [levels[level] for level in ("high", "medium", "low")]
    breaking = sum(e.breaking for e in told)
    return tuple(map(str, (len(repos), sum(len(r.entries) for r in repos), in_git, *grades, breaking)))
