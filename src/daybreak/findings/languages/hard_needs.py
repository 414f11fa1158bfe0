"""What a program cannot do without from now on: an import whose failure was caught, a library that is compiled when it runs.

`try: import fast` with a way round became `import fast`: where it is missing the module does not load. `from fast import
run` became `from quick import run`: it is another package that must be there. An extension that is
built on first use needs a compiler and its libraries in the image; it is news where code that was there takes it. A version
that the program asserts when it starts is higher now.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.core.versions import exact, version
from daybreak.findings.diff import SideLine, side
from daybreak.findings.languages.base import MAX_LINE, SIDES, Fact, ReadFile, Whole, bracketed, joined, literal
from daybreak.findings.languages.blocks import quiet
from daybreak.findings.languages.python_functions import sources
from daybreak.findings.languages.python_syntax import bodies, called_name, parsed
from daybreak.findings.paths import SOURCES
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_CAUGHT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_BUILDS = re.compile(r"\bcpp_extension\b")
_LOADERS = frozenset({"load", "load_inline"})
_DEEPEST = 12


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Imports without a way round, and extensions without one, that a file asks for now."""
    patch = file.change.patch
    if "except" in patch and not quiet(file) and re.search(r"^-\s{0,40}except\b", patch, re.MULTILINE):
        yield from _imports(file, whole)
    if "import" in patch and file.change.status == "M" and not quiet(file):
        yield from _replaced(file)
    if "version" in patch and file.change.status == "M" and not quiet(file):
        yield from _asserted(file)
    if file.area in SOURCES and file.change.status[:1] in "MRA" and not file.tool and _BUILDS.search(patch):
        yield from _built(file, whole)


# --- imports -----------------------------------------------------------------------------------------------------------


