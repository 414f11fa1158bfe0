"""Fork report: its phrases, and its forms as data, Markdown and terminal text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from daybreak import __version__
from daybreak.core.day_json import encoded
from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import ForkReport, ForkTouch, Overlap
from daybreak.core.words.phrases import REFERENCE, Phrases, languages, phrases
from daybreak.report.render.edition import commit_link
from daybreak.report.render.escape import clean, code, statement, text
from daybreak.upgrade.impact.form_text import COLUMNS, folded

# --- Phrases of the fork report, and its parts in the order in which every form shows them ---


ORDER: tuple[Overlap, ...] = ("conflict", "hunk", "symbol", "file")
FILES_SHOWN = 20
"""Changes that merely touch the same file; the rest is counted."""


class ForkWords(Phrases):
    """The phrases of one language."""

    def __init__(self, language: str) -> None:
        known = language if language in languages() else REFERENCE
        super().__init__(known, phrases(known, "upgrade.fork").table)

    def verdict(self, report: ForkReport, upstream: str) -> str:
        """Whether it still merges."""
        if report.merges is None:
            return self("untried", upstream=upstream)
        return self("merges" if report.merges else "conflicts", upstream=upstream, n=len(report.conflicts))


def by_overlap(report: ForkReport) -> Iterator[tuple[Overlap, list[ForkTouch]]]:
    """Strongest first; kinds that nothing has are left out."""
    for overlap in ORDER:
        found = [touch for touch in report.touches if touch.overlap == overlap]
        if found:
            yield overlap, found


def shown(overlap: Overlap, found: list[ForkTouch]) -> list[ForkTouch]:
    """All of them, but only the newest of those that merely share a file."""
    return found[:FILES_SHOWN] if overlap == "file" else found


def subjects(report: ForkReport) -> dict[str, str]:
    """First lines of messages by sha, of both sides."""
    return {entry.change.sha: entry.change.subject for entry in report.theirs} | dict(report.subjects)


def upstream_repo(report: ForkReport) -> Repo:
    return report.repo or Repo("upstream", "", "")


# --- `daybreak impact --fork` as data, `daybreak.fork/1`: what other programs read ---


SCHEMA = "daybreak.fork/1"


def fork_json(report: ForkReport) -> str:
    """The file's text, with a final newline."""
    return encoded(as_fork_data(report))


def as_fork_data(report: ForkReport) -> dict[str, Any]:
    """All of the answer; changes of upstream newest first, picks in the order in which they were tried."""
    known = subjects(report)
    return {
        "schema": SCHEMA,
        "tool": {"name": "daybreak", "version": __version__},
        "repo": upstream_repo(report).name,
        "branch": report.branch,
        "upstream": report.upstream,
        "base": report.base,
        "merges": report.merges,
        "conflicts": list(report.conflicts),
        "ours": [{"sha": sha, "subject": known.get(sha, "")} for sha in report.ours],
        "touches": [
            {
                "sha": touch.sha,
                "subject": known.get(touch.sha, ""),
                "overlap": touch.overlap,
                "paths": list(touch.paths),
                "symbols": list(touch.symbols),
                "ours": list(touch.ours),
            }
            for touch in report.touches
        ],
        "picks": [{"sha": pick.sha, "subject": known.get(pick.sha, ""), "why": pick.why} for pick in report.picks],
        "theirs": [
            {
                "sha": entry.change.sha,
                "subject": entry.change.subject,
                "kind": entry.kind,
                "importance": entry.importance.level,
                "breaking": entry.breaking,
            }
            for entry in report.theirs
        ],
        "skipped": report.skipped,
    }


# --- `daybreak impact --fork` for a comment or an issue ---


MARKER = "<!-- daybreak.fork/1 -->"
_SKIPPED_SHOWN = 20


