"""Wiring: from config to concrete objects; the only file that looks names up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from daybreak.core.checkpoint import Asked, Memory
from daybreak.core.config import Settings, now
from daybreak.core.errors import CheckError, ConfigError, GitError, RepositoryError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo, Skipped, Window
from daybreak.core.model.day import Day, Touches
from daybreak.core.model.report import Page, Receipt, RepoReport
from daybreak.core.model.upgrade import RangeReport
from daybreak.core.words.phrases import checked_languages
from daybreak.deliver.publish.folder import FolderPublisher
from daybreak.runs.executors import EXECUTORS, Executor
from daybreak.runs.pipeline import Joiner, Stages
from daybreak.store import Answers

if TYPE_CHECKING:
    from daybreak.collect.github.source import GithubSource
    from daybreak.judge.forge_join import Mirrors
    from daybreak.prose.ask_model import Around
    from daybreak.prose.llm import KeptAnswers
    from daybreak.prose.llm.asking import Spent
    from daybreak.prose.model_prose import Telling


ANALYSTS = {
    "rules": "daybreak.judge.rules:RuleAnalyst",
    "llm": "daybreak.prose.ask_model:ModelAnalyst",
}
"""`[analyst] kind` -> where it is defined."""
JUDGED = 40
"""Parts of days of one repository that are kept."""


def find(registry: dict[str, str], name: str, what: str) -> str:
    """Where the class behind a name of a registry is defined; an unknown name lists the valid ones."""
    if name not in registry:
        raise ConfigError(
            f"There is no {what} {name!r} in this version.", f"Use one of: {', '.join(sorted(registry))}."
        )
    return registry[name]


def load(place: str) -> Any:
    """What is defined at `module:name`."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def build(place: str, *arguments: Any) -> Any:
    """What the class at `module:name` makes of these."""
    return load(place)(*arguments)


class Late:
    """A stage that is read in when it is first asked: by then the first repository was brought."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = cache(make)
        self._lock = Lock()

    def _value(self) -> Any:
        with self._lock:  # repositories are done in threads
            return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value(), name)

    def __call__(self, *arguments: Any) -> Any:
        return self._value()(*arguments)


def stages(settings: Settings, offline: bool, say: Callable[[str], None], memory: Memory) -> Stages:
    """Everything a run needs, from the config; `memory` tells what was reported before."""
    git = program(settings)  # before all that is read in below: a machine without git is told at once
    from daybreak.collect.git.mirror import folder_name
    from daybreak.collect.git.source import GitSource
    from daybreak.core.file_cache import Found
    from daybreak.deliver.publish.folder import FolderPublisher
    from daybreak.findings.reader import RuleReader

    config = settings.config
    analyst = find(ANALYSTS, config.analyst.kind, "analyst")
    return Stages(
        source=GitSource(git, settings.state / "mirrors", offline, say, settings.state / "cache"),
        reader=RuleReader(git, settings.state / "cache"),
        analyst=Late(partial(build, analyst, config.reader)),
        checker=Late(partial(build, "daybreak.judge.checks.day:AllChecks")),
        pages=Late(partial(load, "daybreak.report.render.markdown:all_pages")),
        gate=Late(partial(load, "daybreak.report.gate:problems")),
        publisher=FolderPublisher(settings.out),
        executor=executor(settings, git),
        memory=memory,
        touches=_toucher(settings) if config.impact.paths else None,
        verifier=_verifier(settings, git),
        stop=git.stop,
        judged=lambda repo: Found(settings.state / "cache" / "judged" / folder_name(repo), JUDGED),
        faults=lambda repo: git.faults.take(mirror_path(settings, repo)),
        lacking=_lacking,
    )


def _lacking(repo: Repo, said: str) -> Skipped | None:
    from daybreak.collect.git.chain import explain, lacks_objects

    if not lacks_objects(said):
        return None
    known = explain(GitError("", detail=said), repo.git, repo.branch)
    return Skipped(repo.name, f"{known.reason}, so findings, stories or releases may be missing", known.tip, said)


def _verifier(settings: Settings, git: Git) -> Callable[[Sequence[Page], Day], tuple[str, ...]]:
    """Holds the links of finished pages against the mirrors on this machine; their words were held against the data."""

    def problems(pages: Sequence[Page], day: Day) -> tuple[str, ...]:
        from daybreak.verify.mirror import Mirror
        from daybreak.verify.values import problems_of

        mirrors, watched = {}, {repo.name: repo for repo in settings.repos()}
        for part in day.repos:
            path = mirror_path(settings, watched[part.name])
            if part.in_git is not None and path.is_dir():
                mirrors[part.name] = Mirror(part.name, part.url, git, path, part.branch)
        return problems_of(pages, mirrors)

    return problems


def mirror_path(settings: Settings, repo: Repo) -> Path:
    """The folder of a repository's mirror, whether it is there or not."""
    from daybreak.collect.git.mirror import folder_name

    return settings.state / "mirrors" / folder_name(repo)


