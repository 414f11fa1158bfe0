"""Words that are looked for in Python files, compiled once: watched names, and the patterns of strings that name something."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from daybreak.core.projects import Wanted

_HTTP_WORDS = ("import requests", "requests.", "httpx", "aiohttp", "openai", "extra_body", "urllib", "/v1/", "://")
_MODEL = r"[A-Z]\w{1,60}For(?:CausalLM|ConditionalGeneration|[A-Z]\w{0,30}(?:Classification|Generation|Answering))"
MODEL = re.compile(_MODEL)
NEVER = re.compile(r"(?!)")


class Words(Struct, frozen=True):
    """The wanted names in the forms the Python reader asks for."""

    tops: frozenset[str]
    """First parts of the watched packages, for the quick no."""
    plain: frozenset[str]
    """Packages that are watched as a whole."""
    dotted: tuple[str, ...]
    """Packages below a shared first part (`cuda.tile`)."""
    namespaces: frozenset[str]
    programs: frozenset[str]
    images: tuple[tuple[str, str], ...]
    gate: tuple[str, ...]
    """A file that holds none of these words has no use in it."""
    flags: re.Pattern[str]
    """Flags that only a watched program has."""
    telling: re.Pattern[str]
    """A string that does not match this holds nothing of interest."""
    variable: re.Pattern[str]
    quoted: re.Pattern[str]
    """A string that has the shape of a variable."""
    metric: re.Pattern[str]
    operator: re.Pattern[str]
    path: re.Pattern[str]
    command: re.Pattern[str]

    def watches(self, path: str) -> bool:
        """Whether a dotted path belongs to a watched package."""
        top = path.partition(".")[0]
        if top not in self.tops:
            return False
        return top in self.plain or any(path == one or path.startswith(f"{one}.") for one in self.dotted)

    def leads_to(self, path: str) -> bool:
        """Whether a watched package is this path or lies below it (`cuda` leads to `cuda.tile`)."""
        return self.watches(path) or any(one.startswith(f"{path}.") for one in self.dotted)

    def opens(self, text: str) -> bool:
        """Whether a file is worth parsing."""
        if any(word in text for word in self.gate):
            return True
        return ("--" in text and self.flags.search(text) is not None) or ("For" in text and bool(MODEL.search(text)))


def words_of(wanted: Wanted) -> Words:
    """The compiled form; the same for every file of a run."""
    settings = frozenset(flag for flags in wanted.settings.values() for flag in flags)
    images = tuple(sorted(wanted.images.items()))
    return _words(wanted.packages, wanted.variables, wanted.namespaces, wanted.programs, settings, images)


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))) or r"(?!)"


@lru_cache(maxsize=8)
def _words(
    packages: frozenset[str],
    variables: frozenset[str],
    namespaces: frozenset[str],
    programs: frozenset[str],
    settings: frozenset[str],
    images: tuple[tuple[str, str], ...],
) -> Words:
    tops = frozenset(one.partition(".")[0] for one in packages)
    spaces = frozenset(one for one in namespaces if not one.endswith(":"))
    prefixes = [one.removesuffix(":") for one in namespaces if one.endswith(":")]
    pictures = [name for name, _ in images]
    variable = rf"(?<![A-Za-z0-9_])(?:{_any(variables)})[A-Z0-9_]{{1,80}}(?![A-Za-z0-9_])"
    metric = (
        rf"(?<![\w/.:-])(?:{_any(prefixes)}):(?!(?:latest|nightly|main|dev|stable)\b)[a-z][a-z0-9_]{{2,100}}(?![\w:/-])"
    )
    path = rf"(?<![\w./-])(?:{_any(packages)})(?:\.[A-Za-z_]\w{{0,80}}){{1,12}}(?::[A-Za-z_]\w{{0,80}})?"
    command = (
        rf"(?<![\w./@-])(?:[\w./-]{{0,80}}/)?(?:{_any(programs)})(?=\s)|-m\s{{1,9}}(?:{_any(packages)})\b"
        rf"|(?:{_any(pictures)})\b|\bcurl\s|\bpip3?\s{{1,9}}install\s"
    )
    named = packages | programs | variables | frozenset(pictures) | frozenset(prefixes)
    return Words(
        tops=tops,
        plain=frozenset(one for one in packages if "." not in one),
        dotted=tuple(sorted(one for one in packages if "." in one)),
        namespaces=spaces,
        programs=programs,
        images=images,
        gate=_gate(named, packages, spaces),
        flags=re.compile(rf"--(?:{_any(settings)})(?![\w-])") if settings else NEVER,
        telling=re.compile(rf"{_any(variables)}|(?:{_any({*packages, *spaces, *programs, *prefixes})})|/|For[A-Z]"),
        variable=re.compile(variable),
        quoted=re.compile(rf"[\"'](?:{_any(variables)})[A-Z0-9_]{{1,80}}[\"']"),
        metric=re.compile(metric),
        operator=re.compile(rf"(?<![\w:])(?:{_any(spaces)})::[A-Za-z_]\w{{0,100}}"),
        path=re.compile(path),
        command=re.compile(command),
    )


def _gate(named: frozenset[str], packages: frozenset[str], spaces: frozenset[str]) -> tuple[str, ...]:
    """Words of which every file that is worth reading has one; `cuda.tile` may come by `from cuda import tile`."""
    below = [f"from {one.rpartition('.')[0]} import" for one in packages if "." in one]
    return (*sorted(named), *below, *(("torch.ops",) if spaces else ()), *_HTTP_WORDS)
