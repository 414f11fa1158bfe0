"""`daybreak show`: one change, one day, or the history of a name, in the terminal."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import (
    BY_GIT,
    finding_row,
    kept_of,
    listed,
    settings_of,
    told_of_git,
    turn_of,
    unlisted,
)
from daybreak.cli.console import Voice, cut, harmless, padded, wrapped
from daybreak.cli.show_changes import NUMBER, SHA, WIDTH, happened, printed_lines, show_changes, written
from daybreak.core.day_json import decode
from daybreak.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_LOOK, DaybreakError, GitError, UsageError
from daybreak.core.model.day import Action, Day, headline, in_language
from daybreak.core.text import counted, valid_text
from daybreak.core.words.phrases import languages, phrases, tag_name

if TYPE_CHECKING:
    from daybreak.judge.grading import Job
    from daybreak.upgrade.name_history import Event, Trace, Tracer

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PLACED = re.compile(
    r"(?:https?://[\w.-]{1,100}/)?(?P<repo>[\w.-]{1,100}/[\w.-]{1,100})(?:(?:#|/pull/|/(?:-/)?merge_requests/|/pulls/)(?P<number>\d{1,9})"
    r"|(?:@|/(?:-/)?commit/|/pull/\d{1,9}/commits/)(?P<sha>[0-9a-f]{7,64}))(?:/\w{0,20})?(?:#[\w-]{0,40})?"
)
_SKIPPED_TOLD = 5
_NEAR_TOLD = 3
"""Of each, as many as a terminal takes; the rest is counted, and `--json` has all."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak show SHA|#PR|DATE|NAME`."""
    parser = commands.add_parser(
        "show", parents=[common], allow_abbrev=False, help="one change, one day, or the history of a name"
    )
    parser.hint = "Ask for one thing, for a flag without its dashes: `daybreak show max-size`."
    parser.add_argument(
        "what",
        metavar="SHA|#PR|DATE|NAME",
        help="OWNER/NAME#PR: of this repository; NAME: a variable, a function, Class.method, a flag without its dashes",
    )
    parser.add_argument("--repo", metavar="NAME", help="look in this one of the watchlist (default: all with a mirror)")
    parser.add_argument("--git", metavar="URL", help="look in this repository (a path or an address), without a config")
    parser.add_argument("--since", metavar="DATE", help="how far back a name is followed, `all`: everything "
                        "(default: 365 days)")  # fmt: skip
    parser.add_argument("--lang", choices=languages(), help="language of a day (default: the config's first)")
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.add_argument("--json", action="store_true", help="print data instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Show it; exit code 1 when it is nowhere, 3 when a part could not be looked through."""
    arguments.repo, what = _with_place(arguments.what.strip(), arguments.repo)
    since = _since(arguments.since)
    if _DAY.fullmatch(what):
        return _day(arguments, what)
    from daybreak.upgrade.name_history import check

    by_change = NUMBER.fullmatch(what) or SHA.fullmatch(what)
    if not by_change:
        check(what)
    with told_of_git(arguments.git), _tracers(arguments, voice) as (tracers, damaged, zone, told):
        unread, found, faults = damaged, 0, dict[str, GitError]()
        for tracer in tracers if by_change else ():
            with _alone(tracer, faults):
                found += show_changes(tracer, what, zone, told, arguments.json)
        by_name = not (found or _is_no_name(what) or (by_change and since and _stands_nowhere(tracers, what, voice)))
        if by_name and arguments.git is None:
            _take_reports(tracers, arguments.config, since)
        near = _told_early(tracers, what, voice) if by_name else ()
        for tracer in tracers if by_name else ():
            with _alone(tracer, faults), voice.progress(f"{tracer.grader.repo.name}: commits", even=True) as steps:
                tracer.expect, tracer.done = steps.expect, steps.more
                trace = tracer.trace(what, since, voice.say)
                unread += len(trace.skipped)
                _tell_skipped(trace, voice)
                if trace.events or trace.here:
                    found += 1
                    written(arguments.json, [_trace_row(trace)], _trace_lines(trace, zone))
        unread += _tell_faults(faults, len(tracers), voice)
        near = _near(tracers, what) if near is None and not found else near or ()
    if not found:
        voice.error(_nowhere(what, arguments), _other_ways(what, arguments, near))
        return EXIT_FAILED
    return EXIT_LOOK if unread else EXIT_DONE


def _with_place(what: str, repo: str | None) -> tuple[str | None, str]:
    """Repository and change of `owner/name#12`, `owner/name@abcdef1` and their web addresses, as people copy them."""
    found = _PLACED.fullmatch(what)
    if found is None:
        return repo, what
    if repo is not None and not f"/{found['repo'].lower()}".endswith(f"/{repo.lower()}"):
        raise UsageError(f"{what} is of another repository than {repo}.", "Leave --repo out.")
    return found["repo"], f"#{found['number']}" if found["number"] else found["sha"]


@contextmanager
def _alone(tracer: Tracer, faults: dict[str, GitError]) -> Iterator[None]:
    """What is wrong with one repository ends the look into it, and not into the others."""
    from daybreak.collect.git.chain import explain

    repo = tracer.grader.repo
    try:
        yield
    except GitError as error:
        faults[repo.name] = explain(error, repo.git, repo.branch)


def _tell_faults(faults: dict[str, GitError], of: int, voice: Voice) -> int:
    """Each repository that was not looked through; the fault itself where no other was."""
    if faults and len(faults) == of:
        name, fault = next(iter(faults.items()))
        raise GitError(f"{name}: {fault.message}.", fault.tip) from fault
    for name, fault in faults.items():
        voice.warn(f"not looked through: {name}: {fault.message.rstrip('.')}. {fault.tip}".rstrip())
    return len(faults)


def _is_no_name(what: str) -> bool:
    """A number, or a sha: letters alone may be a word as well, which is looked for unless it names a commit."""
    return bool(NUMBER.fullmatch(what) or (SHA.fullmatch(what) and not what.isalpha()))


def _nowhere(what: str, arguments: argparse.Namespace) -> str:
    if NUMBER.fullmatch(what) or not _is_no_name(what):
        return f"{what} is nowhere in what was looked through."
    where = "The repository" if arguments.git is not None else arguments.repo or "No watched repository"
    return f"{where} has {'no' if where != 'No watched repository' else 'a'} commit {what}."


def _tell_skipped(trace: Trace, voice: Voice) -> None:
    for skipped in trace.skipped[:_SKIPPED_TOLD]:
        voice.warn(f"{skipped.what}: {skipped.reason}")
    if len(trace.skipped) > _SKIPPED_TOLD:
        voice.warn(f"{trace.repo}: {len(trace.skipped) - _SKIPPED_TOLD} more could not be read; --json names them")


def _stands_nowhere(tracers: Sequence[Tracer], what: str, voice: Voice) -> bool:
    """No newest commit has what may be a word as well as a sha: it is not looked for in all that was before."""
    voice.say(f"no commit begins with {what}; looking whether a newest commit has it as a name")
    return all(tracer.places(what, tracer.mirror.tip) == [] for tracer in tracers)


def _told_early(tracers: Sequence[Tracer], what: str, voice: Voice) -> tuple[str, ...] | None:
    """Names written nearly so, where no newest commit has this one: told before commits are looked through, which takes minutes."""
    if any(tracer.places(what, tracer.mirror.tip) != [] for tracer in tracers):
        return None
    near = _near(tracers, what)
    meant = f"; near to it: {', '.join(near)}" if near else ""
    voice.say(f"{what} stands in no newest commit{meant}; looking whether one had it before (Ctrl-C ends it)")
    return near


def _take_reports(tracers: Sequence[Tracer], config: str, since: datetime | None) -> None:
    """What reported days tell of their commits need not be read again; where they cannot be asked, git is."""
    from daybreak.report.archive.opening import open_archive
    from daybreak.upgrade.told_findings import told_findings

    first = f"{since - timedelta(days=1):%Y-%m-%d}" if since else ""
    with suppress(DaybreakError):
        archive = open_archive(settings_of(config, {}))
        told = told_findings(data for day in archive.labels() if day >= first and (data := archive.data(day)))
        for tracer in tracers:
            tracer.told = told.get(tracer.grader.repo.name, {})


def _near(tracers: Sequence[Tracer], what: str) -> tuple[str, ...]:
    """Names that are written nearly so, with where where there are several repositories."""
    told = ((name, tracer.grader.repo.name) for tracer in tracers for name in tracer.near(what))
    return tuple(f"`{name}` ({repo})" if len(tracers) > 1 else f"`{name}`" for name, repo in told)[:_NEAR_TOLD]


def _other_ways(what: str, arguments: argparse.Namespace, near: Sequence[str] = ()) -> str:
    """What to try when it is nowhere."""
    if NUMBER.fullmatch(what):
        number = what.lstrip("#")
        newer = "" if arguments.git is not None else "; newer ones come with `daybreak run`"
        return f"A pull request is known by `(#{number})` in the title of its commit on the branch{newer}."
    if _is_no_name(what):
        newer = "" if arguments.git is not None else ", or get newer commits with `daybreak run`"
        return f"Compare it with the sha you were given{newer}."
    meant = f"Did you mean {', '.join(near)}? " if near else ""
    if SHA.fullmatch(what) and arguments.since != "all":
        return f"{meant}No commit begins so, and no newest commit has it; `--since all` looks for it in all that was before."
    if arguments.since == "all":
        return meant.rstrip() or "Check how it is written: upper and lower case count."
    return f"{meant}Look further back with `--since all`."


def _since(text: str | None) -> datetime | None:
    from daybreak.core.config import environment, now

    if text == "all":
        return None
    if text is None:
        day = now(environment()).astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return day - timedelta(days=365)
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a date.", "Write it as 2026-01-31, or `all`.") from None
    return given if given.tzinfo else given.replace(tzinfo=UTC)


# --- where -----------------------------------------------------------------------------------------------------------


@contextmanager
def _tracers(arguments: argparse.Namespace, voice: Voice) -> Iterator[tuple[list[Tracer], int, tzinfo, Path | None]]:
    """The repositories to look in: those of the watchlist that have a mirror, or one by its address.

    With them comes how many have a mirror that cannot be read, in which zone days are told, and where reports are.
    """
    from daybreak.judge.grading import Job

    if arguments.git is not None:
        repo, variables = unlisted(arguments.repo or "local/repository", arguments.git)
        with kept_of(repo) as folder:
            with turn_of(folder, repo, voice) as mine:
                opened = _opened([Job(repo, folder, variables)], mine and not arguments.offline, voice)
            yield *opened, UTC, None
        return
    settings = settings_of(arguments.config, {}, BY_GIT)
    repos = settings.repos()
    if arguments.repo is not None:
        repos = (listed(repos, arguments.repo),)
    jobs = [Job(r, settings.state, settings.environment, settings.config.reader, arguments.offline) for r in repos]
    yield *_opened(jobs, False, voice), settings.zone, settings.out / "reports"  # only read: nobody is waited for


def _opened(jobs: Sequence[Job], fetched: bool, voice: Voice) -> tuple[list[Tracer], int]:
    """Each repository that can be read, and how many mirrors cannot; an error when none can."""
    from daybreak.collect.git.mirror import has_mirror
    from daybreak.upgrade.name_history import opened

    fault: GitError | None = None
    found, damaged = [], []
    for job in jobs:
        try:
            found.append(opened(job, fetched, voice.say))
        except GitError as error:
            fault = fault or GitError(f"{job.repo.name}: {error.message.removeprefix(f'{job.repo.name}: ')}", error.tip)
            damaged += [error] if has_mirror(job.repo, job.state / "mirrors") else []
    if not found and fault is not None:
        message = fault.message.rstrip(".")
        raise GitError(f"{message}.", fault.tip or "Run `daybreak run` once, or say where it is with --git.") from fault
    for unreadable in damaged:
        voice.warn(f"not looked through: {unreadable.message.rstrip('.')}. {unreadable.tip}".rstrip())
    return found, len(damaged)


# --- what is printed ---------------------------------------------------------------------------------------------------


def _trace_lines(trace: Trace, zone: tzinfo) -> Iterator[str]:
    since = f"since {trace.since:%Y-%m-%d}" if trace.since else "its whole history"
    yield from wrapped(f"{trace.repo}: {' → '.join(trace.names)} ({since}, {counted(trace.searched, 'commit')})", WIDTH)
    yield ""
    for event in trace.events:
        yield from _event_lines(event, trace.name, zone)
    if not trace.events:
        yield "No finding in this time."
    yield ""
    yield from wrapped(_today(trace, zone), WIDTH, 3)
    yield ""


def _event_lines(event: Event, name: str, zone: tzinfo) -> Iterator[str]:
    release = cut(harmless(event.release or "unreleased"), 12)
    pr = f"#{event.change.pr}" if event.change.pr else ""
    room = WIDTH - 10 - 2 - 12 - 2 - 2 - 9 - 1 - 7
    text = happened(event.finding, name)
    lines = wrapped(text, room)
    day = f"{event.change.committed_at.astimezone(zone):%Y-%m-%d}"
    yield f"{day}  {padded(release, 12)}  {padded(lines[0], room)}  {event.change.short} {pr}".rstrip()
    for line in lines[1:]:
        yield f"{'':26}{line}"


def _today(trace: Trace, zone: tzinfo) -> str:
    from daybreak.upgrade.name_history import takes_away

    if trace.here and trace.gone is None:
        more = f" and {len(trace.here) - 1} more" if len(trace.here) > 1 else ""
        where = (
            "still elsewhere" if any(takes_away(one.finding, trace.name) for one in trace.events[-1:]) else "present"
        )
        return f"Today: {where}, {trace.here[0]}{more}."
    if trace.gone is None:
        return "Today: not there."
    where = f" ({trace.gone.release})" if trace.gone.release else ", in no release yet"
    return f"Today: gone since {trace.gone.change.committed_at.astimezone(zone):%Y-%m-%d}{where}, {trace.gone.change.short}."


def _trace_row(trace: Trace) -> dict[str, Any]:
    return {
        "repo": trace.repo,
        "name": trace.name,
        "names": list(trace.names),
        "since": trace.since.isoformat() if trace.since else None,
        "searched": trace.searched,
        "present": [valid_text(place) for place in trace.here],
        "events": [
            {
                "sha": event.change.sha,
                "pr": event.change.pr,
                "committed_at": event.change.committed_at.isoformat(),
                "released": event.release,
                "finding": finding_row(event.finding),
            }
            for event in trace.events
        ],
        "skipped": [{"what": valid_text(s.what), "reason": valid_text(s.reason)} for s in trace.skipped],
    }


# --- a day -------------------------------------------------------------------------------------------------------------


def _day(arguments: argparse.Namespace, day: str) -> int:
    try:
        date.fromisoformat(day)
    except ValueError:
        raise UsageError(f"{day} is no day of the calendar.", "Days are written 2026-01-19.") from None
    return _reported(arguments, day)


def _reported(arguments: argparse.Namespace, day: str) -> int:
    import msgspec

    from daybreak.core.config import today
    from daybreak.core.windows import to_make

    settings = settings_of(arguments.config, {})
    path = settings.out / "reports" / f"{day}.json"
    try:
        raw = path.read_bytes()
        lines = list(day_lines(decode(raw), arguments.lang or settings.config.languages[0]))
    except FileNotFoundError:
        tip = to_make(date.fromisoformat(day), today(settings))
        raise DaybreakError(f"There is no report of {day}.", tip) from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        raise UsageError(
            f"reports/{day}.json is not a report of Daybreak.", "Make it anew with `daybreak run`."
        ) from None
    if arguments.json:
        sys.stdout.buffer.write(raw)
        return EXIT_DONE
    printed_lines(iter(lines))
    return EXIT_DONE


def day_lines(day: Day, language: str) -> Iterator[str]:
    window, coverage = day.window, day.coverage
    yield from wrapped(
        f"{window.label} ({window.timezone}): {coverage.commits_reported} of "
        f"{coverage.commits_in_git} commits, {len(coverage.skipped)} skipped",
        WIDTH,
    )
    if said := headline(day, language):
        yield from wrapped(said, WIDTH)
    yield from _first_screen(day, language)
    for repo in day.repos:
        if repo.commits:
            yield ""
            yield from wrapped(f"{repo.name}: {counted(len(repo.commits), 'commit')}", WIDTH)
        for commit in repo.commits:
            if commit.importance.level != "low":
                mark = "!" if commit.breaking else "-"
                yield from _item(f"{mark} {commit.sha[:9]} {commit.subject}")


_OF_ENTRY = 8
"""Lines of an entry: what to do stands at its end."""


def _first_screen(day: Day, language: str) -> Iterator[str]:
    """In its order, each entry with its tag and what to ask for to read on."""
    t = phrases(language, "report")
    for number, action in enumerate(day.actions, 1):
        yield from _item(f"{number}. {_entry(day, action, language)}", _OF_ENTRY)
    if day.also:
        yield from ("", t("day.also"))
    for action in day.also:
        yield from _item(f"- {_entry(day, action, language)}", _OF_ENTRY)
    if day.more_actions:
        yield from _item(t("day.more_actions", n=day.more_actions, where=t("section.worth")))


def _entry(day: Day, action: Action, language: str) -> str:
    tag = [tag_name(language, action.tag)] if action.tag else []
    commit = next((found[1] for sha in action.commits if (found := day.find(sha))), None)
    pull = [f"#{commit.pr.number}"] if commit and commit.pr else []
    place = " ".join([action.repo, *pull, *(sha[:9] for sha in action.commits[:1])])
    return " · ".join([*tag, place, in_language(action.text, language)])


def _item(text: str, most: int = 3) -> Iterator[str]:
    first, *rest = wrapped(text, WIDTH - 2, most)
    yield first
    yield from (f"  {line}" for line in rest)
