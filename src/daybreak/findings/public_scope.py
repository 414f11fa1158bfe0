"""How far a wide reading reaches: in a library that nobody surveyed, every name its users can import is public.

Of the applications that are watched it is known what users import (`python_public`); of any other project it is not, so
there the rule is Python's own: a name without an underscore in a module without one, or a name that a public package
takes out of a private module and hands on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.findings.languages.base import ReadFile
from daybreak.findings.languages.python_public import hidden, private, read_at_all
from daybreak.findings.languages.python_surface import surface
from daybreak.findings.trees import Trees

_KNOWN = (
    "vllm/__init__.py", "python/sglang/__init__.py", "flashinfer/__init__.py", "python/flashinfer/__init__.py",
    "flash_attn/__init__.py", "python/CuTeDSL/cutlass/__init__.py", "deep_gemm/__init__.py",
)  # fmt: skip
"""A file of each project of which it is known what its users import."""
_PYTHON = re.compile(r"\.pyi?$")
_ASIDE = re.compile(r"(?:^|/)(?:samples?|demos?|notebooks?|recipes?|experiments?|hack)/")
"""Code to read or to try, which no package holds."""
Files = dict[str, list[ReadFile]]


def opened(trees: Trees, changes: Sequence[Change], files: Files) -> Files:
    """The same files; those of an unknown library with all its public names in reach."""
    if not changes:
        return files
    last = changes[-1].sha
    try:
        if trees.blobs_at([f"{last}:{path}" for path in _KNOWN]):
            return files
        handed = _handed(trees, changes, files)
    except (GitError, ValueError, IndexError):
        return files  # what cannot be asked is read as usual
    return {
        sha: [
            replace(f, reach="public", handed=handed.get((sha, f.path), frozenset())) if _python(f) else f
            for f in parsed
        ]
        for sha, parsed in files.items()
    }


def _python(file: ReadFile) -> bool:
    return _PYTHON.search(file.path[-10:]) is not None and read_at_all(file) and not _ASIDE.search(file.path[-400:])


def _handed(
    trees: Trees, changes: Sequence[Change], files: Mapping[str, Sequence[ReadFile]]
) -> dict[tuple[str, str], frozenset[str]]:
    """(commit, private module) → its names that a public package above it handed on before the commit."""
    asked: dict[str, list[tuple[str, str, str]]] = {}
    for change in changes:
        for file in files[change.sha] if change.parents else ():
            path = file.change.old_path or file.path
            if _python(file) and hidden(path):
                for package in _packages(path):
                    name = f"{change.parents[0]}:{package}/__init__.py"
                    asked.setdefault(name, []).append((change.sha, file.path, package))
    blobs = trees.blobs_at(asked)
    texts = dict(trees.contents(blobs.values()))
    rows = {oid: surface("", text).of("import") for oid, text in texts.items()}
    found: dict[tuple[str, str], set[str]] = {}
    for name, oid in blobs.items():
        for sha, path, package in asked[name]:
            module = _inside(path, package)
            for row in rows.get(oid, ()):
                if not private(row.name) and _from(row.details["from"], package) == module:
                    found.setdefault((sha, path), set()).add(row.details["name"])
    return {key: frozenset(names) for key, names in found.items()}


def _packages(path: str) -> list[str]:
    """The folders above a module that have no private one on their way."""
    parts = path.split("/")[:-1]
    return [folder for n in range(1, len(parts) + 1) if not hidden(folder := "/".join(parts[:n]))]


def _inside(path: str, package: str) -> str:
    bare = _PYTHON.sub("", path.removeprefix(f"{package}/")).removesuffix("/__init__")
    return bare.replace("/", ".")


def _from(source: str, package: str) -> str:
    """The module an import names, as seen from the package that holds the import; empty when it lies elsewhere."""
    if source.startswith("..") or not source:
        return ""
    if source.startswith("."):
        return source[1:]
    parts = package.split("/")
    for n in range(len(parts)):
        head = ".".join(parts[n:]) + "."
        if source.startswith(head):
            return source[len(head) :]
    return ""
