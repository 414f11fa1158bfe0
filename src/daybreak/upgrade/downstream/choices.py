"""Files of yours that are imported only where something holds of upstream: what they use is reached only there, too.

A choice travels with the uses, as an import of your own module with its condition, until all files are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.model.upgrade import Use

_MARK = ":"
"""Begins the name of a choice; no name of upstream has it."""
Choices = list[tuple[str, int, tuple[str, ...]]]
"""Modules of yours as written, with leading dots, the lines that import them, and what holds of upstream there."""
Imports = Mapping[str, Sequence[tuple[str, frozenset[str]]]]


def choice(path: str, module: str, line: int, when: tuple[str, ...]) -> Use:
    """An import of your own module that is reached under a condition."""
    return Use("import", f"{_MARK}{module}", path, line, when=when)


def with_choices(uses: Iterable[Use], imports: Imports) -> Iterator[Use]:
    """The uses without the choices, those of a file that is only imported by one choice under its condition."""
    kept: list[Use] = []
    chosen: dict[str, list[Use]] = defaultdict(list)
    for use in uses:
        if use.name.startswith(_MARK):
            chosen[use.name.removeprefix(_MARK)].append(use)
        else:
            kept.append(use)
    conditions = dict(_conditions(chosen, imports)) if chosen else {}
    for use in kept:
        more = conditions.get(use.path)
        yield replace(use, when=(*more, *use.when)) if more else use


def _conditions(chosen: Mapping[str, Sequence[Use]], imports: Imports) -> Iterator[tuple[str, tuple[str, ...]]]:
    """File → what holds wherever it is imported; nothing for one that is imported in other places as well."""
    for path in imports:
        names = _names(path)
        found = [use for name in names & chosen.keys() for use in chosen[name]]
        conditions = {use.when for use in found}
        if len(conditions) != 1:
            continue
        statements = len({(use.path, use.line) for use in found})
        if statements == sum(_leads(module, some, names) for every in imports.values() for module, some in every):
            yield path, conditions.pop()


def _names(path: str) -> set[str]:
    """Dotted names by which a file may be imported; not by its last part alone, which others may have."""
    parts = path.rpartition(".")[0].removesuffix("/__init__").split("/")[-40:]
    return {".".join(parts[start:]) for start in range(max(1, len(parts) - 1))}


def _leads(module: str, some: frozenset[str], names: set[str]) -> bool:
    return module in names or any(f"{module}.{one}" in names for one in some)
