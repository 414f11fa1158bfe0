"""From config to concrete objects: the only file that looks names up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from daybreak.analyse import ANALYSTS
from daybreak.check import CHECKERS
from daybreak.collect import SOURCES
from daybreak.config import Settings, now
from daybreak.errors import ConfigError, DaybreakError
from daybreak.execute import EXECUTORS
from daybreak.execute.interface import Executor
from daybreak.gitobjects import Git
from daybreak.items import Envelope
from daybreak.model import Collected, Note, Page, Repo, RepoReport, Report, Touches, Window
from daybreak.parts import Asked
from daybreak.pipeline import Joiner, Stages, later_notes
from daybreak.publish import PUBLISHERS
from daybreak.read import READERS
from daybreak.render import INDEXES, RENDERERS
from daybreak.store.interface import Answers
from daybreak.store.report_files import ReportFiles


def find(registry: dict[str, str], name: str, what: str) -> Any:
    """The class behind a name of a registry; an unknown name lists the valid ones."""
    if name not in registry:
        raise ConfigError(
            f"There is no {what} {name!r} in this version.", f"Use one of: {', '.join(sorted(registry))}."
        )
    module, _, attribute = registry[name].partition(":")
    return getattr(import_module(module), attribute)


def stages(settings: Settings, offline: bool, say: Callable[[str], None]) -> Stages:
    """Everything a run needs, from the config."""
    config = settings.config
    analyst = find(ANALYSTS, config.analyst.kind, "analyst")
    git = program(settings)
    git.version()
    return Stages(
        source=find(SOURCES, "git", "source")(git, settings.state / "mirrors", offline, say),
        reader=find(READERS, "rules", "reader")(git, settings.state / "cache"),
        analyst=analyst(config.reader),
        checker=find(CHECKERS, "all", "checker")(),
        renderers=tuple(find(RENDERERS, name, "renderer")() for name in ("markdown", "data")),
        publisher=find(PUBLISHERS, "folder", "publisher")(settings.out),
        executor=executor(settings, git),
        memory=ReportFiles(settings.out),
        touches=_toucher(settings) if config.impact.paths else None,
        stop=git.stop,
    )


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
    found: Executor = made(*arguments[kind])
    return found


def in_other_processes(settings: Settings) -> bool:
    """The repositories are not done by threads of this process."""
    return settings.config.execute.kind != "local" or settings.config.execute.processes


def mirror_with(settings: Settings, repo: Repo, wanted: Collected, offline: bool, say: Callable[[str], None]) -> Path:
    """Folder of a mirror on this machine that has these changes and their contents."""
    from daybreak.collect.blobs import fetch_missing_blobs
    from daybreak.collect.mirror import folder_name, open_mirror

    git = program(settings)
    shas = [change.sha for change in wanted.changes]
    path = settings.state / "mirrors" / folder_name(repo)
    have = path.is_dir() and not git.missing(path, shas)
    mirror = open_mirror(git, repo, settings.state / "mirrors", offline or have, say)
    if mirror.blobless and not offline:
        fetch_missing_blobs(git, mirror, shas)
    return mirror.path


def _toucher(settings: Settings) -> Callable[[Sequence[RepoReport], Window], Touches]:
    """Joins a day with the code at the configured paths, less what is acknowledged beside the config."""
    from daybreak.store.acks import FILE_NAME, load_acks
    from daybreak.touches import touches_of

    paths = [(name, settings.base / Path(name).expanduser()) for name in settings.config.impact.paths]
    acks = load_acks(settings.base / FILE_NAME)
    return lambda repos, window: touches_of(repos, window, paths, acks)


@contextmanager
def github(
    settings: Settings,
    answers: Answers,
    offline: bool,
    say: Callable[[str], None],
    done: Callable[[Window, Asked], None],
) -> Iterator[Joiner]:
    """Joins days with what GitHub has of them; what it needs is imported only when a repository is asked about."""
    from daybreak.collect.github import Credentials, GithubSource
    from daybreak.joining import Joining

    def clock() -> datetime:
        return now(settings.environment)

    credentials = Credentials.found_in(settings.environment)
    api = settings.config.github.api
    source = GithubSource(answers, credentials, api, offline=offline, now=clock, say=say)
    try:
        yield Joining(source, answers, settings.asked, done, clock)
    finally:
        source.close()


def ask_github(settings: Settings, offline: bool) -> str:
    """Which credentials there are and what GitHub leaves them, in words; raises what a run would meet."""
    from daybreak.collect.forge.client import Bounds
    from daybreak.collect.forge.faults import ForgeFault
    from daybreak.collect.github import Credentials, GithubSource

    credentials = Credentials.found_in(settings.environment)
    told = f"GitHub: {credentials}" + (
        "" if credentials else " (GITHUB_TOKEN is not set: of issues and pulls, the main part)"
    )
    if not any(map(settings.asked, settings.repos())):
        return f"{told}; no repository is asked about"
    if offline:
        return f"{told}; not asked now"
    source = GithubSource(_Nothing(), credentials, settings.config.github.api, bounds=Bounds(tries=2, wait=0.0))
    try:
        limit = source.limit()
    except ForgeFault as fault:
        raise DaybreakError(f"GitHub {fault.reason}.", fault.tip or "Check [github] api and the network.") from None
    finally:
        source.close()
    return f"{told}; " + (
        "no limit" if limit is None else f"{limit.remaining} of {limit.limit} requests left this hour"
    )


class _Nothing:
    """Keeps no answers."""

    def get(self, *_: str) -> None:
        return None

    def put(self, _: Sequence[Envelope], /) -> None:
        return None


def git_version(environment: Mapping[str, str]) -> str:
    """The git program's version in words; raises when there is none, or an old one."""
    return "git " + ".".join(map(str, Git(environment).version()))


