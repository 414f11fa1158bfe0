"""`daybreak search`: full-text search over everything that was reported, in the terminal."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from daybreak.cli.common_options import settings_of
from daybreak.cli.console import Voice, cut, harmless, wrapped
from daybreak.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_LOOK, UsageError
from daybreak.core.text import escaped_bytes, valid_text
from daybreak.core.words.phrases import languages

if TYPE_CHECKING:
    from daybreak.core.config import Settings
    from daybreak.site.search import Found, Hit

WIDTH = 80
LATER = {"revert": "taken back", "reland": "landed again", "fixup": "repaired"}
"""What became of a change, with the day that says so."""
_MOST = 100


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak search WORDS`."""
    parser = commands.add_parser(
        "search",
        parents=[common],
        allow_abbrev=False,
        help="full-text search over everything that was reported",
        description="Words that must all stand in a change, issue, pull request or release: Chinese or English, names "
        'in code (`max_model_len`, CamelCase, a flag), a sha, `#123`, a path. "Two words" stand side by side, `start*` '
        "begins a word, `-word` must not stand there, `one OR other`. Chinese terms of the field find English words.",
        epilog="Filters: repo:PART kind:fix level:high breaking:yes author:NAME since:2026-01-31 until:2026-02 "
        "in:change|issue|pull|release is:open|closed|merged|breaking|late. Exit code 1: nothing was found.",
    )
    parser.hint = "Words that begin with `-` go into quotes with the others, or after `--`."
    parser.add_argument("words", metavar="WORDS", nargs="+", help="what to look for")
    parser.add_argument("--limit", metavar="N", type=int, default=20, help="results to print (default: %(default)s)")
    parser.add_argument("--offset", metavar="N", type=int, default=0, help="results to leave out before them")
    parser.add_argument(
        "--lang", metavar="L", choices=languages(), help="language of what is quoted (default: the main one)"
    )
    parser.add_argument("--json", action="store_true", help="print data instead of a list")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Look for it; exit code 1 when there is nothing, 3 when a day could not be looked through."""
    if not 1 <= arguments.limit <= _MOST or arguments.offset < 0:
        raise UsageError(f"--limit goes from 1 to {_MOST}, --offset from 0 on.", "Turn the page with --offset.")
    from daybreak.site.search import open_search

    settings = settings_of(arguments.config, {})
    asked = " ".join(arguments.words)
    with open_search(settings) as search:
        language = arguments.lang or settings.languages[0]
        found = search.find(asked, arguments.limit, arguments.offset, language)
    if arguments.json:
        _print_data(asked, arguments.offset, found)
    else:
        _print(_lines(found, arguments.offset))
    for label in found.missing[:5]:
        voice.warn(f"not looked through: {label}, whose report cannot be read or whose index cannot be written")
    if found.span and not arguments.json:
        voice.say(f"“{harmless(found.span[0])}” is read as {' to '.join(dict.fromkeys(found.span[1:]))}")
    if found.idle and not arguments.json:
        voice.say(f"not looked for: {harmless(', '.join(found.idle))}")
    if found.also and not arguments.json:
        voice.say(f"also searched: {', '.join(found.also)}")
    if not found.total and not arguments.json:
        meant = f"Did you mean {cut(harmless(found.suggestion), 60)}?" if found.suggestion else ""
        tip = " ".join(filter(None, (meant, _other_days(settings, asked))))
        voice.error(
            f"Nothing was found for {cut(harmless(asked), 60)}.",
            tip or _start_of(asked),
        )
    if not found.total:
        return EXIT_FAILED
    return EXIT_LOOK if found.missing else EXIT_DONE


def _start_of(asked: str) -> str:
    """The longest plain word with a star behind its first half, which finds its other forms too; filters have no forms."""
    from daybreak.site.search.query import FILTERS

    filters = [word for word in asked.split() if word.lstrip("-").partition(":")[0].lower() in FILTERS and ":" in word]
    if filters == asked.split():
        return "Leave a filter out, or give it another value." if filters[1:] else "Give the filter another value."
    words = [word for word in asked.split() if word.isascii() and word.isalnum() and len(word) >= STEM]
    longest = max(words, key=len, default="")
    if not longest:
        return "Use fewer words, or others."
    return f"Use fewer words, or the start of one: `{longest[: max(STEM, (len(longest) + 1) // 2)]}*`."


STEM = 5
"""Letters of a word that its other forms share with it, at least."""


_OF_DAYS = re.compile(r"(?:since|until|month):", re.IGNORECASE)


def _other_days(settings: Settings, asked: str) -> str:
    """Where no day was reported other words do not help; where days were asked for, those that there are may."""
    from daybreak.report.archive.opening import open_archive

    labels = open_archive(settings).labels()
    if not labels:
        return "No day is reported here yet: `daybreak run` makes the first one."
    return f"Reports go from {min(labels)} to {max(labels)}." if any(map(_OF_DAYS.match, asked.split())) else ""


def _lines(found: Found, offset: int) -> Iterator[str]:
    for hit in found.hits:
        yield from lines_of(hit)
    last = offset + len(found.hits)
    if found.hits and (offset or last < found.total):
        yield f"{offset + 1} to {last} of {found.total}" + (f"; --offset {last} for more" if last < found.total else "")
    elif found.total and not found.hits:
        yield f"{found.total} in all; none from {offset + 1} on"


def lines_of(hit: Hit) -> Iterator[str]:
    """What it is and where, its title, and why it was found."""
    number = hit.id[:9] if hit.kind == "change" else hit.id if hit.kind == "release" else f"#{hit.id}"
    facts = [hit.label, hit.repo, "" if hit.kind == "change" else hit.kind, number, hit.level]
    facts.append("breaking" if hit.breaking else "")
    facts.append(f"{LATER[hit.later.what]} {hit.later.label[5:]}" if hit.later else "")
    yield cut(harmless("  ".join(fact for fact in facts if fact)), WIDTH)
    for text, most in ((hit.title, 2), (hit.snippet, 2)):
        if text.strip():
            yield from (f"  {line}" for line in wrapped(text, WIDTH - 2, most))


def _print(lines: Iterator[str]) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "replace").decode(encoding) + "\n")


def _print_data(asked: str, offset: int, found: Found) -> None:
    import msgspec

    hits = [{**asdict(hit), "at": hit.at.isoformat()} for hit in found.hits]
    data = {"query": valid_text(asked), "total": found.total, "offset": offset, "missing": found.missing, "hits": hits}
    data |= {"also": found.also, "suggestion": found.suggestion, "span": found.span, "idle": found.idle}
    sys.stdout.buffer.write(escaped_bytes(msgspec.json.encode(data)) + b"\n")
    sys.stdout.buffer.flush()
