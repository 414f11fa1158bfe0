"""Names that changes take away or alter, as far as lines tell, and which of them a release never had."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter

from daybreak.collect.git.tree_search import Tree
from daybreak.core.model.changes import Change, FileChange

_NAMES = 40
"""Names of one change that are looked for."""
_EVERY = 480
_MODULES = 60
_PATHS = 300
_MAX_PATCH = 200_000
_MAX_LINE = 500
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|benchmarks?|examples?|docs?|\.github|\.buildkite)/|(?:^|/)test_[^/]*$|\.(?:md|rst|lock|json)$"
)
_DEFINED = re.compile(
    r"\b(?:def|class|fn|func|struct|enum|function)\s+([A-Za-z_]\w{4,80})|[\"'](?:--|/)?([A-Za-z_][\w./-]{4,80}(?::\w{1,80})?)"
    r"|^\s*([A-Za-z_]\w{4,80})\s*(?::|=(?!=)|,?\s*$)"
)
"""What a line defines, quotes or, as a word alone, imports or exports."""
_HEAD = re.compile(r"\b(?:def|class|fn|func|struct|function)\s+([A-Za-z_]\w{4,80})()()")
_SIGNATURE = re.compile(r"\bdef\s+([A-Za-z_]\w{0,80})\s?\(([^()]{0,3000}(?:\([^()]{0,200}\)[^()]{0,1000}){0,20})\)")
_PARAMETER = re.compile(r"(?:^|,)\s*\*{0,2}([A-Za-z_]\w*)(?=\s*(?:[:=,]|$))")
_WORDS = re.compile(r"(?<=--)\w[\w-]*|\w+")
_LAST = re.compile(r"[\w-]+$")


def names(change: Change) -> list[str]:
    """Names that its lines define or quote before it: first those that stand nowhere after it, then those that it alters."""
    files = [f for f in change.files if f.patch and len(f.patch) <= _MAX_PATCH and not _ASIDE.search(f.path)]
    # a package's own list of names is what others import: of a change that takes away much, these are asked first
    files.sort(key=lambda file: not file.path.endswith("/__init__.py"))
    found = dict.fromkeys(name for file in files for name in _defined(file))
    rows = (row for file in files for row in file.patch.split("\n") if row[:1] in ("+", " ")) if found else ()
    stays = frozenset(_WORDS.findall("\n".join(rows)))
    return sorted(found, key=lambda name: name in stays)[:_NAMES]


def _defined(file: FileChange) -> Iterator[str]:
    """Of lines that go, of the one above them, since the value of a name may stand on a line of its own, and of the heads
    of functions and classes around them.
    """
    above, heads = "", list[tuple[int, str]]()
    for row in file.patch.split("\n"):
        sign, text = row[:1], row[1:_MAX_LINE]
        depth = len(text) - len(text.lstrip()) if sign != "@" else 0
        if sign == "-":
            around = (_HEAD.search(head) for deep, head in heads if deep < depth)
            for found in chain(_DEFINED.finditer(text), _DEFINED.finditer(above), around):
                last = _LAST.search(found[1] or found[2] or found[3]) if found else None
                if last and len(last[0]) > 4:
                    yield last[0]
        if sign in ("@", " ", "-") and _HEAD.search(text):
            heads = [*((deep, head) for deep, head in heads if deep < depth and sign != "@"), (depth, text)]
        above = text if sign == " " else ""


def _parameters(file: FileChange) -> Iterator[tuple[str, str]]:
    """Function and parameter of Python heads that go, where the heads that come have it no more."""
    old, new = (
        "\n".join(row[1:_MAX_LINE] for row in file.patch.split("\n") if row[:1] in (" ", sign)) for sign in "-+"
    )
    after = dict[str, set[str]]()
    for name, words in _heads(new):
        after.setdefault(name, set()).update(words)
    for name, words in _heads(old):
        yield from ((name, one) for one in sorted(words - after.get(name, words)))


def _heads(text: str) -> Iterator[tuple[str, set[str]]]:
    """Each function of Python with the names of its parameters, as far as its head is there."""
    for head in _SIGNATURE.finditer(text):
        yield head[1], set(_PARAMETER.findall(head[2]))


def _unknown_parameters(change: Change, tree: Tree) -> Iterator[str]:
    """`function(parameter)` of what it takes away, where the release has the function in that file and it has no such one."""
    for file in change.files:
        text = tree.text(file.old_path or file.path) if file.path.endswith(".py") and file.status in "MR" else None
        lost = set(_parameters(file)) if text is not None and len(file.patch) <= _MAX_PATCH else set()
        if text is not None and lost:
            there = list(_heads(text.raw))
            known = {name for name, _ in there}
            had = {(name, one) for name, words in there for one in words}
            yield from (f"{name}({one})" for name, one in sorted(lost - had) if name in known)


_OUTERMOST = re.compile(r"^(?:@@.*@@ )?(?:async )?(?:class|def)\s+([A-Za-z_]\w*)")
_MEMBER = re.compile(r"^\s+(?:self\.)?([A-Za-z_]\w*)\s*(?::(?!=)|=(?!=))")


def _members(file: FileChange) -> set[tuple[str, str]]:
    """Outermost class or function, and what goes of its fields and parameters that stand on a line of their own."""
    found, inside = set[tuple[str, str]](), ""
    for row in file.patch.split("\n"):
        text = row[:_MAX_LINE] if row[:1] == "@" else row[1:_MAX_LINE]
        if row[:1] == "@":
            inside = ""
        if row[:1] in ("@", " ", "-") and (head := _OUTERMOST.match(text)):
            inside = head[1]
        if inside and row[:1] == "-" and (member := _MEMBER.match(text)):
            found.add((inside, member[1]))
    return found


def _unknown_members(change: Change, tree: Tree) -> Iterator[str]:
    """`Class.field` and `Class.parameter` of what it takes away, where the release has the class in that file and nothing in it is called
    so: that something else has the name says nothing.
    """
    for file in change.files:
        if not file.path.endswith(".py") or file.status not in "MR" or len(file.patch) > _MAX_PATCH:
            continue
        members = sorted(_members(file))
        text = tree.text(file.old_path or file.path) if members else None
        for owner, some in groupby(members, key=itemgetter(0)):
            head = rf"(?m)^(?:async )?(?:class|def) {owner}\b.*(?:\n(?:[ \t)#].*)?)*"
            block = re.search(head, text.raw) if text is not None else None
            words = frozenset(_WORDS.findall(block[0])) if block else None
            yield from (f"{owner}.{one}" for _, one in some if words is not None and one not in words)


def absent(wanted: Sequence[tuple[Change, Sequence[str]]], tree: Tree) -> dict[str, tuple[str, ...]]:
    """Sha -> names that it takes away or alters and that no file of the tree holds; nothing of what cannot be told."""
    paths = (f.old_path or f.path for change, _ in wanted for f in change.files if not _ASIDE.search(f.path))
    tree.load(list(dict.fromkeys(paths))[:_PATHS])
    modules = {change.sha: list(_modules(change, tree)) for change, _ in wanted}
    left = {change.sha: [name for name in some if not _at_its_paths(name, change, tree)] for change, some in wanted}
    asked = list(dict.fromkeys(name for some in left.values() for name in some))[:_EVERY]
    held = tree.words(asked)
    gone = set(asked) - held if held is not None else set()
    typed = {name.replace("_", "-"): name for name in sorted(gone) if "_" in name}  # an option is typed with dashes
    there = tree.words(list(typed))
    if held is None or there is None:
        return {}
    gone -= {typed[form] for form in there}
    lost = {c.sha: (*_unknown_parameters(c, tree), *_unknown_members(c, tree)) for c, _ in wanted}
    out = {sha: (*modules[sha], *lost[sha], *(name for name in some if name in gone)) for sha, some in left.items()}
    return {sha: some for sha, some in out.items() if some}


def _modules(change: Change, tree: Tree) -> Iterator[str]:
    """Modules that it moves or takes away and that the tree has not, in dots."""
    for file in change.files[:_MODULES]:
        path = file.old_path or file.path
        moves = file.status == "D" or (file.status == "R" and file.old_path != file.path)
        if moves and path.endswith(".py") and not _ASIDE.search(path) and tree.text(path) is None and tree.whole:
            yield path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _at_its_paths(name: str, change: Change, tree: Tree) -> bool:
    texts = (tree.text(file.old_path or file.path) for file in change.files)
    return any(text is not None and text.names(name) for text in texts)
