"""What trees say of a window's changes: who runs the lines that a fix replaces, which reverts stand at the end, and which
lines are older than the change that seems to have added them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.git.families import parsed
from daybreak.collect.git.mirror import Mirror, fetch_blobs
from daybreak.collect.git.release_doubts import lacks_use, needs, outside
from daybreak.collect.git.removed_names import absent, names
from daybreak.collect.git.standing import NOTHING, Block, Text, Tree, blocks, files_of, telling
from daybreak.core.errors import GitError
from daybreak.core.file_cache import Found
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Exposure, FileChange

_SMALL = 120
"""Lines that a fix takes away; more than that is a rewrite, whose lines say nothing of a fault."""
_FILES = 16
_FIXES = 60
"""Changes of one window that are looked at."""
_REMOVALS = 150
_MENDS = re.compile(
    r"fix|\bbug|\brestor|\bcorrect|\brepair|\bregress|\bbroke|\bprevent|\bavoid|\bhandl|\bresolv|\bcrash|\bhang|\bleak|\brace"
    r"|\bwrong|\bincorrect|\berror|\bproper|\bsecurity|\bCVE-|\bvulnerab|\bguard|\bmissing|\bdeadlock",
    re.IGNORECASE,
)
_REVERT = re.compile(r"\brevert|\broll(?:ed|ing)?[ -]?back\b|\bback(?:ed|ing)? out\b", re.IGNORECASE)
_TEST = re.compile(r"(?:^|/)(?:tests?|testing|benchmarks?|examples?)/|(?:^|/)test_[^/]*$|_test\.\w+$")
_ASIDE = re.compile(r"(?:^|/)(?:docs?|\.github|\.buildkite)/|\.(?:md|rst|txt|json|lock|ya?ml|toml|cfg)$")
_ENDING = re.compile(r"\.\w{1,8}$")


Own = Mapping[tuple[str, str], Text]
"""(sha, path) -> the file before that change."""


class Releases(Struct, frozen=True):
    """What is known of a window's releases."""

    newest: Mapping[str, str]
    """sha -> highest release of what it touches."""
    released: Mapping[str, str]
    candidates: Callable[[str], Sequence[str]]
    """Release -> candidates of the next one, the newest first."""


