"""Names that a commit seems to bring, looked up in the tree before it: a port to other hardware brings no new model."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.findings.kinds import kind_of, named
from daybreak.findings.languages.base import Fact
from daybreak.findings.trees import Trees, Where

_PYTHON = Where(endings=(".py",), without=("tests", "test", "docs", "benchmarks", "examples"))


def came_before(trees: Trees, change: Change, facts: Iterable[Fact]) -> dict[Fact, Fact | None]:
    """Facts that the tree before contradicts -> what is left of each; a variable that nobody read before is a new one."""
    if not change.parents:
        return {}
    models = {fact: (f'"{fact.symbol}"', f"class {fact.symbol}(") for fact in facts if _is(fact, "model")}
    reads = {fact: (fact.symbol,) for fact in facts if _is(fact, "env_read") and _own(fact)}
    asked = {**models, **reads}
    texts = {text for forms in asked.values() for text in forms}
    rows = trees.matches(change.parents[:1], texts, _PYTHON) if asked else None
    if rows is None:
        return {}
    stood = {text for _, _, text in rows}
    known = {fact for fact, forms in asked.items() if stood.intersection(forms)}
    new = {fact: replace(fact, kind=named("env", "added")) for fact in reads if fact not in known}
    return {**{fact: None for fact in models if fact in known}, **new}


def _is(fact: Fact, family: str) -> bool:
    return kind_of(fact.kind).means(family, "added")


def _own(fact: Fact) -> bool:
    """The first word of the variable is one of the path: what is read of other projects is not new with this one."""
    return f"{fact.symbol.partition('_')[0].lower()}" in fact.path.lower().replace("/", "_").split("_")
