"""The frozen values of upgrades: a range between two refs, what your own code uses, and what touches it.

Only `model` is imported here: every stage may depend on this file, and this file on none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from msgspec import Struct, field

from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.findings import Finding, Unread
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Grounding, Statement, Text

# --- a range between two refs ------------------------------------------------------------------------------------


class Ref(Struct, frozen=True):
    """One end of a range."""

    name: str
    """As the user wrote it (`v0.14.1`, `main`, `latest` resolved to its tag, a sha), or a folder of a source tree."""
    sha: str
    committed_at: datetime


class Span(Struct, frozen=True):
    """The first-parent commits between two refs, through the commit both descend from."""

    repo: Repo
    start: Ref
    end: Ref
    gained: tuple[str, ...] = ()
    """Commits of `end` since the common ancestor, oldest first."""
    lost: tuple[str, ...] = ()
    """Commits of `start` since the common ancestor, oldest first: an upgrade leaves them behind (a release branch's
    cherry-picks, or everything when `end` is the older one)."""
    released: Mapping[str, str] = field(default_factory=dict)
    """sha -> first release that holds it."""
    mirror: str | None = None
    skipped: tuple[Skipped, ...] = ()


class Net(Struct, frozen=True, eq=False):
    """A finding that is true of the range as a whole, and the changes that made it so."""

    finding: Finding
    """`before` is what holds at the start, `after` what holds at the end; `line` and `path` are those of the change
    that was last to touch it."""
    commits: tuple[str, ...]
    """Changes that took part, oldest first; the last one decides what holds now."""
    since: str | None = None
    """First release that holds the last of them."""
    names: tuple[str, ...] = ()
    """Full names it had on the way, oldest first, when the finding shows only one of several: added and then renamed,
    renamed and then removed."""
    under: tuple[Net, ...] = ()
    """What is true as well and says nothing more: a changed default of a flag that is gone, a member of a new class.
    Kept because a later range may bring the flag back."""
    text: Text = field(default_factory=dict)
    """What it is, as a sentence; empty until worded. Words follow from the finding, so they tell no two nets apart."""
    who: Text | None = None
    """Who meets it: part of a sentence, without a full stop."""
    how: Text | None = None
    """What to write instead: part of a sentence, without a full stop."""
    says: str = ""
    """With which words the check refuses that it is about, as the end has them."""
    only: tuple[str, ...] = ()
    """The values that its new type allows, or the names for which alone the program sets it."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Net) and self._told_apart_by() == other._told_apart_by()

    def __hash__(self) -> int:
        return hash(self._told_apart_by())

    def _told_apart_by(self) -> tuple[object, ...]:
        return self.finding, self.commits, self.since, self.names, self.under


class Outage(Struct, frozen=True):
    """A time during which the branch was at fault."""

    fault: str
    """sha that was at fault."""
    repair: str | None
    """sha that repaired or reverted it; None: not repaired at the end of the range."""
    start: datetime
    end: datetime | None
    holds_start: bool = False
    """The range's start lies inside: you run it now."""
    holds_end: bool = False
    """The range's end lies inside: you would get it."""
    repaired_in: str | None = None
    """Where the end lies inside: the first release with the repair, picked or whole; None: none yet."""
    fault_title: str = ""
    repair_title: str = ""
    """Of commits that may stand outside the range, and that no entry tells."""
    repair_says: str = ""
    """Where the end lies inside: the first comment that the repair adds to the sources, word for word."""
    repair_files: tuple[str, ...] = ()
    """And the first sources that it changes, without their folders."""


class RangeReport(Struct, frozen=True):
    """Everything the upgrade report needs; the same data gives the same bytes."""

    span: Span
    tool_version: str
    languages: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    """One for each commit of `span.gained`, newest first; patches are not kept in them."""
    left_behind: tuple[Entry, ...] = ()
    """One for each commit of `span.lost` whose change is not in `gained` as well, newest first."""
    nets: tuple[Net, ...] = ()
    """Breaking ones first, then by surface and name."""
    outages: tuple[Outage, ...] = ()
    summary: tuple[Statement, ...] = ()
    hits: tuple[Hit, ...] | None = None
    """None: nobody asked which of it touches them."""
    ignored: int = 0
    """Breaking findings of which no use was found at the asked path."""
    unread: tuple[Skipped, ...] = ()
    """Files at the asked path that could not be read: they say nothing about the range."""
    skipped: tuple[Skipped, ...] = ()
    grounding: Grounding = field(default_factory=Grounding)
    had: tuple[str, ...] = ()
    """Commits of `span.gained` whose change the start has as well, by a commit of its own: nothing new to who upgrades."""


# --- what your own code uses -------------------------------------------------------------------------------------

