"""`daybreak impact` for a terminal: surest first, file and line first, 80 columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from daybreak.report.render.escape import clean
from daybreak.upgrade.impact.form_report import ORDER, ImpactReport, Told, Wording, uncut

COLUMNS = 80
_INDENT = 4
SKIPPED_SHOWN = 5


def impact_text(report: ImpactReport, language: str) -> str:
    """The whole answer, with a final newline."""
    words = Wording(language)
    lines = [words("title") + words("colon") + words.counts(report)]
    lines += list(folded(words.read(report, uncut), COLUMNS))
    for certainty in ORDER:
        told = list(report.of(certainty))
        lines += ["", f"{words(certainty)} ({len(told)})"] if told else []
        for group in report.groups(certainty):
            lines += [*_group(report, group, words)]
    if not report.told:
        lines += ["", words("none")]
    return "\n".join([*lines, *_notes(report, words)]) + "\n"


def _group(report: ImpactReport, group: tuple[Told, ...], words: Wording) -> Iterator[str]:
    """One finding: what it is, and where it is met."""
    hit = group[0].hit
    if len(group) == 1:
        yield f"  {_place(group[0])}  {group[0].id}"
    else:
        yield f"  {group[0].id}  {words('places', n=len(group))}"
    said = [words.say(hit.why), f"→ {words.say(hit.action)}"]
    for text in said:
        yield from (" " * _INDENT + line for line in folded(uncut(text), COLUMNS - _INDENT))
    sha = hit.net.commits[-1][:9] if hit.net.commits else ""
    subject = clean(report.subjects.get(hit.net.commits[-1], "")) if sha else ""
    parts = [part for part in (clean(hit.repo), sha, clean(words.release(hit)), subject) if part]
    if hit.acknowledged is not None:
        parts.append(words("accepted", reason=clean(hit.acknowledged)))
    yield from (" " * _INDENT + line for line in folded(" · ".join(parts), COLUMNS - _INDENT))
    listed = report.places(group) if len(group) > 1 else ()
    for one in listed:
        yield f"{' ' * _INDENT}- {_place(one)}  {clean(one.hit.use.name)}"
    if listed and len(listed) < len(group):
        yield f"{' ' * _INDENT}- {words('elsewhere', n=len(group) - len(listed))}"


def _place(one: Told) -> str:
    return f"{clean(one.hit.use.path)}:{one.hit.use.line}"


def _notes(report: ImpactReport, words: Wording) -> Iterator[str]:
    notes = [words("expired", what=clean(what), date=date) for what, date in report.expired]
    notes += [words("unused", what=clean(what)) for what in report.unused]
    if report.acknowledged:
        notes.append(words("acknowledged", n=report.acknowledged, file=clean(report.acks)))
    for key, skipped in (("skipped", report.skipped), ("unread", report.unread)):
        notes += [words(key, n=len(skipped))] if skipped else []
        notes += [f"  {clean(item.what)}{words('colon')}{clean(item.reason)}" for item in skipped[:SKIPPED_SHOWN]]
        more = len(skipped) - SKIPPED_SHOWN
        notes += [f"  {words('more', n=more)}"] if more > 0 else []
    if notes:
        yield ""
    for note in notes:
        yield from folded(note, COLUMNS)


def folded(text: str, columns: int) -> Iterator[str]:
    """Lines of at most so many columns, broken at spaces and between wide characters."""
    line, width = "", 0
    for piece in _pieces(text):
        size = _width(piece)
        if width + size > columns and line.strip():
            yield line.rstrip()
            line, width = piece.lstrip(), _width(piece.lstrip())
        else:
            line, width = line + piece, width + size
    if line.strip():
        yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """What may not be broken: words with the spaces before them, and each wide character alone."""
    word = ""
    for sign in text:
        wide = unicodedata.east_asian_width(sign) in "WF"
        if wide:
            # A full stop or comma stays with what it ends.
            if word and sign in "，。；：、）":
                yield word + sign
                word = ""
                continue
            yield from ([word] if word else [])
            word = sign if sign in "（「《" else ""
            yield from () if word else (sign,)
        elif sign == " ":
            yield from ([word] if word.strip() else [])
            word = " " if word.strip() or not word else word
        else:
            word += sign
    if word:
        yield word


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
