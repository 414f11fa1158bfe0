"""Places of a change in the tree of a release: whether those that a fix replaces stand there, in part or at another path."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from daybreak.collect.git.constructs import construct_is_in
from daybreak.collect.git.patch_blocks import START, blocks
from daybreak.collect.git.picks import DEBUG, TEST
from daybreak.collect.git.standing import NOTHING, Block, Text, defining, meant, telling
from daybreak.collect.git.tree_search import Tree
from daybreak.core.model.changes import Change, Exposure, FileChange

ASIDE = re.compile(r"(?:^|/)(?:docs?|\.github|\.buildkite)/|\.(?:md|rst|txt|json|lock|ya?ml|toml|cfg)$")
_SCRIPT = re.compile(r"\.(?:sh|bash|ps1)$|(?:^|/)(?:Dockerfile|Makefile)[\w.-]*$")
"""Files in which a call has no brackets."""
Own = Mapping[tuple[str, str], Text]
"""(sha, path) -> the file before that change."""


def code(change: Change) -> list[FileChange]:
    """Its files of code that stood before, without aids to find faults where it has others."""
    some = [f for f in change.files if f.status in "MR" and not (ASIDE.search(f.path) or TEST.search(f.path))]
    return [f for f in some if not DEBUG.search(f.path)] or some


def undocumented(change: Change, own: Own) -> Change:
    """The change without what it takes away of docstrings."""
    files = tuple(_undocumented(f, own.get((change.sha, f.old_path or f.path))) for f in change.files)
    return replace(change, files=files)


def _undocumented(file: FileChange, before: Text | None) -> FileChange:
    """The file's patch with what goes of its docstrings as comments, which say nothing of a fault."""
    said = before.docstrings if before is not None and file.path.endswith(".py") and file.deleted else frozenset[int]()
    if not said:
        return file
    number, rows = 0, list[str]()
    for row in file.patch.split("\n"):
        start = START.match(row)
        if start:
            number = int(start[1]) - 1
        number += row[:1] in (" ", "-") and not start
        rows.append(f"-# {row[1:]}" if row[:1] == "-" and number in said else row)
    return replace(file, patch="\n".join(rows))


def every_place(change: Change) -> Iterator[tuple[FileChange, Block]]:
    return ((file, block) for file in code(change) for block in blocks(file))


def places(change: Change) -> Iterator[tuple[FileChange, list[Block]]]:
    """The places that count: those that replace code; where there are none, those that add some."""
    found = [(file, list(blocks(file))) for file in code(change)]
    replacing = [(file, [b for b in some if b.replaces]) for file, some in found]
    yield from replacing if any(some for _, some in replacing) else found


def replaces(change: Change) -> bool:
    """It takes code away; else it only adds some."""
    return any(block.replaces for _, some in places(change) for block in some)


def brings_names(change: Change, own: Own) -> bool:
    """What it gives a first value has a name that its files had nowhere before and that other lines of it read: no read of it
    failed.
    """
    rows = [line[:400] for _, block in every_place(change) for line in block.code]
    names = {found[1] for line in rows if (found := _FIRST.fullmatch(line))}
    stood = any(text.names(name) for (sha, _), text in own.items() if sha == change.sha for name in names)
    read = all(any(re.search(rf"(?<!\w){name}\b(?!\s?=(?!=))", line) for line in rows) for name in names)
    return bool(names) and read and not stood


_FIRST = re.compile(r"(?:self\.)?([a-z_]\w{2,80})(?:\s?:[^=]{1,80})?\s?=\s?None,?")
"""What is nothing until something gives it a value."""


def stood(change: Change, tree: Tree, own: Own) -> bool | None:
    """Most of the places stand as they were, or nearly all lines that go do; or none does; None for anything between."""
    votes = _votes(change, tree, own)
    if not votes or not tree.whole:
        return None
    if sum(votes) * 2 >= len(votes) or nearly_all_stands(change, tree):
        return True
    some = any(votes) or _in_part(change, tree) or _varies(change, tree, own) or _words_stand(change, tree)
    return None if some else False


