"""A change as numbered pieces of evidence: message, pull request, counts, findings, and the whole diff."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil

from msgspec import Struct

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.drafts import Piece
from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Pull
from daybreak.core.model.links import commit_id, pull_id
from daybreak.core.model.report import Entry
from daybreak.core.text import HIDDEN
from daybreak.findings.paths import area
from daybreak.judge.change_kinds import is_front

# --- Which part of a diff a model reads first: what findings were read from, then sources, tests, and last what programs write ---


_MADE = re.compile(
    r"(?:^|/)(?:_?generated|autogen|__generated__|3rdparty\w{0,9}|third[-_]?party|vendor|vendored|_vendor|thirdparty)/"
    r"|\.lock$|(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum)$|_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h|rs)$"
    r"|\.min\.(?:js|css)$|(?:^|/)_version\.py$|\.(?:ipynb|csv|jsonl)$",
    re.IGNORECASE,
)
_HEAD = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def in_reading_order(change: Change, findings: Sequence[Finding]) -> list[tuple[int, FileChange]]:
    """The files with their number in the change (from 1), most telling first."""
    told: dict[str, int] = {}
    for finding in findings:
        told[finding.path] = max(told.get(finding.path, 0), 2 if finding.breaking else 1)
    numbered = list(enumerate(change.files, start=1))
    return sorted(numbered, key=lambda one: (_rank(one[1], told), one[0]))


def _rank(file: FileChange, told: dict[str, int]) -> int:
    """0 breaking findings, 1 other findings, 2 sources, 3 tests and docs, 4 locks and generated files."""
    short = file.path[-300:]
    if _MADE.search(short):
        return 4
    known = max(told.get(file.path, 0), told.get(file.old_path or "", 0))
    if known:
        return 2 - known
    return 2 if is_front(file.path) else 3


def telling_hunks_first(hunks: Sequence[str], findings: Sequence[Finding], path: str) -> list[str]:
    """Hunks that hold the line of a finding before the others; otherwise as they stand."""
    lines = [(f.line, f.breaking) for f in findings if f.path == path]
    return sorted(hunks, key=lambda hunk: holds(hunk, lines)) if lines else list(hunks)


def holds(hunk: str, lines: Sequence[tuple[int, bool]]) -> int:
    found = _HEAD.match(hunk)
    if not found:
        return 2
    old, new = int(found[1]), int(found[3])
    spans = (range(old, old + int(found[2] or 1)), range(new, new + int(found[4] or 1)))
    held = [breaking for line, breaking in lines if any(line in span for span in spans)]
    return (0 if any(held) else 1) if held else 2


# --- How large evidence is and how it is cut into parts: by line, never silently, each part no larger than asked ---


_ASCII_A_TOKEN = 2.6
"""Characters of code and English that one token holds at the least, over the tokenizers in use; prose has four."""
_BREAKS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
GOES_ON = "[line goes on]"
"""Stands where a line was too long for one part: at the end of its beginning and at the beginning of its rest."""
LEAST = 24
"""Tokens below which a part would hold nothing but marks."""


def tokens(text: str) -> int:
    """An upper estimate of what a model counts: of other scripts, as many as the bytes they take."""
    if text.isascii():
        return ceil(len(text) / _ASCII_A_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    return ceil(plain / _ASCII_A_TOKEN) + len(text.encode("utf-8", "surrogatepass")) - plain


@lru_cache(maxsize=4096)
def _hides(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in HIDDEN


def visible(text: str) -> str:
    """Text of outside without what no reader sees: controls, direction and zero-width marks, broken bytes."""
    if text.isascii() and text.isprintable():
        return text
    text = _BREAKS.sub("\n", text)
    hidden = {c for c in set(text) if _hides(c)}
    return text.translate(dict.fromkeys(map(ord, hidden))) if hidden else text


def one_line(text: str) -> str:
    """The same in one line: for paths and titles."""
    return " ".join(visible(text).split())


def brief(text: str, most: int) -> str:
    """The same in at most so many characters; what is cut is marked."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def split_lines(text: str, most: int) -> Iterator[str]:
    """The text in parts of at most so many tokens, cut between lines; a line too long for a part is cut and marked."""
    held: list[str] = []
    most, size = max(most, LEAST), 0
    for line in _fitting(text.split("\n"), most):
        cost = tokens(line) + 1
        if held and size + cost > most:
            yield "\n".join(held)
            held, size = [], 0
        held.append(line)
        size += cost
    if held:
        yield "\n".join(held)


def _fitting(lines: Sequence[str], most: int) -> Iterator[str]:
    room = most - 2 * tokens(GOES_ON) - 2
    for line in lines:
        if tokens(line) + 1 <= most:
            yield line
            continue
        pieces = list(_chopped(line, max(room, 4)))
        for at, piece in enumerate(pieces):
            before = f"{GOES_ON} " if at else ""
            after = f" {GOES_ON}" if at < len(pieces) - 1 else ""
            yield before + piece + after


