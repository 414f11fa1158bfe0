"""What moves a change up or down the first screen: named marks of 0 to 1, each read off its files, lines or title.

Their weights are data (`urgency.toml`), fitted by scripts/fit_urgency.py to what expert readers put on the first screen of
whole days. None knows a repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import FileChange
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.judge.places import concerns_few, front
from daybreak.judge.titles import MAX_SUBJECT, bare, tags
from daybreak.judge.vocabulary import PLACES

MAX_PATCH = 200_000
"""Characters of one file's patch that are looked at."""
_MANY = 50
"""Lines edited beyond which a change is as edited as can be."""
_I = re.IGNORECASE
_TALKS = re.compile(
    r"(?<![\w-])(?:logs?|logging|warnings?|error messages?|metrics?|tracing|debug\w{0,4}|dump|CI|(?:py|unit ?)?tests?|flaky|benchmarks?|bench"
    r"|auto sync|pre-?commit|workflows?|(?:preserve|improve|clarify|clearer|better)\b.{0,40}\b\w{0,30}errors?)(?![\w-])",
    _I,
)
_TIDYING = re.compile(
    r"(?<![\w-])(?:typos?|comments?|lint|nit|mypy|typing|type (?:hints?|annotations?)|clean ?-?ups?|chore|minor|cosmetic"
    r"|redundant|unused|no longer (?:in use|used)|unn?e?cc?ess?ar(?:y|ily)|unneeded|dead code|docstrings?|docs?:|nfc(?=[\]):])"
    r"|orphan(?:ed)? (?:[\w/.-]{1,60} ){0,2}(?:code|files?|folders?|imports?|functions?|methods?|class(?:es)?|modules?|helpers?|tests?"
    r"|configs?|flags?|env vars?|variables?|fields?|arg(?:ument)?s?|param(?:eter)?s?)"
    r"|simplif\w{1,4}|dedup\w{0,9}|unify|refactor\w{0,4}|reorganiz\w{1,3}|hoist)(?![\w-])",
    _I,
)
_SAYS_NICHE = re.compile(
    r"\b(?:AMD|ROCm|HIP|XPU|NPU|Ascend|(?:Zen)?CPU(?![ -]?(?:offload|overhead|side|memory|usage|bound))|HPU|TPU|MUSA|PowerPC|s390x?|RISC-?V|MLX|Intel|Gaudi|Neuron|diffusion)\b",
    _I,
)
_ADDS = re.compile(r"^(?:add|support|introduc|implement|enabl)\w{0,3}\b", _I)
_SETTING = re.compile(r"(?<![\w-])--[a-z][\w-]{2,60}|\b[A-Z]{2,20}_[A-Z][A-Z_]{3,60}\b")
PLACES_SEEN: tuple[tuple[str, re.Pattern[str]], ...] = (
    *((name, pattern) for name, pattern in PLACES if name in ("schedule", "attention", "cache", "served")),
    (
        "core",  # where a slip gives wrong results in silence
        re.compile(
            r"(?:^|/)(?:\w{0,20}(?:scheduler|sched|kv_cache|mem_cache|radix|block_pool|kv_transfer|disaggregation|attention|attn"
            r"|mla|quant|gemm|moe|sampl)\w{0,30}|csrc|kernels?|core)(?:/|\.)",
            _I,
        ),
    ),
    (
        "front_door",
        re.compile(
            r"(?:^|/)(?:entrypoints|openai|api_server|http_server|serving_\w{1,30}|server_args|scheduler)(?:/|_|\.)", _I
        ),
    ),
    ("settings", re.compile(r"server_args|arg_utils|/config/|config\.py$|envs\.py$|environ\.py$", _I)),
    ("compiled", re.compile(r"(?:^|/)csrc/|\.cuh?$", _I)),
)
LINES_SEEN: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    ("loses_default", ("default",), re.compile(r"^-[^\n]{0,300}default", re.MULTILINE)),
    (
        "loses_variable",
        ("env.", "envs.", "environ", "getenv"),
        re.compile(r"^-[^\n]{0,300}(?:envs?\.[A-Z]|getenv|environ)", re.MULTILINE),
    ),
    ("names_auto", ('"auto"', "'auto'"), re.compile(r"^\+[^\n]{0,300}[\"']auto[\"']", re.MULTILINE)),
)
"""Mark -> texts without which a patch need not be searched, and the line that shows it."""


def marks(entry: Entry, proven: bool, shown: Sequence[Finding] = ()) -> Iterator[tuple[str, float]]:
    """Every mark of a change that is not zero; what code proves is not talked down by its title."""
    yield "score", entry.importance.score
    if entry.kind in ("fix", "feature"):
        yield f"is_{entry.kind}", 1.0
    if entry.breaking:
        yield "breaking", 1.0
    ours = front(entry.change)
    yield from _by_place(entry, ours, shown)
    yield from _by_lines(ours)
    yield from _by_title(entry, bool(ours), proven)


def few(entry: Entry, ours: Sequence[FileChange], shown: Sequence[Finding] = ()) -> Iterator[tuple[str, float]]:
    """The marks of what concerns few: by the files that users run, and by what the title is tagged with."""
    paths = [file.path for file in ours]
    told = [finding.path for finding in shown] or paths
    if concerns_few(paths) or concerns_few(told):
        yield "niche", 1.0
    if _SAYS_NICHE.search(tags(entry.change.subject)):
        yield "says_niche", 1.0


def _by_place(entry: Entry, ours: Sequence[FileChange], shown: Sequence[Finding]) -> Iterator[tuple[str, float]]:
    yield from few(entry, ours, shown)
    paths = [file.path[-300:] for file in ours]
    for name, pattern in PLACES_SEEN:
        if any(map(pattern.search, paths)):
            yield f"in_{name}", 1.0
    if "api" in entry.reading.areas:
        yield "in_api", 1.0
    if any(file.status == "A" for file in ours):
        yield "new_file", 1.0
    if len(ours) < len(entry.change.files) and any("test" in file.path for file in entry.change.files):
        yield "tested", 1.0


def _by_lines(ours: Sequence[FileChange]) -> Iterator[tuple[str, float]]:
    won, lost = sum(file.added for file in ours), sum(file.deleted for file in ours)
    yield "edited", min(1.0, min(won, lost) / _MANY)
    yield "lost", lost / (won + lost + 1)
    for name, needed, pattern in LINES_SEEN:
        if any(
            any(text in file.patch for text in needed) and pattern.search(file.patch, 0, MAX_PATCH) for file in ours
        ):
            yield name, 1.0


def _by_title(entry: Entry, edits_ours: bool, proven: bool) -> Iterator[tuple[str, float]]:
    subject = entry.change.subject[:MAX_SUBJECT]
    said = bare(subject)
    if entry.kind == "fix" and _SETTING.search(subject):  # someone's launch command meets it
        yield "fixes_setting", 1.0
    if proven:
        return
    if talks(said if edits_ours else subject):  # a tag says how it was found; what it edits, users run
        yield "talks", 1.0
    if entry.kind == "refactor" or _TIDYING.search(subject):
        yield "tidies", 1.0
    if _ADDS.match(said):
        yield "adds", 1.0


def talks(subject: str) -> bool:
    """A title about what is logged, measured or tested."""
    return _TALKS.search(subject) is not None
