"""`daybreak run`: the main job over one day or several; what is there is left alone, what can be made is published."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from datetime import date, timedelta
from functools import partial
from itertools import dropwhile, islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daybreak import __version__
from daybreak.cli import tell
from daybreak.cli.common_options import days_of, listed
from daybreak.cli.console import Steps, Voice
from daybreak.cli.interrupts import printed, told_as_it_is, uninterrupted
from daybreak.cli.left_to_rules import left_to_rules
from daybreak.core.checkpoint import Part
from daybreak.core.config import Config, Settings, now
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, DaybreakError, UsageError
from daybreak.core.model.changes import NOT_UPDATED, Repo, Skipped, Window
from daybreak.core.model.day import Day
from daybreak.core.model.report import Page
from daybreak.core.text import counted
from daybreak.core.windows import windows
from daybreak.core.words.phrases import languages
from daybreak.runs.after_publish import Days, Exits, failures_told, months_told, wanted
from daybreak.runs.pipeline import Job, Stages, make_report, publish_pages, render_pages
from daybreak.runs.remote_parts import stages
from daybreak.runs.run_log import Recorder, recording, refuse_foreign
from daybreak.runs.wiring import github, newest_day, telling
from daybreak.store import ModelCosts
from daybreak.store.lock import folder_lock, run_lock
from daybreak.store.report_files import Published, ReportFiles, fingerprint, is_told

if TYPE_CHECKING:
    from daybreak.prose.model_prose import Telling


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak run` with its options."""
    parser = commands.add_parser(
        "run", parents=[common], allow_abbrev=False, help="the main job: report on the window (default: yesterday)"
    )
    parser.add_argument("--date", metavar="D", help="one day, such as 2026-01-19 (or `today`, `yesterday`)")
    parser.add_argument("--since", metavar="D", help="first day of several, such as 2026-01-19; one report a day")
    parser.add_argument("--until", metavar="D", help="the day after the last one (default: today)")
    parser.add_argument("--last", metavar="7d", help="so many days that are over, the last of them yesterday")
    parser.add_argument(
        "--repo", metavar="NAME", action="append", default=[], help="only this one of the watchlist (repeat)"
    )
    parser.add_argument("--lang", choices=languages(), action="append", default=[], help="report languages (repeat)")
    parser.add_argument("--analyst", choices=("rules", "llm"), help="who writes the prose")
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.add_argument("--out", metavar="DIR", help="where reports/ and README.md go")
    parser.add_argument("--json", action="store_true", help="print the report's data on stdout")
    parser.add_argument("--force", action="store_true", help="make reported days again, with what arrived late")
    parser.add_argument("--newest-first", action="store_true", help="of several days, the newest first")
    parser.add_argument("--no-publish", action="store_true", help="write no pages")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Report on each day of the window."""
    settings = load_settings(arguments)
    wish = Wish(
        only=tuple(arguments.repo),
        offline=arguments.offline,
        force=arguments.force,
        publish=not arguments.no_publish,
        json=arguments.json,
        newest_first=arguments.newest_first,
        complete=not (arguments.date or arguments.since or arguments.until or arguments.last or arguments.repo),
    )
    return report_days(settings, days_of(arguments, settings), voice, wish)


def load_settings(arguments: argparse.Namespace) -> Settings:
    """The config with this command's flags laid over it; `--out` is relative to where the user stands."""
    from pathlib import Path

    from daybreak.core.config import environment, load

    flags: dict[str, Any] = {}
    if arguments.lang:
        flags["languages"] = list(dict.fromkeys(arguments.lang))
    if arguments.out:
        flags["out"] = str(Path(arguments.out).absolute())
    if arguments.analyst:
        flags["analyst"] = {"kind": arguments.analyst}
    return load(Path(arguments.config), flags, environment())


# --- One run over several days: what is already there is left alone, what can be made is made and published ---

TRIED_AGAIN = 7
"""Days before the asked ones that the daily job looks back at for what was skipped."""
EXPECTED = 62
"""Days that the source is told of at a time."""
ATTEMPTS = 4
"""Runs that try to complete a day; what is missing after them is missing for good."""