def program(settings: Settings) -> Git:
    """The sealed git of these settings, with what the user's own git config lets through."""
    git = Git(settings.environment)
    git.take_user_settings(settings.state)
    return git


def ask_upstream(settings: Settings, repo: Repo, offline: bool) -> str:
    """Where a repository stands upstream, or that its mirror is on disk; raises what a run would meet."""
    from daybreak.collect.mirror import folder_name, reachable

    if not offline:
        return f"{repo.name}: {reachable(program(settings), repo)}"
    if (settings.state / "mirrors" / folder_name(repo)).exists():
        return f"{repo.name}: mirror on disk"
    raise ConfigError(f"{repo.name} has no mirror on disk.", "Run once without --offline.")


def refuse_foreign(settings: Settings) -> None:
    """Raises when a file that is not ours stands where the index would be written."""
    find(PUBLISHERS, "folder", "publisher")(settings.out).refuse_foreign(["README.md"])


def note_pages(memory: ReportFiles, label: str, settings: Settings) -> tuple[Page, ...]:
    """Pages of earlier days that get a note, since the report of `label` tells how long their changes were at fault."""
    repos = settings.repos()
    days: set[str] = set()
    for repo in repos:
        today = memory.day(label, repo.name)
        for span in today.broken if today else ():
            days |= {r.label for r in memory.earlier(label, repo.name) if span.fault in (*r.commits, *r.late)}
    pages: list[Page] = []
    for day in sorted(days):
        notes = [note for repo in repos for note in later_notes(repo, day, memory)]
        for language in settings.languages:
            ending = ".md" if language == settings.languages[0] else f".{language}.md"
            pages += _noted(settings, f"reports/{day}{ending}", notes, language, ending, "")
            for repo in repos:
                own = [note for note in notes if note.repo.name == repo.name]
                path = f"reports/{day}/{repo.name.replace('/', '-')}{ending}"
                pages += _noted(settings, path, own, language, ending, "../") if own else []
    return tuple(pages)


def _noted(settings: Settings, path: str, notes: Sequence[Note], language: str, ending: str, up: str) -> list[Page]:
    from daybreak.render.notes import with_notes

    try:
        text = (settings.out / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []  # a page that is not there needs no note
    return [Page(path, with_notes(text, notes, language, ending, up))]


def index_pages(memory: ReportFiles, report: Report, settings: Settings) -> tuple[Page, ...]:
    """The index and the archive pages that this report changes; older days are read from what was written of them."""
    from daybreak.render.data import day_line
    from daybreak.render.index import RECENT
    from daybreak.render.stored import day_line_from_json

    labels = sorted({*memory.labels(), report.window.label})
    written = [p.stem for p in (settings.out / "reports").glob("????-??.md")]
    changed = {label for label in labels if label[:7] == report.window.label[:7] or label[:7] not in written}
    shown = sorted(changed | set(labels[-RECENT:]))
    days = [
        day_line(report) if label == report.window.label else day_line_from_json(memory.path(label).read_bytes())
        for label in shown
    ]
    pages: tuple[Page, ...] = find(INDEXES, "markdown", "index")().pages(days, settings.languages[0], labels)
    return pages
