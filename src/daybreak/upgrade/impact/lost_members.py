"""Names that upstream took away and speaks of nowhere any more, used of objects whose class your code does not show."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.upgrade import Net, Use
from daybreak.upgrade.downstream.python_lost import UNKNOWN
from daybreak.upgrade.impact.base import Address, Item, Judged
from daybreak.upgrade.impact.ends import ASIDE, Upstream
from daybreak.upgrade.impact.source_parts import members_of
from daybreak.upgrade.impact.table import ARGUMENTS
from daybreak.upgrade.impact.tree_lookup import USES
from daybreak.upgrade.impact.tree_names import gone_finding
from daybreak.upgrade.impact.trees import Told, Trees

_GIVEN = re.compile(
    r"^(?:--- a/(.+)|([-+])(?: *(?:async )?(?:def|class) (\w+)| +self\.(\w+)(?: {0,9}:[^=\n]{0,200}| {1,9})?=(?!=)|    (\w+): | +\"--([a-z][\w-]+)\"))",
    re.MULTILINE,
)
"""In a diff: a file, and the names that its lines give a function, a class, an object, the body of a class or an option."""
_LONGEST_DIFF = 100_000_000
_AT_A_TIME = 1 << 20


def lost_names(environment: Mapping[str, str], upstream: Upstream) -> dict[str, str]:
    """Names of modules, classes and objects that the files of the start define and those of the end do not → where."""
    if upstream.mirror is None or not upstream.nets:
        return {}
    lost, kept, path = dict[str, str](), set[str](), ""
    try:
        for piece in _difference(environment, Path(upstream.mirror), upstream.start, upstream.end):
            for found in _GIVEN.finditer(piece):
                path = found[1] or path
                name = found[3] or found[4] or found[5] or (found[6] or "").replace("-", "_")
                if found[2] == "+":
                    kept.add(name)
                elif name:
                    lost.setdefault(name, path)
    except GitError:
        return {}
    gone = {name: where for name, where in lost.items() if name not in kept}
    # Projects that take over upstream's options put its name before them.
    return gone | {
        f"{_top(upstream.repo.name)}_{name}": where for name, where in gone.items() if ARGUMENTS.search(where)
    }


def _difference(environment: Mapping[str, str], mirror: Path, start: str, end: str) -> Iterator[str]:
    """The lines in which the Python files of two commits differ, some at a time: of a large upgrade they are many."""
    asked = ["diff", "-U0", "--no-color", "--no-ext-diff", "--no-renames", start, end, "--", "*.py"]
    without = (f":(exclude,glob){place}" for place in ASIDE)
    with Git(environment).stream(*asked, *without, at=mirror) as told:
        rest, left = b"", _LONGEST_DIFF
        while left > 0 and (read := told.output.read(min(_AT_A_TIME, left))):
            left -= len(read)
            whole, end_of_line, rest = (rest + read).rpartition(b"\n")
            rest = rest[:_AT_A_TIME]  # of an endless line only the beginning tells anything
            yield (whole + end_of_line).decode("utf-8", "replace")
        yield rest.decode("utf-8", "replace")
        if left > 0 and told.finish():
            raise GitError(told.last_words())


def lost_members(uses: Sequence[Use], trees: Trees) -> Iterator[Told]:
    """What your code asks of an object by a name that upstream's classes had at the start and no source has at the end."""
    asked = [use for use in uses if use.name.startswith(UNKNOWN)]
    yours = {use.name for use in asked if use.kind == "override"}
    told = {(use.path, use.line, use.name) for use, *_ in trees.options(uses)} if asked else set()
    left = [use for use in asked if use.name not in yours and (use.path, use.line, _word(use)) not in told]
    ends = trees.asked.ends
    for repo, lost in ends.lost.items() if left and ends.spoken else ():
        files = {use.path for use in uses if use.kind in USES and _is_of(use, repo, trees)}
        parsers = {path for pair, path in trees.parsers(uses) if pair[0].repo == repo}
        here = [
            use
            for use in left
            if (where := lost.get(_word(use))) and (use.path in files or (where in parsers and _is_option(use)))
        ]
        bare = {use: _bare(repo, _word(use), lost) for use in here}
        alive = ends.spoken(repo, frozenset(bare.values())) if here and ends.spoken else None
        for use in (use for use in here if alive is not None and bare[use] not in alive):
            if use.path not in files:  # an option that a parser of upstream put there for another file
                finding = gone_finding("attribute", "removed", lost[_word(use)], f"args.{bare[use]}")
                yield use, Item(repo, Net(finding, ()), Address((), ())), Judged("likely", "use", f"args.{_word(use)}")
            elif owner := _owner(repo, lost[_word(use)], _word(use), trees):
                finding = gone_finding("attribute", "removed", lost[_word(use)], f"{owner}.{_word(use)}")
                yield use, Item(repo, Net(finding, ()), Address((), ())), Judged("look", "use", _word(use))


def _bare(repo: str, word: str, lost: Container[str]) -> str:
    """A name without that of the repository, where it is only looked for because the rest of it is lost."""
    rest = word.removeprefix(f"{_top(repo)}_")
    return rest if rest in lost else word


def _top(repo: str) -> str:
    return repo.rpartition("/")[2].replace("-", "_")


def _is_option(use: Use) -> bool:
    return re.search(rf"(?:\b|_)(?:args|namespace)\.{re.escape(_word(use))}\b", use.text) is not None


def _owner(repo: str, path: str, word: str, trees: Trees) -> str:
    """The class of the start that has a member; empty for none."""
    source = trees.asked.start.source(repo, path) if trees.asked.start else None
    classes = [one for some in source.tops.values() for one in some] if source is not None else []
    for node in classes:
        if isinstance(node, ast.ClassDef) and any(name == word for name, *_ in members_of(node)):
            return node.name
    return ""


def _is_of(use: Use, repo: str, trees: Trees) -> bool:
    pair = trees.of(use.name)
    return pair is not None and pair[0].repo == repo


def _word(use: Use) -> str:
    return use.name.removeprefix(UNKNOWN)