MADE_AGAIN = "Reports are taken in again from reports/, the rest is asked for or done again where a day needs it."


class Wish(Struct, frozen=True):
    """What the user asked for beside the days."""

    only: tuple[str, ...] = ()
    offline: bool = False
    force: bool = False
    publish: bool = True
    json: bool = False
    newest_first: bool = False
    complete: bool = False
    """Try again what was skipped in the days before."""


def report_days(settings: Settings, days: Sequence[Window], voice: Voice, wish: Wish) -> int:
    """Report on each day; the exit code says whether anything is left to look at."""
    chosen = _choose(settings, wish.only)
    silent, fresh = wish.offline or not wish.publish, list[str]()
    with (
        failures_told(settings, days[-1].label, partial(tell, voice=voice), voice.say, voice.error, silent=silent),
        told_as_it_is(fresh, len(days)),
        run_lock(settings.state),
        _out_lock(settings, wish),
        ExitStack() as stack,
    ):
        run = _Run(settings, wish, voice, chosen, days, stack, fresh)
        run.refuse_other_edition()
        if wish.publish:  # before a minute is spent on what could not be published
            refuse_foreign(settings)
        # Before the asked days, so that what can be had now stands in its own day and not among their late arrivals.
        codes = run.made_up() + run.days(tuple(reversed(days)) if wish.newest_first else tuple(days))
        codes += run.leave() + run.lost()
        run.tidy()
    return EXIT_LOOK if EXIT_LOOK in codes else EXIT_DONE


