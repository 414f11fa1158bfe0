"""From config to concrete objects: the only file that looks names up."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from daybreak.analyse import ANALYSTS
from daybreak.check import CHECKERS
from daybreak.collect import SOURCES
from daybreak.config import Settings
from daybreak.errors import ConfigError
from daybreak.execute import EXECUTORS
from daybreak.gitobjects import Git
from daybreak.model import Page, Report
from daybreak.pipeline import Stages
from daybreak.publish import PUBLISHERS
from daybreak.read import READERS
from daybreak.render import INDEXES, RENDERERS
from daybreak.store.report_files import ReportFiles

RECENT = 7
"""Days that the index shows with their counts."""


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
    executor = find(EXECUTORS, config.execute.kind, "executor")
    git = Git(settings.environment)
    git.take_user_settings(settings.state)
    return Stages(
        source=find(SOURCES, "git", "source")(git, settings.state / "mirrors", offline, say),
        reader=find(READERS, "rules", "reader")(git, settings.state / "cache"),
        analyst=analyst(),
        checker=find(CHECKERS, "all", "checker")(),
        renderers=tuple(find(RENDERERS, name, "renderer")() for name in ("markdown", "data")),
        publisher=find(PUBLISHERS, "folder", "publisher")(settings.out),
        executor=executor(settings.workers, git.stop),
        memory=ReportFiles(settings.out),
    )


def index_pages(memory: ReportFiles, report: Report, settings: Settings) -> tuple[Page, ...]:
    """The index and the archive pages that this report changes; older days are read from what was written of them."""
    from daybreak.render.data import day_line
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