UseKind = Literal[
    "import",  # `import x.y`, `from x.y import Z`: name `x.y.Z`; also what `from x import *` and literal getattr give
    "attribute",  # `x.y.Z.w` read anywhere: name resolved through imports and aliases
    "call",  # name is the resolved callee; `keywords` those passed, `positional` how many
    "subclass",  # class of yours with an upstream base: name is the base
    "override",  # method of yours in such a class: name is `base.method`, `keywords` its parameters
    "patch",  # assignment to an upstream attribute, `mock.patch("x.y.Z")`, setattr with a literal
    "catch",  # `except ValueError:` around a call: name is the callee, `value` the exception, `keywords` all that its `try` takes
    "text",  # a line of code in a string of a file that replaces text of sources; `keywords` the paths that it names
    "operator",  # torch.ops.NAMESPACE.NAME: name `NAMESPACE::NAME`
    "cli_flag",  # `--flag` in a shell script, Dockerfile, manifest, compose file, subprocess list; `value` if given
    "script",  # a file of upstream that a command starts by its path: name as it is written there
    "env",  # variable set or read; `value` if given
    "route",  # `/v1/…` in code, manifests, dashboards
    "request_field",  # a key of a JSON body sent to a server
    "config_key",  # a key of a YAML or JSON file that becomes a flag or a field
    "metric",  # `vllm:…` in dashboards, alerts, recording rules, code
    "model",  # architecture or registry name written as a string
    "pin",  # a requirement on a watched project: name is the project, `value` the specifier (`==0.14.1`)
    "include",  # C, C++, CUDA: an included header
    "symbol",  # C, C++, CUDA: a qualified name that is called or a macro that is used
]


class Use(Struct, frozen=True):
    """One place where your code relies on somebody else's."""

    kind: UseKind
    name: str
    path: str
    """Relative to the root that was read, with forward slashes."""
    line: int
    text: str = ""
    """The line as it stands there, stripped, at most 200 characters."""
    value: str | None = None
    keywords: tuple[str, ...] = ()
    positional: int | None = None
    """None when `*args` makes it unknown."""
    program: str | None = None
    """For flags and config keys: the program they are passed to, as far as it can be seen (`vllm serve`,
    `python -m sglang.launch_server`)."""
    guarded: bool = False
    """Inside `try … except ImportError/AttributeError`, `hasattr(…)` or a version check: it may be absent already."""
    when: tuple[str, ...] = ()
    """What must hold of upstream for the line to be reached: `vllm>=0.12.0`, `+vllm.LLM.sleep` (there), `~…` (there, and
    the code has another way without it), `-…` (not)."""


class Uses(Struct, frozen=True):
    """What was found at a path."""

    root: str
    uses: tuple[Use, ...] = ()
    files: int = 0
    lines: int = 0
    skipped: tuple[Skipped, ...] = ()
    """Files that could not be read or understood, each with its reason."""
    languages: tuple[Unread, ...] = ()
    """Languages of sources whose names are not read: at best the strings that they hold are."""


# --- what touches it ---------------------------------------------------------------------------------------------

Certainty = Literal["certain", "likely", "look"]


class Hit(Struct, frozen=True):
    """A finding that touches a use."""

    certainty: Certainty
    """certain: the name you use is gone and has no alias, or the call you make is refused; likely: you override,
    implement or patch what changed; look: a default, a deprecation or a behaviour you rely on changed."""
    use: Use
    repo: str
    net: Net
    why: Text
    """What you use and what became of it."""
    action: Text
    """What to write instead."""
    pinned: str | None = None
    """The version you run according to your pins (`0.14.1`), and None when no pin says so."""
    pin_at: str | None = None
    """`requirements.txt:3`, where that pin stands."""
    acknowledged: str | None = None
    """Reason given in the acknowledgement file; None: not acknowledged."""


# --- forks -------------------------------------------------------------------------------------------------------

Overlap = Literal["conflict", "hunk", "symbol", "file"]


class ForkTouch(Struct, frozen=True):
    """An upstream change that meets patches of ours."""

    sha: str
    overlap: Overlap
    """The strongest: it does not merge; the same lines; the same function or name; the same file."""
    paths: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    """Our commits that touch the same place, oldest first."""


class Pick(Struct, frozen=True):
    """A small upstream fix that applies cleanly to our base."""

    sha: str
    why: Text


class ForkReport(Struct, frozen=True):
    """How a fork stands to its upstream."""

    branch: str
    upstream: str
    base: str
    """Newest commit both have."""
    ours: tuple[str, ...] = ()
    theirs: tuple[Entry, ...] = ()
    """Upstream's first-parent commits since the base, newest first."""
    merges: bool | None = None
    """Whether upstream's head merges into the branch; None when it could not be tried."""
    conflicts: tuple[str, ...] = ()
    """Files that conflict when it does not."""
    touches: tuple[ForkTouch, ...] = ()
    picks: tuple[Pick, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    repo: Repo | None = None
    """Upstream, as far as its remote's address tells; links start from it."""
    subjects: Mapping[str, str] = field(default_factory=dict)
    """sha -> first line of the message of our own commits."""
