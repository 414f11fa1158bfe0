"""What a run does with reports once they are in the folder: search, site, git, GitHub, notifications, in this order.

Each exit can be done again without harm, is recorded in the store as a step, and costs no other one when it fails: it
is told in one sentence, and the next run tries again, whatever that run is about.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from daybreak.core.config import Config, Settings
from daybreak.core.errors import EXIT_FAILED, DaybreakError, Interrupted, LockedError, PublishError
from daybreak.store import Outcome, Receipt, Run, Step, Store
from daybreak.store.report_files import is_told

if TYPE_CHECKING:
    from daybreak.deliver.publish.github_issue import GithubPosts, Kind, PostNotes
    from daybreak.upgrade.rollup.pages import SumUp

LATER = "The next run tries again."
Warn = Callable[[str, str], None]
"""Told a sentence and a tip."""


class Days(Struct, frozen=True):
    """Labels of the days that a run was about."""

    fresh: tuple[str, ...]
    """Published by it."""
    known: tuple[str, ...] = ()
    """Published before, with nothing new."""
    cut_short: tuple[tuple[str, ...], ...] = ()
    """Published by each run that was ended before it came here, or on its way."""

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(sorted({*self.fresh, *self.known}))

    @property
    def owed(self) -> tuple[str, ...]:
        """With those that earlier runs left behind."""
        return tuple(sorted({*self.all, *(label for labels in self.cut_short for label in labels)}))

    @property
    def told(self) -> tuple[str, ...]:
        """The newest of this run, and of each that was cut short: a back-fill of a month is not thirty messages."""
        return tuple(sorted({self.all[-1], *(max(labels) for labels in self.cut_short)}))


def wanted(config: Config, days: Days) -> bool:
    """Whether there is anything to do; without `[publish]` and `[notify]` there is not, and nothing is imported for it."""
    return bool(days.all) and (config.publish.beyond or bool(config.notify.targets()))


def months_told(out: Path, days: Days) -> list[str]:
    """Months of these days that are to be told as one page: those that are over, and those that somebody wanted so; where
    nothing is new, those whose page an earlier run did not come to.
    """
    owed = (label for label in days.known if not (out / "reports" / f"{label[:7]}.json").is_file())
    return [month for month in sorted({label[:7] for label in (*days.fresh, *owed)}) if is_told(out, month)]


@dataclass(slots=True)
class Exits:
    """The exits of one run, which holds the store."""

    settings: Settings
    store: Store
    run: Run
    say: Callable[[str], None]
    warn: Warn
    offline: bool = False
    sum_up: SumUp | None = None
    """Asks the configured model about a week or a month."""
    failed: bool = False

    def go(self, days: Days) -> bool:
        """All of them; False when something is left to the next run."""
        publish = self.settings.config.publish
        label = days.all[-1]
        if days.fresh:
            self._exit("search", label, self._search)
        for month in months_told(self.settings.out, days):
            self._exit("month", label, partial(self._month, month))
        if publish.site:
            self._exit("site", label, self._site)
        if self.offline:
            return not self.failed
        if publish.git:
            self._exit("git", label, partial(self._git, trusting=not days.fresh))
        if publish.github_issue:
            self._posts("issue", publish.github_issue, days)
        if publish.github_discussion:
            self._posts("discussion", publish.github_discussion, days)
        for name in publish.plugins:
            self._exit(name, label, partial(self._plugin, name))
        if self.settings.config.notify.targets():
            self._exit("notify", label, lambda: self._notify(days))
        return not self.failed

    def _exit(self, name: str, label: str, work: Callable[[], str | None]) -> None:
        """One of them: what it did is said and recorded, and so is why it could not. None: there was nothing to do."""
        began = time.monotonic()
        try:
            done = work()
        except (Interrupted, KeyboardInterrupt):
            raise
        except Exception as error:  # noqa: BLE001  whatever is wrong with one exit, the others are not at fault
            self._failed(name, label, error, began)
            return
        if done is not None:
            self.say(f"{name}: {done}")
            self._record(name, label, "done", done, began)

    def _failed(self, name: str, label: str, error: Exception, began: float) -> None:
        self.failed = True
        told = _in_words(error)
        self.warn(f"{name}: {told.message}", told.tip)
        self._record(name, label, "failed", _for_others(error), began)

    def _record(self, name: str, label: str, outcome: Outcome, reason: str, began: float) -> None:
        seconds = time.monotonic() - began
        at = datetime.now(UTC) - timedelta(seconds=seconds)
        stage = f"publish:{name.replace(' ', '-')}"
        with suppress(DaybreakError):  # what was done stays done when it cannot be noted
            self.store.add_step(self.run, Step(0, self.run.id, "", label, stage, "", outcome, reason, at, seconds))

    # --- without network -------------------------------------------------------------------------------------------

    def _search(self) -> None:
        """The next question would do it too, and wait for it."""
        from daybreak.site.search import open_search

        with open_search(self.settings) as search:
            search.refresh()

    def _month(self, month: str) -> str | None:
        """Its page, which told the days alone until it was over."""
        from daybreak.deliver.publish.folder import FolderPublisher
        from daybreak.report.archive.opening import open_archive
        from daybreak.upgrade.rollup import rollup, span_of
        from daybreak.upgrade.rollup.pages import pages, summed_up

        report = summed_up(rollup(open_archive(self.settings), *span_of(None, month)), self.settings.out, self.sum_up)
        told = pages(report, self.settings.languages)
        FolderPublisher(self.settings.out).publish(told)
        return f"{month} as one page: {self.settings.out / told[0].path}"

    def _site(self) -> str | None:
        from daybreak.deliver.publish.folder import FolderPublisher
        from daybreak.report.archive.opening import open_archive
        from daybreak.site.pages.site import Site
        from daybreak.upgrade.rollup.pages import fresh_pages

        archive = open_archive(self.settings)
        due = fresh_pages(archive, self.settings.out, self.settings.languages, self.sum_up)
        FolderPublisher(self.settings.out).publish(list(due))
        built = Site(archive, self.settings).build(self.settings.out / "site")
        changed = len(built.written) + len(built.removed)
        return f"{changed} of {len(built.written) + built.kept} pages brought up to date" if changed else None

    # --- git -------------------------------------------------------------------------------------------------------

    def _git(self, *, trusting: bool) -> str | None:
        from daybreak.deliver.publish import branch_of
        from daybreak.deliver.publish.folder import own_files
        from daybreak.runs.wiring import program

        config = self.settings.config.publish
        files = own_files(self.settings.out, site=config.git_site)
        branch = branch_of(self.settings, program(self.settings))
        pushed = branch.publish(self.settings.out, files, trusting=trusting)
        if pushed.commit is None:
            return None
        return f"{len(pushed.paths)} files pushed to the branch {config.git_branch} ({pushed.commit[:9]})"

    def _plugin(self, name: str) -> str | None:
        """A publisher of somebody else's package: what it says it did; None when there was nothing to do."""
        from daybreak.core.plugins import PUBLISHERS, load
        from daybreak.deliver.publish.folder import own_files

        publish = load(PUBLISHERS, name)
        done: str | None = publish(
            self.settings.out, tuple(file.path for file in own_files(self.settings.out, site=True))
        )
        return done

    # --- GitHub ----------------------------------------------------------------------------------------------------

    def _posts(self, kind: Kind, repository: str, days: Days) -> None:
        """One post for each day, the oldest first; what earlier runs owe comes along."""
        from daybreak.deliver.publish import github_posts
        from daybreak.deliver.publish.github_issue import PostNotes

        notes = PostNotes(self.settings.state / "published" / f"github-{kind}.json", repository)
        notes.owe(days.owed)
        name, due = f"github {kind}", notes.due()
        try:
            with github_posts(self.settings, kind, repository, self.say) as posts:
                for label in due:
                    self._exit(name, label, partial(self._put, posts, notes, label))
        except DaybreakError as error:
            self._failed(name, due[-1], error, time.monotonic())

    def _put(self, posts: GithubPosts, notes: PostNotes, label: str) -> str | None:
        from daybreak.deliver.publish import page_links
        from daybreak.deliver.publish.github_issue import post_of
        from daybreak.report.index import day_line_from_json

        page = self.settings.out / "reports" / f"{label}.md"
        try:
            text = page.read_text(encoding="utf-8")
        except FileNotFoundError:
            notes.settled(label)  # the report was taken away: there is nothing to post
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise PublishError(f"{page} cannot be read.", "Make the day again with --force.") from error
        headline = ""
        with suppress(OSError, ValueError):  # without its data, a page is posted under its own title
            headline = day_line_from_json(page.with_suffix(".json").read_bytes()).headline
        post = post_of(posts.kind, label, text, self.settings.languages[0], page_links(self.settings), headline)
        posted = posts.put(post, notes.known(label), lambda made: notes.note(label, made))
        notes.settled(label)
        return None if posted.done == "unchanged" else f"{label} {posted.done}: {posted.post.url}"

    # --- notifications ---------------------------------------------------------------------------------------------

    def _notify(self, days: Days) -> str | None:
        """What earlier runs owe, then the newest day, and that of a run which was ended before it told of it."""
        from daybreak.deliver.notify import notifier
        from daybreak.report.archive.opening import open_archive

        known = self.store.receipts
        planned = (*known.in_state("planned", "sending"), *(one for label in days.told for one in known.of_day(label)))
        before = {one.id: one.state for one in planned}
        telling = notifier(self.settings, self.store)
        receipts = [*telling.retry_pending()]
        archive = open_archive(self.settings)
        for label in days.told:
            day = archive.day(label)
            newer = (archive.day(one) for one in archive.labels() if one > label and one not in days.owed)
            # A day that is not over is told when it is, and stands in nobody's way until then.
            if day is not None and all(one is None or one.window.open for one in newer):
                receipts += telling.report(day)
                receipts += [one for span in self._spans(label, day.window.open) for one in telling.span(span)]
        return self._received({one.id: one for one in receipts}.values(), before)

    def _spans(self, label: str, still_open: bool) -> list[str]:
        """The week and the month that end with this day, rolled up, where a target wants to know of them."""
        from daybreak.deliver.notify.span_message import SPANS, event_of
        from daybreak.deliver.notify.targets import targets_of
        from daybreak.deliver.publish.folder import FolderPublisher
        from daybreak.report.archive.opening import open_archive
        from daybreak.upgrade.rollup import spans_ending
        from daybreak.upgrade.rollup.pages import fresh_pages

        wanted = {event for target in targets_of(self.settings) for event in target.on if event in SPANS}
        ending = [span for span in spans_ending(label) if event_of(span) in wanted and not still_open]
        if ending:
            archive = open_archive(self.settings)
            due = fresh_pages(archive, self.settings.out, self.settings.languages, self.sum_up)
            FolderPublisher(self.settings.out).publish(list(due))
        return ending

    def _received(self, receipts: Iterable[Receipt], before: Mapping[int, str]) -> str | None:
        """What this run changed: a message that was given up long ago is not told of each day."""
        found = [one for one in receipts if before.get(one.id) != one.state or one.state == "planned"]
        sent = [one.shown for one in found if one.state == "sent"]
        troubles = [one for one in found if one.state in ("failed", "unsure") or (one.state == "planned" and one.tries)]
        told = f"told {', '.join(sent)}" if sent else None
        if not troubles:
            return told
        if told:
            self.say(f"notify: {told}")
        first, more = troubles[0], len(troubles) - 1
        tip = LATER if first.state == "planned" else "Look at the target with `daybreak notify --test`."
        also = f" (and {more} more)" if more else ""
        raise PublishError(f"{first.shown}: {first.reason or 'it was not reached'}{also}.", tip)


