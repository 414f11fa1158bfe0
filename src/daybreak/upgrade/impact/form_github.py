"""`daybreak impact` as annotations of a GitHub workflow: one `::error file=…` line for each hit."""

from __future__ import annotations

import re

from daybreak.core.model.changes import Skipped
from daybreak.upgrade.impact.form_report import ImpactReport, Told, Wording, uncut

UNREAD_SHOWN = 10
_LEVELS = {"certain": "error", "likely": "warning", "look": "notice"}


def impact_github(report: ImpactReport, language: str) -> str:
    """A line for each hit that nobody has acknowledged and for your unreadable files; nothing for none."""
    words = Wording(language)
    lines = [_line(one, words) for one in report.counted]
    lines += [_unread(one, words) for one in report.unread[:UNREAD_SHOWN]]
    return "".join(line + "\n" for line in lines)


def _line(one: Told, words: Wording) -> str:
    hit = one.hit
    message = f"{uncut(words.say(hit.why))} {uncut(words.say(hit.action))} ({uncut(words.release(hit))}) [{one.id}]"
    title = f"{hit.repo}: {hit.net.finding.kind} ({words(hit.certainty)})"
    place = f"file={_property(hit.use.path)},line={hit.use.line},title={_property(title)}"
    return f"::{_LEVELS[hit.certainty]} {place}::{_data(message)}"


def _unread(one: Skipped, words: Wording) -> str:
    place = f"file={_property(one.what)},title={_property(words('not_read'))}"
    return f"::notice {place}::{_data(uncut(one.what + words('colon') + one.reason))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A value between commas; an unprintable character of a file name becomes what it is in an address."""
    shown = re.sub(r"[\x00-\x1f\x7f]", "\ufffd", text)
    return _data(shown).replace(":", "%3A").replace(",", "%2C")