def executor(settings: Settings, git: Git) -> Executor:
    """Where the work runs; ours is in processes when the config says so, else in threads."""
    chosen = settings.config.execute
    kind = "processes" if chosen.kind == "local" and chosen.processes else chosen.kind
    made = find(EXECUTORS, kind, "executor")
    arguments: dict[str, tuple[Any, ...]] = {
        "local": (settings.workers, git.stop),
        "processes": (settings.workers,),
        "ray": (chosen.address, chosen.workers),
    }
    found: Executor = build(made, *arguments[kind])
    return found


def in_other_processes(settings: Settings) -> bool:
    """The repositories are not done by threads of this process."""
    return settings.config.execute.kind != "local" or settings.config.execute.processes


def mirror_with(settings: Settings, repo: Repo, wanted: Collected, offline: bool, say: Callable[[str], None]) -> Path:
    """Folder of a mirror on this machine that has these changes and their contents."""
    from daybreak.collect.git.mirror import open_mirror

    git = program(settings)
    shas = [change.sha for change in wanted.changes]
    path = mirror_path(settings, repo)
    have = path.is_dir() and not git.missing(path, shas)
    return open_mirror(git, repo, path.parent, offline or have, say).path


def newest_day(settings: Settings, names: Sequence[str]) -> date | None:
    """The day of the newest commit that the mirrors of these repositories have, in the config's zone."""
    git = program(settings)
    found: list[date] = []
    for repo in settings.repos():
        path = mirror_path(settings, repo)
        if repo.name in names and path.is_dir():
            with suppress(GitError, ValueError, OverflowError, OSError):
                moment = int(git.run("log", "-1", "--format=%ct", "HEAD", at=path))
                found.append(datetime.fromtimestamp(moment, settings.zone).date())
    return max(found, default=None)


def mirror_paths(
    settings: Settings, repos: Sequence[Repo], offline: bool, say: Callable[[str], None]
) -> tuple[dict[str, tuple[Path, str | None]], tuple[Skipped, ...]]:
    """Repository -> folder to read it from and branch, and those that cannot be read; a local path needs no mirror."""
    from daybreak.collect.git.mirror import open_mirror
    from daybreak.core.config import is_remote

    git = program(settings)
    found: dict[str, tuple[Path, str | None]] = {}
    skipped: list[Skipped] = []
    for repo in repos:
        try:
            mirror = open_mirror(git, repo, settings.state / "mirrors", offline, say)
            found[repo.name] = (mirror.path, mirror.branch)
        except RepositoryError as error:
            if not is_remote(repo.git) and Path(repo.git).is_dir():
                found[repo.name] = (Path(repo.git), repo.branch)
            else:
                skipped.append(Skipped(repo.name, error.reason, error.tip))
    return found, tuple(skipped)


def _toucher(settings: Settings) -> Callable[[Sequence[RepoReport], Window], Touches]:
    """Joins a day with the code at the configured paths, less what is acknowledged beside the config."""
    from daybreak.store.acks import FILE_NAME, load_acks
    from daybreak.upgrade.impact.answer import touches_of

    # As `os.path` has it: the home of somebody unknown is a path that is not there, and no accident.
    paths = [(name, settings.base / os.path.expanduser(name)) for name in settings.config.impact.paths]  # noqa: PTH111
    acks = load_acks(settings.base / FILE_NAME)
    return lambda repos, window: touches_of(repos, window, paths, acks, settings.config.impact.launchers)


@contextmanager
def github(
    settings: Settings,
    answers: Answers,
    offline: bool,
    say: Callable[[str], None],
    done: Callable[[Window, Asked], None],
) -> Iterator[Joiner]:
    """Joins days with what GitHub has of them, if a repository is asked about, and their repositories in any case."""

    def clock() -> datetime:
        return now(settings.environment)

    def joining(source: GithubSource | None) -> Joiner:
        from daybreak.judge.forge_join import Joining

        return Joining(source, answers, settings.asked, done, clock, _looking(settings, offline, say))

    if not any(map(settings.asked, settings.repos())):
        yield Late(partial(joining, None))
        return
    from daybreak.collect.github.source import Credentials, GithubSource

    credentials = Credentials.found_in(settings.environment)
    api, silent = settings.config.github.api, offline or settings.config.github.offline
    source = GithubSource(answers, credentials, api, offline=silent, now=clock, say=say)
    try:
        yield Late(partial(joining, source))
    finally:
        source.close()


