"""Profiles: all that is known of one project, as data, one file a project; code asks by the repository and names none.

A repository that nobody wrote down has the generic profile, what holds of most. A fork is known by a file of the
project in its tree (`landmarks`). How to add one: docs/how-to/profile.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import TypeVar

import msgspec
from msgspec import Struct

Patterns = tuple[str, ...]
"""Regular expressions, one of which must be found."""
_FOLDER = Path(__file__).parent
_Kind = TypeVar("_Kind")


class Names(Struct, frozen=True, eq=False, forbid_unknown_fields=True):
    """What the project is called in other people's files."""

    packages: tuple[str, ...] = ()
    """Import names."""
    distributions: tuple[str, ...] = ()
    """Names on PyPI whose version is the repository's own tag; the first is the main one."""
    parts: tuple[str, ...] = ()
    """Names on PyPI that are versioned on their own."""
    pins: tuple[str, ...] = ()
    """Names under which builds of others pin it; a new version of such a one is felt."""
    variables: tuple[str, ...] = ()
    """Prefixes of environment variables."""
    namespaces: tuple[str, ...] = ()
    """`torch.ops` namespaces; metric prefixes end with a colon."""
    programs: tuple[str, ...] = ()
    """Console scripts."""
    headers: tuple[str, ...] = ()
    """First folder of included headers."""
    scopes: tuple[str, ...] = ()
    """Outermost C++ namespaces."""
    macros: tuple[str, ...] = ()
    """Prefixes of C macros."""
    images: dict[str, str] = {}
    """Container image → program that takes its arguments; empty where the command is given in full."""
    settings: dict[str, tuple[str, ...]] = {}
    """Program → flags that hardly any other program has: a file of settings is known by them."""
    extensions: dict[str, str] = {}
    """Setting that names a class of somebody else's → class of the project that gets its methods."""


