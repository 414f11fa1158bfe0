"""Names that a package listed in its `__all__`: one that goes from there breaks whoever took it, wherever it was defined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from daybreak.findings.compare import FilePair
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.languages.base import Fact, ReadFile
from daybreak.findings.languages.python_public import hidden, importable, read_at_all


def listed(facts: Iterable[Fact], pairs: Sequence[FilePair]) -> Iterator[Fact]:
    """The facts, each with what a list of a package says of it."""
    lost = _unlisted(pairs)
    yield from (_listed_before(fact, lost) for fact in facts)


def _unlisted(pairs: Sequence[FilePair]) -> set[str]:
    """Names that a package for others offered by its `__all__`, and neither lists nor holds any more."""
    out: set[str] = set()
    for pair in pairs:
        # a list that is made of others may still hold a name, but nobody can take what the package does not have
        made = any(row.name != "__all__" for row in pair.new.of("hook"))
        if _is_package(pair.file) and pair.new.of("export") and not made and not pair.new.of("star"):
            standing = {key[1] for key, _ in pair.new.items()}
            out |= {row.name for row in pair.old.of("export") if row.name not in standing}
    return out


def _is_package(file: ReadFile) -> bool:
    """The root of what others import; inside of a known package a list says only what the project shares with itself."""
    if not file.path.endswith("/__init__.py") or hidden(file.path) or not read_at_all(file):
        return False
    known = (f"/{name.replace('.', '/')}/" for name in file.profile.names.packages)
    return importable(file) or not any(name in f"/{file.path}" for name in known)


def _listed_before(fact: Fact, lost: set[str]) -> Fact:
    """A name that is gone breaks whoever took it from the package that listed it."""
    kind = kind_of(fact.kind)
    gone = kind.family in ("function", "class") and kind.change in GONE and fact.symbol in lost
    kept = fact.alias is not None and fact.alias.status != "none"
    return replace(fact, breaking=True) if gone and not kept and not fact.inner else fact