def _chopped(line: str, most: int) -> Iterator[str]:
    """Pieces of one long line, in linear time: a character costs at most its bytes."""
    start, cost = 0, 0.0
    for at, character in enumerate(line):
        step = 1 / _ASCII_A_TOKEN if character < "\x80" else len(character.encode("utf-8", "surrogatepass"))
        if cost + step > most:
            yield line[start:at]
            start, cost = at, 0.0
        cost += step
    yield line[start:]


def hunks(patch: str) -> list[str]:
    """The hunks of a patch, each from its `@@` on."""
    found: list[list[str]] = []
    for line in patch.rstrip("\n").split("\n"):
        if line.startswith("@@ ") or not found:
            found.append([])
        found[-1].append(line)
    return ["\n".join(lines) for lines in found if any(lines)]


def split_hunk(hunk: str, most: int) -> list[str]:
    """A hunk in parts; each after the first repeats the hunk's head, so that it can be read alone."""
    if tokens(hunk) <= most:
        return [hunk]
    head, _, rest = hunk.partition("\n")
    if not head.startswith("@@") or tokens(head) * 3 > most:
        return list(split_lines(hunk, most))
    room = most - tokens(head) - 4
    return [
        f"{head}\n{part}" if n == 0 else f"{head} (continued)\n{part}" for n, part in enumerate(split_lines(rest, room))
    ]


_WHAT_HAPPENED = {
    "A": "new file",
    "D": "deleted file",
    "R": "renamed file",
    "C": "copied file",
    "T": "file of another type",
    "M": "changed file",
}


STILL = "still there after it: "
"""Before a line of the tree that a change takes away in one place and leaves in another."""


class Material(Struct, frozen=True):
    """All that is known of one change, as pieces that a question can take; none is larger than was asked."""

    said: tuple[Piece, ...]
    """Message, then the pull request's text."""
    facts: tuple[Piece, ...]
    """Counts and findings."""
    diff: tuple[Piece, ...]
    """Most telling first."""
    title: Piece
    """The subject alone: what a question that shows a later part begins with."""


def material(
    entry: Entry, repo: str, pull: Pull | None, most: int, elsewhere: str = "", released: str = ""
) -> Material:
    """The evidence of a change, in pieces of at most so many tokens; `elsewhere`: lines of the tree that it does not touch; `released`:
    what the newest release has in its place.
    """
    change = entry.change
    findings = [f for f in entry.reading.findings if not f.inner]
    subject = Piece("M1", commit_id(change.sha), brief(change.subject, 300), _numbers(change))
    said = [*_numbered("M", _message(change), commit_id(change.sha), most, _numbers(change))]
    if pull is not None:
        text = visible(f"{pull.title}\n\n{pull.body}").strip()
        said += _numbered("P", text, pull_id(repo, pull.number), most, {"pr:1": f"#{pull.number}"})
    numbers = {file.path: at for at, file in enumerate(change.files, start=1)}
    facts = [_counts(change), *(_finding(n, f, numbers) for n, f in enumerate(findings, start=1))]
    if released and tokens(released) <= most:
        facts.append(Piece("R1", commit_id(change.sha), visible(released)))
    diff = [*_diff(change, findings, most)]
    rows = elsewhere.split("\n") if elsewhere and tokens(elsewhere) <= most else []
    for ref, still, head in (("T1", False, "elsewhere:"), ("T2", True, STILL.rstrip())):
        if own := [row.removeprefix(STILL) for row in rows if row.startswith(STILL) is still]:
            diff.append(Piece(ref, commit_id(change.sha), visible("\n".join((head, *own)))))
    return Material(tuple(said), tuple(facts), tuple(diff), subject)


def context_of(change: Change, pull: Pull | None) -> str:
    """Every plain fact of the change in one text: what a true word about it must stand in."""
    parts = [change.subject, change.body]
    parts += [pull.title, pull.body] if pull is not None else []
    for file in change.files:
        parts += [file.path, file.old_path or "", file.patch]
    return visible("\n".join(parts))


def _numbers(change: Change) -> dict[str, str]:
    return {"pr:1": f"#{change.pr}"} if change.pr else {}


_SIGNED = re.compile(r"^[A-Z][A-Za-z-]{2,30}-by: .{1,200}\n?", re.MULTILINE)


def _message(change: Change) -> str:
    """Subject and body; who signed it says nothing of what it does."""
    return _SIGNED.sub("", visible(f"{change.subject}\n\n{change.body}")).strip() or "(no message)"


