"""Who tells the targets: what is due is planned in the store, sent, and receipted; nothing twice, nothing lost unseen."""

from __future__ import annotations

import hashlib
import math
import random
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import islice
from urllib.parse import quote

import msgspec
from msgspec import Struct

from daybreak.core.config import Settings, now
from daybreak.core.day_json import decode
from daybreak.core.http import Backoff, redacted
from daybreak.core.model.day import (
    Action,
    Commit,
    Day,
    Finding,
    RepoDay,
    Skipped,
    Touch,
    headline,
    in_language,
)
from daybreak.core.text import clean, contrast, shortened
from daybreak.core.words.phrases import part_in, reason_in, table, tag_name
from daybreak.deliver.notify.message import (
    ENTRIES,
    LONGEST,
    SPARE,
    Edition,
    Item,
    Message,
    Section,
    Span,
    entry,
    is_safe,
    limited,
    plain,
    spans,
    together,
    without_subject,
)
from daybreak.deliver.notify.senders import Sender, Senders, repeatable, utc_now
from daybreak.deliver.notify.span_message import SPANS, event_of, span_edition
from daybreak.deliver.notify.targets import News, Outcome, Target, due, news, targets_of, touch_id
from daybreak.report.archive.beside import rollup_of
from daybreak.report.render.sections import count
from daybreak.store import Receipt, Store

# --- Writes messages from a reported day: its headline and counts, the first screen in its order, what else breaks ---


