"""`daybreak impact --fork` for a comment or an issue."""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.core.model.upgrade import ForkReport, ForkTouch
from daybreak.report.render.addresses import commit_link
from daybreak.report.render.escape import code, statement, text
from daybreak.upgrade.fork.fork_words import ForkWords, by_overlap, shown, subjects, upstream_repo

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
