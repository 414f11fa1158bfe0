"""Readers of findings, one file per programming language.

A row of `LANGUAGES` is a file name pattern and the import path of a reader; readers load when first needed, and a
file may have several (a `setup.py` is Python and holds pins). Installed packages add readers of their own by entry points
(`daybreak.languages`): a module with `FILES`, the pattern, and `facts`, the reader.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

from daybreak.core import plugins
from daybreak.findings.languages.base import LanguageReader

LANGUAGES: tuple[tuple[str, str], ...] = (
    (r"", "daybreak.findings.languages.folders:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.python:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.deprecations:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.options:facts"),
    (r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|sh|bash)$", "daybreak.findings.languages.environment:facts"),
    (r"\.(?:h|hpp|hh|cuh|inl|c|cc|cpp|cxx|cu)$", "daybreak.findings.languages.checks:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.guards:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.demands:facts"),
    (r"\.py$", "daybreak.findings.languages.called_checks:facts"),
    (r"\.py$", "daybreak.findings.languages.carried_keys:facts"),
    (r"\.py$", "daybreak.findings.languages.config_keys:facts"),
    (r"\.py$", "daybreak.findings.languages.rebuilt_records:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.lookup_defaults:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.set_values:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.open_choices:facts"),
    (r"\.py$", "daybreak.findings.languages.deciding_lists:facts"),
    (r"\.py$", "daybreak.findings.languages.default_orders:facts"),
    (r"\.py$", "daybreak.findings.languages.branch_tails:facts"),
    (r"(?:^|/)CMakeLists\.txt$|\.cmake$", "daybreak.findings.languages.build_refusals:facts"),
    (r"\.py$", "daybreak.findings.languages.registered_classes:facts"),
    (r"\.py$", "daybreak.findings.languages.refused_values:facts"),
    (r"\.py$", "daybreak.findings.languages.lost_fallbacks:facts"),
    (r"\.py$", "daybreak.findings.languages.maybe_none:facts"),
    (r"\.py$", "daybreak.findings.languages.used_up:facts"),
    (r"\.py$", "daybreak.findings.languages.strict_classes:facts"),
    (r"\.py$", "daybreak.findings.languages.hard_needs:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.frames:facts"),
    (r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl)$", "daybreak.findings.languages.dispatch:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.predicates:facts"),
    (r"\.pyi?$", "daybreak.findings.languages.new_gates:facts"),
    (r"\.py$", "daybreak.findings.languages.gated_routes:facts"),
    (r"\.py$", "daybreak.findings.languages.route_errors:facts"),
    (r"\.py$", "daybreak.findings.languages.request_handling:facts"),
    (r"\.py$", "daybreak.findings.languages.answer_conversions:facts"),
    (r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl|toml|txt|cmake)$", "daybreak.findings.languages.notes:facts"),
)


_WITHOUT: dict[str, str] = {
    "asm": "Assembly", "c++": "C++", "cjs": "JavaScript", "clj": "Clojure", "cs": "C#", "dart": "Dart", "erl": "Erlang",
    "ex": "Elixir", "exs": "Elixir", "f90": "Fortran", "f": "Fortran", "fs": "F#", "glsl": "GLSL", "gotmpl": "Templates",
    "gradle": "Gradle", "groovy": "Groovy", "hip": "HIP", "hs": "Haskell", "java": "Java", "jinja": "Templates",
    "jinja2": "Templates", "jl": "Julia", "js": "JavaScript",
    "jsx": "JavaScript", "kt": "Kotlin", "kts": "Kotlin", "lua": "Lua", "m": "Objective-C", "metal": "Metal",
    "mjs": "JavaScript", "ml": "OCaml", "mlir": "MLIR", "mm": "Objective-C", "mojo": "Mojo", "nim": "Nim",
    "php": "PHP", "pl": "Perl", "ps1": "PowerShell", "ptx": "PTX", "pxd": "Cython", "pyx": "Cython", "r": "R",
    "rb": "Ruby", "s": "Assembly", "scala": "Scala", "sol": "Solidity", "sql": "SQL", "svelte": "Svelte",
    "swift": "Swift", "td": "TableGen", "tf": "Terraform",
    "tmpl": "Templates", "tpl": "Templates", "thrift": "Thrift", "vue": "Vue", "wgsl": "WGSL", "yaml": "YAML", "yml": "YAML",
    "zig": "Zig",
}  # fmt: skip
"""Endings of sources that no reader looks into, with the name of the language."""
_GRAMMARS = {
    "go": ("Go", "tree_sitter_go"), "rs": ("Rust", "tree_sitter_rust"), "ts": ("TypeScript", "tree_sitter_typescript"),
    "tsx": ("TypeScript", "tree_sitter_typescript"), "mts": ("TypeScript", "tree_sitter_typescript"),
    "cts": ("TypeScript", "tree_sitter_typescript"),
}  # fmt: skip
"""Languages that are read where their grammar is installed."""


@lru_cache(maxsize=256)
def _unread_ending(ending: str) -> str | None:
    name, module = _GRAMMARS.get(ending, ("", ""))
    if name:
        return None if find_spec("tree_sitter") and find_spec(module) else name
    return _WITHOUT.get(ending)


def language_without_reader(path: str) -> str | None:
    """The language of a source that no reader looks into; None for one that is read, and for what is no source."""
    name = path.rpartition("/")[2]
    if any(pattern.search(path[-200:]) for pattern, _ in _added()):
        return None
    return _unread_ending(name.rpartition(".")[2].lower()[:12]) if "." in name else None


def language_by_strings(path: str) -> str | None:
    """The language of a source of which nobody knows what names it uses; None for one whose names are read."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()[:12]
    return _GRAMMARS[ending][0] if ending in _GRAMMARS else _WITHOUT.get(ending)


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), target) for pattern, target in LANGUAGES)


@lru_cache(maxsize=32)
def _load(target: str) -> LanguageReader:
    module, name = target.split(":")
    reader: LanguageReader = getattr(import_module(module), name)
    return reader


@lru_cache(maxsize=1)
def _added() -> tuple[tuple[re.Pattern[str], LanguageReader], ...]:
    """Readers of plug-ins, behind ours."""
    modules = [plugins.load(plugins.LANGUAGES, name) for name in plugins.installed(plugins.LANGUAGES)]
    return tuple((re.compile(module.FILES, re.IGNORECASE), module.facts) for module in modules)


def readers(path: str) -> tuple[LanguageReader, ...]:
    """Every reader for a file name, in the order of the table."""
    name = path[-200:]
    own = (_load(target) for pattern, target in _table() if pattern.search(name))
    return (*own, *(reader for pattern, reader in _added() if pattern.search(name)))