_SHARES = {"touches": 4, "actions": 3, "skipped": 1}
"""Entries of a message that a section has whatever else there is to tell."""
_FINDINGS = 2
_SIDE = 50
"""Characters of each side of a change: what to do about it has room beside it."""
_SUBJECT = 100
_TITLE = 140


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
        sections = tuple(self._sections(event, news))
        lead: tuple[Item, ...] = (self._counts(news),)
        if news.nothing:
            lead = (*lead, self._text(self.words["nothing"]))
        return self._edition(self._title(event, news), lead, sections, news.day)

    def _title(self, event: str, news: News) -> str:
        if event == "breaking":
            kind = "breaking" if news.breaking else "touched"
            said = self._said(kind, label=news.day.label, n=len(news.breaking or news.touches))
            first = "".join(f" · {repo.name.rpartition('/')[2]} · {one.subject}" for repo, one in news.breaking[:1])
            return shortened(said + first, _TITLE)
        repos = None if len(news.repos) == len(news.day.repos) else {repo.name for repo in news.repos}
        what = plain(spans(headline(news.day, self.language, repos), _TITLE))
        return self._said("headline" if what else "report", label=news.day.label, what=what)

    def _sections(self, event: str, news: News) -> Iterator[Section]:
        """Most important first; the last number says who gives up items last."""
        yield self._section("touches", map(self._touch, news.touches), len(news.touches), 5)
        report, breaking = event == "report", news.breaking
        if report:
            breaking, actions = news.breaking_rest, (self._action(one, news) for one in news.actions)
            yield self._section("actions", actions, len(news.actions) + news.more, 4)
        items = (self._breaking(repo, commit, news.day) for repo, commit in breaking)
        yield self._section("breaking_rest" if report and news.actions else "breaking_list", items, len(breaking), 3)
        if report:
            yield self._section("also", (self._action(one, news) for one in news.also), len(news.also), SPARE)
        yield self._section("skipped", map(self._skipped, news.skipped), len(news.skipped), 2)

    def _skipped(self, one: Skipped) -> Item:
        what = Span("code", shortened(part_in(self.language, one.what), 80))
        return what, *self._after(clean(reason_in(self.language, one.reason)))

    def _section(self, name: str, items: Iterator[Item], count: int, keep: int) -> Section:
        told = tuple(islice(items, ENTRIES))
        return Section(self.words[name], told, count - len(told), keep, _SHARES.get(name, 0))

    def _edition(self, title: str, lead: tuple[Item, ...], sections: tuple[Section, ...], day: Day) -> Edition:
        address = self._address("days", f"{day.label}.html")
        links = (Span("link", self.words["link"], address),) if self._link else ()
        return Edition(title, lead, limited(sections), links, self.words["more"], self.language)

    def _counts(self, news: News) -> Item:
        """As the head of the page has them."""
        found = count(news.repos)
        grades = {"high": found.high, "medium": found.medium, "low": found.low}
        parts = [self._said("counts", repos=found.repos, changes=found.reported, **grades)]
        told = (
            ("touches_n", len(news.touches)),
            ("breaking_n", found.breaking),
            ("actions_n", len(news.actions) + news.more),
            ("late_n", found.late),
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
        way = spans(in_language(touch.action, self.language), LONGEST // 2)
        why = spans(in_language(touch.why, self.language), LONGEST - len(plain(way)))
        colon = Span("text", self.words["colon"])
        return (place, *likely, colon, *why, *((Span("text", " "), *way) if way else ()))

    def _breaking(self, repo: RepoDay, commit: Commit, day: Day) -> Item:
        """Subject, before → after, and the way out as the report has it."""
        out = [*self._subject(repo, commit)]
        findings = [finding for finding in commit.findings if finding.breaking]
        told: list[Span] = []
        shown = 0
        for finding in findings[:_FINDINGS]:
            change = [Span("text", self.words["list"] if shown else self.words["colon"]), *self._change(finding)]
            if shown and len(plain((*told, *change))) > LONGEST // 2:
                break
            told += change
            shown += 1
        if len(findings) > shown:
            told.append(Span("text", self._said("findings_more", n=len(findings) - shown)))
        if findings:
            told.append(Span("text", self.words["stop"]))
        way = self._way_out(commit, day, LONGEST - len(plain(tuple(told))), told=bool(findings))
        joint = self.words["colon"] if not findings else table(self.language, "grammar")["space"]
        return (*out, *told, *((Span("text", joint), *way) if way else ()))

    def _way_out(self, commit: Commit, day: Day, most: int, told: bool) -> Item:
        said = next((in_language(s.text, self.language) for s in commit.statements if s.role == "action"), "")
        if said:
            low = said[:1].lower() + said[1:] if said[1:2].islower() else said
            return (Span("text", self.words["way_out"]), *spans(low, most - len(self.words["way_out"])))
        action = next((a for a in day.actions if commit.sha in a.commits), None)
        if action is not None:
            said = without_subject(in_language(action.text, self.language), commit.subject)
            return entry(said, self.language, most)
        what = next((in_language(s.text, self.language) for s in commit.statements if s.role == "what"), "")
        return spans(what, most) if what and not told else ()

    def _change(self, finding: Finding) -> list[Span]:
        """What is, and what is no more, where they differ; of what is gone, the name is enough."""
        symbol = Span("code", shortened(finding.symbol, 60))
        if not finding.after:
            return [symbol, Span("text", " → "), Span("text", self.words["removed"])]
        before, after = map(clean, contrast(finding.before or "", finding.after, _SIDE))
        left = Span("code", before) if before else Span("text", self.words["added"])
        sides = [left, Span("text", " → "), Span("code", after)]
        return sides if symbol.text in (before, after) else [symbol, Span("text", " "), *sides]

    def _action(self, action: Action, news: News) -> Item:
        """As on the page: tag, repository, what it is, and where to read on."""
        tag = (Span("strong", tag_name(self.language, action.tag)), Span("text", " · ")) if action.tag else ()
        told = entry(in_language(action.text, self.language), self.language)
        said = (*tag, Span("strong", clean(action.repo)), Span("text", self.words["colon"]), *told)
        repo = next((one for one in news.repos if one.name == action.repo), None)
        commit = next(filter(None, map(repo.find, action.commits)), None) if repo else None
        if repo is None or commit is None or not is_safe(address := self._page(repo, commit)):
            return said
        return (*said, Span("text", " "), Span("link", f"#{commit.pr.number}" if commit.pr else commit.short, address))

    def _page(self, repo: RepoDay, commit: Commit) -> str:
        return self._address("changes", repo.slug, f"{commit.short}.html") if self._link else commit.url

    def _subject(self, repo: RepoDay, commit: Commit) -> Item:
        label, address = shortened(commit.subject, _SUBJECT) or commit.short, self._page(repo, commit)
        subject = Span("link", label, address) if is_safe(address) else Span("code", label)
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


def told(editions: Iterator[Edition], key: str, event: str, label: str, alarm: bool) -> Message:
    """The message of several languages."""
    facts = {"event": event, "label": label}
    return Message(together(editions), key, "alarm" if alarm else "calm", facts)


BACKOFF = Backoff(first=4.0, most=3600.0)
FAILING = 10.0
"""Patience of a run that failed: whoever started it is to know, and the next run sends what is left."""
GONE = "the target is no longer in the config"


class Time(Struct, frozen=True):
    """The clocks; tests have their own."""

    now: Callable[[], datetime] = utc_now
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


class Notifier:
    """Sends what is due, once. The caller holds the store, so a message that is being sent was left by a killed run."""

    def __init__(
        self, settings: Settings, store: Store, clock: Time | None = None, sender: Sender | None = None
    ) -> None:
        self._settings, self._store = settings, store
        self._config = settings.config.notify
        self._clock = clock or Time()
        self._sender = sender or Senders(self._clock.now)
        self.targets = targets_of(settings)
        self._by_id = {target.id: target for target in self.targets}

    # --- what runs ask for -----------------------------------------------------------------------------------------

    def report(self, day: Day, *, asked: bool = False, again: bool = False) -> tuple[Receipt, ...]:
        """Tell of a reported day whoever wants to know; nothing twice. The receipts of the day, told before or now.

        A day that is not over is not told: there is one message for each day, and it is about the whole of it.
        `asked`: somebody wants it, so an open or old day is told as well, and what was given up is tried again; with
        `again` also what may have arrived.
        """
        if not self.targets:
            return ()
        receipts = self._store.receipts
        if not asked and (day.window.open or self.too_old(day.label)):
            return self._told(day.label)
        self._settle(receipts.of_day(day.label))
        before = receipts.of_day(day.label)
        for target in self.targets:
            found = due(target, day, before)
            if found is not None:
                receipts.plan(target.id, target.shown, found.event, day.label, found.digest, found.said)
        return self._sent(day.label, {day.label: day}, asked, again)

    def span(self, label: str, *, asked: bool = False, again: bool = False) -> tuple[Receipt, ...]:
        """Tell of a week or a month that was rolled up whoever wants to know, or everybody when somebody asks; not twice."""
        for target in self.targets:
            if asked or event_of(label) in target.on:
                self._store.receipts.plan(target.id, target.shown, event_of(label), label, "", "")
        self._settle(self._told(label))
        return self._sent(label, {}, asked, again)

    def _sent(self, label: str, days: dict[str, Day], asked: bool, again: bool) -> tuple[Receipt, ...]:
        """What is planned of a day or a span is delivered; when somebody asks, what was given up is tried again."""
        if asked:
            self._reopen(label, ("failed", "unsure") if again else ("failed",))
        self._deliver([one for one in self._told(label) if one.state == "planned"], days)
        return self._told(label)

    def _told(self, label: str) -> tuple[Receipt, ...]:
        """What the targets were, or are to be, told of a day or a span; what a target that is gone never got is nobody's."""
        ours = {target.id for target in self.targets}
        found = [one for one in self._store.receipts.of_day(label) if one.event != "failure"]
        gone = [one.id for one in found if one.target not in self._by_id and one.state != "failed"]
        return tuple(one for one in found if one.target in ours or one.id in gone)

    def sent(self, label: str) -> frozenset[int]:
        """Numbers of the receipts of what was sent of a day or a span so far."""
        return frozenset(one.id for one in self._told(label) if one.state == "sent")

    def failure(self, label: str, message: str) -> tuple[Receipt, ...]:
        """Tell that a day could not be reported, once for each day; an empty label is today."""
        label = label or now(self._settings.environment).astimezone(self._settings.zone).date().isoformat()
        secrets = [s for target in self.targets for s in (target.address, target.secret) if s is not None]
        words = " ".join(redacted(message, secrets).split())[:2000]
        planned = [
            self._store.receipts.plan(target.id, target.shown, "failure", label, "", words)
            for target in self.targets
            if "failure" in target.on
        ]
        self._settle(planned)
        self._deliver([one for one in planned if one.state == "planned"], {}, FAILING)
        return tuple(one for one in self._store.receipts.of_day(label) if one.event == "failure")

    def retry_pending(self) -> tuple[Receipt, ...]:
        """Send what earlier runs planned and did not get through; what is given up says why in its receipt."""
        receipts = self._store.receipts
        pending = receipts.in_state("planned", "sending")
        if not pending:
            return ()
        self._settle(pending)
        moment = self._clock.now()
        waiting = [one for one in receipts.in_state("planned") if one.due is None or one.due <= moment]
        self._deliver(waiting, {})
        wanted = {one.id for one in pending}
        labels = dict.fromkeys(one.label for one in pending)
        return tuple(one for label in labels for one in receipts.of_day(label) if one.id in wanted)

    def too_old(self, label: str) -> bool:
        """A run tells nobody of this day: a back-fill floods no chat. `daybreak notify --date` still does."""
        if not self._config.days:
            return False
        today = now(self._settings.environment).astimezone(self._settings.zone).date()
        return (today - date.fromisoformat(label)).days > self._config.days

    def only(self, number: int) -> Notifier:
        """The same for one of the targets."""
        one = Notifier(self._settings, self._store, self._clock, self._sender)
        one.targets = tuple(target for target in self.targets if target.number == number)
        return one

    # --- for people ------------------------------------------------------------------------------------------------

    def test(self, target: Target) -> Outcome:
        """A message that says nothing, without a receipt."""
        editions = (Writer(language).test() for language in target.languages)
        key = hashlib.sha256(f"test {target.id} {self._clock.now().isoformat()}".encode()).hexdigest()[:32]
        return self._tried(target, told(editions, key, "test", "", alarm=False))

    def would_send(self, day: Day) -> Iterator[tuple[Target, str, Message | None]]:
        """What each target would get of the day if it had been told nothing yet; None: nothing."""
        for target in self.targets:
            found = due(target, day, ())
            if found is None:
                yield target, "", None
            else:
                yield target, found.event, self._of_day(target, found.event, day, found.said, "")

    def would_send_span(self, label: str) -> Iterator[tuple[Target, str, Message | None]]:
        """The same of a week or a month."""
        for target in self.targets:
            yield target, event_of(label), self._of_span(target, label, "")

    # --- planning --------------------------------------------------------------------------------------------------

    def _settle(self, receipts: Iterable[Receipt]) -> None:
        """Messages that were being sent when a run was killed."""
        for one in receipts:
            target = self._by_id.get(one.target)
            if one.state == "planned" and target is None:
                self._store.receipts.end(one.id, "failed", GONE)
            if one.state != "sending":
                continue
            if target is not None and (target.again or repeatable(target)):
                self._store.receipts.end(one.id, "planned", "the run was ended while it was sent")
            else:
                self._store.receipts.end(one.id, "unsure", "the run was ended while it was sent")

    def _reopen(self, label: str, states: tuple[str, ...]) -> None:
        for one in self._told(label):
            if one.state in states and one.target in self._by_id:
                self._store.receipts.end(one.id, "planned", None)

    # --- sending ---------------------------------------------------------------------------------------------------

    def _deliver(self, planned: Iterable[Receipt], days: dict[str, Day], patience: float = math.inf) -> None:
        """Until all are sent or given up, or the patience of a run is at its end; what is left is for the next one."""
        began, patience = self._clock.now(), min(patience, self._config.patience)
        waiting = {one.id: one for one in planned}
        most = {one.id: one.tries + self._config.tries for one in waiting.values() if one.tries >= self._config.tries}
        while waiting:
            one = min(waiting.values(), key=lambda r: (r.due or r.planned_at, r.id))
            moment = self._clock.now()
            wait = max(0.0, (one.due - moment).total_seconds()) if one.due else 0.0
            if wait and (moment - began).total_seconds() + wait > patience:
                return
            if wait:
                self._clock.sleep(wait)
            after = self._try(one, days, most.get(one.id, self._config.tries))
            del waiting[one.id]
            if after is not None and after.state == "planned":
                waiting[after.id] = after

    def _try(self, one: Receipt, days: dict[str, Day], most: int) -> Receipt | None:
        """One try; None when somebody else has it."""
        receipts, target = self._store.receipts, self._by_id.get(one.target)
        if target is None:
            return receipts.end(one.id, "failed", GONE)
        message = self._message(one, target, days)
        if message is None:
            return receipts.end(one.id, "failed", "the report of its day is no longer in the store")
        begun = receipts.begin(one.id)
        if begun is None:
            return None
        return self._ended(begun, target, self._tried(target, message), most)

    def _tried(self, target: Target, message: Message) -> Outcome:
        try:
            return self._sender.send(target, message)
        except Exception as error:  # noqa: BLE001  a fault with one target must not cost the others, nor show its address
            return Outcome("unsure", f"it could not be sent ({type(error).__name__})")

    def _ended(self, one: Receipt, target: Target, outcome: Outcome, most: int) -> Receipt:
        receipts = self._store.receipts
        kind = outcome.kind
        if kind == "unsure" and (target.again or repeatable(target)):
            kind = "later"
        if kind == "sent":
            return receipts.end(one.id, "sent", outcome.reason)
        if kind == "unsure":
            return receipts.end(one.id, "unsure", outcome.reason)
        if kind == "refused":
            return receipts.end(one.id, "failed", outcome.reason)
        if one.tries >= most:
            return receipts.end(one.id, "failed", f"given up after {one.tries} tries: {outcome.reason}")
        wait = max(outcome.after or 0.0, BACKOFF.seconds(one.tries - 1, self._clock.chance))
        return receipts.end(one.id, "planned", outcome.reason, self._clock.now() + timedelta(seconds=wait))

    # --- messages --------------------------------------------------------------------------------------------------

    def _message(self, one: Receipt, target: Target, days: dict[str, Day]) -> Message | None:
        """Made anew for each try, from what is stored: the same day gives the same message."""
        key = hashlib.sha256(f"{one.target}\n{one.event}\n{one.label}\n{one.digest}".encode()).hexdigest()[:32]
        if one.event == "failure":
            editions = (Writer(language).failure(one.label, one.said or "") for language in target.languages)
            return told(editions, key, "failure", one.label, alarm=True)
        if one.event in SPANS:
            return self._of_span(target, one.label, key)
        day = days.get(one.label) or self._stored(one.label)
        if day is None:
            return None
        days[one.label] = day
        return self._of_day(target, one.event, day, one.said or "", key)

    def _of_day(self, target: Target, event: str, day: Day, said: str, key: str) -> Message:
        found, only = news(target, day), frozenset(said.splitlines())
        editions = (Writer(language, self._config.link).day(event, found, only) for language in target.languages)
        return told(editions, key, event, day.label, alarm=bool(found.breaking or found.touches))

    def _of_span(self, target: Target, label: str, key: str) -> Message | None:
        report = rollup_of(self._settings.out, label)
        if report is None:
            return None
        editions = (span_edition(report, one, self._config.link, target) for one in target.languages)
        return told(editions, key, event_of(label), label, alarm=False)

    def _stored(self, label: str) -> Day | None:
        data = self._store.report_data(label)
        try:
            return None if data is None else decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
