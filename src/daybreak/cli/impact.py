"""`daybreak impact`: which upstream changes of a window or a range touch your own code."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import (
    cores,
    days_of,
    kept_of,
    listed,
    printed,
    range_job,
    refuse_no_ranges,
    settings_of,
    told_of_git,
    turn_of,
    unlisted,
    unread_told,
    with_progress,
)
from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, GitError, UsageError, WriteError
from daybreak.core.words.phrases import languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybreak.core.config import Settings
    from daybreak.core.model.changes import Repo
    from daybreak.runs.bumps import Bump
    from daybreak.upgrade.impact import ImpactReport, Upstream, Yours
    from daybreak.upgrade.range import Job

_INSTEAD = "ask about any repository: --range OWNER/NAME A..B --git URL"
_IN_FULL = "daybreak impact PATH --range OWNER/NAME v1.0..v1.1"
LEVELS = ("certain", "likely", "look", "never")
FORMATS = ("text", "markdown", "json", "sarif", "github")


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak impact PATH` with its options."""
    parser = commands.add_parser(
        "impact", parents=[common], allow_abbrev=False, help="which upstream changes touch your own code"
    )
    parser.add_argument(
        "path",
        metavar="PATH",
        nargs="?",
        help="folder or file with your code, configs and scripts; never run (default: the one of [impact] paths)",
    )
    _add_changes(parser)
    _add_answer(parser)
    parser.hint = f"Write `{_IN_FULL}`."
    parser.set_defaults(run=run)


def _add_changes(parser: argparse.ArgumentParser) -> None:
    """Which upstream changes are looked at."""
    parser.add_argument(
        "--range", metavar=("REPO", "A..B"), nargs=2, action="append", default=[], help="between two refs (repeat)"
    )
    parser.add_argument(
        "--bumps", metavar="COMMIT", help="the upgrades that your pins made since this commit of your own repository"
    )
    parser.add_argument(
        "--from-pin", metavar="B", nargs="?", const="latest", help="from the versions that your files pin to B (default: "
        "latest)"
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="COMMIT", help="only what this commit of your own repository does not have as well"
    )
    parser.add_argument("--date", metavar="D", help="one day, such as 2026-01-19 (default: yesterday)")
    parser.add_argument("--since", metavar="D", help="first day of several, such as 2026-01-19")
    parser.add_argument("--until", metavar="D", help="the day after the last one (default: today)")
    parser.add_argument("--last", metavar="7d", help="so many days that are over, the last of them yesterday")
    parser.add_argument(
        "--repo", metavar="NAME", action="append", default=[], help="only this one of the watchlist (repeat)"
    )
    parser.add_argument("--git", metavar="URL", help="with --range: look in this repository, without a config")
    parser.add_argument("--fork", metavar="BRANCH", help="PATH is a clone: how this branch of it stands to upstream")
    parser.add_argument("--upstream", metavar="REF", help="with --fork: what it is a fork of (default: the remote's)")


