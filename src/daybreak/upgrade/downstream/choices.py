"""Files of yours that are imported only where something holds of upstream: what they use is reached only there, too.

A choice travels with the uses, as an import of your own module with its condition, until all files are read; so do
objects of upstream that one file hands to a function of another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.model.upgrade import Use

_MARK = ":"
"""Begins the name of a choice; no name of upstream has it."""
HANDED = "="
"""Begins the name of a function of yours that another file gives an object of upstream."""
When = tuple[str, ...]
"""What must hold of upstream; see python_conditions."""
Choices = list[tuple[str, int, When]]
"""Modules of yours as written, with leading dots, the lines that import them, and what holds of upstream there."""
Imports = Mapping[str, Sequence[tuple[str, frozenset[str]]]]


def choice(path: str, module: str, line: int, when: When) -> Use:
    """An import of your own module that is reached under a condition."""
    return Use("import", f"{_MARK}{module}", path, line, when=when)


def handed(path: str, name: str, line: int, given: tuple[str, ...]) -> Use:
    """A call of a function in another file of yours, with its parameters and the objects of upstream that they get."""
    return Use("call", f"{HANDED}{name}", path, line, keywords=given)


def with_choices(uses: Iterable[Use], imports: Imports) -> Iterator[Use]:
    """The uses without the choices, those of a file that is only imported by one choice under its condition."""
    kept: list[Use] = []
    chosen: dict[str, list[Use]] = defaultdict(list)
    for use in uses:
        if use.name.startswith(_MARK):
            chosen[use.name.removeprefix(_MARK)].append(use)
        elif not use.name.startswith(HANDED):
            kept.append(use)
    conditions = dict(_conditions(chosen, imports)) if chosen else {}
    for use in kept:
        more = conditions.get(use.path)
        yield replace(use, when=(*more, *use.when)) if more else use


def _conditions(chosen: Mapping[str, Sequence[Use]], imports: Imports) -> Iterator[tuple[str, When]]:
    """File → what holds wherever it is imported; nothing for one that is also imported where nothing is asked.

    What only such files import is reached only there, too.
    """
    found: dict[str, When] = {}
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in imports:
        for name in _names(path):
            by_name[name].append(path)
    for path in dict.fromkeys(path for name in chosen for path in by_name.get(name, ())):
        asked = {(use.path, use.line): use.when for name in _names(path) & chosen.keys() for use in chosen[name]}
        if len(asked) == len(_users(path, imports)):
            found |= _only_by(list(asked.values()), path)
    waiting = list(found)
    while waiting:
        named = (name for module, some in imports[waiting.pop()] for name in (module, *(f"{module}.{x}" for x in some)))
        for below in {path for name in named for path in by_name.get(name, ())} - found.keys():
            users = _users(below, imports)
            if all(by in found for by in users):
                found |= _only_by([found[by] for by in users], below)
                waiting += [below] if below in found else []
    return iter(found.items())


def _users(path: str, imports: Imports) -> list[str]:
    """The files that import a file, once for each statement; a package that imports from itself does not."""
    names = _names(path)
    return [by for by, every in imports.items() if by != path for module, some in every if _leads(module, some, names)]


def _only_by(conditions: Sequence[When], path: str) -> dict[str, When]:
    """The file with what holds where it is imported, as far as that can be said."""
    when = conditions[0] if len(set(conditions)) == 1 else any_of(conditions)
    return {path: when} if when else {}


def any_of(parts: Sequence[When]) -> When:
    """What holds where one of several conditions does; nothing when one of them is not known."""
    texts = dict.fromkeys(" and ".join(part) for part in parts)
    return (" or ".join(texts),) if texts and all(texts) else ()


def _names(path: str) -> set[str]:
    """Dotted names by which a file may be imported; not by its last part alone, which others may have."""
    parts = path.rpartition(".")[0].removesuffix("/__init__").split("/")[-40:]
    return {".".join(parts[start:]) for start in range(max(1, len(parts) - 1))}


def _leads(module: str, some: frozenset[str], names: set[str]) -> bool:
    return module in names or any(f"{module}.{one}" in names for one in some)