class Layout(Struct, frozen=True, eq=False, dict=True, forbid_unknown_fields=True):
    """Where things stand in the repository, as far as the habits that all share do not say it (`findings/paths.py`)."""

    roots: tuple[str, ...] = ()
    """Folders that hold import packages, besides `python/` and `src/`."""
    api: Patterns = ()
    """Files that users meet."""
    code: Patterns = ()
    """Files that look like kernels and are code."""
    ships: dict[str, str] = {}
    """Pattern of paths → package of its own that they ship in: they reach users when its pin is bumped."""
    also_pinned: dict[str, tuple[str, ...]] = {}
    """Such a package → other names under which it was pinned over time."""

    @cached_property
    def is_api(self) -> re.Pattern[str]:
        return either(self.api, re.IGNORECASE)

    @cached_property
    def is_code(self) -> re.Pattern[str]:
        return either(self.code)

    @cached_property
    def shipped(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return tuple((re.compile(pattern), package) for pattern, package in self.ships.items())


class Public(Struct, frozen=True, eq=False, dict=True, forbid_unknown_fields=True):
    """Which Python names users import and which classes they implement, beyond what habits say."""

    imported: Patterns = ()
    """Modules that users import though no habit says so."""
    internal: Patterns = ()
    """Modules named like an interface that only the project itself imports."""
    marked: Patterns = ()
    """Modules whose public names carry a decorator with `mark` in its name."""
    mark: str = ""
    listed: Patterns = ()
    """Modules whose public names are those of `__all__`."""
    plugins: Patterns = ()
    """Classes that people outside implement, by their whole name."""

    @cached_property
    def is_imported(self) -> re.Pattern[str]:
        return either(self.imported)

    @cached_property
    def is_internal(self) -> re.Pattern[str]:
        return either(self.internal)

    @cached_property
    def is_marked(self) -> re.Pattern[str]:
        return either(self.marked)

    @cached_property
    def is_listed(self) -> re.Pattern[str]:
        return either(self.listed)

    @cached_property
    def is_plugin(self) -> re.Pattern[str]:
        return either(self.plugins)


class Words(Struct, frozen=True, eq=False, forbid_unknown_fields=True):
    """Words of its subjects and issues that say little, for they stand everywhere."""

    tags: tuple[str, ...] = ()
    """Tags of subjects that changes of many pieces of work carry."""
    common: tuple[str, ...] = ()
    """Words of launch commands and tracebacks that stand in issues about anything."""


class Profile(Struct, frozen=True, eq=False, dict=True, forbid_unknown_fields=True):
    """What is known of one project; two are the same only if they are one object."""

    repo: str = ""
    """OWNER/NAME; empty: the generic profile."""
    landmarks: tuple[str, ...] = ()
    """Files by one of which a fork is known; a project that has them is surveyed: it is known what its users import."""
    names: Names = Names()
    layout: Layout = Layout()
    public: Public = Public()
    words: Words = Words()
    areas: dict[str, Patterns] = {}
    """Area of work (`[judge.area]` of the catalogues names it) → paths that belong to it; the first that has a path counts."""
    met: dict[str, Patterns] = {}
    """What not everybody uses (`[judge.met]` of the catalogues names it) → `path:Class.method` of what nobody else runs; a group is
    the name of one of several.
    """

    @cached_property
    def of_area(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((area, either(patterns, re.IGNORECASE)) for area, patterns in self.areas.items())

    @cached_property
    def met_with(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((part, re.compile(one)) for part, patterns in self.met.items() for one in patterns)


class Field(Struct, frozen=True, eq=False, forbid_unknown_fields=True):
    """Words of the field, whoever uses them; what each is for stands in `_field.toml`."""

    asked_for: tuple[str, ...]
    chosen: Patterns
    awaited: Patterns
    attention: Patterns
    kernel_folders: tuple[str, ...]
    checks: Patterns
    built_on: tuple[str, ...]
    example: str
    parts: Patterns
    trained: Patterns
    watching: Patterns
    heart: tuple[str, ...]
    trunk: tuple[str, ...]
    shell: tuple[str, ...]
    one_a_model: Patterns
    one_a_parser: Patterns
    of_many: Patterns
    run_by_many: Patterns
    most_have: tuple[str, ...]
    hardware: dict[str, Patterns]


def either(patterns: Iterable[str], flags: int = 0) -> re.Pattern[str]:
    """One pattern that is found where one of these is; of none, one that is found nowhere."""
    return re.compile("|".join(f"(?:{one})" for one in patterns) or "(?!)", flags)


@cache
def profile_of(repo: str) -> Profile:
    """The profile of OWNER/NAME; the generic one where nobody wrote one."""
    found = _read(repo.rpartition("/")[2].lower())
    return found if found is not None and found.repo.lower() == repo.lower() else generic()


def profile_in(paths: Collection[str]) -> Profile:
    """The profile of the project whose landmark is among the paths: of a fork, or of a tree without a name."""
    return next((one for one in profiles() if any(mark in paths for mark in one.landmarks)), generic())


@cache
def profiles() -> tuple[Profile, ...]:
    """Those that are written down, by file name."""
    return tuple(one for name in _names() if (one := _read(name)) is not None)


def landmarks() -> Mapping[str, Profile]:
    """Landmark → the project that is known by it."""
    return {mark: one for one in profiles() for mark in one.landmarks}


@cache
def generic() -> Profile:
    """What holds of a repository that nobody wrote down."""
    return _decoded("_generic", Profile)


@cache
def field() -> Field:
    """The words of the field."""
    return _decoded("_field", Field)


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in _FOLDER.glob("[!_]*.toml")))


@cache
def _read(name: str) -> Profile | None:
    return _decoded(name, Profile) if name in _names() else None


_ONE_AT_A_TIME = Lock()
"""Two threads that find out about a type at the same time crash msgspec, and repositories are read side by side."""


def _decoded(name: str, kind: type[_Kind]) -> _Kind:
    import tomllib

    text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    try:
        with _ONE_AT_A_TIME:
            return msgspec.convert(tomllib.loads(text), kind)
    except msgspec.ValidationError as error:
        error.add_note(f"in {name}.toml")
        raise
