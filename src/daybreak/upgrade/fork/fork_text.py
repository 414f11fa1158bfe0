"""`daybreak impact --fork` for a terminal: whether it merges, what is in the way, what to pick; 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.core.model.upgrade import ForkReport, ForkTouch
from daybreak.report.render.escape import clean
from daybreak.upgrade.fork.fork_words import ForkWords, by_overlap, shown, subjects
from daybreak.upgrade.impact.form_text import COLUMNS, folded

_INDENT = 4
_SKIPPED_SHOWN = 5


def fork_text(report: ForkReport, language: str) -> str:
    """The whole answer, with a final newline."""
    words, known = ForkWords(language), subjects(report)
    branch, upstream = clean(report.branch), clean(report.upstream)
    counts = {"ours": len(report.ours), "theirs": len(report.theirs), "base": report.base[:9]}
    lines = [*folded(words("sides", branch=branch, upstream=upstream, **counts), COLUMNS)]
    lines += folded(words.verdict(report, upstream), COLUMNS)
    for path in report.conflicts:
        lines += _indented(clean(path), 2)
    for overlap, found in by_overlap(report):
        lines += ["", f"{words(overlap)} ({len(found)})"]
        lines += [line for touch in shown(overlap, found) for line in _touch(touch, words, known)]
        more = len(found) - len(shown(overlap, found))
        lines += [f"  {words('more', n=more)}"] if more else []
    lines += [] if report.touches else ["", words("none")]
    return "\n".join([*lines, "", *_picks(report, words, known), *_skipped(report, words)]) + "\n"


def _touch(touch: ForkTouch, words: ForkWords, known: dict[str, str]) -> Iterator[str]:
    yield from _titled(touch.sha, known)
    yield from _indented(words("comma").join(map(clean, touch.paths)))
    if touch.symbols:
        yield from _indented(words("names") + words("colon") + words("comma").join(map(clean, touch.symbols)))
    for sha in touch.ours:
        yield from _indented(f"{words('ours')}{words('colon')}{sha[:9]} {clean(known.get(sha, ''))}")


def _titled(sha: str, known: dict[str, str]) -> Iterator[str]:
    first, *rest = folded(f"{sha[:9]} {clean(known.get(sha, ''))}", COLUMNS - _INDENT)
    yield f"  {first}"
    yield from (" " * _INDENT + line for line in rest)


def _indented(text: str, indent: int = _INDENT) -> list[str]:
    return [" " * indent + line for line in folded(text, COLUMNS - indent)]


def _picks(report: ForkReport, words: ForkWords, known: dict[str, str]) -> Iterator[str]:
    if not report.picks:
        yield words("nopicks")
        return
    yield f"{words('picks')} ({len(report.picks)})"
    yield from _indented(words("order") + words("stop"), 2)
    for pick in report.picks:
        yield from _titled(pick.sha, known)
        yield from _indented(clean(words.say(pick.why)))


def _skipped(report: ForkReport, words: ForkWords) -> Iterator[str]:
    if not report.skipped:
        return
    yield ""
    yield words("skipped", n=len(report.skipped)) + words("colon").rstrip()
    for item in report.skipped[:_SKIPPED_SHOWN]:
        yield from _indented(f"{clean(item.what)}{words('colon')}{clean(item.reason)}", 2)
    more = len(report.skipped) - _SKIPPED_SHOWN
    if more > 0:
        yield f"  {words('more', n=more)}"