def _words_stand(change: Change, tree: Tree) -> bool:
    """What it says in a log otherwise stands in the release as it was: that is a place of it like any other."""
    asked = ((file.old_path or file.path, block) for file, block in every_place(change) if not block.replaces)
    found = ((tree.text(path) or NOTHING, line) for path, block in asked if block.new for line in block.old)
    return any(_LOGS.match(line) and line in text.lines for text, line in found)


_LOGS = re.compile(r"(?:self\.)?_?log(?:ger|ging)?\.\w{1,20}\(.{8}")


def _deciding(change: Change, tree: Tree) -> Iterator[tuple[FileChange, list[Block]]]:
    """Its places without those that only take away how an attribute was given, where the release gives it in other words and
    another place takes away what reads it; nor those that only follow a name, where others do more.
    """
    every = list(places(change))
    pairs = Counter(pair for _, some in every for block in some if (pair := _renames(block)))
    named = {new for _, new in pairs if any(_names(new, block) for _, some in every for block in some)}
    follow = {b for _, some in every for b in some if (pair := _renames(b)) and pairs[pair] > 1 and pair[1] in named}
    if all(block in follow for _, some in every for block in some):
        follow = set()
    for file, found in every:
        some = [block for block in found if block not in follow]
        text = tree.text(file.old_path or file.path) or NOTHING
        dropped = [(block, block.only_drops(text)) for block in some]
        read = [name for _, name in dropped if name and any(_reads(name, b) for b, other in dropped if not other)]
        yield file, [block for block, name in dropped if name not in read]


def _renames(block: Block) -> tuple[str, str] | None:
    """The one name that stands for another in lines that are else the same."""
    old, new = (_TOKENS.findall("\n".join(side)) for side in (block.old, block.new))
    pairs = {(one, two) for one, two in zip(old, new, strict=False) if one != two}
    (pair,) = pairs if len(pairs) == 1 and len(old) == len(new) else (None,)
    return pair if pair and all(map(str.isidentifier, pair)) else None


_TOKENS = re.compile(r"\w+|\S")


def _names(name: str, block: Block) -> bool:
    """The change gives the thing this name itself: to call another one in its place is no new name."""
    defines = re.compile(rf"(?:(?:async )?def|class) {name}\b|{name}\s?[:=](?!=)")
    return any(defines.match(line) for line in block.new)


def _reads(name: str, block: Block) -> bool:
    return any(re.search(rf"\b{name}\b", line) for line in block.old)


def _votes(change: Change, tree: Tree, own: Own) -> list[bool]:
    """Of each place whether it stands as it was, where that can be told."""
    asked = ((file.old_path or file.path, block) for file, some in _deciding(change, tree) for block in some)
    left = twins(change, tree)
    asked = ((path, block) for path, block in asked if path not in left)
    homes = ((path, tree.text(path) or NOTHING, block) for path, block in asked)
    found = (_vote(block, text, own.get((change.sha, path))) for path, text, block in homes)
    return [vote for vote in found if vote is not None]


def _vote(block: Block, text: Text, own: Text | None) -> bool | None:
    has = block.stood_in(text, own)
    spared = has is False and (block.replaces or own is None or not construct_is_in(block, text, own))
    return has if has or spared else None


def lacks_places(change: Change, tree: Tree, own: Own) -> bool:
    """Some of its places stand as they were and some do not: the fault may lie in these."""
    votes = _votes(change, tree, own)
    return any(votes) and not all(votes)


def nearly_all_stands(change: Change, tree: Tree) -> bool:
    """Of several lines of code that it takes away, nine of ten stand in the release's files, and among the rest is none that
    decides or defines anything: what is left is too little for the fault to lie in it alone.
    """
    gone = [(f.old_path or f.path, line) for f, some in places(change) for b in some for line in b.old if telling(line)]
    files = {path: tree.text(path) or NOTHING for path, _ in gone}
    left = [line for path, line in gone if line not in files[path].lines]
    return len(gone) >= _SEVERAL and 10 * len(left) <= len(gone) and not any(map(defining, left))


_SEVERAL = 10


def encloses(change: Change, tree: Tree, own: Own) -> bool:
    """The release has the functions that it adds lines to as they were, in nine of ten of their lines."""
    for file, some in places(change):
        path = file.old_path or file.path
        before, here = own.get((change.sha, path)), tree.text(path)
        for block in (b for b in some if b.code):
            name = before.function_at(block.line) if before else ""
            body = before.bodies[name] if before and name else set[str]()
            there = here.bodies.get(name, set()) if here else set[str]()
            if not body or 10 * len(body & there) < 9 * len(body):
                return False
    return True


