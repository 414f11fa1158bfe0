"""What a model wrote, before it may be called a statement: pieces of evidence, drafts that cite them, and their fate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Grounding, Role, Statement, Text


class Piece(Struct, frozen=True):
    """A piece of evidence as a model is shown it: exactly this text, under this name."""

    ref: str
    """`M1` the commit's message, `P1` its pull request, `I1` an issue, `F3` a finding, `D4` a part of the diff,
    `S2` a statement that survived (for repositories and days), `N1` counts."""
    id: str
    """The report's evidence id: `commit:SHA`, `pull:…`, `finding:ID`, `file:SHA:PATH`, `repo:NAME`, `window`."""
    text: str
    names: Mapping[str, str] = field(default_factory=dict)
    """Placeholders that code renders: `file:3` -> the path, `pr:1` -> `#123`, `commit:1` -> the short sha, `count:2` -> 17."""


class Case(Struct, frozen=True):
    """All that one question rests on."""

    about: str
    """The change's sha, the repository's name, or the day's label."""
    repo: str
    pieces: tuple[Piece, ...]
    findings: tuple[Finding, ...] = ()
    """All findings of the change, also those of parts that another question shows."""
    context: str = ""
    """All plain facts of the change: message, every path, every patch line, pull request: words may stand here too."""

    def piece(self, ref: str) -> Piece | None:
        return next((piece for piece in self.pieces if piece.ref == ref), None)

    @property
    def names(self) -> dict[str, str]:
        """Every placeholder of the case."""
        return {name: value for piece in self.pieces for name, value in piece.names.items()}


def home_of(ref: str) -> str:
    """The mark of the change that a piece is of, `C3` of `C3.D1`; none where a question is about one thing."""
    return ref.rpartition(".")[0]


class Span(Struct, frozen=True):
    """A verbatim line of the evidence."""

    ref: str
    """The piece it stands in."""
    line: str


class Draft(Struct, frozen=True):
    """One sentence as a model wrote it, with `{file:3}`-like placeholders still in its texts."""

    role: Role
    text: Text
    spans: tuple[Span, ...] = ()
    """The lines that it rests on."""
    refs: tuple[str, ...] = ()
    """Of a sentence about statements, those that it rests on."""

    @property
    def cited(self) -> tuple[str, ...]:
        """The pieces that it rests on."""
        return tuple(dict.fromkeys((*(span.ref for span in self.spans), *self.refs)))

    @property
    def home(self) -> str:
        """The change that it is about, by the first of them."""
        return next(map(home_of, self.cited), "")


class Fate(Struct, frozen=True):
    """What became of a draft."""

    draft: Draft
    statement: Statement | None
    """Rendered, with `author="model"`; None when it was dropped."""
    reason: str = ""
    """Short code such as `name_not_in_evidence`."""
    detail: str = ""
    """The word, number or line at fault, or under which condition alone it holds: goes back to the model once."""
    at: tuple[str, ...] = ()
    """Pieces of evidence that its writer needs beside those it cites."""


Outcome = Literal["told", "rules", "budget", "fault"]
"""Of a change: told by the model, nothing it said stood, the budget was spent before it, no answer could be had."""


class Left(Struct, frozen=True):
    """A change that the rules tell, or one that the model was shown in part, and why."""

    repo: str
    """Empty: it is the day as a whole."""
    sha: str
    """Empty: it is the repository's day."""
    why: Outcome
    detail: str = ""
    """Of a fault, its refusal; of a part, how many pieces of evidence were not shown."""


class Retelling(Struct, frozen=True):
    """What a model had to do with a report."""

    model: str
    """All that answered, most answers first."""
    prompt_version: str
    grounding: Grounding
    """Of the model's statements alone."""
    told: int = 0
    """Changes that are told in its words."""
    below: int = 0
    """Changes below the grade that are told by rules."""
    left: tuple[Left, ...] = ()
    partly: tuple[Left, ...] = ()
    """Told, but not from all of its evidence."""
    answers: tuple[tuple[str, str, int], ...] = ()
    """Endpoint, model and how many answers in use came from there; most first."""
    preferred: str = ""
    """The endpoint that the config names first."""
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = None
    """What the answers cost when they were first made."""
    critic: bool = False
    """A critic judged what the sentences mean; without one names and numbers alone are checked."""
    unheard: int = 0
    """Sentences that the critic gave no answer about."""
    mended: int = 0
    """Sentences that went back once and came again so that they stand."""
    unlooked: int = 0
    """Changes below the grade that the model was to look at and gave no answer about."""
    briefly: int = 0
    """Of those it tells such below the grade, asked about many at a time, in a sentence each."""
    weighed: int = 0
    """Changes that it weighed beside each other for the first screen."""
    unranked: int = 0
    """Changes that it was to weigh so and gave no usable answer about."""