def _add_answer(parser: argparse.ArgumentParser) -> None:
    """What is said of them, and in which form."""
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the answer (default: %(default)s)")
    parser.add_argument(
        "--save", metavar=("FORM", "FILE"), nargs=2, action="append", default=[], help="write the answer in another form "
        "too (repeat)"
    )  # fmt: skip
    parser.add_argument("--lang", choices=languages(), help="language of the answer (default: the config's first)")
    parser.add_argument("--acks", metavar="F", help="file of acknowledgements (default: daybreak-acks.toml)")
    parser.add_argument("--all", action="store_true", help="show acknowledged ones too")
    parser.add_argument(
        "--fail-on", choices=LEVELS, default="look", help="least sure hit that ends with code 3 (default: %(default)s)"
    )
    parser.add_argument(
        "--exclude", metavar="GLOB", action="append", default=[], help="leave these paths of your code out (repeat)"
    )
    parser.add_argument(
        "--analyst", choices=("rules", "llm"), help="whether a model suggests edits (default: the config's)"
    )
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.add_argument("--json", action="store_const", dest="format", const="json", help="the same as --format json")


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Print what touches the code; exit code 3 when something does that nobody has acknowledged."""
    _refuse_mixed(arguments)
    arguments.path = arguments.path or _only_path(arguments)
    root = Path(arguments.path)
    if arguments.fork:
        return _fork(arguments, root, voice)
    from msgspec.structs import replace

    from daybreak.core.config import environment
    from daybreak.upgrade.impact import beside, every_failure, impact, refuse_unreadable

    refuse_unreadable(root)
    with told_of_git(arguments.git), _asked(arguments, voice) as (upstreams, yours, language, settings):
        moved = _unwatched(arguments, settings)
        if arguments.bumps and not upstreams:
            return _nothing_watched_moved(moved, language, arguments, voice)
        if arguments.from_pin and not upstreams:
            raise UsageError(
                f"{root} pins no version of a watched project.", "Name the range: --range OWNER/NAME A..B."
            )
        failure = every_failure(upstreams)
        if failure is not None:
            raise failure
        ranged = bool(arguments.range or arguments.bumps or arguments.from_pin)
        with voice.progress(f"holding {root} against it"):
            report = replace(impact(yours, upstreams, environment(), window=not ranged), unwatched=moved)
        if arguments.against:
            with voice.progress(f"{root} as of {arguments.against}"):
                report = beside(report, yours, upstreams, environment(), arguments.against, not ranged)
        if settings is not None and settings.config.analyst.kind == "llm":
            report = _with_edits(report, yours, upstreams, settings, arguments.offline, voice)
    _answer(report, language, arguments)
    if settings is not None:
        _keep_ids(report, settings)
    _tell(report, upstreams, arguments, voice)
    return _ended(report, upstreams, arguments.fail_on)


def _keep_ids(report: ImpactReport, settings: Settings) -> None:
    """So that `daybreak ack` knows what was told here."""
    from daybreak.store.acks import note_told

    note_told(settings.state, (one.id for one in report.told))


def _ended(report: ImpactReport, upstreams: Sequence[Upstream], fail_on: str) -> int:
    """What is not known counts as something to look at."""
    counting = LEVELS[: LEVELS.index(fail_on) + 1]
    failing = any(one.hit.certainty in counting for one in report.counted)
    unknown = any(upstream.failed for upstream in upstreams) or (bool(report.blind) and "look" in counting)
    return EXIT_LOOK if fail_on != "never" and (failing or unknown) else EXIT_DONE


def _only_path(arguments: argparse.Namespace) -> str:
    """Where the config says that your code is, as it is written from here."""
    import os

    if arguments.fork or arguments.git is not None or not Path(arguments.config).exists():
        raise UsageError("Nothing says where your code is.", f"Name it: `{_IN_FULL}`.")
    settings = settings_of(arguments.config, {})
    paths = settings.config.impact.paths
    if len(paths) != 1:
        some = f"[impact] has several paths: {', '.join(paths)}." if paths else "Nothing says where your code is."
        raise UsageError(some, f"Name one: `{_IN_FULL}`.")
    return os.path.relpath(settings.base / Path(paths[0]).expanduser())


def _nothing_watched_moved(others: tuple[str, ...], language: str, arguments: argparse.Namespace, voice: Voice) -> int:
    """No pin on a watched project moved; those that did are named in every form."""
    from daybreak import __version__
    from daybreak.upgrade.impact import ImpactReport

    voice.say(f"no pin on a watched project differs from {arguments.bumps}")
    if others or arguments.format != "text" or arguments.save:  # who asked for data gets it, though it be empty
        nothing = ImpactReport(arguments.path, __version__, unwatched=others)
        _tell(nothing, (), arguments, voice)
        _answer(nothing, language, arguments)
    return EXIT_DONE


def _answer(report: ImpactReport, language: str, arguments: argparse.Namespace) -> None:
    from daybreak.upgrade.impact import rendered

    for form, file in arguments.save:
        _save(Path(file), rendered(report, form, language))
    printed(rendered(report, arguments.format, language))


def _with_edits(
    report: ImpactReport, yours: Yours, upstreams: Sequence[Upstream], settings: Settings, offline: bool, voice: Voice
) -> ImpactReport:
    """The same with the edits that the configured model suggests and that hold; what it answered is kept."""
    from daybreak.prose.llm.opening import open_model
    from daybreak.store import open_store
    from daybreak.upgrade.impact.suggest import with_edits

    store = open_store(settings.config.store, settings.base)
    try:
        model = open_model(
            settings.config.analyst, settings.environment, store.model_answers, voice.say, offline=offline
        )
        found = with_edits(report, yours, upstreams, settings.environment, model)
    finally:
        store.close()
    if found.asked:
        rest = f"; {found.left} more causes were not asked about" if found.left else ""
        told = "the others did not hold, or there was none"
        voice.say(f"suggested edits: {found.shown} of {found.asked} causes; {told}{rest}")
    return found.report


def _save(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise WriteError(
            f"{file} could not be written: {error.strerror}.", "Choose another place with --save."
        ) from error


def _refuse_mixed(arguments: argparse.Namespace) -> None:
    for form, _ in arguments.save:
        if form not in FORMATS:
            raise UsageError(f"--save has no form {form!r}.", f"Use one of {', '.join(FORMATS)}.")
    days = any((arguments.date, arguments.since, arguments.until, arguments.last))
    if arguments.bumps or arguments.from_pin:
        _refuse_beside_pins(arguments, days)
    if arguments.against and arguments.fork:
        raise UsageError("--against compares two states of your own code.", "Leave --fork out.")
    if arguments.range and days:
        raise UsageError("--range and days name two different things to look at.", "Use one of them.")
    if arguments.range and arguments.repo:
        raise UsageError("--range names its repository itself.", "Leave --repo out.")
    refuse_no_ranges([span for _, span in arguments.range])
    if arguments.git is not None and len(arguments.range) != 1:
        raise UsageError("--git needs one --range REPO A..B.", "For example --range acme/engine v1.0..v1.1 --git URL.")
    if arguments.fork and (arguments.range or days or arguments.repo or arguments.git is not None):
        raise UsageError("--fork compares two branches of one clone.", "Leave the window, --range and --repo out.")
    if arguments.upstream and not arguments.fork:
        raise UsageError("--upstream belongs to --fork.", "For example --fork main --upstream upstream/main.")


def _refuse_beside_pins(arguments: argparse.Namespace, days: bool) -> None:
    named = "--bumps" if arguments.bumps else "--from-pin"
    if arguments.range or arguments.git is not None or arguments.fork or (arguments.bumps and arguments.from_pin):
        raise UsageError(f"{named} finds its ranges itself.", "Leave --range, --git and --fork out.")
    if days:
        raise UsageError(f"{named} and days name two different things to look at.", "Use one of them.")


# --- what is asked -------------------------------------------------------------------------------------------------


@contextmanager
def _asked(arguments: argparse.Namespace, voice: Voice) -> Iterator[tuple[list[Upstream], Yours, str, Settings | None]]:
    """Both sides of the question, the language of the answer, and the config where there is one."""
    from functools import partial

    from msgspec.structs import replace

    if arguments.git is None:
        flags = {"analyst": {"kind": arguments.analyst}} if arguments.analyst else {}
        settings = settings_of(arguments.config, flags, _INSTEAD)
        how = _bumped if arguments.bumps or arguments.from_pin else _ranges if arguments.range else _windows
        found = how(arguments, settings, voice)
        if not (arguments.range or arguments.bumps or arguments.repo):
            _tell_of_pins(Path(arguments.path), settings, voice, arguments.exclude)
        language = arguments.lang or settings.languages[0]
        yours = _yours(arguments, settings.base, settings.environment, settings.workers)
        yield found, replace(yours, launchers=settings.config.impact.launchers), language, settings
        return
    from daybreak.upgrade.impact import in_range
    from daybreak.upgrade.range import Job

    (name, text) = arguments.range[0]
    repo, variables = unlisted(name, arguments.git)
    with kept_of(repo) as folder:
        turn = partial(turn_of, folder, repo, voice)
        job = Job(repo, folder, variables, offline=arguments.offline, workers=cores(), turn=turn)
        with with_progress(job, voice) as counted:
            upstream = in_range(counted, text, voice.say)
        base = Path(arguments.config).parent.resolve()
        yield [upstream], _yours(arguments, base, variables, cores()), arguments.lang or "en", None


def _yours(arguments: argparse.Namespace, base: Path, variables: dict[str, str], workers: int) -> Yours:
    from daybreak.core.config import now
    from daybreak.store.acks import FILE_NAME, load_acks
    from daybreak.upgrade.impact import Yours

    file = Path(arguments.acks) if arguments.acks else base / FILE_NAME
    if arguments.acks and not file.exists():
        raise UsageError(f"There is no {file}.", "Write one with `daybreak ack`.")
    today = now(variables).date()
    exclude = tuple(arguments.exclude)
    return Yours(
        Path(arguments.path), arguments.path, today, load_acks(file), file.name, arguments.all, workers, exclude
    )


def _ranges(arguments: argparse.Namespace, settings: Settings, voice: Voice) -> list[Upstream]:
    from daybreak.upgrade.impact import in_range

    repos = settings.repos()
    asked = [(listed(repos, name), text) for name, text in arguments.range]
    found = []
    for repo, text in asked:
        with with_progress(range_job(settings, repo, arguments.offline, voice), voice) as job:
            found.append(in_range(job, text, voice.say))
    return found


def _bumped(arguments: argparse.Namespace, settings: Settings, voice: Voice) -> list[Upstream]:
    """The upgrades that the pins made; one whose versions cannot be found in its repository is told, and counts."""
    from daybreak.core.projects import wanted_for
    from daybreak.runs.bumps import bumps, pinned
    from daybreak.runs.wiring import program

    repos = {repo.name: repo for repo in _chosen(settings, arguments.repo)}
    if arguments.bumps:
        found = bumps(program(settings), Path(arguments.path), arguments.bumps, wanted_for(repos))
    else:
        found = pinned(Path(arguments.path), wanted_for(repos), arguments.from_pin)
    for bump in found:
        voice.say(bump.told)
    from msgspec.structs import replace

    jobs = (range_job(settings, repos[bump.repo], arguments.offline, voice) for bump in found)
    return [replace(_upgrade(job, bump, voice), pin=bump.told) for job, bump in zip(jobs, found, strict=True)]


def _tell_of_pins(root: Path, settings: Settings, voice: Voice, exclude: Sequence[str]) -> None:
    """Which pinned packages, of those that we know the repository of, nobody watches: the answer is not about them."""
    from daybreak.cli.own_code import well_known
    from daybreak.core.profiles import profiles
    from daybreak.core.projects import wanted_for
    from daybreak.runs.bumps import pinned

    watched = {repo.name.lower() for repo in settings.repos()}
    known = {*(one.repo for one in profiles()), *well_known().values()}
    others = wanted_for(sorted(one for one in known if one.lower() not in watched))
    found = pinned(root, others, "latest", exclude)
    if found:
        told = ", ".join(f"{one.repo} ({one.place})" for one in found[:8]) + (", …" if len(found) > 8 else "")
        voice.say(f"pinned here and not watched, so not looked at: {told}; to have one looked at, add it as a [[repo]]")


def _unwatched(arguments: argparse.Namespace, settings: Settings | None) -> tuple[str, ...]:
    """Pins that moved since the commit of `--bumps`, and that nothing is watched of."""
    if not arguments.bumps or settings is None:
        return ()
    from daybreak.core.projects import wanted_for
    from daybreak.runs.bumps import unwatched
    from daybreak.runs.wiring import program

    repos = [repo.name for repo in _chosen(settings, arguments.repo)]
    return tuple(
        one.told for one in unwatched(program(settings), Path(arguments.path), arguments.bumps, wanted_for(repos))
    )


def _upgrade(job: Job, bump: Bump, voice: Voice) -> Upstream:
    from daybreak.core.model.changes import Skipped
    from daybreak.upgrade.impact import Upstream, in_range

    refused: UsageError | None = None
    for text in bump.ranges:
        try:
            with with_progress(job, voice) as counted:
                return in_range(counted, text, voice.say)
        except UsageError as error:
            refused = refused or error  # the usual form of a tag says best what is missing
        except GitError as error:
            skipped = Skipped(bump.repo, error.message, error.tip)
            return Upstream(job.repo, f"{bump.before}..{bump.after}", skipped=(skipped,), failed=True)
    reason = f"no tags for {bump.before} and {bump.after} ({bump.place})"
    told = Skipped(
        bump.repo, f"{reason}: {refused.message.rstrip('.')}" if refused else reason, refused.tip if refused else ""
    )
    return Upstream(job.repo, f"{bump.before}..{bump.after}", skipped=(told,), failed=True)


def _windows(arguments: argparse.Namespace, settings: Settings, voice: Voice) -> list[Upstream]:
    from daybreak.upgrade.impact import in_window

    days = days_of(arguments, settings)
    what = days[0].label if len(days) == 1 else f"{days[0].label} – {days[-1].label}"
    found = []
    repos = _chosen(settings, arguments.repo)
    with voice.progress(what, len(repos)) as steps:
        for repo in repos:
            steps.begin(repo.name)
            job = range_job(settings, repo, arguments.offline, voice)
            found.append(in_window(job, days[0].since, days[-1].until, what, voice.say))
            steps.done(repo.name)
    return found


def _chosen(settings: Settings, only: Sequence[str]) -> list[Repo]:
    repos = settings.repos()
    if not repos:
        raise UsageError("The watchlist is empty.", "Add a [[repo]] with its name to daybreak.toml.")
    return [listed(repos, name, "") for name in dict.fromkeys(only)] if only else list(repos)


# --- the answer ----------------------------------------------------------------------------------------------------


def _tell(report: ImpactReport, upstreams: Sequence[Upstream], arguments: argparse.Namespace, voice: Voice) -> None:
    """What the chosen form leaves out, on stderr."""
    from daybreak.upgrade.impact.form_text import Wording

    for upstream in upstreams:
        for skipped in upstream.skipped if upstream.failed else ():
            voice.skipped(skipped)
    newest = max((upstream.newest for upstream in upstreams), default="")
    if newest and all(upstream.empty for upstream in upstreams):
        voice.say(f"no commit lies in {upstreams[0].what}; the newest that is here is of {newest}: --date {newest}")
    if report.unread:
        voice.warn(unread_told(len(report.unread)))
    if report.unwatched and arguments.format in ("github", "sarif"):
        voice.warn(Wording("en").unwatched(report, str))
    if arguments.format == "github":
        for what, day in report.expired:
            voice.warn(f"an acknowledgement has expired and counts again: {what} ({day})")
        for what in report.unused:
            voice.warn(f"an acknowledgement that nothing needs: {what}")
    if report.files == 0:
        voice.warn(f"{arguments.path}: there is nothing that can be read as code, settings or scripts")


# --- forks ---------------------------------------------------------------------------------------------------------


def _fork(arguments: argparse.Namespace, root: Path, voice: Voice) -> int:
    from daybreak.core.config import environment
    from daybreak.upgrade.fork.forking import fork_report
    from daybreak.upgrade.impact import fork_rendered

    if arguments.format in ("sarif", "github"):
        raise UsageError(f"--fork has no form {arguments.format!r}.", "Use --format text, markdown or json.")
    language = arguments.lang or _first_language(arguments.config)
    report = fork_report(root, arguments.fork, arguments.upstream, environment(), voice.say)
    printed(fork_rendered(report, arguments.format, language))
    return EXIT_LOOK if report.touches or report.skipped or not report.merges else EXIT_DONE


def _first_language(config: str) -> str:
    """The config's, if there is one: forks are compared without it as well."""
    return settings_of(config, {}).languages[0] if Path(config).exists() else "en"
