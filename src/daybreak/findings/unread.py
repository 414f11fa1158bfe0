"""Sources that no reader looks into, by language and share: what a report must say before it says that it found nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Area, Unread
from daybreak.core.profiles import profile_of
from daybreak.findings import paths
from daybreak.findings.languages import language_by_strings, language_without_reader

_WRITTEN = frozenset({"YAML", "Templates", "Terraform"})
"""What a project ships and users run though it is no code: presets, charts, manifests of a cluster."""


def unread_languages(changes: Iterable[Change]) -> tuple[Unread, ...]:
    """Languages of changed sources that were not read, the largest share first; tests, docs and vendored code aside."""
    return unread_files((one.repo, file.path) for one in changes if not one.filtered for file in one.files)


def unread_files(files: Iterable[tuple[str, str]]) -> tuple[Unread, ...]:
    """The same of (repository, path); a file that several changes touch counts once."""
    sources = {one for one in files if _is_source(paths.area(one[1], profile_of(one[0])), one[1])}
    return shares(language_without_reader(path) for _, path in sources)


def _is_source(area: Area, path: str) -> bool:
    return area in paths.SOURCES or (area == "data" and language_without_reader(path) in _WRITTEN)


def languages_by_strings(names: Iterable[str]) -> tuple[Unread, ...]:
    """Languages of a project's sources in which nobody's use of names is read, with their share of all its sources."""
    return shares(language_by_strings(name) for name in names if paths.area(name) in paths.SOURCES)


def shares(languages: Iterable[str | None]) -> tuple[Unread, ...]:
    """Each language with its files and their share of all; None stands for one that is read."""
    counted = Counter(languages)
    total = counted.total()
    named = sorted((-n, name) for name, n in counted.items() if name is not None)
    return tuple(Unread(name, -n, round(-n / total, 3)) for n, name in named)