def lacks_files(change: Change, tree: Tree) -> bool:
    """It touches code in a file that the release has nowhere, beside one that it has: the fault may lie there, but where both
    get the same lines.
    """
    paths = {file.old_path or file.path for file, block in every_place(change) if block.code or block.replaces}
    return len({tree.text(path) is None for path in paths - twins(change, tree)}) > 1


def twins(change: Change, tree: Tree) -> set[str]:
    """Files that the release has nowhere, and that get no other lines than those that it has: each has the fault by itself."""
    done: dict[str, set[tuple[str, ...]]] = {}
    for file, block in every_place(change):
        if block.code or block.replaces:
            done.setdefault(file.old_path or file.path, set()).add((*block.old, *block.code))
    lacked = {path for path in done if tree.text(path) is None}
    there = set[tuple[str, ...]]().union(*(done[path] for path in done.keys() - lacked))
    return {path for path in lacked if done[path] <= there}


def _varies(change: Change, tree: Tree, own: Own) -> bool:
    """Something of what it takes away stands in the release in other words: it may have the fault too."""
    asked = ((file.old_path or file.path, block) for file, some in places(change) for block in some)
    return any(block.varies_in(tree.text(path) or NOTHING, own.get((change.sha, path))) for path, block in asked)


def _in_part(change: Change, tree: Tree) -> bool:
    """Several lines, and a third of what it takes away, stand in the release's files: one line may be another function's."""
    gone = {(f.old_path or f.path, line) for f, some in places(change) for b in some for line in b.old if meant(line)}
    there = sum((tree.text(path) or NOTHING).holds(line) for path, line in gone)
    return there > 1 and there * 3 >= len(gone)


def younger(change: Change, tree: Tree) -> Iterator[tuple[str, str]]:
    """Path and line of what it takes away that means something and that the release's file lacks: one of them may be the
    fault. A file that is not there, or moved, says nothing.
    """
    for file, some in _deciding(change, tree):
        path = file.old_path or file.path
        text = tree.text(path)
        if text is not None:
            came = {line for block in some for line in block.new}
            means = telling if _SCRIPT.search(path) else meant
            lines = dict.fromkeys(line for block in some for line in block.old if means(line) and line not in came)
            yield from ((path, line) for line in lines if not text.holds(line))


def unmet(change: Change, tree: Tree, own: Own) -> Iterator[tuple[str, str]]:
    """Path and longest line of the statement before what a fix only adds, where it is of what the title speaks of and the
    release's function has nothing of it: the fault lies in that statement. Or the head of the function that the title names and the
    release has not.
    """
    title = _parts(change.subject[:400])
    for file, some in () if replaces(change) else places(change):
        path = file.old_path or file.path
        text, before = tree.text(path), own.get((change.sha, path))
        for block in some if text is not None and before is not None else ():
            if text and before and (head := _late_function(block, change.subject[:400], text, before)):
                yield path, head
                continue
            lines = [line for line in before.statement_to(block.line) if telling(line)] if before and block.code else []
            if not any(map(meant, lines)) or len(title & _parts(" ".join(lines))) < _SHARED:
                continue
            if text and block.shares_function(text, before) and not any(map(text.holds, lines)):
                yield path, max(lines, key=lambda line: (len(line), line))


def _late_function(block: Block, title: str, release: Text, before: Text) -> str:
    """The head of the function that a place is in, where the title names it and the release has none of that name, nor one of most
    of its lines.
    """
    name = before.function_at(block.line)
    named = bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", title) is not None
    late = named and "_" in name and not release.names(name) and not release.most_like(before.bodies[name])
    return f"def {name}(" if late else ""


def _parts(text: str) -> frozenset[str]:
    """Words of a text and parts of its names, but those that are in any of them."""
    found = (word.lower() for word in _PART.findall(text))
    return frozenset(word for word in found if len(word) > 2) - _COMMON