def _numbered(letter: str, text: str, name: str, most: int, names: dict[str, str]) -> Iterator[Piece]:
    for at, part in enumerate(split_lines(text, most), start=1):
        yield Piece(f"{letter}{at}", name, part, names)


def _counts(change: Change) -> Piece:
    """Numbers that a sentence may need; it writes their names."""
    values = {"count:1": change.files_total, "count:2": change.added, "count:3": change.deleted}
    told = "files changed {count:1}; lines added {count:2}; lines deleted {count:3}"
    beyond = change.files_total - len(change.files)
    if beyond > 0:
        told += f"; {beyond} files were not read"
    return Piece("N1", commit_id(change.sha), told, {name: str(value) for name, value in values.items()})


def _finding(number: int, finding: Finding, files: dict[str, int]) -> Piece:
    """A typed fact in one line."""
    at = files.get(finding.path)
    where = f" in {{file:{at}}}" if at else ""
    parts = [f"{finding.kind.replace('_', ' ')}: {brief(finding.symbol, 300)}{where}"]
    parts += [f"before: {brief(finding.before, 300)}"] if finding.before is not None else []
    parts += [f"after: {brief(finding.after, 300)}"] if finding.after is not None else []
    parts += ["breaks existing use"] if finding.breaking else []
    if finding.alias is not None:
        parts.append({"none": "the old name is gone", "deprecated": "the old name works, deprecated", "kept": "the old name still works"}[finding.alias.status])  # fmt: skip
    parts += [f"takes effect with {brief(finding.effective, 100)}"] if finding.effective else []
    names = {f"file:{at}": finding.path} if at else {}
    return Piece(f"F{number}", f"finding:{finding.id}", "; ".join(parts), names)


def _diff(change: Change, findings: list[Finding], most: int) -> Iterator[Piece]:
    at, seen = 0, set[tuple[str, ...]]()
    sources = any(area(file.path) == "code" for file in change.files)
    for number, file in in_reading_order(change, findings):
        for text in _parts(file, findings, most, seen, beside=sources and _shows_use(file)):
            at += 1
            yield Piece(f"D{at}", f"file:{change.sha}:{file.path}", text, {f"file:{number}": file.path})


_TEST_WORDS = re.compile(
    r"^[+]\s{0,40}(?:(?:async )?(?:def|class|func|fn|it|describe|test)\b|#|//|\*)|^@@ |^[+].{0,200}(?:\"{3}|'{3})"
)
_QUOTES = re.compile(r"\"{3}|'{3}")


_NEW_CODE = 60
"""Lines that come where none goes, beyond which bodies are left out: nobody has used them yet."""
_SAYS = re.compile(
    r"^[+]\s{0,40}(?:raise|assert|@|throw|TORCH_CHECK)|^[+].{0,200}(?:environ|getenv|add_argument|\.def\(|\"--|: .{1,60} = |\breturn (?:None|False|True)\b)"
)
"""What new code refuses, registers, reads of its settings and gives by default."""


def words_of_test(hunk: str, more: re.Pattern[str] | None = None) -> str:
    """Of a test's hunk the names and what its author wrote in words: the best causes stand there, the bodies are of no use."""
    kept, within = [], False
    for line in hunk.split("\n"):
        if line.startswith("+# SPDX-"):
            continue
        quotes = len(_QUOTES.findall(line)) if line[:1] == "+" else 0
        if within or _TEST_WORDS.match(line) or (more is not None and more.match(line[:400])):
            kept.append(line)
        within = within != (quotes % 2 == 1)
    return "\n".join(kept) if len(kept) > 1 else ""


_IMPORT = re.compile(
    r"[+-]\s*(?:(?:from\s.{1,200}\simport\b|import\b|#\s?include\b|(?:pub )?use\s|using\s).*|[\w.*]{1,80}(?: as \w{1,80})?,?|[(){};,]*)$"
)
_TESTS_WITHIN = re.compile(r"@@ .{1,60}@@ .{0,20}\bmod tests?\b")


def _shows_use(file: FileChange) -> bool:
    """An example or a job of CI: beside sources, its words alone say something of them."""
    return area(file.path) == "ci" or (area(file.path) == "docs" and not _PAGE.search(file.path))


_PAGE = re.compile(r"\.(?:mdx?|rst|txt)$", re.IGNORECASE)


