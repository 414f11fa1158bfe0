"""Writes messages from a reported day: counts, what to act on, what breaks with before → after and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlsplit

from daybreak.core.model.day import Action, Commit, Day, Finding, RepoDay, Touch, in_language
from daybreak.core.words.catalogue import table
from daybreak.deliver.notify.message import (
    LONGEST_CODE,
    Edition,
    Item,
    Message,
    Section,
    Span,
    contrast,
    shortened,
    spans,
)
from daybreak.deliver.notify.rules import News, touch_id
from daybreak.report.render.escape import clean

MOST = {"touches": 8, "breaking": 8, "actions": 8, "high": 5, "skipped": 5}
"""Items of a section: a message is short, and the report has all."""
_FINDINGS = 2
_SUBJECT = 100


class Writer:
    """Writes in one language."""

    def __init__(self, language: str, link: str = "") -> None:
        self.language, self._link = language, link.rstrip("/")
        self.words = table(language, "notify")

    # --- a day -----------------------------------------------------------------------------------------------------

    def day(self, event: str, news: News, only: frozenset[str] = frozenset()) -> Edition:
        """`only`: the places of your code that a second message of the day is about."""
        if event == "touched":
            touches = tuple(touch for touch in news.touches if touch_id(touch) in only)
            title = self._said("touched", label=news.day.label, n=len(touches))
            section = self._section("touches", map(self._touch, touches), len(touches), 5)
            return self._edition(title, (), (section,), news.day)
        sections = tuple(section for section in self._sections(event, news) if section.items)
        lead: tuple[Item, ...] = (self._counts(news),)
        if news.nothing:
            lead = (*lead, self._text(self.words["nothing"]))
        return self._edition(self._title(event, news), lead, sections, news.day)

    def _title(self, event: str, news: News) -> str:
        if event == "breaking":
            kind = "breaking" if news.breaking else "touched"
            return self._said(kind, label=news.day.label, n=len(news.breaking or news.touches))
        return self._said("report", label=news.day.label)

    def _sections(self, event: str, news: News) -> Iterator[Section]:
        """Most important first; the last number says who gives up items last."""
        yield self._section("touches", map(self._touch, news.touches), len(news.touches), 5)
        breaking = (self._breaking(repo, commit, news.day) for repo, commit in news.breaking)
        yield self._section("breaking_list", breaking, len(news.breaking), 4)
        if event == "report":
            actions = (self._action(action, news.day) for action in news.actions)
            yield self._section("actions", actions, len(news.actions), 3)
            high = (self._subject(repo, commit, news.day) for repo, commit in news.high)
            yield self._section("high", high, len(news.high), 1)
        skipped = ((Span("code", shortened(s.what, 80)), *self._after(clean(s.reason))) for s in news.skipped)
        yield self._section("skipped", skipped, len(news.skipped), 2)

    def _section(self, name: str, items: Iterator[Item], count: int, keep: int) -> Section:
        most = MOST[name.removesuffix("_list")]
        told = tuple(item for _, item in zip(range(most), items, strict=False))
        return Section(self.words[name], told, count - len(told), keep)

    def _edition(self, title: str, lead: tuple[Item, ...], sections: tuple[Section, ...], day: Day) -> Edition:
        link = None
        if self._link:
            link = Span("link", self.words["link"], self._address("days", f"{day.label}.html"))
        return Edition(title, lead, sections, link, self.words["more"], self.language)

    def _counts(self, news: News) -> Item:
        changes = [commit for repo in news.repos for commit in repo.changes]
        grades = {level: sum(c.importance.level == level for c in changes) for level in ("high", "medium", "low")}
        parts = [self._said("counts", repos=len(news.repos), changes=len(changes), **grades)]
        told = (
            ("touches_n", len(news.touches)),
            ("breaking_n", sum(commit.breaking for commit in changes)),
            ("actions_n", sum(action.repo in {repo.name for repo in news.repos} for action in news.day.actions)),
            ("skipped_n", len(news.skipped)),
        )
        parts += [self._said(key, n=n) for key, n in told if n]
        if news.day.window.open:
            parts.append(self.words["open"])
        return self._text(self.words["list"].join(parts) + self.words["stop"])

    # --- items -----------------------------------------------------------------------------------------------------

    def _touch(self, touch: Touch) -> Item:
        place = Span("code", f"{shortened(touch.path, 90)}:{touch.line}")
        likely = self._text(self.words["likely"]) if touch.certainty == "likely" else ()
        why, way = in_language(touch.why, self.language), in_language(touch.action, self.language)
        return (place, *likely, *self._after(why), *((Span("text", " "), *spans(way)) if way else ()))

    def _breaking(self, repo: RepoDay, commit: Commit, day: Day) -> Item:
        """Subject, before → after, and the way out as the report has it."""
        out = [*self._subject(repo, commit, day)]
        findings = [finding for finding in commit.findings if finding.breaking]
        for number, finding in enumerate(findings[:_FINDINGS]):
            out.append(Span("text", self.words["colon"] if number == 0 else self.words["list"]))
            out += self._change(finding)
        if len(findings) > _FINDINGS:
            out.append(Span("text", self._said("findings_more", n=len(findings) - _FINDINGS)))
        if findings:
            out.append(Span("text", self.words["stop"]))
        way = self._way_out(commit, day, told=bool(findings))
        joint = self.words["colon"] if not findings else table(self.language, "grammar")["space"]
        return (*out, *((Span("text", joint), *way) if way else ()))

    def _way_out(self, commit: Commit, day: Day, told: bool) -> Item:
        said = next((in_language(s.text, self.language) for s in commit.statements if s.role == "action"), "")
        if said:
            low = said[:1].lower() + said[1:] if said[1:2].islower() else said
            return (Span("text", self.words["way_out"]), *spans(low))
        action = next((a for a in day.actions if commit.sha in a.commits), None)
        if action is not None:
            return _without_subject(spans(in_language(action.about(commit.sha), self.language)), commit.subject)
        what = next((in_language(s.text, self.language) for s in commit.statements if s.role == "what"), "")
        return spans(what) if what and not told else ()

    def _change(self, finding: Finding) -> list[Span]:
        """What is, and what is no more, where they differ; of what is gone, the name is enough."""
        symbol = Span("code", shortened(finding.symbol, 60))
        if not finding.after:
            return [symbol, Span("text", " → "), Span("text", self.words["removed"])]
        before, after = contrast(finding.before or "", finding.after, LONGEST_CODE)
        left = Span("code", before) if before else Span("text", self.words["added"])
        sides = [left, Span("text", " → "), Span("code", after)]
        return sides if symbol.text in (before, after) else [symbol, Span("text", " "), *sides]

    def _action(self, action: Action, day: Day) -> Item:
        """Of a line that joins several changes the gravest, and how many there are beside it."""
        del day
        said, more = action.gravest, len(action.listed) - 1
        rest = self._text(self._said("parts_more", n=more)) if more > 0 else ()
        return (Span("strong", clean(action.repo)), *self._after(in_language(said, self.language)), *rest)

    def _subject(self, repo: RepoDay, commit: Commit, day: Day) -> Item:
        del day
        label = shortened(commit.subject, _SUBJECT) or commit.short
        address = self._address("changes", repo.slug, f"{commit.short}.html") if self._link else commit.url
        subject = Span("link", label, address) if _safe(address) else Span("code", label)
        return (Span("strong", clean(repo.name)), Span("text", " "), subject)

    # --- other messages --------------------------------------------------------------------------------------------

    def failure(self, label: str, message: str) -> Edition:
        title = self._said("failure", label=label) if label else self.words["failure_any"]
        tip = () if "daybreak status" in message else (spans(self.words["tip"]),)
        return Edition(title, (spans(message, 450), *tip), more=self.words["more"], language=self.language)

    def test(self) -> Edition:
        return Edition(
            self.words["test"], (self._text(self.words["test_lead"]),), more=self.words["more"], language=self.language
        )

    # --- small things ----------------------------------------------------------------------------------------------

    def _after(self, sentence: str) -> Item:
        return (Span("text", self.words["colon"]), *spans(sentence))

    def _text(self, text: str) -> Item:
        return (Span("text", text),)

    def _said(self, key: str, **values: object) -> str:
        return self.words[key].format_map(values)

    def _address(self, *parts: str) -> str:
        return "/".join((self._link, self.language, *(quote(part, safe="-._") for part in parts)))


def _without_subject(item: Item, subject: str) -> Item:
    """What follows a subject need not begin with it again."""
    if len(item) > 1 and item[0].kind == "code" and item[0].text.rstrip("…") in subject and item[1].text[:1] in ":：":
        return (Span("text", item[1].text[1:].lstrip()), *item[2:])
    return item


def _safe(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not set(address) & set(" <>\"'`\\()[]|\n\r\t")


def told(editions: Iterator[Edition], key: str, event: str, label: str, alarm: bool) -> Message:
    """The message of several languages."""
    facts = {"event": event, "label": label}
    return Message(tuple(editions), key, "alarm" if alarm else "calm", facts)