_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}|\d+")
_COMMON = frozenset(
    {
        "fix",
        "bug",
        "bugfix",
        "the",
        "for",
        "and",
        "with",
        "when",
        "from",
        "not",
        "self",
        "none",
        "true",
        "false",
        "core",
    }
)
_SHARED = 2
"""Words that a title and a statement have in common which the title is about."""


def signs(change: Change) -> Iterator[str]:
    """The longest line of each place: where it stands, the place may."""
    for _, some in places(change):
        for block in some:
            lines = [line for line in (block.old if block.replaces else block.was) if telling(line)] or [
                line for line in block.was if telling(line)
            ]
            if lines:
                yield max(lines, key=lambda line: (len(line), line))


def speaks_of(change: Change, names: Iterable[str]) -> bool:
    """What it adds names one of these, but as a member of a class, which is a value like others that it has."""
    word = re.compile(rf"(?<!\w)(?:[A-Z]\w*\.)?(?:{'|'.join(map(re.escape, names))})(?!\w)")
    said = (line[:400] for _, block in every_place(change) for line in block.new)
    return any("." not in found[0] for line in said for found in word.finditer(line))


def exposure(change: Change, release: str, tree: Tree, own: Own) -> Exposure:
    has = stood(change, tree, own)
    picked = has is not True and tree.whole and _stands(change, tree, own if has is False else None)
    some = has is None and lacks_places(change, tree, own)
    return Exposure(release, False if picked else has, picked=picked, some=some)


def _stands(change: Change, tree: Tree, own: Own | None) -> bool:
    """The tree has each place as it is now and none as it was; or, with `own`, wherever they stand, all lines that came and
    that the files had nowhere before.
    """
    found = [(file.old_path or file.path, block) for file, block in every_place(change)]
    places = [(path, tree.text(path) or NOTHING, block) for path, block in found if block.replaces or block.code]
    if own is not None:
        lines = [(path, text, line) for path, text, block in places for line in block.new if telling(line)]
        new = [(text, line) for path, text, line in lines if line not in own.get((change.sha, path), NOTHING).lines]
        if new and all(line in text.lines for text, line in new):
            return True
    return bool(places) and all(text.has(block.now) and not text.has(block.was) for _, text, block in places)


def standing_share(change: Change, tree: Tree) -> float | None:
    """How many of the lines that came are there, and of those that went are not; None where no line tells."""
    kept = every = 0
    for file in change.files:
        if not file.patch or file.patch_cut or ASIDE.search(file.path):
            continue
        here = tree.text(file.old_path or file.path) if file.status == "D" else tree.text(file.path)
        came, went = (Counter(row[1:].strip() for row in file.patch.split("\n") if row[:1] == sign) for sign in "+-")
        new, old = ({line for line in side if telling(line)} for side in (came - went, went - came))
        lines = here.lines if here is not None else frozenset()
        kept += len(new & lines) + len(old - lines)
        every += len(new) + len(old)
    return kept / every if every else None


def lines_of(file: FileChange, sign: str) -> set[str]:
    rows = (row[1:].strip() for row in file.patch.split("\n") if row[:1] == sign)
    return {row for row in rows if telling(row)}


def amended(changes: Iterable[Change]) -> set[str]:
    """Those of some changes, the newest first, of whose lines a later one takes some away or puts others in their place."""
    gone: dict[str, set[str]] = {}
    out: set[str] = set()
    for change in changes:
        sides = [(file.path, lines_of(file, "+"), lines_of(file, "-")) for file in code(change)]
        if any(not came.isdisjoint(gone.get(path, ())) for path, came, _ in sides):
            out.add(change.sha)
        for path, came, went in sides:
            gone.setdefault(path, set()).update(went - came)
    return out


def lines_that_came(change: Change, gone: Iterable[Mapping[str, set[str]]]) -> set[str]:
    """Lines that a change adds to a file and that are most of what a later one takes away: fewer are no ground for a tie."""
    out: set[str] = set()
    added: dict[str, set[str]] = {}
    for lines in gone:
        near = [file for file in change.files if file.path in lines and file.patch]
        for file in near:
            added.setdefault(file.path, lines_of(file, "+"))
        both = set().union(*(added[file.path] & lines[file.path] for file in near))
        out |= both if len(both) * 2 >= sum(map(len, lines.values())) else set()
    return out
