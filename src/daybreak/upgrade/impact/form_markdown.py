"""`daybreak impact` for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.report.render.escape import code, statement, text, url
from daybreak.upgrade.impact.form_report import ORDER, ImpactReport, Told, Wording

MARKER = "<!-- daybreak.impact/1 -->"
"""By this a program finds its earlier comment."""
SHOWN = 100
"""Findings of one level in a comment; GitHub takes 65,536 characters."""
SKIPPED_SHOWN = 20


def impact_markdown(report: ImpactReport, language: str) -> str:
    """The comment, with a final newline."""
    words = Wording(language)
    blocks = [MARKER, f"## {words('title')}", f"**{words.counts(report)}**"]
    blocks.append(words.read(report, text) + words("stop"))
    for certainty in ORDER:
        told = list(report.of(certainty))
        if told:
            blocks += [f"### {words(certainty)} ({len(told)})"]
            groups = report.groups(certainty)
            left = sum(map(len, groups[SHOWN:]))
            blocks.append("\n".join(line for group in groups[:SHOWN] for line in _group(report, group, words)))
            blocks += [words("more", n=left)] if left else []
    if not report.told:
        blocks.append(words("none"))
    notes = list(_notes(report, words))
    blocks += ["\n".join(notes)] if notes else []
    return "\n\n".join(blocks) + "\n"


def _group(report: ImpactReport, group: tuple[Told, ...], words: Wording) -> Iterator[str]:
    one, hit = group[0], group[0].hit
    done = f" · {text(words('accepted', reason=hit.acknowledged))}" if hit.acknowledged is not None else ""
    where = code(f"{hit.use.path}:{hit.use.line}") if len(group) == 1 else words("places", n=len(group))
    yield f"- {where} · {one.id}{done}"
    yield f"  - {statement(words.say(hit.why))}"
    yield f"  - {words('action')}{words('colon')}{statement(words.say(hit.action))}"
    sha = hit.net.commits[-1] if hit.net.commits else ""
    address = report.url(hit)
    link = f"[`{sha[:9]}`]({url(address)})" if address else code(sha[:9])
    subject = report.subjects.get(sha, "")
    parts = [text(hit.repo), link, text(words.release(hit)), text(subject)]
    yield "  - " + " · ".join(part for part in parts if part)
    listed = report.places(group) if len(group) > 1 else ()
    for other in listed:
        yield f"  - {code(f'{other.hit.use.path}:{other.hit.use.line}')} {code(other.hit.use.name)}"
    if listed and len(listed) < len(group):
        yield f"  - {words('elsewhere', n=len(group) - len(listed))}"


def _notes(report: ImpactReport, words: Wording) -> Iterator[str]:
    for what, date in report.expired:
        yield f"- ⚠️ {text(words('expired', what=what, date=date))}"
    for what in report.unused:
        yield f"- {text(words('unused', what=what))}"
    if report.acknowledged:
        yield f"- {words('acknowledged', n=report.acknowledged, file=text(report.acks))}"
    for key, skipped in (("skipped", report.skipped), ("unread", report.unread)):
        if skipped:
            yield f"- {words(key, n=len(skipped))}"
        for item in skipped[:SKIPPED_SHOWN]:
            yield f"  - {text(item.what)}{words('colon')}{text(item.reason)}"
        if len(skipped) > SKIPPED_SHOWN:
            yield f"  - {words('more', n=len(skipped) - SKIPPED_SHOWN)}"
