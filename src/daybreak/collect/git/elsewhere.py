"""Places of a fix that a release has not at their path: it may have them at another one, in whole or taken apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from daybreak.collect.git.constructs import construct
from daybreak.collect.git.patch_blocks import blocks
from daybreak.collect.git.places import Own, code, places, signs
from daybreak.collect.git.standing import Block, Text, condition, meant, telling
from daybreak.collect.git.tree_search import ELSEWHERE, PATTERNS, Tree
from daybreak.core.model.changes import Change

Files = Callable[[str, Iterable[str]], Mapping[str, Text | None]]
"""Files of a commit, by path."""


def elsewhere(
    tree: Tree, changes: Sequence[Change], endings: Collection[str], own: Own, files: Files
) -> dict[str, bool | None]:
    """Sha -> whether the release has the lines at another path; nothing is known where not all was searched."""
    out: dict[str, bool | None] = {}
    for change in changes:
        if not any(signs(change)) and not _at_home(change, tree):
            out[change.sha] = None
    for some in _in_parts(changes, PATTERNS):
        there = tree.holding((line for change in some for line in signs(change)), endings)
        tree.load(there)
        texts = {path: text for path in there if (text := tree.text(path)) is not None}
        for change in some:
            there_too = set[bool | None]()
            if tree.whole:
                there_too = _found(change, texts, tree, own, files) | _moved_from(change, texts, tree, files)
            if there_too - {False}:
                out[change.sha] = True if True in there_too else None
            elif not tree.whole or len(there) == ELSEWHERE or len(set(signs(change))) > PATTERNS:
                out[change.sha] = None
    return out


def _at_home(change: Change, tree: Tree) -> bool:
    """The release has its files."""
    return all(tree.text(file.old_path or file.path) is not None for file in code(change))


def _found(change: Change, texts: Mapping[str, Text], tree: Tree, own: Own, files: Files) -> set[bool | None]:
    """Whether its places stand in these files of the release. Where the branch still has them there, beside those of the fix,
    they are another place; one that is not at home in the release may be a copy of it. Where that file is still there, what it lost
    may be its own, and no part of a class that came since.
    """
    found = {path: _all_in(change, path, text, own) for path, text in texts.items()}
    asked = [path for path, has in found.items() if has]
    young = bool(asked) and _is_of_new_classes(change, tree, own)
    for path, text in files(change.parents[0], asked).items() if asked and change.parents else ():
        if text is not None and _all_in(change, path, text, own):
            found[path] = False if young or _at_home(change, tree) else None
        elif text is not None and young:
            found[path] = None
    return set(found.values())


def _moved_from(change: Change, texts: Mapping[str, Text], tree: Tree, files: Files) -> set[bool | None]:
    """Whether the release has its fault in one function of a file that lost by now what the fix takes away, while none of the
    fix's own files is there: nearly all of that, and each condition, is the code that moved; a third of it may be.
    """
    homes = [(tree.text(file.old_path or file.path), some) for file, some in places(change) if some]
    gone = {line for _, some in homes for block in some for line in block.old if telling(line) or condition(line)}
    if len(gone) < _MOVED or not change.parents or any(text is not None for text, _ in homes):
        return set()
    most = {
        path: max((gone.intersection(text.rows_of(one)) for one in text.functions), key=len, default=gone)
        for path, text in texts.items()
    }
    there = {path: lines for path, lines in most.items() if 3 * len(lines) >= len(gone)}
    later = files(change.parents[0], there)
    left = [there[path] for path, text in later.items() if text is None or 4 * len(gone & text.lines) <= len(gone)]
    return {(4 * len(lines) >= 3 * len(gone) and not any(map(condition, gone - lines))) or None for lines in left}


_MOVED = 8
"""Lines that do not stand in another function by chance."""


def _is_of_new_classes(change: Change, tree: Tree, own: Own) -> bool:
    """Its places are in classes of which the release knows none."""
    texts = [
        (own.get((change.sha, file.old_path or file.path)), block) for file, some in places(change) for block in some
    ]
    heads = [text.heads_of(block.line) if text else () for text, block in texts]
    found = [next(filter(None, map(_CLASS.match, some)), None) for some in heads]
    names = sorted({one[1] for one in found if one})
    return bool(names) and None not in found and len(names) <= PATTERNS and tree.words(names) == set()


_CLASS = re.compile(r"(?:class|struct)\s+([A-Za-z_]\w{0,120})")


def rehomed(tree: Tree, changes: Iterable[Change], endings: Collection[str], own: Own) -> Iterator[Change]:
    """Changes of whose files the release has some, and what stands in others at another path, which it is told of."""
    for change in changes:
        gone = [(file, some) for file, some in places(change) if some and tree.text(file.old_path or file.path) is None]
        there = tree.holding(signs(change), endings) if 0 < len(gone) < len(code(change)) else []
        tree.load(there)
        texts = {path: text for path in there if (text := tree.text(path)) is not None}
        for file, some in gone:
            home = file.old_path or file.path
            before = own.get((change.sha, home))
            held = (path for path, text in texts.items() if all(_is_at(block, text, before) for block in some))
            tree.homes.update((home, path) for path in held)
        if any((file.old_path or file.path) in tree.homes for file, _ in gone):
            yield change


def _is_at(block: Block, text: Text, before: Text | None) -> bool:
    """A place stands in another file, in a function of the same name."""
    return block.has_call(text, before) and bool(block.stood_in(text)) and block.shares_function(text, before)


def _all_in(change: Change, path: str, text: Text, own: Own) -> bool | None:
    """All places of one of its files stand in this other one, and in functions of the same names. None where what else it
    takes away, such as a parameter, does not: a function that was taken out of another may have got its fault with that.
    """
    for file, some in places(change):
        home = file.old_path or file.path
        before = own.get((change.sha, home))
        votes = [_is_at(block, text, before) for block in some]
        gone = (line for block in blocks(file) for line in block.old if telling(line))
        if path != home and file.patch and votes and all(votes):
            return all(map(text.holds, gone)) or None
    return False


def _in_parts(changes: Iterable[Change], most: int) -> Iterator[list[Change]]:
    """Changes whose signs go into one search together; those without any are left out."""
    part, lines = list[Change](), set[str]()
    for change in changes:
        own = set(signs(change))
        if part and len(lines | own) > most:
            yield part
            part, lines = [], set()
        if own:
            part.append(change)
            lines |= own
    if part:
        yield part


def taken_apart(tree: Tree, changes: Iterable[Change], own: Own, files: Files) -> dict[str, bool | None]:
    """Sha -> None, where what lies in files that the release has not may have stood in others, where another object was asked:
    a chain of names, or of a fix that only adds a line beside it, that one of these had and has no longer.
    """
    asked = [
        (change, chains) for change in changes if change.parents and (chains := set(_moved_chains(change, tree, own)))
    ]
    if not asked:
        return {}
    there = tree.holding(set().union(*(chains for _, chains in asked)), {".py"})
    tree.load(there)
    out: dict[str, bool | None] = {}
    for change, chains in asked:
        later = files(change.parents[0], there)
        if any(_left(chains, tree.text(path), later.get(path)) for path in there):
            out[change.sha] = None
    return out


def _moved_chains(change: Change, tree: Tree, own: Own) -> Iterator[str]:
    """Chains of names of its places in files that the release has not, without the object that each begins with; of places that
    only get lines, what these come beside.
    """
    for file, some in places(change):
        before = own.get((change.sha, file.old_path or file.path))
        if tree.text(file.old_path or file.path) is None:
            for block in some:
                beside = construct(block, before) if before and not block.replaces else ()
                yield from (line for line in beside if telling(line) and meant(line))
                chains = [chain for line in block.was if telling(line) for chain in _CHAIN.findall(line[:400])]
                yield from (max(chains, key=lambda chain: (len(chain), chain)),) if chains else ()


_CHAIN = re.compile(r"(?<![\w.])[A-Za-z_]\w{0,60}\.((?:\w{1,60}\.){2,6}\w{1,60})")


def _left(chains: Iterable[str], here: Text | None, later: Text | None) -> bool:
    """A file had a line with one of these chains, and has it no longer."""
    if here is None:
        return False
    lines = later.lines if later else frozenset()
    return any(chain in line and line not in lines for chain in chains for line in here.lines)
