"""What lies beside a report that is verified: its data, and the page that this program makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import Day
from daybreak.core.model.report import Page
from daybreak.verify.check_input import Items, Values, Written

LARGEST = 32_000_000
"""Bytes of data that are read."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WINDOW = re.compile(r"(\d{4}-\d\d-\d\d) 00:00 – 24:00")
_HEAD = 20_000
"""Characters within which a page of ours says its window."""


class Beside(Struct, frozen=True):
    """All of it; nothing where there is no data."""

    items: Items = Items()
    values: Values | None = None
    written: Written = Written()


def beside(report: Path, text: str, day: str | None) -> Beside:
    from daybreak.verify.check_input import items_in, values_in

    path = next(_data_files(report, text, day), None)
    if path is None:
        return Beside(written=_lines(report, text, lambda: _index_of(report)))
    if path.stat().st_size > LARGEST:
        return Beside(written=Written(unmade=f"the data beside it has more than {LARGEST // 1_000_000} MB"))
    data = path.read_bytes()
    written = _lines(report, text, lambda: _pages_of(path, data))
    return Beside(items_in(data), values_in(data), replace(written, digest=_digest(report, data)))


def _data_files(report: Path, text: str, day: str | None) -> Iterator[Path]:
    """`DATE.json` of the day that the file name, its folder or its head names; of a roll-up or a range its own name's."""
    stem = report.name.removesuffix(".md")
    own = [report.with_name(f"{name}.json") for name in (stem, stem.rpartition(".")[0]) if name]
    found = day or next((m[0] for part in (report.name, report.parent.name) if (m := _DAY.match(part))), None)
    if found is None and (stated := _WINDOW.search(text[:_HEAD])):
        found = stated[1]
    dated = [folder / f"{found}.json" for folder in (report.parent, report.parent.parent)] if found else []
    return (path for path in (*dated, *own) if path.is_file())


class _AnotherVersion(Exception):
    """Wrote the data, and may have had other words."""


def _lines(report: Path, text: str, make: Callable[[], Sequence[Page]]) -> Written:
    """Data of an earlier version may lack what the pages of this one need: nothing is held against such a page."""
    try:
        pages = make()
    except _AnotherVersion as error:
        return Written(unmade=f"each line: version {error} of the program wrote it")
    except Exception:  # noqa: BLE001  whatever is wrong with the data, the other checks go on
        return Written(unmade="each line: the data beside it cannot be made into pages")
    rows = frozenset(text.split("\n"))
    named = [page.text.split("\n") for page in pages if page.path.rpartition("/")[2] == report.name]
    made_again = named or [page.text.split("\n") for page in pages]  # a copy may have any name
    return Written(tuple(max(made_again, key=lambda lines: sum(line in rows for line in lines), default=())) or None)


def _pages_of(path: Path, data: bytes) -> Sequence[Page]:
    """Pages of a day with what later reports learned of it, or those of a roll-up."""
    from daybreak.core.day_json import decode
    from daybreak.core.model.rollup import Rollup
    from daybreak.core.words.phrases import languages
    from daybreak.judge.repo_report import notes_on
    from daybreak.report.archive.beside import decoded
    from daybreak.report.render.markdown import markdown_pages
    from daybreak.store.report_files import ReportFiles
    from daybreak.upgrade.rollup.pages import pages

    if _DAY.fullmatch(path.stem):
        day = _of_this_version(decode(data))
        return markdown_pages(day, tuple(notes_on(day, ReportFiles(path.parent.parent))))
    rolled = decoded(data, Rollup)
    return [page for lang in languages() for page in pages(rolled, [lang])[:1]] if rolled and rolled.schema else ()


def _of_this_version(day: Day) -> Day:
    from daybreak import __version__

    if day.tool.version != __version__:
        raise _AnotherVersion(day.tool.version)
    return day


def _index_of(report: Path) -> Sequence[Page]:
    """The index of a folder of reports, or of a month of it."""
    from daybreak.core.day_json import decode
    from daybreak.report.index import RECENT, day_line_from_json, render_index
    from daybreak.store.report_files import ReportFiles

    month = report.name[:7] if report.name[:1].isdigit() else ""
    files = ReportFiles(report.parent.parent if month else report.parent)
    labels = files.labels()
    shown = [label for label in labels if label[:7] == month] if month else labels[-RECENT:]
    if not shown:
        return ()
    newest = _of_this_version(decode(files.path(labels[-1]).read_bytes()))
    lines = [day_line_from_json(files.path(label).read_bytes()) for label in shown]
    return render_index(lines, newest.languages, labels, newest.title)


class _Pages(Struct):
    pages: dict[str, str] = {}


def _digest(report: Path, data: bytes) -> str:
    """What the data of a range has of the page."""
    from daybreak.report.archive.beside import decoded

    found = decoded(data, _Pages)
    return found.pages.get(report.name, "") if found else ""