class Bearings:
    """Looks into trees of one mirror; what cannot be read is not known."""

    def __init__(self, git: Git, mirror: Mirror, offline: bool, found: Found | None = None) -> None:
        self._git, self._mirror, self._found = git, mirror, found
        self._fetches = mirror.blobless and not offline

    # --- who has the bug -------------------------------------------------------------------------------------------

    def exposed(self, changes: Sequence[Change], known: Releases) -> dict[str, Exposure]:
        """Sha -> whether the newest release that lacks a fix has the lines that it replaces."""
        asked: dict[str, list[Change]] = {}
        for change in [c for c in changes if _may_mend(c) and _lacks(c, known)][:_FIXES]:
            asked.setdefault(known.newest[change.sha], []).append(change)
        out: dict[str, Exposure] = {}
        for release, some in asked.items():
            out |= self._in_release(release, some, known)
        return out

    def absent(self, changes: Sequence[Change], known: Releases) -> dict[str, tuple[str, ...]]:
        """Sha -> names that a change takes away and that the newest release, which lacks the change, never had."""
        asked: dict[str, list[tuple[Change, list[str]]]] = {}
        gone = ((c, found) for c in changes if not c.skipped and _lacks(c, known) and (found := names(c)))
        for change, found in islice(gone, _REMOVALS):
            asked.setdefault(known.newest[change.sha], []).append((change, found))
        out: dict[str, tuple[str, ...]] = {}
        for release, some in asked.items():
            tree = self._at(release)
            self._fetch_all(tree, {end[0] for c, _ in some for f in c.files if (end := _ENDING.search(f.path))})
            out |= absent(some, tree)
        return out

    def _in_release(self, release: str, changes: Sequence[Change], known: Releases) -> dict[str, Exposure]:
        tree, own = self._tree(release, changes), self._before(changes)
        found = {change.sha: _exposure(change, release, tree, own) for change in changes}
        self._elsewhere(tree, [change for change in changes if found[change.sha].has is False], found, own)
        for change in [change for change in changes if found[change.sha].has and self._doubtful(change, tree, own)]:
            found[change.sha] = replace(found[change.sha], has=None)
        clean = [change for change in changes if found[change.sha].has is False]
        later = next(iter(known.candidates(release)), None) if clean else None
        for change in clean if later else ():
            assert later is not None
            holds = known.released.get(change.sha)
            if holds is None and _has(change, self._tree(later, clean), own):
                found[change.sha] = replace(found[change.sha], candidate=later)
        return found

    def _before(self, changes: Sequence[Change]) -> Own:
        asked = [(c.sha, c.parents[0], f.old_path or f.path) for c in changes if c.parents for f in _code(c)]
        texts = files_of(self._git, self._mirror.path, [(parent, path) for _, parent, path in asked])
        return {(sha, path): text for sha, parent, path in asked if (text := texts.get((parent, path)))}

    def _doubtful(self, change: Change, tree: Tree, own: Own) -> bool:
        """The lines stand in the release, and yet it may not have the fault."""
        places = list(_places(change))
        meant = needs(block for _, some in places for block in some)
        if meant:
            rows = tree.pins([name for name, _, _ in meant])
            if any(outside(need, rows) for need in meant):
                return True
        if any(block.replaces for _, some in places for block in some) or not change.parents:
            return False
        for file, some in places:
            path = file.old_path or file.path
            here, before = tree.text(path), own.get((change.sha, path))
            if here is not None and any(lacks_use(block, here, before) for block in some):
                return True
        return False

    def _elsewhere(self, tree: Tree, changes: Sequence[Change], found: dict[str, Exposure], own: Own) -> None:
        """A release that lacks the lines at their path may have them at another one."""
        signs = {line for change in changes for line in _signs(change)}
        endings = {end[0] for change in changes for file in _code(change) if (end := _ENDING.search(file.path))}
        if not signs:
            return
        self._fetch_all(tree, endings)
        there = tree.holding(signs, endings)
        tree.load(there)
        texts = {path: text for path in there if (text := tree.text(path)) is not None}
        for change in changes:
            if not tree.whole:
                found[change.sha] = replace(found[change.sha], has=None)
            elif any(_all_in(change, path, text, own) for path, text in texts.items()):
                found[change.sha] = replace(found[change.sha], has=True)

    # --- what stands at the end ------------------------------------------------------------------------------------

    def standing(self, changes: Iterable[Change], head: str | None) -> dict[str, float]:
        """Revert -> how much of what it did stands in the tree of the head."""
        reverts = [c for c in changes if _REVERT.search(c.subject[:400]) and any(f.patch for f in c.files)]
        if not reverts or head is None:
            return {}
        tree = self._tree(head, reverts)
        shares = {change.sha: _share(change, tree) for change in reverts} if tree.whole else {}
        return {sha: share for sha, share in shares.items() if share is not None}

    # --- what is older than it seems -------------------------------------------------------------------------------

    def older(self, changes: Sequence[Change], recent: Sequence[Change]) -> dict[str, tuple[str, ...]]:
        """Sha -> lines that a small change of the window takes away and that this one seems to have added to the same file,
        but which it moved there, or which stood somewhere in the tree before all of these; both lists newest first.
        """
        gone = [{file.path: _lines(file, "-") for file in _code(change)} for change in changes if _may_mend(change)]
        came = {c.sha: lines for c in (*changes, *recent) if (lines := _came(c, gone))}
        if not came:
            return {}
        moved = self._moved([c for c in (*changes, *recent) if c.sha in came])
        left = {line for sha, lines in came.items() for line in lines - moved.get(sha, frozenset())}
        first = next((c for c in reversed((*changes, *recent)) if c.parents), None)
        known = self._anywhere(first.parents[0], left, chain.from_iterable(gone)) if first and left else frozenset()
        found = {sha: lines & (known | moved.get(sha, frozenset())) for sha, lines in came.items()}
        return {sha: tuple(sorted(lines)) for sha, lines in found.items() if lines}

    def _anywhere(self, commit: str, lines: set[str], paths: Iterable[str]) -> frozenset[str]:
        """All lines of the files of a tree that hold one of these."""
        tree = self._at(commit)
        endings = {end[0] for path in paths if (end := _ENDING.search(path))}
        self._fetch_all(tree, endings)
        there = tree.holding(lines, endings)
        tree.load(there)
        return frozenset(chain.from_iterable(text.lines for path in there if (text := tree.text(path))))

    def _moved(self, changes: Sequence[Change]) -> dict[str, frozenset[str]]:
        """Sha -> lines that its files had before it, at whatever of their paths."""
        asked = [
            (c.parents[0], file.old_path or file.path)
            for c in changes
            if c.parents
            for file in c.files
            if file.status in "MDR" and not _ASIDE.search(file.path) and "\n" not in file.path
        ]
        before: dict[str, set[str]] = {}
        for (commit, _), text in files_of(self._git, self._mirror.path, asked).items():
            before.setdefault(commit, set()).update(text.lines if text else ())
        return {c.sha: frozenset(before.get(c.parents[0], ())) for c in changes if c.parents}

    # --- trees -----------------------------------------------------------------------------------------------------

    def _at(self, commit: str) -> Tree:
        return Tree(self._git, self._mirror.path, commit, self._found)

    def _tree(self, commit: str, changes: Iterable[Change]) -> Tree:
        tree = self._at(commit)
        paths = list(dict.fromkeys(f.old_path or f.path for c in changes for f in c.files if not _ASIDE.search(f.path)))
        if self._fetches:
            wanted = set(paths)
            self._fetch(tree, lambda path: path in wanted)
        tree.load(paths)
        return tree

    def _fetch_all(self, tree: Tree, endings: Iterable[str]) -> None:
        if self._fetches:
            some = tuple(endings)
            self._fetch(tree, lambda path: path.endswith(some))

    def _fetch(self, tree: Tree, wanted: Callable[[str], bool]) -> None:
        """A mirror without contents gets those of a release once."""
        try:
            rows = self._git.run("ls-tree", "-r", "-z", tree.commit, at=self._mirror.path).decode("utf-8", "replace")
        except GitError:
            return
        files = (row.partition("\t") for row in rows.split("\0") if " blob " in row)
        oids = [facts.split(" ")[2] for facts, _, path in files if wanted(path)]
        if oids:
            fetch_blobs(self._git, self._mirror, oids)