def _in_words(error: Exception) -> DaybreakError:
    if isinstance(error, DaybreakError):
        return error
    return DaybreakError(
        f"this is a bug in Daybreak: {type(error).__name__}: {error}", "See it with --verbose and report it."
    )


def _for_others(error: Exception) -> str:
    """What is stored and sent: the words of an unforeseen error may hold anything, an address with its password too."""
    if isinstance(error, DaybreakError):
        return error.message
    return f"this is a bug in Daybreak: {type(error).__name__}"


# --- failures --------------------------------------------------------------------------------------------------------


@contextmanager
def failures_told(
    settings: Settings,
    label: str,
    tell: Callable[[Exception], object],
    say: Callable[[str], None],
    warn: Warn,
    *,
    silent: bool,
) -> Iterator[None]:
    """A run that fails tells those who want to know; the error goes on as it was. `silent`: nobody is told.

    Who stands before the terminal hears it at once: a target that does not answer is waited for after that.
    """
    try:
        yield
    except Exception as error:
        if not silent and settings.config.notify.targets() and _is_failure(error):
            tell(error)
            say("telling the targets of [notify] that the run failed")
            try:
                _tell_failure(settings, label, _for_others(error))
            except Exception as fault:  # noqa: BLE001  the error itself matters more than that nobody was told
                warn(f"nobody could be told of the failure: {_in_words(fault).message}", "")
        raise


def _is_failure(error: Exception) -> bool:
    """Not a mistake in the config, not somebody else at work, not somebody who asked us to stop."""
    if isinstance(error, DaybreakError):
        return error.exit_code == EXIT_FAILED and not isinstance(error, LockedError | Interrupted)
    return True


def _tell_failure(settings: Settings, label: str, message: str) -> None:
    from daybreak.deliver.notify import notifier
    from daybreak.store import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        with store.hold():
            notifier(settings, store).failure(label, message)
    finally:
        store.close()