class _Run:
    """The parts that several days share."""

    def __init__(
        self,
        settings: Settings,
        wish: Wish,
        voice: Voice,
        chosen: Sequence[Repo],
        asked: Sequence[Window],
        stack: ExitStack,
        fresh: list[str],
    ) -> None:
        self._settings, self._wish, self._voice, self._chosen = settings, wish, voice, chosen
        self._asked, self._several = asked, len(asked) > 1
        self._stack = stack
        """Closed when the run ends, with its error if there was one."""
        self._memory = ReportFiles(settings.out)
        """What lies in the folder that is published to."""
        self._published = Published(settings.state, settings.out)
        self._recorder: Recorder | None = None
        self._stages: Stages | None = None
        self._telling: Telling | None = None
        self._turns: list[tuple[Window, tuple[Repo, ...]]] = []
        self._expected: tuple[Window, ...] = ()
        self._fresh = fresh
        """Days that this run published."""
        self._known: list[str] = []

    def _recording(self) -> Recorder:
        """The store, opened by the first day that has something to do."""
        if self._recorder is None:
            first, last = self._asked[0].label, self._asked[-1].label
            command = f"run {first}" if first == last else f"run {first}..{last}"
            # Such a run was never to publish the days for all repositories: the daily job does not go on with it.
            command += "".join(f" --repo {name}" for name in self._wish.only) + " --no-publish" * (
                not self._wish.publish
            )
            self._recorder = self._stack.enter_context(recording(self._settings, self._memory, command))
            for words in self._recorder.own_up(last):
                self._voice.error(f"The store has lost something: {words}.", MADE_AGAIN)
        return self._recorder

    def _staged(self) -> Stages:
        if self._stages is None:
            recorder, offline, say = self._recording(), self._wish.offline, self._voice.say
            made = stages(self._settings, offline, say, recorder.store)
            self._stack.callback(made.executor.close)
            self._stack.callback(made.source.expect, ())
            joining = github(self._settings, recorder.store.answers, offline, say, recorder.forge)
            made = replace(made, forge=self._stack.enter_context(joining))
            if self._settings.config.analyst.kind == "llm":
                made = replace(made, teller=self._teller())
            self._stages = made
        return self._stages

    def _teller(self) -> Telling:
        """Kept by the run and not by a table of the class, which would hold every run of a process that stays."""
        if self._telling is None:
            recorder, wish = self._recording(), self._wish
            costs = ModelCosts(recorder.store, recorder.run.id, self._settings.config.analyst.currency)
            kept, say = recorder.store.model_answers, self._voice.say
            asking_model = telling(self._settings, kept, say, costs, offline=wish.offline, force=wish.force)
            self._telling = self._stack.enter_context(asking_model)
        return self._telling

    def leave(self) -> list[int]:
        """What happens with the days beyond the folder, once for all of them."""
        days = Days(tuple(self._fresh), tuple(self._known))
        if not self._wish.publish or not (wanted(self._settings.config, days) or months_told(self._settings.out, days)):
            return []
        recorder, voice = self._recording(), self._voice
        days = replace(days, cut_short=tuple(map(tuple, recorder.cut_short())))
        exits = Exits(self._settings, recorder.store, recorder.run, voice.say, voice.error, self._wish.offline)
        if self._settings.config.analyst.kind == "llm":
            exits.sum_up = lambda span: self._teller().sum_up(span)
        return [] if exits.go(days) else [EXIT_LOOK]

    def lost(self) -> list[int]:
        """Whether the store lacked something that was written: a day may have been told with less."""
        return [EXIT_LOOK] if self._recorder is not None and self._recorder.lost else []

    def tidy(self) -> None:
        """Drop what the config does not want kept, if this run had something to do at all."""
        if self._recorder is not None:
            from daybreak.store.runs import tidy

            there = set(self._memory.labels())
            try:
                self._recorder.settle(lambda label: label in there and self._memory.whole(label))
                tidy(self._recorder.store, self._settings, now(self._settings.environment).date())
            except DaybreakError as error:
                # The reports are published: what is kept too long does no harm.
                self._voice.warn(f"nothing old was dropped from the store: {error.message}")

    def refuse_other_edition(self) -> None:
        """The files of the main edition carry no language in their name: another one would overwrite them."""
        main = self._memory.main_language()
        if main and self._wish.publish and not self._wish.force and main != self._settings.languages[0]:
            raise UsageError(
                f"The main edition in {self._settings.out} is {main!r}, not {self._settings.languages[0]!r}.",
                "Keep the order of `languages`, name another --out, or use --force to change it.",
            )

    def days(self, days: Sequence[Window]) -> list[int]:
        """Each in turn, with one display of how far it is."""
        if not days:
            return []
        repos = [self._repos(window) for window in days]
        self._turns = list(zip(days, repos, strict=True))
        title = days[0].label if len(days) == 1 else f"{len(days)} days"
        with self._voice.progress(title, sum(map(len, repos))) as steps:
            return [self._day(window, some, steps) for window, some in self._turns]

    def incomplete(self) -> tuple[Window, ...]:
        """Days shortly before the asked ones of which something was skipped, or whose run broke off; not tried often."""
        if not self._wish.complete or not self._wish.publish:
            return ()
        first = self._asked[0].label
        oldest = (date.fromisoformat(first) - timedelta(days=TRIED_AGAIN)).isoformat()
        lacking = {
            label for label in self._memory.labels() if oldest <= label < first and not self._memory.whole(label)
        }
        if first not in self._memory.labels():
            recorder = self._recording()
            lacking |= {label for label in recorder.broken_off() | recorder.changed if oldest <= label < first}
        days = [self._window(label) for label in sorted(lacking)]
        return tuple(window for window in days if self._worth_a_try(window))

    def _worth_a_try(self, window: Window) -> bool:
        if self._recording().attempts(window) < ATTEMPTS:
            return True
        again = f"daybreak run --date {window.label}"
        self._voice.warn(f"{window.label} is not whole and is not tried again by itself: {again}")
        return False

    def made_up(self) -> list[int]:
        """Days before the asked ones, completed; one that cannot be costs none of the others, and not the asked ones."""
        codes: list[int] = []
        for window in self.incomplete():
            try:
                self.days((window,))
            except DaybreakError as error:
                self._voice.error(f"{window.label} could not be completed: {error.message}", error.tip)
                codes.append(EXIT_LOOK)
        return codes

    def _window(self, label: str) -> Window:
        moment = now(self._settings.environment)
        return windows(self._settings.zone, moment, on=label, since=None, until=None, last=None)[0]

    def _day(self, window: Window, repos: tuple[Repo, ...], steps: Steps) -> int:
        inputs = self._inputs(repos)
        if self._nothing_new(window, inputs):
            self._voice.say(f"{window.label}: reported before, nothing new")
            self._known.append(window.label)
            self._show_stored(window)
            steps.done(window.label, len(repos))
            return EXIT_DONE
        day = self._make(window, repos, steps)
        if self._would_lose(day):
            self._show_stored(window)
            return EXIT_LOOK
        told = self._publish(day, inputs, self._staged())
        return EXIT_LOOK if day.coverage.skipped or not told else EXIT_DONE

    def _repos(self, window: Window) -> tuple[Repo, ...]:
        """The chosen repositories, and those the day was reported with: a narrower run never narrows a report."""
        wanted = {repo.name for repo in self._chosen}
        return tuple(
            repo
            for repo in self._settings.repos()
            if repo.name in wanted or self._memory.day(window.label, repo.name) is not None
        )

    def _inputs(self, repos: Sequence[Repo]) -> str:
        return fingerprint(self._decisive(), *(repo.name for repo in repos))

    def _decisive(self) -> str:
        """Names the settings that a report depends on; where the work runs and where it is remembered do not matter."""
        config, plain = self._settings.config, Config()
        told = msgspec.structs.replace(
            config,
            store="",
            execute=plain.execute,
            schedule=plain.schedule,
            retention=plain.retention,
            publish=plain.publish,
            notify=plain.notify,
        )
        return fingerprint(__version__, msgspec.json.encode(told))

    def _nothing_new(self, window: Window, inputs: str) -> bool:
        """The day is over, was reported whole, and its pages are as they were written."""
        if self._wish.force or not self._wish.publish or window.open or not self._memory.path(window.label).is_file():
            return False
        return (
            self._published.holds(window.label, inputs)
            and self._memory.whole(window.label)
            # One day is enough to write the index anew.
            and (window.label != self._asked[-1].label or self._published.holds("index", self._index_inputs()))
        )

    def _index_inputs(self) -> str:
        return fingerprint(__version__, self._settings.config.title, *self._settings.languages, *self._memory.labels())

    def _make(self, window: Window, repos: tuple[Repo, ...], steps: Steps) -> Day:
        recorder, force = self._recording(), self._wish.force
        kept = recorder.before(window.label)
        settings = self._decisive()
        title = self._settings.config.title
        job = Job(window, repos, self._settings.languages, __version__, force, settings, {} if force else kept, title)

        left = {repo.name for repo in repos}

        def done(part: Part) -> None:
            recorder.part(window, part)
            name = part.report.repo.name
            steps.done(f"{window.label} {name}" if self._several else name)
            left.discard(name)
            if not left:
                steps.begin("all read; putting the report together")

        self._expect(window)
        return make_report(job, self._staged(), done)

    def _expect(self, window: Window) -> None:
        """Tell the source of the days that are made after this one: it reads them in one go."""
        if window not in self._expected:
            rest = dropwhile(lambda turn: turn[0] != window, self._turns)
            wanted = (day for day, repos in rest if day == window or not self._nothing_new(day, self._inputs(repos)))
            self._expected = tuple(islice(wanted, EXPECTED))
            self._staged().source.expect(self._expected)

    def _would_lose(self, day: Day) -> bool:
        """A day that was reported whole is not replaced by one that lacks something."""
        if self._wish.force or not self._wish.publish:
            return False
        told = {part.name for part in day.repos}
        gone = [name for name in self._memory.repositories(day.label) if name not in told]
        if gone:
            self._voice.error(
                f"{day.label}: the report made before stays, since {gone[0]} is no longer on the watchlist.",
                "Use --force to make the day again without it.",
            )
            return True
        for part in day.repos:
            before = self._memory.day(day.label, part.name)
            if before and before.final and part.skipped:
                fault = part.skipped[0]
                self._voice.error(
                    f"{day.label}: the report made before stays, since {fault.what} cannot be read now: {fault.reason}.",
                    "Mend it and run again, or use --force to replace the report all the same.",
                )
                return True
        return False

    def _publish(self, day: Day, inputs: str, stages: Stages) -> bool:
        """Whether what is said of it was heard as well."""
        out = self._settings.out
        from daybreak.report.index import index_pages

        index = index_pages(self._memory, day, self._settings)
        beside = {page.path for page in index}
        pages = render_pages(day, stages, lambda path: path in beside or (out / path).is_file())
        if self._wish.publish:
            with uninterrupted():
                self._put_out(day, pages, index, inputs, stages)
        if printed(lambda: self._tell(day, pages)):
            return True
        if not self._wish.publish:
            raise DaybreakError(
                f"{day.label} could not be printed.", "See who reads the output, and whether it is full."
            )
        self._voice.error(f"{day.label} is published, and could not be printed.", "See who reads the output.")
        return False

    def _put_out(self, day: Day, pages: Sequence[Page], index: Sequence[Page], inputs: str, stages: Stages) -> None:
        with self._recording().publishing(day, pages, inputs):
            publish_pages((*pages, *index), stages)
            self._fresh.append(day.label)
            self._memory.forget()
            from daybreak.report.index import note_pages

            notes = note_pages(self._memory, day.label, self._settings)
            publish_pages(notes, stages)
        self._published.amend(notes)
        self._published.remember(day.label, inputs, pages)
        # The page of a month that is over is told anew when all days are made; the site tells every month anew.
        site = self._settings.config.publish.site
        lasting = [p for p in index if "/" not in p.path or not (site or is_told(self._settings.out, p.path[8:15]))]
        self._published.remember("index", self._index_inputs(), lasting)

    def _tell(self, day: Day, pages: Sequence[Page]) -> None:
        for skipped in day.coverage.skipped:
            self._voice.skipped(skipped)
        for words in left_to_rules(day):
            self._voice.say(words)
        if self._wish.json:
            self._print(next(page.text for page in pages if page.path.endswith(".json")))
            return
        commits = [commit for repo in day.repos for commit in repo.commits]
        levels = [commit.importance.level for commit in commits]
        counts = ", ".join(f"{levels.count(level)} {level}" for level in ("high", "medium", "low"))
        breaking = sum(commit.breaking for commit in commits)
        place = self._settings.out / "reports" / f"{day.label}.md" if self._wish.publish else "not published"
        sys.stdout.write(
            f"{day.label}{', which is not over' if day.window.open else ''}: {counted(len(commits), 'commit')}"
            f" in {counted(len(day.repos), 'repository')}"
            f" ({counts}; {breaking} breaking; {len(day.coverage.skipped)} skipped) → {place}\n"
        )
        if not commits and not day.coverage.skipped and day.label == self._asked[-1].label:
            self._tell_newest(day)
        stale = [
            repo.name for repo in day.repos if (repo.skipped and not repo.head) or any(map(_not_updated, repo.skipped))
        ]
        if stale:
            self._voice.warn(f"{day.label}: nothing new was read from {', '.join(stale)}; the next run tries again")

    def _tell_newest(self, day: Day) -> None:
        """A copy of months ago, or a sleeping project, looks like a quiet day: where there is something to read."""
        newest = newest_day(self._settings, [repo.name for repo in day.repos])
        first = date.fromisoformat(self._asked[0].label)
        if newest is not None and newest < min(first, date.fromisoformat(day.label) - timedelta(days=7)):
            self._voice.say(f"the newest commit there is of {newest}: daybreak run --date {newest}")

    def _show_stored(self, window: Window) -> None:
        if self._wish.json:
            self._print(self._memory.path(window.label).read_text(encoding="utf-8"))

    def _print(self, text: str) -> None:
        """The data as it is; of several days one line each, so that a reader can tell them apart."""
        data = msgspec.json.format(text.encode(), indent=-1) + b"\n" if self._several else text.encode()
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _not_updated(one: Skipped) -> bool:
    return one.reason.startswith(NOT_UPDATED)


def _out_lock(settings: Settings, wish: Wish) -> AbstractContextManager[None]:
    return folder_lock(settings.out) if wish.publish else nullcontext()


def _choose(settings: Settings, only: Sequence[str]) -> tuple[Repo, ...]:
    repos = settings.repos()
    if not repos:
        raise UsageError("The watchlist is empty.", "Add a [[repo]] with its name to daybreak.toml.")
    chosen = {repo.name: repo for repo in (listed(repos, name, "") for name in only)}
    return tuple(chosen.values()) if only else repos