def _may_mend(change: Change) -> bool:
    subject = change.subject[:400]
    small = 0 < len(_code(change)) <= _FILES and sum(file.deleted for file in _code(change)) <= _SMALL
    return small and not change.skipped and bool(_MENDS.search(subject)) and not _REVERT.search(subject)


def _lacks(change: Change, known: Releases) -> bool:
    """The newest release does not hold it: none does, or a candidate of the next one."""
    holds = known.released.get(change.sha)
    tag = parsed(holds) if holds else None
    return change.sha in known.newest and (holds is None or (tag is not None and tag.candidate))


def _code(change: Change) -> list[FileChange]:
    """Its files of code that stood before."""
    return [f for f in change.files if f.status in "MR" and not (_ASIDE.search(f.path) or _TEST.search(f.path))]


def _lines(file: FileChange, sign: str) -> set[str]:
    rows = (row[1:].strip() for row in file.patch.split("\n") if row[:1] == sign)
    return {row for row in rows if telling(row)}


def _came(change: Change, gone: Iterable[Mapping[str, set[str]]]) -> set[str]:
    """Lines that a change adds to a file and that are most of what a later one takes away: fewer are no ground for a tie."""
    out: set[str] = set()
    added: dict[str, set[str]] = {}
    for lines in gone:
        near = [file for file in change.files if file.path in lines and file.patch]
        for file in near:
            added.setdefault(file.path, _lines(file, "+"))
        both = set().union(*(added[file.path] & lines[file.path] for file in near))
        out |= both if len(both) * 2 >= sum(map(len, lines.values())) else set()
    return out