def fork_markdown(report: ForkReport, language: str) -> str:
    """The page, with a final newline."""
    words, known = ForkWords(language), subjects(report)
    branch, upstream, base = code(report.branch), code(report.upstream), commit_link(upstream_repo(report), report.base)
    counts = {"ours": len(report.ours), "theirs": len(report.theirs), "base": base}
    blocks = [MARKER, f"## {words('title')}", f"**{words.verdict(report, upstream)}**"]
    blocks.append(words("sides", branch=branch, upstream=upstream, **counts) + words("stop"))
    if report.conflicts:
        blocks.append("\n".join(f"- {code(path)}" for path in report.conflicts))
    for overlap, found in by_overlap(report):
        blocks.append(f"### {words(overlap)} ({len(found)})")
        blocks.append(
            "\n".join(line for touch in shown(overlap, found) for line in _touch(report, touch, words, known))
        )
        more = len(found) - len(shown(overlap, found))
        blocks += [words("more", n=more) + words("stop")] if more else []
    blocks += [] if report.touches else [words("none")]
    blocks += _picks(report, words, known)
    return "\n\n".join([*blocks, *_skipped(report, words)]) + "\n"


def _title(report: ForkReport, sha: str, known: dict[str, str]) -> str:
    return f"- {commit_link(upstream_repo(report), sha)} {text(known.get(sha, ''))}".rstrip()


def _touch(report: ForkReport, touch: ForkTouch, words: ForkWords, known: dict[str, str]) -> Iterator[str]:
    yield _title(report, touch.sha, known)
    if touch.paths:
        yield f"  - {words('comma').join(map(code, touch.paths))}"
    if touch.symbols:
        yield f"  - {words('names')}{words('colon')}{words('comma').join(map(code, touch.symbols))}"
    for sha in touch.ours:
        yield f"  - {words('ours')}{words('colon')}`{sha[:9]}` {text(known.get(sha, ''))}".rstrip()


def _picks(report: ForkReport, words: ForkWords, known: dict[str, str]) -> Iterator[str]:
    if not report.picks:
        yield words("nopicks")
        return
    yield f"### {words('picks')} ({len(report.picks)})"
    yield words("order") + words("stop")
    rows = [f"{_title(report, pick.sha, known)}\n  - {statement(words.say(pick.why))}" for pick in report.picks]
    yield "\n".join(rows)


def _skipped(report: ForkReport, words: ForkWords) -> Iterator[str]:
    if report.skipped:
        rows = [f"- {text(s.what)}{words('colon')}{text(s.reason)}" for s in report.skipped[:_SKIPPED_SHOWN]]
        more = len(report.skipped) - _SKIPPED_SHOWN
        rows += [f"- {words('more', n=more)}"] if more > 0 else []
        yield f"### {words('skipped', n=len(report.skipped))}"
        yield "\n".join(rows)


# --- `daybreak impact --fork` for a terminal: whether it merges, what is in the way, what to pick; 80 columns ---


_INDENT = 4
_SKIPPED_IN_TERMINAL = 5


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
        lines += [line for touch in shown(overlap, found) for line in _touch_line(touch, words, known)]
        more = len(found) - len(shown(overlap, found))
        lines += [f"  {words('more', n=more)}"] if more else []
    lines += [] if report.touches else ["", words("none")]
    return "\n".join([*lines, "", *_pick_lines(report, words, known), *_skipped_lines(report, words)]) + "\n"


def _touch_line(touch: ForkTouch, words: ForkWords, known: dict[str, str]) -> Iterator[str]:
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


def _pick_lines(report: ForkReport, words: ForkWords, known: dict[str, str]) -> Iterator[str]:
    if not report.picks:
        yield words("nopicks")
        return
    yield f"{words('picks')} ({len(report.picks)})"
    yield from _indented(words("order") + words("stop"), 2)
    for pick in report.picks:
        yield from _titled(pick.sha, known)
        yield from _indented(clean(words.say(pick.why)))


def _skipped_lines(report: ForkReport, words: ForkWords) -> Iterator[str]:
    if not report.skipped:
        return
    yield ""
    yield words("skipped", n=len(report.skipped)) + words("colon").rstrip()
    for item in report.skipped[:_SKIPPED_IN_TERMINAL]:
        yield from _indented(f"{clean(item.what)}{words('colon')}{clean(item.reason)}", 2)
    more = len(report.skipped) - _SKIPPED_IN_TERMINAL
    if more > 0:
        yield f"  {words('more', n=more)}"
