"""What a run works with: one implementation for each stage, those that stand beside the stages, and the day to report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field

from daybreak.collect.interface import Source
from daybreak.core.checkpoint import Kept, Part
from daybreak.core.memory import Memory
from daybreak.core.model.changes import Repo, Window
from daybreak.core.model.links import ForgeDay
from daybreak.core.model.report import Page, RepoReport, Report, Touches
from daybreak.deliver.publish.interface import Publisher
from daybreak.findings.interface import Reader
from daybreak.judge.interface import Analyst
from daybreak.report.gate.interface import Checker
from daybreak.report.render.interface import Renderer
from daybreak.runs.execute.interface import Executor


class Stages(Struct, frozen=True):
    """What runs in each stage."""

    source: Source
    reader: Reader
    analyst: Analyst
    checker: Checker
    renderers: tuple[Renderer, ...]
    publisher: Publisher
    executor: Executor
    memory: Memory
    touches: Callable[[Sequence[RepoReport], Window], Touches] | None = None
    """Joins the day with the reader's own code; None when the config names none."""
    away: Away | None = None
    """Who has the repositories done in other processes; None when threads of this one do it."""
    forge: Joiner | None = None
    """Joins the day with what GitHub has of it; None when no repository is asked about."""
    teller: Teller | None = None
    """Has a model retell the day; None when rules write it alone."""
    verifier: Callable[[Sequence[Page], Report], tuple[str, ...]] | None = None
    """Holds finished pages against git; None: only against the report's data."""
    stop: Callable[[], None] = lambda: None
    """Ends every program that the stages started."""


class Job(Struct, frozen=True):
    """One day to report on."""

    window: Window
    repos: tuple[Repo, ...]
    languages: tuple[str, ...]
    version: str
    force: bool = False
    settings: str = ""
    """Names the settings that decide what is said."""
    kept: Mapping[str, Kept] = field(default_factory=dict)
    """Repository -> its part, which a run finished before it was interrupted."""


Done = Callable[[Part], None]


class Away(Protocol):
    """Makes the parts of a day outside of this process."""

    def parts(self, job: Job, stages: Stages, done: Done) -> tuple[Part, ...]: ...


class Joiner(Protocol):
    """Joins the changes of a day with what a forge has of it."""

    def join(
        self, parts: Sequence[Part], window: Window, force: bool
    ) -> tuple[tuple[RepoReport, ...], ForgeDay | None]:
        """The parts with what the forge adds to them, and all else that it has; None when it was not asked."""
        ...


class Teller(Protocol):
    """Lets a model retell a report that rules made."""

    def tell(self, report: Report) -> Report:
        """The same report, with statements of the model that stand; grades, order, actions and links as they were."""
        ...