def _places(change: Change) -> Iterator[tuple[FileChange, list[Block]]]:
    """The places that count: those that replace code; where there are none, those that add some."""
    found = [(file, list(blocks(file))) for file in _code(change)]
    replacing = [(file, [b for b in some if b.replaces]) for file, some in found]
    yield from replacing if any(some for _, some in replacing) else found


def _has(change: Change, tree: Tree, own: Own) -> bool | None:
    """Most of the places stand as they were, or none does; None for anything between."""
    asked = ((file.old_path or file.path, block) for file, some in _places(change) for block in some)
    found = (block.stood_in(tree.text(path) or NOTHING, own.get((change.sha, path))) for path, block in asked)
    votes = [vote for vote in found if vote is not None]
    if not votes or not tree.whole:
        return None
    return True if sum(votes) * 2 >= len(votes) else False if not any(votes) else None


def _all_in(change: Change, path: str, text: Text, own: Own) -> bool:
    """All places of one of its files stand in this other one, and in functions of the same names."""
    for file, some in _places(change):
        home = file.old_path or file.path
        before = own.get((change.sha, home))
        votes = [block.stood_in(text) and block.shares_function(text, before) for block in some]
        if path != home and file.patch and votes and all(votes):
            return True
    return False


def _signs(change: Change) -> Iterator[str]:
    """The longest line of each place: where it stands, the place may."""
    for _, some in _places(change):
        for block in some:
            lines = [line for line in (block.old if block.replaces else block.was) if telling(line)] or [
                line for line in block.was if telling(line)
            ]
            if lines:
                yield max(lines, key=lambda line: (len(line), line))


def _exposure(change: Change, release: str, tree: Tree, own: Own) -> Exposure:
    has = _has(change, tree, own)
    new = [line for _, some in _places(change) for block in some for line in block.new if telling(line)]
    texts = [text for file in _code(change) if (text := tree.text(file.old_path or file.path))]
    picked = has is False and bool(new) and all(any(line in text.lines for text in texts) for line in new)
    return Exposure(release, has, None, picked, _applies(change, tree))


def _applies(change: Change, tree: Tree) -> bool:
    """Every hunk finds what it replaces; what a change adds is not there yet."""
    ours = [file for file in change.files if not _ASIDE.search(file.path)]
    if change.files_total > len(change.files) or not tree.whole:
        return False
    return all(_takes(tree.text(file.old_path or file.path), file) for file in ours)


def _takes(text: Text | None, file: FileChange) -> bool:
    if file.status == "A":
        return text is None
    return file.status == "M" and not file.patch_cut and not file.binary and text is not None and text.takes(file.patch)


def _share(change: Change, tree: Tree) -> float | None:
    """How many of the lines that came are there, and of those that went are not; None where no line tells."""
    kept = every = 0
    for file in change.files:
        if not file.patch or file.patch_cut or _ASIDE.search(file.path):
            continue
        here = tree.text(file.old_path or file.path) if file.status == "D" else tree.text(file.path)
        came, went = (Counter(row[1:].strip() for row in file.patch.split("\n") if row[:1] == sign) for sign in "+-")
        new, old = ({line for line in side if telling(line)} for side in (came - went, went - came))
        lines = here.lines if here is not None else frozenset()
        kept += len(new & lines) + len(old - lines)
        every += len(new) + len(old)
    return kept / every if every else None
