"""Readers of findings, one file per programming language.

A row of `LANGUAGES` is a file name pattern and the import path of a reader; readers load when first needed, and a
file may have several (a `setup.py` is Python and holds pins).
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module

from daybreak.findings.languages.base import LanguageReader

LANGUAGES: tuple[tuple[str, str], ...] = (
    (r"", "daybreak.findings.languages.folders:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.python:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.options:facts"),
    (r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|sh|bash)$", "daybreak.findings.languages.environment:facts"),
    (r"\.(?:h|hpp|hh|cuh|inl|c|cc|cpp|cxx|cu)$", "daybreak.findings.languages.checks:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.guards:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.lookup_defaults:facts"),
    (r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl)$", "daybreak.findings.languages.disabled_code:facts"),
    (r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl)$", "daybreak.findings.languages.dispatch:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.new_gates:facts"),
    (r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl|toml|txt|cmake)$", "daybreak.findings.languages.notes:facts"),
)


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), target) for pattern, target in LANGUAGES)


@lru_cache(maxsize=32)
def _load(target: str) -> LanguageReader:
    module, name = target.split(":")
    reader: LanguageReader = getattr(import_module(module), name)
    return reader


def readers(path: str) -> tuple[LanguageReader, ...]:
    """Every reader for a file name, in the order of the table."""
    name = path[-200:]
    return tuple(_load(target) for pattern, target in _table() if pattern.search(name))
