"""Links to commits and items on pages about to be published, held against git; their other words may be upstream's.

A title, a name or an issue may say anything, a sha of elsewhere among it; what is quoted is held against the data. Only
code makes live links, so nothing a stranger writes can make this check object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from daybreak.core.markdown_page import Link, Page, plain
from daybreak.core.model.report import Page as MadePage
from daybreak.verify.context import Address, address
from daybreak.verify.mirror import Mirror
from daybreak.verify.values import Findings

_HEX = re.compile(r"[0-9a-f]{7,64}")
_NUMBER = re.compile(r"#(\d{1,9})")


def problems_of(pages: Sequence[MadePage], mirrors: Mapping[str, Mirror]) -> tuple[str, ...]:
    """What git does not bear out of the links of pages, one sentence each with page and line."""
    by_url = {mirror.url.lower(): mirror for mirror in mirrors.values()}
    read = [Page(page.path, page.text) for page in pages if page.path.endswith(".md")]
    asked: dict[str, list[str]] = {}
    for found in (found for page in read for _, _, found in _links(page)):
        if found.base in by_url:
            asked.setdefault(found.base, []).extend([found.rest] if found.kind == "commit" else [])
    git = next((mirror.git for mirror in by_url.values()), None)
    usable = git.side_by_side(lambda base: by_url[base].usable_with(asked[base]), asked) if git else []
    known = {base: by_url[base] for base, good in zip(asked, usable, strict=True) if good}
    return tuple(problem for page in read for problem in _problems(page, known))


def _links(page: Page) -> Iterator[tuple[int, Link, Address]]:
    """Line, link and where it leads, of links into repositories."""
    for line in page.prose:
        for link in line.links:
            found = address(link.target)
            if link.labelled and found is not None:
                yield line.number, link, found


def _problems(page: Page, by_url: Mapping[str, Mirror]) -> Iterator[str]:
    findings = Findings()
    for line, link, found in _links(page):
        _one(findings, by_url.get(found.base), line, link, found)
    for alarm in findings.sorted():
        yield f"{page.name}:{alarm.line}: {alarm.said[:80]}: {alarm.why}"


def _one(findings: Findings, mirror: Mirror | None, line: int, link: Link, found: Address) -> None:
    label, span = plain(link.label).strip("`* "), (link.start, link.end)
    if found.kind == "commit":
        if mirror is not None:
            words = f"{found.rest[:12]} is no commit of {mirror.name}"
            findings.decide(mirror.has_commits([found.rest])[found.rest], "sha", line, label, words, span)
        if _HEX.fullmatch(label):
            words = f"the label says {label[:12]}, the link leads to {found.rest[:12]}"
            findings.decide(found.rest.startswith(label), "label", line, label, words, span)
    number = _NUMBER.fullmatch(label)
    if number and found.kind in ("pull", "issues"):
        words = f"the label says #{number[1]}, the link leads to #{found.rest}"
        findings.decide(number[1] == found.rest.split("/")[0], "label", line, label, words, span)