def _looking(settings: Settings, offline: bool, say: Callable[[str], None]) -> Mirrors:
    """Looks into the mirrors of this machine; one that other machines worked on is made here when it is needed."""
    from daybreak.collect.git.mirror import folder_name, mirror_at, open_mirror
    from daybreak.core.file_cache import Found
    from daybreak.findings.reader import RuleReader
    from daybreak.judge.cross_repo.mirrors import Looked, Looking
    from daybreak.judge.cross_repo.trees import Opened

    git = program(settings)

    def opened(repo: Repo, commit: str) -> Opened:
        path = mirror_path(settings, repo)
        have = path.is_dir() and not git.missing(path, [commit])
        mirror = mirror_at(path, commit) if have else open_mirror(git, repo, path.parent, offline, say)
        return Opened(mirror.path, Found(settings.state / "cache" / "trees" / folder_name(repo)))

    def removed_name_uses(git: Git, reports: Sequence[RepoReport], mirror: Callable[[str], Opened | None]) -> Looked:
        from daybreak.upgrade.impact.removed_name_uses import uses_at_heads

        return uses_at_heads(git, reports, mirror)

    return Looking(git, RuleReader(git, settings.state / "cache"), opened, removed_name_uses)


@contextmanager
def telling(
    settings: Settings,
    kept: KeptAnswers,
    say: Callable[[str], None],
    spent: Callable[[Spent], None],
    *,
    offline: bool,
    force: bool,
) -> Iterator[Telling]:
    """Has the configured model retell reports; what it needs is imported only when a model is to write."""
    from daybreak.prose.llm.endpoints import endpoints_of
    from daybreak.prose.llm.opening import open_critic, open_model
    from daybreak.prose.model_prose import Telling, Wanted
    from daybreak.prose.questions import Asker, Limits

    config = settings.config.analyst
    model = open_model(config, settings.environment, kept, say, spent, offline=offline, force=force)
    rooms = [endpoint.context for endpoint in config.endpoints if endpoint.context]
    limits = Limits.within(min(rooms, default=0), config.budget.parts)
    wanted = Wanted(config.grade, config.slots, limits, config.budget.changes, endpoints_of(config, {})[0].name)
    teller = Telling(
        lambda: model,
        Asker(checked_languages()),
        wanted,
        open_critic(config, settings.environment, kept, say, model),
        say,
        _around(settings),
    )
    try:
        yield teller
    finally:
        teller.close()


def _around(settings: Settings) -> Around:
    """What surrounds a change, from the mirrors of this machine."""
    from daybreak.findings.trees import GitTrees
    from daybreak.prose.surroundings import Surroundings

    git, watched = program(settings), {repo.name: repo for repo in settings.repos()}

    @cache
    def of(name: str) -> Surroundings | None:
        path = mirror_path(settings, watched[name]) if name in watched else None
        if path is None or not path.is_dir():
            return None
        return Surroundings(GitTrees(git, path))

    return of


def program(settings: Settings) -> Git:
    """The sealed git of these settings, with what the user's own git config lets through."""
    git = Git(settings.environment)
    git.take_user_settings(settings.state)
    return git


# --- An upgrade report as pages that agree with its data, and into a folder ---

__all__ = ["checked_pages", "counted", "line", "publish"]


def checked_pages(report: RangeReport) -> tuple[RangeReport, tuple[Page, ...]]:
    """The report without what its commits do not bear out, and its pages: main edition first, data last.

    Pages that contradict the data are never handed on.
    """
    from daybreak.upgrade.range.check_ranges import check_pages, check_range
    from daybreak.upgrade.range.range_page import RangePages

    checked = check_range(report)
    pages = RangePages().pages(checked)
    problems = check_pages(pages, checked)
    if problems:
        span = checked.span
        raise CheckError(
            f"The pages of {span.repo.name} {span.start.name}..{span.end.name} contradict the data"
            f" ({len(problems)} places), so they are not published: {problems[0]}",
            "This is a bug in Daybreak: please report it with the two refs.",
        )
    return checked, pages


def publish(pages: Sequence[Page], out: Path) -> Receipt:
    """All of them or none, and never over a file that is not ours."""
    return FolderPublisher(out).publish(pages)


def line(report: RangeReport) -> str:
    """The report in a line; two folders of sources have no commits to count."""
    from daybreak.core.text import counted as told
    from daybreak.upgrade.range.range_sections import breaking_nets, is_trees, range_label, skipped_of

    trees = is_trees(report)
    counts = [told(len(breaking_nets(report)), "breaking finding")]
    counts += [] if trees else [f"{len(report.left_behind)} left behind"]
    counts.append(f"{len(skipped_of(report))} skipped")
    if report.hits is not None:
        counts.append(f"{told(counted(report), 'place')} of yours touched")
    what = "two source trees compared" if trees else told(len(report.entries), "commit")
    return f"{report.span.repo.name} {range_label(report)}: {what} ({'; '.join(counts)})"


def counted(report: RangeReport) -> int:
    """Places that are touched and that nobody has acknowledged."""
    return sum(hit.acknowledged is None for hit in report.hits or ())
