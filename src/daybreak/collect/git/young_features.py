"""Features that are younger than a release: a fix of what came after it says nothing of the release, though the lines that
it replaces may stand there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.collect.git.culprits import culprits
from daybreak.collect.git.patches import pull_number
from daybreak.collect.git.picks import TEST
from daybreak.collect.git.places import code, every_place
from daybreak.collect.git.release_doubts import sentences
from daybreak.collect.git.standing import Block, Text
from daybreak.collect.git.tree_search import Tree
from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change

_SUBJECT = 300
_BRINGS = re.compile(r"\b(?:support\w*|add(?:s|ed)?|enabl\w+|implement\w*|introduc\w+|feat\w*)\b", re.IGNORECASE)
_MENDS = re.compile(r"fix|\bbug|revert", re.IGNORECASE)
_ABOUT = re.compile(r"\bfix(?:es|ed|ing)?\b[:\s]*(.+)", re.IGNORECASE)
_CIRCUMSTANCE = re.compile(
    r"\s(?:when|where|if|for|in|on|with|by|to|from|during|due|that|after|under|via|and|of|because|caused|while|at)\s|[:;(]",
    re.IGNORECASE,
)
"""What follows says when the fault is met; what goes before, what is at fault."""
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FAULT = frozenset(
    (
        "the",
        "a",
        "an",
        "bug",
        "bugs",
        "issue",
        "error",
        "errors",
        "wrong",
        "incorrect",
        "missing",
        "crash",
        "broken",
        "bad",
    )
)
_BLAMES = re.compile(
    r"\b(?:broken?|introduced|caused|dropped|regress(?:ed|ions?)|brought|deletion|errors?|due"
    r"|(?:issues?|problems?|bugs?) (?:with|in|from|of|after))\b[^#]{0,60}#(\d{1,9})\b",
    re.IGNORECASE,
)
"""`broken by the new loader (#12)`."""
_AFTER = re.compile(
    r"\b(?:broken|introduced|dropped|regressed) (?:by|in|after|since|from)\b"
    r"|\bafter\b.{1,60}\b(?:refactor\w{0,5}|migrat\w{1,4}|renam\w{1,3}|rewrite|split)\b",
    re.IGNORECASE,
)
"""`broken by the new loader`: the lines that are mended may be older than what broke them."""
_LEAST = 3
"""Words of what is fixed that a feature must name, all of them: fewer are shared by chance."""
_IDENTIFIER = re.compile(r"(?<![\w/.-])(?:[A-Za-z]\w*_\w+|_\w{3,}|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)(?![\w/-])")
_ASKED, _OF_ONE = 40, 12


class _Row(NamedTuple):
    sha: str
    subject: str
    paths: frozenset[str]


class Younger(NamedTuple):
    """What came after a release and may be all that some fixes mend."""

    features: frozenset[str]
    """Fixes whose title names what a change of the same files brought, or blames a change that nobody can name."""
    causes: Mapping[str, str]
    """Fix -> the change that its title or its text blames, as it is named."""


def younger(fixes: Mapping[str, tuple[Change, Collection[str]]], release: str, ask: Callable[..., bytes]) -> Younger:
    """Of some fixes, the newest first, each with the paths of its code. `ask`: git, of commits."""
    about = {sha: words for sha, (change, _) in fixes.items() if len(words := _about(change.subject)) >= _LEAST}
    met = {sha: found for sha, (change, _) in fixes.items() if (found := list(_conditions(change)))}
    blamed = {sha: names for sha, (change, _) in fixes.items() if (names := _blamed(change))}
    vague = frozenset(sha for sha, (change, _) in fixes.items() if _AFTER.search(change.subject[:_SUBJECT]))
    if not about and not blamed and not met:
        return Younger(vague, {})
    newest = next(iter(fixes.values()))[0]
    try:
        log = ask("log", "--first-parent", "--name-only", "--format=%x00%H %s", f"{release}..{newest.sha}", "--")
    except GitError:
        return Younger(vague, {})
    rows, features, left = list(_rows(log)), set(vague - blamed.keys()), dict(about)
    # From the oldest on: what came before the fix is all that may have brought what it mends.
    for row in reversed(rows):
        left.pop(row.sha, None)
        if _BRINGS.search(row.subject) and not _MENDS.search(row.subject):
            brought = _words(row.subject)
            features |= {sha for sha, words in left.items() if words <= brought and row.paths & set(fixes[sha][1])}
    causes = {sha: cause for sha, names in blamed.items() if (cause := _all_came(names, rows))}
    return Younger(frozenset(features), {**_of_conditions(met, rows, ask), **causes})


def _conditions(change: Change) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """What comments that came with a fix say of a value, and when that is so: `n may be an upper bound when Python avoids a
    sync`; of the value its name apart.
    """
    for _, block in every_place(change):
        for sentence in sentences(block):
            found = _WHEN.fullmatch(sentence[:_SUBJECT])
            if found is not None:
                said, when = (_stems(text) for text in found.groups())
                yield said, when


def _of_conditions(
    met: Mapping[str, Sequence[tuple[frozenset[str], frozenset[str]]]], rows: Sequence[_Row], ask: Callable[..., bytes]
) -> dict[str, str]:
    """Fix -> the one change before it, after the release, whose title says it does what its comment names as the condition,
    and whose lines bring the words for what the comment says of it.
    """
    out: dict[str, str] = {}
    for sha, sides in met.items():
        at = next((n for n, row in enumerate(rows) if row.sha == sha), len(rows))
        near = [row for row in rows[at + 1 :][:_NEAR] if pull_number(row.subject) and not _MENDS.search(row.subject)]
        does = [(row, said) for row in near for said, when in sides if _is_condition(row.subject, when)]
        found = {row for row, said in does if _brings(row.sha, said, ask)} if len(does) <= _SHOWN else set[_Row]()
        if len(found) == 1:
            out[sha] = f"#{pull_number(found.pop().subject)}"
    return out


def _is_condition(subject: str, when: frozenset[str]) -> bool:
    """A title says that its change does what is named."""
    return bool(_does(subject) & when) and len(_stems(subject) & when) >= _TOLD


def _brings(sha: str, said: frozenset[str], ask: Callable[..., bytes]) -> bool:
    """One name that it adds, and had nowhere, has most words of what is said."""
    try:
        patch = ask("show", "--first-parent", "--format=", "-U0", sha, "--").decode("utf-8", "replace")[:_PATCH]
    except GitError:
        return False
    rows = patch.split("\n")
    came, had = (
        {name for row in rows if row.startswith(sign) for name in _IDENTIFIER.findall(row[:_SUBJECT])} for sign in "+-"
    )
    return any(len(_stems(name) & said) >= _TOLD for name in came - had)


def _does(subject: str) -> frozenset[str]:
    """The first word of a title behind its tags: what the change does."""
    return _stems(_HEAD.sub("", subject).partition(" ")[0])


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _words(text) if len(word) >= _SHORTEST)


_HEAD = re.compile(r"^(?:\s{0,4}\[[^\]]{0,60}\]){0,6}\s{0,4}(?:\w{2,12}(?:\([^()]{0,60}\))?!?:\s{1,4})?")
_WHEN = re.compile(r"(.{10,160}?)\s(?:when|where|if|once|now that)\s(.{8,160})", re.IGNORECASE)
_TOLD = 2
"""Words that both must have on either side: one may be chance."""
_STEM, _SHORTEST = 5, 4
_NEAR = 120
"""Changes before a fix that are looked at: those of its day, and a day or two before."""
_SHOWN = 8
"""Changes whose lines are read for one fix: of more that could be meant, none is."""
_PATCH = 4 << 20


def brought(cause: str | None, span: str, ask: Callable[..., bytes]) -> bool:
    """A change that is named by its number is in a span of commits; of one that is not named so, nothing speaks against it."""
    if cause is None or not cause.startswith("#"):
        return True
    try:
        rows = ask("log", "--format=%s", span, "--").decode("utf-8", "replace").split("\n")
    except GitError:
        return False
    return any(pull_number(row) == int(cause[1:]) for row in rows)


def _blamed(change: Change) -> list[str]:
    """The changes at fault, as the title names one or the text does: `#12`, or the beginning of a sha."""
    found = _BLAMES.search(change.subject[:_SUBJECT])
    named = [f"#{found[1]}"] if found else list(culprits(change))
    return [name for name in dict.fromkeys(named) if name != f"#{change.pr}"]


def _all_came(names: Sequence[str], rows: Sequence[_Row]) -> str | None:
    """The first of the named changes, where all of them are among those that came."""
    numbers = {f"#{number}" for row in rows if (number := pull_number(row.subject))}
    came = [name for name in names if name in numbers or any(row.sha.startswith(name) for row in rows)]
    return (came[0] if came[0][:1] == "#" else came[0][:9]) if came and came == names else None


def _rows(log: bytes) -> Iterator[_Row]:
    for part in log.decode("utf-8", "replace").split("\0")[1:]:
        head, *paths = part.split("\n")
        sha, _, subject = head.partition(" ")
        yield _Row(sha, subject[:_SUBJECT], frozenset(filter(None, paths)))


def _about(subject: str) -> frozenset[str]:
    """What is at fault, by the title of a fix."""
    found = _ABOUT.search(subject[:_SUBJECT])
    return _words(_CIRCUMSTANCE.split(f"{found[1]} ", maxsplit=1)[0]) - _FAULT if found else frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower().removesuffix("s") for word in _TOKEN.findall(text))


def unknown_names(fixes: Iterable[Change], before: Mapping[str, Sequence[Text]], tree: Tree) -> set[str]:
    """Those of some fixes (by sha) whose title, or whose new lines with their comments, name what stood in their files before, and
    stands nowhere in the release: the fault is no older than what it is put right by.
    """
    titled, lined = dict[str, set[str]](), dict[str, set[str]]()
    for change in fixes:
        rows = (row[1:_SUBJECT] for file in code(change) for row in file.patch.split("\n") if row[:1] == "+")
        named = dict.fromkeys(name for row in rows for name in _IDENTIFIER.findall(row))
        stood = (name for name in named if any(text.names(name) for text in before[change.sha]))
        lined[change.sha] = set(islice(stood, _OF_ONE))
        names = set(_IDENTIFIER.findall(change.subject[:_SUBJECT]))
        titled[change.sha] = {name for name in names if any(text.names(name) for text in before[change.sha])}
    first = set().union(*titled.values())
    asked = [*sorted(first), *sorted(set().union(*lined.values()) - first)][: _ASKED * 4]
    there = tree.words(asked)
    gone = (
        (first | set(asked)) - there if there is not None else set[str]()
    )  # of a title what is not looked for is not known
    return {sha for sha in titled if not gone.isdisjoint(titled[sha] | lined[sha])}


def unknown_models(fixes: Iterable[Change], tree: Tree, branch: Callable[[str], Tree]) -> set[str]:
    """Those of some fixes whose title names a model, or a device, of which the branch speaks before the fix, in tests or
    pages too, and the release nowhere. `branch`: the tree of a commit.
    """
    named = {c.sha: (c, _models(c.subject)) for c in fixes if c.parents}
    every = sorted(set().union(*(models for _, models in named.values())))
    there = tree.spelled(every[:_ASKED])
    if not every or there is None:
        return set()
    gone = set(every[:_ASKED]) - there
    asked = [(sha, change, sorted(models & gone)) for sha, (change, models) in named.items() if models & gone]
    return {sha for sha, change, models in asked if branch(change.parents[0]).spelled(models)}


def _models(subject: str) -> set[str]:
    return {name.lower() for name in _MODEL.findall(subject[:_SUBJECT])}


_MODEL = re.compile(r"(?<![\w#./-])[A-Za-z]{2,20}(?:-[A-Za-z]{1,3})?-?\d{1,3}(?:\.\d{1,2})?(?![\w.-])")
"""`GLM-5`, `Qwen3.5`, `DeepSeek-V3`."""


def unknown_options(
    fixes: Iterable[Change],
    tree: Tree,
    branch: Callable[[str], Tree],
    files: Callable[[str, Iterable[str]], Mapping[str, Text | None]],
) -> dict[str, str]:
    """Fix -> an option that the branch knows and the release nowhere speaks of, with which its own test starts the program:
    what is tested may be what came with that. `branch`: the tree of a commit; `files`: files of one.
    """
    asked = {c.sha: (c, names) for c in fixes if c.parents and (names := _tested_options(c, tree, files))}
    every = sorted(set().union(*(names for _, names in asked.values())))
    there = tree.spelled(every[:_ASKED])
    gone = set(every[:_ASKED]) - there if there is not None else set[str]()
    out: dict[str, str] = {}
    for sha, (change, names) in asked.items():
        late = {name.replace("-", "_"): name for name in sorted(names & gone)}
        known = branch(change.parents[0]).words(list(late)) if late else set[str]()
        out |= {sha: f"--{late[min(known)]}"} if known else {}
    return out


def _tested_options(
    change: Change, tree: Tree, files: Callable[[str, Iterable[str]], Mapping[str, Text | None]]
) -> set[str]:
    """Options by which its tests start the program: of a test that the release has, those of the lines that came."""
    tests = [file for file in change.files if file.status in "AMR" and TEST.search(file.path)]
    texts = files(change.sha, [file.path for file in tests]) if tests else {}
    out = set[str]()
    for file in tests:
        text = texts.get(file.path)
        known = tree.text(file.old_path or file.path) is not None
        came = "\n".join(row[1:] for row in file.patch.split("\n") if row[:1] == "+")
        out |= set(_OPTION.findall(came if known else text.raw if text is not None else ""))
    return out


_OPTION = re.compile(r"[\"'\s]--([a-z][a-z0-9]+(?:-[a-z0-9]+){2,8})(?=[\"'\s=])")
"""Names of so many words are hardly those of another program."""


def unread(fixes: Iterable[Change], tree: Tree, branch: Callable[[str], Tree]) -> set[str]:
    """Those of some fixes that only set attributes, where the release neither sets nor reads one of them and the branch did
    before the fix: what failed without them came after the release. `branch`: the tree of a commit.
    """
    asked = {change.sha: (change, names) for change in fixes if change.parents and (names := _sets(change))}
    every = sorted(set().union(*(names for _, names in asked.values())))
    there = tree.words(every[:_ASKED])
    if not asked or there is None:
        return set()
    gone = set(every[:_ASKED]) - there
    young = ((sha, change, names) for sha, (change, names) in asked.items() if names <= gone)
    return {sha for sha, change, names in young if branch(change.parents[0]).words(sorted(names)) == names}


def _sets(change: Change) -> set[str]:
    """Attributes that a fix sets, where that is all that it does."""
    blocks = [block for _, block in every_place(change) if block.code or block.replaces]
    found = [_set_by(block) for block in blocks]
    return set().union(*found) if all(found) else set()


def _set_by(block: Block) -> set[str]:
    if block.replaces or not block.code:
        return set()
    try:
        body = ast.parse("\n".join(block.code)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    targets = [target for row in body for target in _targets(row)]
    names = {target.attr for target in targets if isinstance(target, ast.Attribute)}
    return names if all(isinstance(target, ast.Attribute) for target in targets) else set()


def _targets(row: ast.stmt) -> Sequence[ast.expr | None]:
    """What a statement sets; None for one that does anything else."""
    return row.targets if isinstance(row, ast.Assign) else [row.target] if isinstance(row, ast.AnnAssign) else [None]
