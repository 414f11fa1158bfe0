"""Calls that an earlier change forgot: it took a callee away and called another one at some places; a fix does so at the
rest, or a revert takes the calls themselves away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from daybreak.collect.git.patch_blocks import blocks
from daybreak.collect.git.standing import Block
from daybreak.collect.git.tree_search import Tree
from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change, FileChange

_PAIRS = 3
"""Callees of one fix that are looked for."""
_HITS = 4
"""Changes that touched one of them and are looked at."""
_PATCH = 16 << 20
_LINE = 400
_SHORTEST = 8
"""Letters of a callee that is hardly called so by chance."""
_CALLEE = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{2,120})\(")

Pair = tuple[str, str]
"""What was called and what is called in its place."""
Ask = Callable[..., bytes]
"""Runs git in the mirror."""


def renamed_calls(files: list[FileChange]) -> dict[Pair, None]:
    """Callees that other ones took the place of, on lines that are the same otherwise."""
    edits = (block for file in files for block in blocks(file))
    return dict.fromkeys(pair for block in edits for pair in _pairs(block.old, block.new))


def _pairs(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Pair]:
    forms: dict[str, str] = {}
    for line in new:
        forms.update((_without(line, call), call[1]) for call in _CALLEE.finditer(line[:_LINE]))
    for line in old:
        for call in _CALLEE.finditer(line[:_LINE]):
            came = forms.get(_without(line, call))
            if came is not None and came != call[1] and min(len(came), len(call[1])) >= _SHORTEST:
                yield call[1], came


def _without(line: str, call: re.Match[str]) -> str:
    return f"{line[: call.start(1)]}\0{line[call.end(1) :]}"


def _endings(files: list[FileChange]) -> list[str]:
    return sorted({f"*.{file.path.rpartition('.')[2]}" for file in files if "." in file.path})


def lost(change: Change, files: list[FileChange], since: str, ask: Ask) -> tuple[str, str] | None:
    """The last change after `since` that took away what lines that go with this one called, where none is left that names
    it; and the name.
    """
    rows = [row for file in files for row in file.patch.split("\n")]
    gone, came = ("\n".join(row[1:_LINE] for row in rows if row[:1] == sign) for sign in "-+")
    names = dict.fromkeys(call[1].rpartition(".")[2] for call in _CALLEE.finditer(gone))
    asked = [name for name in names if len(name) >= _SHORTEST and name not in came]
    for name in asked[:_PAIRS]:
        given = ("-E", "-e", f"{_DEFINES} {name}", "-e", f"import .*{name}", "-e", f"{name} *= *")
        stands = ("-F", "-e", name, change.sha), (*given, change.parents[0])
        if any(_finds(where, _endings(files), ask) for where in stands):
            continue
        how = ("log", "-1", "--first-parent", "--format=%H", "-E", f"-G{_DEFINES} {name}[(:]")
        try:
            sha = ask(*how, f"{since}..{change.parents[0]}", "--", *_endings(files)).decode().strip()
        except GitError:
            return None
        if sha:
            return sha, name
    return None


def broke_later(change: Change, files: list[FileChange], tree: Tree, branch: Callable[[str], Tree]) -> bool | None:
    """What a fix no longer calls or reads was there in this tree; None where it may be still."""
    found = [is_late(change, files, tree, branch) for is_late in (_left_home, _given_no_more)]
    return any(found) or (None if None in found else False)


def asked_later(fixes: Iterable[list[FileChange]]) -> list[str]:
    """What the tree of a release is asked for of each of these fixes."""
    return sorted(
        {word for files in fixes for word in (*map(_definition, _homeless(files)), *(n for _, n in _unread(files)))}
    )


def _definition(name: str) -> str:
    return f"def {name}("


def _homeless(files: list[FileChange]) -> list[str]:
    """Members that are no longer called."""
    return list(dict.fromkeys(old.rpartition(".")[2] for old, _ in renamed_calls(files) if "." in old))[:_PAIRS]


def _unread(files: list[FileChange]) -> list[Pair]:
    """Owners and attributes that are no longer read."""
    edits = [block for file in files for block in blocks(file)]
    was, now = (
        {found for block in edits for line in side(block) for found in _READ.findall(line[:_LINE])}
        for side in (_old, _new)
    )
    return sorted(was - now)[:_PAIRS]


def _left_home(change: Change, files: list[FileChange], tree: Tree, branch: Callable[[str], Tree]) -> bool | None:
    """One file of the release defines what a fix no longer calls, and has it no more as the fix comes: the call is wrong since
    then, and was right in the release. None where it may be inherited since. `branch`: the tree of a commit.
    """
    for name in _homeless(files) if change.parents else ():
        there = {path for path, *_ in tree.places([_definition(name)], {".py"}) or ()}
        if len(there) == 1:
            before = branch(change.parents[0])
            before.load(there)
            home = before.text(next(iter(there)))
            if home is not None and not home.names(name):
                return None if "import *" in home.raw or _is_inherited(name, before) else True
    return False


def _is_inherited(name: str, tree: Tree) -> bool:
    """Some class has for its base one that defines a method, or what has it cannot be told."""
    rows = tree.places([_definition(name)], {".py"})
    if rows is None or len(rows) > _HOMES:
        return True
    tree.load({path for path, *_ in rows})
    texts = ((tree.text(path), number) for path, number, _ in rows)
    heads = [text.heads_of(number)[:1] if text else () for text, number in texts]
    owners = {found[1] for head in heads for found in map(_CLASS.match, head) if found}
    used = tree.places(sorted(owners), {".py"}) if owners else []
    return used is None or any(owners.intersection(_bases(row[:_LINE].strip())) for _, _, row in used)


def _bases(row: str) -> list[str]:
    """Of the head of a class, also where a base stands on a line of its own."""
    return _WORD.findall(row.partition("(")[2]) if row.startswith("class ") else [row.rstrip(",)]:")]


_WORD = re.compile(r"\w+")
_CLASS = re.compile(r"class\s+([A-Za-z_]\w{0,120})")
_HOMES = 8


def _given_no_more(change: Change, files: list[FileChange], tree: Tree, branch: Callable[[str], Tree]) -> bool:
    """The release gives an object the attribute that a fix no longer reads, and nothing does so as the fix comes, nor in a way
    that the release has not: what reads it is wrong since then. `branch`: the tree of a commit.
    """
    for owner, name in _unread(files) if change.parents else ():
        sets = re.compile(rf"\b{owner}\.{name}\s?(?::[^=]{{1,80}})?=(?!=)")
        gives = re.compile(rf"\b{name}\s?[:=](?!=)|\bdef {name}\b|[\"']{name}[\"']")
        there = {row.strip() for _, _, row in tree.places([name], {".py"}) or ()}
        if any(map(sets.search, there)):
            here = branch(change.parents[0]).places([name], {".py"})
            late = {row.strip() for _, _, row in here or ()}
            if here and not any(map(sets.search, late)) and not any(map(gives.search, late - there)):
                return True
    return False


def _old(block: Block) -> tuple[str, ...]:
    return block.old


def _new(block: Block) -> tuple[str, ...]:
    return block.new


_READ = re.compile(r"(?<!\w)([A-Za-z_]\w{0,60})\.([A-Za-z_]\w{7,60})(?![\w(])(?!\s?=[^=])")
_DEFINES = "(def|class|fn|func|function)"
_GONE = r"(?m)^-\s{0,40}(?:async |pub |export ){0,2}"


def _finds(where: tuple[str, ...], endings: list[str], ask: Ask) -> bool:
    try:
        return bool(ask("grep", "-l", "-w", *where, "--", *endings, ":!*test*"))
    except GitError:
        return False  # git's way to say that it stands nowhere


Fix = tuple[Change, list[FileChange]]


def forgot(fixes: Sequence[Fix], since: str, ask: Ask) -> Iterator[tuple[str, tuple[str, str] | None]]:
    """Of each fix, the last change after `since` that took one of its old callees away, and called the new one elsewhere; and
    the name.
    """
    gone = _taken_away(fixes, since, ask)
    for change, files in fixes:
        pairs = [pair for pair in list(renamed_calls(files))[:_PAIRS] if _short(pair) in gone]
        yield change.sha, _forgot(pairs, f"{since}..{change.parents[0]}", _endings(files), ask)


def _short(pair: Pair) -> str:
    return pair[0].rpartition(".")[2]


def _taken_away(fixes: Sequence[Fix], since: str, ask: Ask) -> set[str]:
    """Old callees whose definition some change after `since` took away: one walk for all of them."""
    names = sorted({_short(pair) for _, files in fixes for pair in list(renamed_calls(files))[:_PAIRS]})
    every = rf"{_DEFINES} ({'|'.join(map(re.escape, names))})"
    ends, where = {change.parents[0] for change, _ in fixes}, {end for _, files in fixes for end in _endings(files)}
    how = ("log", "--first-parent", "--format=", "-p", "-U0", "-E", f"-G{every}", *sorted(ends), f"^{since}")
    try:
        patches = ask(*how, "--", *sorted(where)).decode("utf-8", "replace") if names else ""
    except GitError:
        return set()  # git counts its failures: the page names them, and nothing made of one is kept
    return {found[2] for found in re.finditer(rf"{_GONE}{every}\b", patches)}


def _forgot(pairs: Sequence[Pair], span: str, endings: list[str], ask: Ask) -> tuple[str, str] | None:
    for pair in pairs:
        try:
            hits = ask("log", f"-{_HITS}", "--first-parent", "--format=%H", f"-S{pair[0]}(", span, "--", *endings)
            for sha in hits.decode().split():
                patch = ask("show", "--first-parent", "--format=", "-U0", sha, "--", *endings)
                if len(patch) <= _PATCH and _takes_away(pair, patch.decode("utf-8", "replace")):
                    return sha, pair[0]
        except GitError:
            return None
    return None


def _takes_away(pair: Pair, patch: str) -> bool:
    """The old one's definition goes from where it stood, and the new one is called in its place."""
    name = re.escape(pair[0].rpartition(".")[2])
    gone = re.compile(rf"{_GONE}{_DEFINES} {name}\b")
    return gone.search(patch) is not None and pair in _of_patch(patch)


def _of_patch(patch: str) -> set[Pair]:
    """Of all places of a patch that speak of a call."""
    out: set[Pair] = set()
    old, new = list[str](), list[str]()
    for row in (*patch.split("\n"), "@@"):
        if row.startswith("@@"):
            out.update(_pairs(tuple(old), tuple(new)))
            old, new = [], []
        elif row[:1] in ("+", "-") and "(" in row and not row.startswith(("+++", "---")):
            (old if row[0] == "-" else new).append(row[1:].strip())
    return out
