"""The answers as the forms that can be asked for: each loads its own renderer only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from daybreak.core.day_json import encoded
from daybreak.core.model.changes import Skipped
from daybreak.core.model.upgrade import ForkReport, Hit
from daybreak.judge.day_value import finding_of
from daybreak.report.render.escape import code, fence, statement, text, url
from daybreak.upgrade import advice_data, use_data
from daybreak.upgrade.impact.form_text import ORDER, ImpactReport, Told, Wording, uncut


def rendered(report: ImpactReport, form: str, language: str) -> str:
    """The answer as `text`, `markdown`, `json`, `sarif` or `github`."""
    if form == "json":
        return impact_json(report)
    if form == "sarif":
        from daybreak.upgrade.impact.form_text import impact_sarif

        return impact_sarif(report, language)
    if form == "github":
        return impact_github(report, language)
    if form == "markdown":
        return impact_markdown(report, language)
    from daybreak.upgrade.impact.form_text import impact_text

    return impact_text(report, language)


def fork_rendered(report: ForkReport, form: str, language: str) -> str:
    """How a fork stands, as `text`, `markdown` or `json`."""
    if form == "json":
        from daybreak.upgrade.fork.forms import fork_json

        return fork_json(report)
    if form == "markdown":
        from daybreak.upgrade.fork.forms import fork_markdown

        return fork_markdown(report, language)
    from daybreak.upgrade.fork.forms import fork_text

    return fork_text(report, language)


# --- `daybreak impact` as annotations of a GitHub workflow: one `::error file=…` line for each hit ---


UNREAD_SHOWN = 10
_LEVELS = {"certain": "error", "likely": "warning", "look": "notice"}


def impact_github(report: ImpactReport, language: str) -> str:
    """A line for each hit that nobody has acknowledged and for your unreadable files; nothing for none."""
    words = Wording(language)
    lines = [_line(report, one, words) for one in report.counted]
    lines += [_unread(one, words) for one in report.unread[:UNREAD_SHOWN]]
    lines += [f"::notice title={_property(words('not_read'))}::{_data(words.blind(report))}"] if report.blind else []
    return "".join(line + "\n" for line in lines)


def _line(report: ImpactReport, one: Told, words: Wording) -> str:
    hit = one.hit
    message = (
        f"{uncut(words.say(hit.why))} {uncut(words.say(hit.action))} ({uncut(words.release(report, hit))}) [{one.id}]"
    )
    title = f"{hit.repo}: {hit.net.finding.kind} ({words(hit.certainty)})"
    place = f"file={_property(hit.use.path)},line={hit.use.line},title={_property(title)}"
    return f"::{_LEVELS[hit.certainty]} {place}::{_data(message)}"


def _unread(one: Skipped, words: Wording) -> str:
    place = f"file={_property(one.what)},title={_property(words('not_read'))}"
    return f"::notice {place}::{_data(uncut(one.what + words('colon') + words.reason(one)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A value between commas; an unprintable character of a file name becomes what it is in an address."""
    shown = re.sub(r"[\x00-\x1f\x7f]", "\ufffd", text)
    return _data(shown).replace(":", "%3A").replace(",", "%2C")


# --- `daybreak impact` as data, `daybreak.impact/1`: what other programs read ---


SCHEMA = "daybreak.impact/1"


def impact_json(report: ImpactReport) -> str:
    """The file's text, with a final newline."""
    return encoded(as_impact_data(report))


def as_impact_data(report: ImpactReport) -> dict[str, Any]:
    """All of the answer."""
    levels = [one.hit.certainty for one in report.counted]
    return {
        "schema": SCHEMA,
        "tool": {"name": "daybreak", "version": report.tool_version},
        "path": report.path,
        "scopes": [
            {
                "repo": s.repo.name,
                "url": s.repo.url,
                "what": s.what + (" (no commits)" if s.empty else ""),
                "pin": s.pin or None,
            }
            for s in report.scopes
        ],
        "counts": {level: levels.count(level) for level in ORDER},
        "acknowledged": report.acknowledged,
        "against": {"commit": report.against, "known": report.known} if report.against else None,
        "hits": [hit_data(report, one) for one in report.told],
        "acknowledgements": {
            "file": report.acks,
            "expired": [{"what": what, "date": date} for what, date in report.expired],
            "unused": list(report.unused),
        },
        "read": {"files": report.files, "lines": report.lines},
        "skipped": (*report.skipped, *report.unread),
        "unread": report.unread,
        "not_compared": report.blind,
        "not_watched": report.unwatched,
    }