def _imports(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    old, new = (parsed(sources(whole).text(file, sign)) for sign in ("-", "+"))
    if old is None or new is None:
        return
    soft, hard = dict(_taken(old.body, caught=True)), dict(_taken(new.body, caught=False))
    still = dict((*_taken(new.body, caught=True), *_taken(old.body, caught=False)))  # it had to be there before
    own = {*file.path.split("/"), *file.profile.names.packages, *sys.stdlib_module_names}
    for name, line in sorted(hard.items()):
        if name in soft and name not in own | still.keys():
            yield Fact("import_required", file.path, line, name, None, name)


def _replaced(file: ReadFile) -> Iterator[Fact]:
    """Names that come from another package, where the one line stood; whether one must be there, whole trees tell."""
    own = {*file.path.split("/"), *file.profile.names.packages, *sys.stdlib_module_names}
    for hunk in file.hunks:
        gone = {m[2]: m[1] for line in hunk.lines if line.sign == "-" and (m := _FROM.match(line.text[:MAX_LINE]))}
        for line in hunk.lines:
            found = _FROM.match(line.text[:MAX_LINE]) if line.sign == "+" else None
            was, now = (gone.get(found[2], ""), found[1]) if found else ("", "")
            alike = was.startswith(now) or now.startswith(was)  # `attr` and `attrs` come by one installation
            if not alike and own.isdisjoint((was, now)):
                yield Fact("import_replaced", file.path, line.new, was, was, now, True)


def _asserted(file: ReadFile) -> Iterator[Fact]:
    """Versions of packages that a call insists on, where the same call insisted on a lower one."""
    for hunk in file.hunks:
        was, now = (dict(_insisted(side(hunk, sign))) for sign in SIDES)
        for name, (least, line) in now.items():
            before = was.get(name, ("", 0))[0]
            first, second = version(before), version(least)
            if first is not None and second is not None and first < second:
                yield Fact("version_asserted", file.path, line, name, before, least, True)


_NAMED = re.compile(r"[A-Za-z][\w.-]{1,80}")
_INSISTS = re.compile(r"(?<!def )\b(?:assert|check|require|ensure)\w{0,40}_version\(")


def _insisted(lines: Sequence[SideLine]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Package → version, of calls that hold the two as texts, the one behind the other."""
    for at, line in enumerate(lines):
        found = _INSISTS.search(line.text[:MAX_LINE])
        span = bracketed(joined(lines, at)[found.end() :]) if found else None
        texts = [literal(part.rpartition("=")[2]) or "" for part in span.parts] if span else []
        for name, least in pairwise(texts):
            if name and _NAMED.fullmatch(name) and exact(f"=={least}"):
                yield name, (least, line.number)


_FROM = re.compile(r"\s{0,40}from ([A-Za-z_]\w{0,60})(?:\.\w{1,60}){0,6} import ([\w, ]{1,200})$")


_NAMING = Where(endings=(".py", ".toml", ".txt", ".cfg", ".in"), without=ASIDE_NAMES)


def without_installed(trees: Trees, change: Change, facts: set[Fact]) -> set[Fact]:
    """The same facts; of packages in place of others those alone that the module does not load without, and that neither
    were imported nor are installed with the project or part of it.
    """
    some = {f for f in facts if f.kind == "import_replaced"}
    asked = sorted(some, key=lambda f: (f.path, f.line))[:_MOST] if change.parents else []
    files = {file.path: file for file in change.files}
    texts = dict(trees.contents(oid for f in asked for oid in (files[f.path].old_blob, files[f.path].new_blob)))

    def needed(fact: Fact) -> bool:
        sides = (parsed(texts.get(oid, "")) for oid in (files[fact.path].old_blob, files[fact.path].new_blob))
        old, new = (_demanded(side.body) if side else set() for side in sides)
        return (fact.after, fact.line) in new and fact.before in {name for name, _ in old}

    left = {f: f.after for f in asked if needed(f) and f.after}
    known = _known(trees, change, set(left.values())) if left else set()
    return (facts - some) | {f for f, name in left.items() if name not in known}


def _known(trees: Trees, change: Change, names: set[str]) -> set[str]:
    """Those that a file imported before, that a manifest lists, or that are of the project itself."""
    try:
        own = {part for path in trees.files(change.sha) for part in path.removesuffix(".py").split("/")}
    except GitError:
        return names
    spelt = {form for name in names for form in (name, name.replace("_", "-"))}
    before, now = (trees.lines([sha], spelt, _NAMING) for sha in (change.parents[0], change.sha))
    if before is None or now is None:
        return names
    imported = {m[1] for _, path, line in before if path.endswith(".py") and (m := _IMPORTS.match(line))}
    manifests = (line for _, path, line in now if path.endswith("setup.py") or not path.endswith(".py"))
    listed = {word.lower().replace("-", "_") for line in manifests for word in _LISTED.findall(line[:MAX_LINE])}
    return {name for name in names if name in own | imported or name.lower() in listed}


_IMPORTS = re.compile(r"\s{0,80}(?:from|import) (\w{1,60})")
_LISTED = re.compile(r"[A-Za-z][\w-]{0,80}")
_MOST = 20
"""Packages in place of others, of one change, that whole trees are asked for; of more nothing is said."""


def _demanded(body: Sequence[ast.stmt]) -> set[tuple[str, int]]:
    """Packages that a module asks for when it loads, each with its line; those too whose lack it keeps as an error."""
    kept = (
        part for node in body if isinstance(node, ast.Try) and all(map(_keeps, node.handlers)) for part in node.body
    )
    return {*_taken(body, caught=False), *_taken([*kept], caught=False)}


def _keeps(handler: ast.ExceptHandler) -> bool:
    """The error is held, to be raised where it is asked for what is missing."""
    held = (node.value for node in handler.body if isinstance(node, ast.Assign))
    return handler.name is not None and any(isinstance(one, ast.Name) and one.id == handler.name for one in held)


def _taken(body: Sequence[ast.stmt], caught: bool, depth: int = 0) -> Iterator[tuple[str, int]]:
    """Packages that a module takes when it loads, those with a way round or those without; not for type checkers alone."""
    for node in body if depth < _DEEPEST else ():
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""] if not node.level else []
        elif isinstance(node, ast.Try):
            round_it = any(_catches(handler) for handler in node.handlers)
            if round_it == caught:
                yield from _taken(node.body, False, depth + 1)
            continue
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            for inside in bodies(node):
                yield from _taken(inside, caught, depth + 1)
            continue
        else:
            continue
        yield from ((name.partition(".")[0], node.lineno) for name in names if name and not caught)


def _catches(handler: ast.ExceptHandler) -> bool:
    """A failed import is caught, and no error takes its place."""
    said = ast.unparse(handler.type) if handler.type else "Exception"
    return bool(set(re.findall(r"\w+", said)) & _CAUGHT) and not isinstance(handler.body[-1], ast.Raise)


# --- extensions that are built when they are first used -----------------------------------------------------------------


def _built(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    known = sources(whole)
    before = known.text(file, "-") if file.change.status[:1] != "A" else ""
    after = known.text(file, "+")
    tree = parsed(after) if _BUILDS.search(after) and not _BUILDS.search(before) else None
    if tree is None or not _used_by_others(file, whole):
        return
    for call, way_round in _loads(tree, False):
        if not way_round:
            given = {word.arg: ast.unparse(word.value) for word in call.keywords if word.arg}
            name = given.get("name", ast.unparse(call.args[0]) if call.args else "").strip("\"'")
            libraries = " ".join(re.findall(r"-l[\w.-]+", given.get("extra_ldflags", "")))
            if name.isidentifier():
                yield Fact("compiler_required", file.path, call.lineno, name, None, libraries or name)


def _used_by_others(file: ReadFile, whole: Whole) -> bool:
    """A file that was there takes the module, or is the module."""
    stem = re.compile(rf"\b{re.escape(PurePosixPath(file.path).stem)}\b")
    there = (f for f in whole.files if f.change.status[:1] == "M" and f.path.endswith(".py") and not quiet(f))
    lines = (x.text for f in there for hunk in f.hunks for x in hunk.lines if x.sign == "+")
    return file.change.status[:1] == "M" or any("import" in text and stem.search(text[:400]) for text in lines)


def _loads(node: ast.AST, way_round: bool, depth: int = 0) -> Iterator[tuple[ast.Call, bool]]:
    """Calls that build an extension, each with whether its failure is caught without another error."""
    if depth > 40:
        return
    if (
        isinstance(node, ast.Call)
        and called_name(node) in _LOADERS
        and any("sources" in str(k.arg) for k in node.keywords)
    ):
        yield node, way_round
    if isinstance(node, ast.Try):
        caught = any(_catches(handler) for handler in node.handlers)
        for part in node.body:
            yield from _loads(part, way_round or caught, depth + 1)
        return
    for child in ast.iter_child_nodes(node):
        yield from _loads(child, way_round, depth + 1)