def _telling(
    file: FileChange, findings: list[Finding], seen: set[tuple[str, ...]], beside: bool
) -> tuple[list[str], str]:
    """Hunks that say something, and what is said of the others: of tests and examples their words, of imports no context, nothing twice."""
    whole = hunks(visible(file.patch)) if file.patch else []
    test, lines = beside or area(file.path) == "test", [(f.line, f.breaking) for f in findings if f.path == file.path]
    shown, again = list[str](), 0
    for hunk in whole:
        changed = tuple(line.strip() for line in hunk.split("\n") if line[:1] in ("+", "-") and line[1:].strip())
        if lines and holds(hunk, lines) < 2:
            shown.append(hunk)
        elif test or _TESTS_WITHIN.match(hunk):
            shown += [words] if (words := words_of_test(hunk)) else []
        elif hunk.count("\n+") > _NEW_CODE and "\n-" not in hunk:
            shown.append(words_of_test(hunk, _SAYS) or hunk)
        elif changed in seen:
            again += 1
        elif changed and all(map(_IMPORT.match, changed)) and any(map(_IMPORTS.search, changed)):
            shown.append("\n".join((hunk.partition("\n")[0], *changed)))
        else:
            shown.append(hunk)
        seen.add(changed)
    return shown, f"(hunks left out whose lines are shown before: {again})" if again else ""


_IMPORTS = re.compile(r"\b(?:import|include|use|using)\b")


def _parts(
    file: FileChange, findings: list[Finding], most: int, seen: set[tuple[str, ...]], *, beside: bool
) -> Iterator[str]:
    """The file's hunks, small neighbours together; a file without any is told in words."""
    remark = _remark(file)
    shown, left = _telling(file, findings, seen, beside)
    if not shown:
        yield f"{remark} {left}".rstrip()
        return
    held = [f"{remark} {left}".rstrip()] if left or file.status != "M" or file.patch_cut else []
    size = sum(map(tokens, held))
    for hunk in telling_hunks_first(shown, findings, file.path):
        for part in split_hunk(hunk, most):
            cost = tokens(part) + 1
            if held and size + cost > most:
                yield "\n".join(held)
                held, size = [], 0
            held.append(part)
            size += cost
    if held:
        yield "\n".join(held)


OTHERS = 260
"""Tokens of what a part of a large commit is told of the other parts."""
_NAMED = re.compile(
    r"[+-]\s*(?:(?:async |pub |static |export )*(?:def|class|func|fn|struct|enum|interface)\s+(\w{3,80})|(\w{3,80})\s?:\s[\w\[\]| .]{1,80}=)"
    r"|[+-].{0,200}?(--[a-z][a-z0-9]*(?:-[a-z0-9]+)+|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+){2,}\b)"
)


def in_one_view(parts: Sequence[Sequence[Piece]], name: str) -> list[list[Piece]]:
    """Each part with the names that the others take away and bring: what is gone here may stand there. Its own names come first."""
    sides = [{sign: _names_on(part, sign) for sign in "+-"} for part in parts]
    out = []
    for at, part in enumerate(parts):
        own = sides[at]["+"] | sides[at]["-"]
        others = [side for n, side in enumerate(sides) if n != at]
        came, went = ({x: 0 for side in others for x in side[sign]} for sign in "+-")
        both = {x for x in came if x in went or x in sides[at]["-"]} | {x for x in went if x in sides[at]["+"]}
        rows = [("move or alter", both), ("take away", went.keys() - both), ("bring", came.keys() - both)]
        told = [
            f"{verb} {', '.join(sorted(x, key=lambda y: (y not in own, y))[:_MOST_NAMED])}" for verb, x in rows if x
        ]
        text = next(split_lines("\n".join(("other parts of this commit", *told)), OTHERS - LEAST))
        out.append([*part, Piece("N2", name, text)] if told else [*part])
    return out


_MOST_NAMED = 24


def named_on(pieces: Sequence[Piece], most: int) -> str:
    """The names that changed lines bring or take away, as many as are wanted."""
    went, came = _names_on(pieces, "-"), _names_on(pieces, "+")
    told = [
        (word, sorted(names)[:most])
        for word, names in (("brings", came - went), ("takes away", went - came), ("alters", came & went))
    ]
    return "; ".join(f"{word} {', '.join(names)}" for word, names in told if names)


def _names_on(part: Sequence[Piece], sign: str) -> set[str]:
    lines = (line[:400] for piece in part if piece.ref.startswith("D") for line in piece.text.split("\n"))
    found = (_NAMED.match(line) for line in lines if line.startswith(sign))
    return {next(filter(None, one.groups())) for one in found if one is not None}


def _remark(file: FileChange) -> str:
    """What happened to the file as a whole, and what of it could not be read."""
    told = [_WHAT_HAPPENED[file.status]]
    told += [f"from {brief(file.old_path, 300)}"] if file.old_path and file.status in "RC" else []
    told += ["binary"] if file.binary else []
    told += ["submodule"] if file.submodule else []
    told += [f"mode {file.old_mode} to {file.new_mode}"] if file.mode_changed else []
    told += [f"content could not be read: {brief(file.skipped, 200)}"] if file.skipped else []
    told += ["only the first hunks of its diff were read"] if file.patch_cut else []
    return "(" + "; ".join(told) + ")"
