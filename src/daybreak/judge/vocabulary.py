"""Names of folders that say whom a change concerns."""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.profiles import either, field, profiles

_I = re.IGNORECASE
HARDWARE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?:^|[\W_])(?:{'|'.join(words)})(?:[\W_]|$)", _I)) for name, words in field().hardware.items()
)
"""Hardware -> how paths and titles name it."""
_OFFLOADS = re.compile(r"offload", _I)


def hardware(text: str) -> frozenset[str]:
    """The hardware that a path or a title names; memory of the host that an accelerator uses is none."""
    found = frozenset(name for name, pattern in HARDWARE if pattern.search(text))
    return found - {"cpu"} if _OFFLOADS.search(text) else found


def is_elsewhere(text: str) -> bool:
    """A path or a title that names hardware, and none that most have."""
    named = hardware(text)
    return bool(named) and not any(name.startswith("sm") for name in named)


def for_few(path: str) -> bool:
    """A file that runs only on hardware, or in a part of the project, that few have."""
    return is_elsewhere(path) or is_part_of_few(path)


def is_part_of_few(path: str) -> bool:
    return _parts().search(path) is not None


def model_of(path: str) -> str:
    """The one model whose file it is; empty for what is of many."""
    match = _models().search(path)
    return "" if match is None or _shared().fullmatch(match[1]) else match[1]


@cache
def _parts() -> re.Pattern[str]:
    return either(field().parts, _I)


@cache
def _models() -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{'|'.join(field().one_a_model)})/([\w-]{{1,80}})(?:\.py$|/)")


@cache
def _shared() -> re.Pattern[str]:
    return either(field().of_many)


def is_core(package: str) -> bool:
    """A package that images and wheels are built on, by whatever path it is named."""
    return package.rsplit("/", 1)[-1].lower() in _core_packages()


@cache
def _core_packages() -> frozenset[str]:
    return frozenset((*field().built_on, *(name for profile in profiles() for name in profile.names.pins)))