def hit_data(report: ImpactReport, one: Told) -> dict[str, Any]:
    """One hit: your place, what changed, by which change, since when, what to do."""
    hit, net = one.hit, one.hit.net
    return {
        "id": one.id,
        "certainty": hit.certainty,
        "repo": hit.repo,
        "use": use_data(hit.use),
        "finding": finding_of(net.finding),
        "commits": list(net.commits),
        "url": report.url(hit) or None,
        "since": net.since,
        **advice_data(hit),
        **({"edit": one.edit} if one.edit else {}),
    }


# --- `daybreak impact` for a comment on a pull request ---


MARKER = "<!-- daybreak.impact/1 -->"
"""By this a program finds its earlier comment."""
SHOWN = 100
"""Findings of one level in a comment; GitHub takes 65,536 characters."""
SKIPPED_SHOWN = 20


def impact_markdown(report: ImpactReport, language: str) -> str:
    """The comment, with a final newline."""
    words = Wording(language)
    blocks = [MARKER, f"## {words('title')}", f"**{words.counts(report)}**"]
    pins = [f"- {pin}" for pin in words.pins(report, code)]
    blocks += ["\n".join(pins)] if pins else []
    blocks += [words.read(report, text) + words("stop")] if report.scopes else []
    for certainty in ORDER:
        told = list(report.of(certainty))
        if told:
            blocks += [f"### {words(certainty)} ({len(told)})"]
            groups = report.groups(certainty)
            left = sum(map(len, groups[SHOWN:]))
            blocks.append("\n".join(line for group in groups[:SHOWN] for line in _group(report, group, words)))
            blocks += [words("more", n=left)] if left else []
    if not report.told:
        blocks.append(words.nothing(report))
    notes = list(_notes(report, words))
    blocks += ["\n".join(notes)] if notes else []
    return "\n\n".join(blocks) + "\n"


def _group(report: ImpactReport, group: tuple[Told, ...], words: Wording) -> Iterator[str]:
    one, hit = group[0], group[0].hit
    done = f" · {text(words('accepted', reason=hit.acknowledged))}" if hit.acknowledged is not None else ""
    where = code(f"{hit.use.path}:{hit.use.line}") if len(group) == 1 else words("places", n=len(group))
    yield f"- {where} · {one.id}{done}"
    if above := report.told_above(one):
        yield f"  - {words('as_above', level=words(above))}"
    else:
        yield f"  - {statement(words.say(hit.why))}"
        yield f"  - {words('action')}{words('colon')}{statement(words.say(hit.action))}"
        yield f"  - {_source(report, hit, words)}"
    listed = report.places(group) if len(group) > 1 else ()
    for other in listed:
        yield f"  - {code(f'{other.hit.use.path}:{other.hit.use.line}')} {code(other.hit.use.name)}"
    if listed and len(listed) < len(group):
        yield f"  - {words('elsewhere', n=len(group) - len(listed))}"
    for one in (one for one in group if one.edit):
        yield f"  - {words('edit')}{words('colon')}\n"
        block = fence("\n".join(map(uncut, one.edit.splitlines())), "diff")
        yield from (f"    {line}" for line in block.split("\n"))


def _source(report: ImpactReport, hit: Hit, words: Wording) -> str:
    """The change that did it, and the release that has it."""
    sha = hit.net.commits[-1] if hit.net.commits else ""
    address = report.url(hit)
    link = f"[`{sha[:9]}`]({url(address)})" if address else code(sha[:9])
    subject = report.subjects.get(sha, "")
    parts = [text(hit.repo), link, text(words.release(report, hit)), text(subject)]
    return " · ".join(part for part in parts if part)


def _notes(report: ImpactReport, words: Wording) -> Iterator[str]:
    for what, date in report.expired:
        yield f"- ⚠️ {text(words('expired', what=what, date=date))}"
    for what in report.unused:
        yield f"- {text(words('unused', what=what))}"
    if report.acknowledged:
        yield f"- {words('acknowledged', n=report.acknowledged, file=text(report.acks))}"
    if report.against:
        yield f"- {words('against', n=report.known, commit=text(report.against))}"
    yield from (f"- {told}" for told in (words.blind(report), words.unwatched(report, code)) if told)
    for key, skipped in (("skipped", report.skipped), ("unread", report.unread)):
        if skipped:
            yield f"- {words(key, n=len(skipped))}"
        for item in skipped[:SKIPPED_SHOWN]:
            yield f"  - {text(item.what)}{words('colon')}{text(words.reason(item))}"
        if len(skipped) > SKIPPED_SHOWN:
            yield f"  - {words('more', n=len(skipped) - SKIPPED_SHOWN)}"
