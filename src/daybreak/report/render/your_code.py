"""The section that leads the day page when the reader's own code is known: what of the day touches it."""

from __future__ import annotations

from daybreak.core.model.report import Touch, Touches
from daybreak.report.render.addresses import find_entries, refs
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import aside, statement, text

SHOWN = 20
"""Places on the page; all of them are in the data."""
_LEVELS = ("certain", "likely", "look")


def touches_block(ed: Edition, touches: Touches | None) -> list[str]:
    """Heading, counts and places; nothing when no path is configured."""
    if touches is None:
        return []
    t, found = ed.t, touches.found
    blocks = [f"## {t('section.touches')}"]
    counts = {level: sum(one.certainty == level for one in found) for level in _LEVELS}
    where = t("page.list").join(aside(path) for path in touches.paths)
    lead = t("touches.counts", where=where, **counts) if found else t("touches.none", where=where)
    blocks.append(
        lead + (t("page.space") + t("touches.acknowledged", n=touches.acknowledged) if touches.acknowledged else "")
    )
    if found:
        blocks.append("\n".join(_line(ed, n, one) for n, one in enumerate(found[:SHOWN], start=1)))
    if len(found) > SHOWN:
        blocks.append(t("touches.more", n=len(found) - SHOWN))
    if touches.skipped:
        unread = t("page.list").join(
            f"{aside(item.what)}{ed.note(text(item.reason))}" for item in touches.skipped[:SHOWN]
        )
        more = t("range.and_more") if len(touches.skipped) > SHOWN else ""
        blocks.append(ed.ended(t("touches.skipped", n=len(touches.skipped), what=unread + more)))
    return blocks


def _line(ed: Edition, number: int, one: Touch) -> str:
    """Certainty and place first, then what and what to do; the reader's own names are set apart from the report's."""
    t = ed.t
    said = f"{statement(ed.say(one.why), aside)}{t('page.space')}{statement(ed.say(one.action), aside)}"
    pin = t("touches.pinned", version=aside(one.pinned), at=aside(one.pin_at or "")) if one.pinned else ""
    links = " ".join(refs(repo.repo, entry.change) for repo, entry in find_entries(ed.report.repos, one.commits[-3:]))
    place = f"**{t(f'touches.{one.certainty}')}** {aside(f'{one.path}:{one.line}')}"
    parts = [f"{place}{t('page.colon')}{said}{t('page.space') + pin if pin else ''}", text(one.repo), links]
    return f"{number}. " + " ".join(part for part in parts if part) + (f" · {text(one.id)}" if one.id else "")
