"""`verify`: every checkable claim of a Markdown report, ours or another tool's, held against git and what was collected.

A claim holds, or is false, or cannot be decided here; the last is counted with its reason and never called true.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType

from daybreak.model import Page as MadePage
from daybreak.verify.ahead import WORKERS, Ahead, files_for
from daybreak.verify.checks import (
    anchors,
    counts,
    cuts,
    days,
    forge,
    leaks,
    linked,
    links,
    paths,
    people,
    pulls,
    shas,
    snippets,
    titles,
)
from daybreak.verify.items import Items, items_in
from daybreak.verify.mirror import Mirror
from daybreak.verify.page import Page
from daybreak.verify.scene import Known, Names, look_up, names_on, scene
from daybreak.verify.study import Study
from daybreak.verify.values import Alarm, Findings, Verified
from daybreak.verify.when import when

__all__ = ["LINKED", "Alarm", "Items", "Mirror", "Verified", "items_in", "problems_of", "verify"]

CHECKS = (shas, links, pulls, people, titles, paths, counts, days, anchors, snippets, cuts, leaks, forge)
"""In the order in which a reader of the output wants them."""
FIRST_WITH_FILES = paths
LINKED = (linked,)
"""Of pages whose words were held against the data already: what no word of a stranger can make object."""


def verify(
    name: str,
    text: str,
    mirrors: Mapping[str, Mirror],
    *,
    day: str | None = None,
    items: Items | None = None,
    there: Callable[[str], bool] | None = None,
) -> Verified:
    """Check one report; `there` tells whether a file beside it exists, by its path from the report's folder."""
    page = Page(name, text)
    study = _study(page, names_on(page), _usable(mirrors), day, items or Items(), there)
    _check([study])
    return _said(study)


def _usable(mirrors: Mapping[str, Mirror]) -> Known:
    return Known({name: mirror for name, mirror in mirrors.items() if mirror.usable})


def _study(
    page: Page, named: Names, known: Known, day: str | None, items: Items, there: Callable[[str], bool] | None
) -> Study:
    spots = scene(page, known, named)
    return Study(page, spots, known, when(page, spots, day), items, there, Findings())


def _check(studies: Sequence[Study], checks: Sequence[ModuleType] = CHECKS) -> None:
    """Check by check and not page by page: the first ones need no diffs, which git may still be busy with."""
    for check in checks:
        if check is FIRST_WITH_FILES:
            for repo, shas_of in files_for(studies).items():
                studies[0].known.mirrors[repo].prepare(shas_of)
        for study in studies:
            check.check(study)


def _said(study: Study) -> Verified:
    page, findings, told = study.page, study.findings, study.when
    if page.too_long:
        findings.unknown("whole", "a line is too long to be read", page.too_long)
    return Verified(
        page.name,
        told.day,
        told.zone_name,
        told.source,
        dict(findings.held),
        findings.sorted(),
        dict(findings.unchecked),
    )


def problems_of(
    pages: Sequence[MadePage],
    mirrors: Mapping[str, Mirror],
    existing: Callable[[str], bool],
    checks: Sequence[ModuleType] = CHECKS,
) -> tuple[str, ...]:
    """What git does not bear out of pages that are about to be published, one sentence each with page and line."""
    from concurrent.futures import ThreadPoolExecutor

    data = next((page.text for page in pages if page.path.endswith(".json")), "")
    items, known = items_in(data), {page.path for page in pages}
    made = [page for page in pages if page.path.endswith(".md")]
    with _no_collecting(), ThreadPoolExecutor(WORKERS, "verify") as pool:
        ahead = Ahead(mirrors, pool)
        read = [Page(page.path, page.text) for page in made]
        named = [names_on(page) for page in read]
        ahead.logs()
        here = _usable(mirrors)
        look_up(named, here)
        if FIRST_WITH_FILES in checks:
            ahead.files()
        studies = [
            _study(page, names, here, None, items, _beside(page.name, known, existing))
            for page, names in zip(read, named, strict=True)
        ]
        if FIRST_WITH_FILES in checks:
            ahead.patches(studies)
        _check(studies, checks)
    return tuple(
        f"{study.page.name}:{a.line}: {a.said[:80]}: {a.why}" for study in studies for a in _said(study).alarms
    )


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Many small values and no cycles: the collector would go through all data of the day again and again."""
    import gc

    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _beside(path: str, known: Collection[str], existing: Callable[[str], bool]) -> Callable[[str], bool]:
    """Whether there is a file, by its path from the folder of the page."""
    folder = posixpath.dirname(path)

    def there(file: str) -> bool:
        found = posixpath.normpath(posixpath.join(folder, file))
        return found in known or existing(found)

    return there
