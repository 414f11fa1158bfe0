"""Statements: sentences of a report with what they rest on, and the grade of a change with its reasons.

Text for readers is a mapping from language code to a string in which `code` stands in backticks and everything
else is literal: renderers escape it, so nothing that came from outside can become markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from daybreak.core.model.part import Count, Part, Text, always

__all__ = ["Text"]

Level = Literal["high", "medium", "low"]

Kind = Literal[
    "feature", "fix", "perf", "refactor", "revert", "docs", "test", "ci", "build", "dependency", "security", "other"
]

Mark = Literal["breaks", "deprecates", "breaks_internals"]

MARKS: tuple[Mark, ...] = get_args(Mark)
"""What findings can show of a change: existing use breaks; something will go; plug-ins and forks break."""

Severity = Literal["wrong_result", "crash", "refuses", "contract", "default", "slower", "faster", "new", "internal"]
"""How bad it is to whom it hits, by a model's reading."""

Hit = Literal["default", "flag", "model", "platform", "plugins", "developers", "nobody"]
"""Whom it hits: everybody by default, who sets a flag, runs one model or one platform, writes plug-ins or works on the project."""

Role = Literal["what", "why", "impact", "risk", "action"]

Dimension = Literal["architecture", "performance", "security", "compatibility", "maintainability"]


class Reason(Part, frozen=True):
    """Why a grade is what it is, in words."""

    code: str
    text: Text


class Importance(Struct, frozen=True):
    level: Level
    score: float
    reasons: tuple[Reason, ...] = ()


Side = Literal["+", "-", " "]


class Proof(Part, frozen=True):
    """A line of the evidence that a model's sentence rests on, verbatim."""

    evidence: str
    """Where it stands: an evidence id."""
    line: str
    side: Side = " "
    """Of a diff: added, removed, or left as it was."""


class Statement(Struct, frozen=True):
    """One sentence of a report with the evidence it rests on.

    Evidence ids: `commit:SHA`, `file:SHA:PATH`, `finding:ID`, `story:ID`, `repo:NAME` (its counts), `window`; of what a
    forge has, `pull:NAME#N`, `issue:NAME#N`, `release:NAME@TAG`.
    """

    role: Role
    text: Text
    evidence: tuple[str, ...]
    dimension: Dimension | None = None
    author: Literal["rules", "model"] = "rules"
    proof: tuple[Proof, ...] = ()
    """Of a model's sentence, the lines that it rests on."""


class ModelReading(Part, frozen=True):
    """What a model made of a change as a whole, out of closed lists."""

    severity: Severity | None = None
    """How bad it is to those it hits; of a fix, what the fix takes away."""
    hit: Hit | None = None
    """Whom it hits."""
    refuted: tuple[str, ...] = ()
    """Findings that both the model and its critic hold for wrong, each with a line that exists."""
    place: int | None = None
    """Among all changes of the day that the model told: 1 is the first that a reader must see; 0, not named."""
    led: bool = False
    """Its first sentence stands, which tells the whole: who meets what and when, and what to do."""
    brings: bool = False
    """That sentence tells what somebody loses by the change, which has no line of a fault that it mends."""
    shown: bool | None = None
    """Whether a critic found its severity in the lines; None: nobody was asked."""


class Verdict(Struct, frozen=True):
    """What a check says of a statement; `reason` is a short code such as `unknown_evidence`."""

    ok: bool
    reason: str = ""
    detail: str = ""


class Grounding(Part, frozen=True):
    """How many statements were made, kept and dropped, and why."""

    statements: Count = always(0)
    kept: Count = always(0)
    dropped: Count = always(0)
    by_reason: Mapping[str, Count] = always({})
