"""What trees say of a window's changes: who runs the lines that a fix replaces, which reverts stand at the end, and which
lines are older than the change that seems to have added them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain, islice

from msgspec.structs import replace

from daybreak.collect.git.as_released import back
from daybreak.collect.git.elsewhere import elsewhere, rehomed, taken_apart
from daybreak.collect.git.forgotten_calls import asked_later, broke_later, forgot, lost, renamed_calls
from daybreak.collect.git.known_releases import Releases
from daybreak.collect.git.late_calls import called_late
from daybreak.collect.git.mending import may_mend, rewrites, takes_back
from daybreak.collect.git.mirror import Mirror
from daybreak.collect.git.off_flags import behind_flags, stood_at
from daybreak.collect.git.opt_in import behind_switches
from daybreak.collect.git.other_code import is_other
from daybreak.collect.git.patches import pull_number
from daybreak.collect.git.pick_homes import Homes
from daybreak.collect.git.pick_needs import Needs, Side, lacking, passes_late, unloaded
from daybreak.collect.git.picks import Pick, Sides, beside, picked, renames
from daybreak.collect.git.pin_lines import moves_pins, only_versions, still_pinned
from daybreak.collect.git.places import (
    ASIDE,
    Own,
    amended,
    brings_names,
    code,
    encloses,
    every_place,
    exposure,
    lacks_files,
    lacks_places,
    lines_of,
    lines_that_came,
    nearly_all_stands,
    places,
    replaces,
    speaks_of,
    standing_share,
    stood,
    twins,
    undocumented,
    unmet,
    younger,
)
from daybreak.collect.git.release_doubts import (
    follows_pins,
    given_late,
    lacks_use,
    lifts,
    packages,
    probes,
    required,
    ships,
    tried,
    versions,
)
from daybreak.collect.git.removed_names import absent, names
from daybreak.collect.git.reworded import is_older, takes_other
from daybreak.collect.git.standing import NOTHING, Text, condition, telling
from daybreak.collect.git.tree_search import Tree, files_of
from daybreak.collect.git.young_features import brought, unknown_models, unknown_names, unknown_options, unread
from daybreak.collect.git.young_features import younger as young_features
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Exposure, FileChange

_FIXES = 60
"""Changes of one window that are looked at."""
_REMOVALS = 150
_RENAMING = 6
"""Fixes that call something else, and are asked for whom they follow."""
_CANDIDATES = 2
_YOUNG = 4
"""Lines younger than a release that are asked for their change."""
_ENDING = re.compile(r"\.\w{1,8}$")


class Bearings:
    """Looks into trees of one mirror; what cannot be read is not known."""

    def __init__(self, git: Git, mirror: Mirror) -> None:
        self._git, self._mirror = git, mirror
        self.complaints: list[str] = []
        """What git said beside its answers."""

    # --- who has the bug -------------------------------------------------------------------------------------------

    def exposed(self, changes: Sequence[Change], known: Releases) -> dict[str, Exposure]:
        """Sha -> whether the newest release that lacks a fix has the lines that it replaces."""
        asked: dict[str, list[Change]] = {}
        for change in [c for c in changes if may_mend(c) and known.lacks(c)][:_FIXES]:
            asked.setdefault(known.newest[change.sha], []).append(change)
        out: dict[str, Exposure] = {}
        for release, some in asked.items():
            out |= self._in_release(release, some, known)
        for change in [c for c in changes if known.lacks(c) and moves_pins(c)][:_FIXES]:
            release = known.newest[change.sha]
            out[change.sha] = Exposure(release, still_pinned(change, self._at(release)), applies=None)
        for sha in amended(changes) & out.keys():
            out[sha] = replace(out[sha], applies=None)  # a pick of it alone is half of what the branch has
        return out

    def absent(self, changes: Sequence[Change], known: Releases) -> dict[str, tuple[str, ...]]:
        """Sha -> names that a change takes away and that the newest release that lacks the change never had."""
        asked: dict[str, list[tuple[Change, list[str]]]] = {}
        asks = ((c, release) for c in changes if not c.skipped and (release := known.lacking(c)))
        gone = ((c, r, found) for c, r in asks if (found := names(c)) or any(file.status in "DR" for file in c.files))
        for change, release, found in islice(gone, _REMOVALS):
            asked.setdefault(release, []).append((change, found))
        out: dict[str, tuple[str, ...]] = {}
        for release, some in asked.items():
            out |= absent(some, self._at(release))
        return out

    def back(self, changes: Sequence[Change], known: Releases) -> dict[str, tuple[str, ...]]:
        """Sha -> `path:line` of what a change puts back to what the newest release, which lacks it, has there."""
        return back([(c, known.newest[c.sha]) for c in changes if not c.skipped and known.lacks(c)], self._at)

    def _in_release(self, release: str, changes: Sequence[Change], known: Releases) -> dict[str, Exposure]:
        tree, own = self._tree(release, changes), self._before(changes)
        self._follow(tree, changes)
        changes = [undocumented(change, own) for change in changes]
        found = {change.sha: exposure(change, release, tree, own) for change in changes}
        self._elsewhere(tree, changes, found, own)
        other = {c.sha for c in changes if found[c.sha].has is not False and is_other(c, tree, own)}
        for change in changes:
            one = found[change.sha]
            here = change.sha in other
            found[change.sha] = replace(one, has=False) if here else self._verdict(change, tree, own, one)
        left = [change for change in changes if found[change.sha].has is not False]
        sure = {*other, *self._of_younger(left, tree, own, found)}
        ask = partial(self._git.run, at=self._mirror.path)
        for change in changes:
            one = found[change.sha]
            if only_versions(change):
                found[change.sha] = one if one.has else replace(one, has=None, cause=None)
            elif one.has is None and takes_other(change, tree, ask):
                found[change.sha] = replace(one, has=False, doubted=False)
            elif not (one.has or one.picked or change.sha in sure) and is_older(change, tree, own, ask):
                found[change.sha] = replace(one, has=None, cause=None, older=True)
        for sha, switch in {**self._flags(changes, tree, own), **self._switches(release, changes)}.items():
            found[sha] = replace(found[sha], switch=switch)
        asked = [c for c in changes if found[c.sha].has or _is_young(found[c.sha])]
        asked = [c for c in asked if known.released.get(c.sha) is None]
        for later in reversed(known.candidates(release)[:_CANDIDATES]) if asked else ():
            there = self._tree(later, asked)
            for change in [c for c in asked if stood(c, there, own)]:
                one = found[change.sha]
                if one.has or (brought(one.cause, f"{release}..{later}", ask) and not self._broke_later(change, tree)):
                    found[change.sha] = replace(one, candidates=(*one.candidates, later))
        return found

    def _follow(self, tree: Tree, changes: Sequence[Change]) -> None:
        """Tell a tree where it has the files that moved since; the newest change comes first."""
        left = [c for c in changes if c.parents and any(tree.text(f.old_path or f.path) is None for f in code(c))]
        if left:
            paths = {f.old_path or f.path for change in left for f in change.files}
            tree.homes.update(renames(self._git, self._mirror.path, tree.commit, left[0].parents[0], paths))
            tree.load(tree.homes.values())

    def _verdict(self, change: Change, tree: Tree, own: Own, one: Exposure) -> Exposure:
        """Whether it can be picked, and whether the release has the fault and not only the lines."""
        if one.has is not False and change.parents:
            one = self._as_pick(change, tree, own, one)
        if one.has is not False and all(
            passes_late(f, own.get((change.sha, f.path)), tree.text(f.path)) for f in code(change)
        ):
            return replace(one, has=False, doubted=False)
        if one.picked and (cause := self._cause(change, tree.commit)):
            return replace(one, picked=False, cause=cause)
        if one.has is not False and (late := list(islice(unmet(change, tree, own), _YOUNG))):
            causes = {self._last_touched(change, tree.commit, path, line) for path, line in late}
            cause = causes.pop() if len(causes) == 1 else None
            return replace(one, has=False if cause else None, cause=cause, doubted=not cause)
        if one.has:
            pin, fails, same = versions(change, [block for _, block in every_place(change)], tree.pins)
            spared = self._spared(change, tree, own)
            one = replace(one, applies=None) if spared else one
            sure = not (pin or spared or follows_pins(change) or self._doubtful(change, tree, own))
            if not sure or self._of_late_package(change, tree):
                # a package of another name may stand beside another version of what the fault comes with
                return replace(one, has=False if fails and same else None, pin=pin if fails else "", doubted=True)
        return self._in_whole(change, tree, own, one)

    def _in_whole(self, change: Change, tree: Tree, own: Own, one: Exposure) -> Exposure:
        """Whether the release has all of it that may be the fault."""
        most = nearly_all_stands(change, tree)
        if rewrites(change) and not (one.has and most):
            return replace(one, has=None, doubted=True, in_part=True)
        if one.has and not most and (young := list(younger(change, tree))):
            cause = self._brought(change, tree.commit, young, tree)
            part = not cause
            return replace(one, has=None if part else False, cause=cause, doubted=part, in_part=part, some=part)
        in_part = one.has and (lacks_files(change, tree) or (not most and lacks_places(change, tree, own)))
        return replace(one, has=None, doubted=True, in_part=True, some=True) if in_part else one

    def _of_younger(self, fixes: Sequence[Change], tree: Tree, own: Own, found: dict[str, Exposure]) -> Collection[str]:
        """A fix that may mend what came after the release gives no verdict; one whose message blames what came, does: these."""
        files = {change.sha: (change, [file.old_path or file.path for file in code(change)]) for change in fixes}
        before = {sha: [text for path in paths if (text := own.get((sha, path)))] for sha, (_, paths) in files.items()}
        late = young_features(files, tree.commit, partial(self._git.run, at=self._mirror.path))
        models = unknown_models(fixes, tree, self._at)
        here = [change for change in fixes if found[change.sha].has]
        uncalled = called_late(here, tree, self._at, own)
        options = unknown_options(here, tree, self._at, self._files)
        for sha in late.features | unknown_names(fixes, before, tree) | models | uncalled | options.keys():
            found[sha] = replace(found[sha], has=None, doubted=True, in_part=False)
        for sha, option in options.items():  # who has the option has to take more than the fix
            found[sha] = replace(found[sha], option=option, applies=None)
        spared = unread(fixes, tree, self._at)
        tree.expect(asked_later(map(code, fixes)), {".py"})
        broke = {change.sha: self._broke_later(change, tree) for change in fixes}
        for sha in (sha for sha, late in broke.items() if late is None):
            found[sha] = replace(found[sha], has=None, doubted=True, in_part=False)
        for sha in spared | {sha for sha, late in broke.items() if late}:
            found[sha] = replace(found[sha], has=False, doubted=False)
        for sha, cause in late.causes.items():
            found[sha] = replace(found[sha], has=False, cause=cause)
        return late.causes.keys()

    def _broke_later(self, change: Change, tree: Tree) -> bool | None:
        """What a fix no longer calls or reads was there in this tree; None where it may be still."""
        return broke_later(change, code(change), tree, self._at)

    def _flags(self, changes: Sequence[Change], tree: Tree, own: Own) -> dict[str, str]:
        """Fix -> the flag that is off in the release, without which it runs none of what the fix touches."""
        known = {change.sha: list(stood_at(change, own)) for change in changes}
        places = {sha: [one for one in some if one] for sha, some in known.items() if all(some)}
        return behind_flags(places, {change.sha: change.subject for change in changes}, tree)

    def _switches(self, release: str, changes: Sequence[Change]) -> dict[str, str]:
        """Fix -> the variable that is off in the release, without which it runs none of what the fix touches."""
        paths = {change.sha: [file.path for file in code(change)] for change in changes}
        found = behind_switches(chain.from_iterable(paths.values()), self._at(release))
        return {sha: found[some[0]] for sha, some in paths.items() if some and all(path in found for path in some)}

    def _as_pick(self, change: Change, tree: Tree, own: Own, one: Exposure) -> Exposure:
        """Whether it merges into the release, and with what that lacks."""
        if one.picked:
            return one
        if change.files_total > len(change.files) or not tree.whole:
            return replace(one, applies=None)
        pick = picked(self._git, change.files, self._sides(change, tree))
        if pick is None:  # of lines that only came, what they are for may be as young as what they meet there
            sure = replaces(change) or encloses(change, tree, own) or bool(twins(change, tree))
            return one if sure else replace(one, has=None, doubted=True)
        needs = self._needs(change, tree, pick)
        names = needs.names if needs else ()
        young = names and one.has and (not replaces(change) or speaks_of(change, names))
        has = None if young else one.has  # the fault may be as young as what it lacks
        stops = unloaded({path: three.ours for path, three in pick.sides.items() if three.ours}, pick.merged)
        return replace(
            one,
            has=has,
            applies=False if stops else None if needs is None else not any(needs),
            without=pick.without,
            needs=tuple(dict.fromkeys((*names, *stops))),
            foreign=needs.foreign if needs else (),
            doubted=bool(young),
        )

    def _sides(self, change: Change, tree: Tree) -> Callable[[FileChange], Sides]:
        parent, first = change.parents[0], {file.path: file.old_path or file.path for file in change.files}
        asked = chain.from_iterable(((parent, old), (change.sha, path)) for path, old in first.items())
        texts = files_of(self._git, self._mirror.path, [one for one in asked if "\n" not in one[1]])

        def sides(file: FileChange) -> Sides:
            old = first[file.path]
            return Sides(texts.get((parent, old)), tree.text(old), texts.get((change.sha, file.path)))

        return sides

    def _needs(self, change: Change, tree: Tree, pick: Pick) -> Needs | None:
        """Names that its added lines read, and the release lacks; None where that cannot be told."""
        files = [f for f in change.files if f.status in "AMR" and not (ASIDE.search(f.path) or beside(f.path))]
        if any(file.patch_cut for file in files):
            return None
        endings = {end[0] for file in files if (end := _ENDING.search(file.path))}
        sides = [(file.path, pick.sides[file.path]) for file in files]
        before = self._at(change.parents[0])
        release = Side(
            {path: three.ours for path, three in sides if three.ours},
            lambda names: tree.naming(names, endings),
            {path: text for path, text in pick.merged.items() if not beside(path)},
            Homes(tree, endings),
        )
        branch = Side(
            {path: three.base for path, three in sides if three.base},
            lambda names: before.naming(names, endings),
            {path: three.theirs for path, three in sides if three.theirs},
            Homes(before, endings),
        )
        return lacking(files, release, branch)

    def _cause(self, change: Change, release: str) -> str | None:
        """The change after the release that took away what this one puts back, or brought what it takes away."""
        asked = [
            (file.path, line)
            for file, b in every_place(change)
            for line in (*b.new, *b.old)
            if telling(line) and len(line) < 400
        ]
        if not asked or not change.parents:
            return None
        return self._last_touched(change, release, *max(asked, key=lambda one: len(one[1])))

    def _brought(self, change: Change, release: str, young: Sequence[tuple[str, str]], tree: Tree) -> str | None:
        """The one change after the release that brought all lines that it lacks, where a condition is among them that the
        release has not under other names either.
        """
        if len(young) > _YOUNG or not any(
            condition(line) and not (tree.text(path) or NOTHING).resembles(line) for path, line in young
        ):
            return None
        causes = {self._last_touched(change, release, path, line) for path, line in young}
        return causes.pop() if len(causes) == 1 else None

    def _last_touched(self, change: Change, release: str, path: str, line: str) -> str | None:
        """The last change between the release and this one that brought a line, or took it away."""
        how = ("log", "-1", "--first-parent", "--format=%H %s", f"-S{line}", f"{release}..{change.parents[0]}", "--")
        try:
            sha, _, subject = self._git.run(*how, path, at=self._mirror.path).decode("utf-8", "replace").partition(" ")
        except GitError:
            return None
        number = pull_number(subject.strip())
        return f"#{number}" if number else sha[:9] or None

    def _before(self, changes: Sequence[Change]) -> Own:
        asked = [(c.sha, c.parents[0], f.old_path or f.path) for c in changes if c.parents for f in code(c)]
        texts = files_of(self._git, self._mirror.path, [(parent, path) for _, parent, path in asked])
        return {(sha, path): text for sha, parent, path in asked if (text := texts.get((parent, path)))}

    def _of_late_package(self, change: Change, tree: Tree) -> bool:
        """It only adds, and speaks of a package that the branch requires and the release does not."""
        asked = [] if replaces(change) else packages(change.subject, (block for _, block in every_place(change)))
        here = required(asked, self._at(change.parents[0]).pins(asked)) if asked and change.parents else set()
        return bool(here - required(here, tree.pins(sorted(here))))

    def _spared(self, change: Change, tree: Tree, own: Own) -> bool:
        """Only those are hit who lack what the release requires, or it keeps clear of what the rest of the fix mends."""
        known = [(file, block, file.old_path or file.path) for file, block in every_place(change)]
        asked = () if replaces(change) else (tried(block, own.get((change.sha, path))) for _, block, path in known)
        if any(ships(name, tree.pins([name])) for name in islice(chain.from_iterable(asked), _YOUNG)):
            return True
        touched = {path: file for file, block, path in known if block.replaces}
        clear = [lifts(file, tree.text(path) or NOTHING) for path, file in touched.items()]
        return any(clear) and not all(clear)

    def _doubtful(self, change: Change, tree: Tree, own: Own) -> bool:
        """The lines stand in the release, and yet it may not have the fault."""
        if any(probes(block, own.get((change.sha, file.old_path or file.path))) for file, block in every_place(change)):
            return True
        doubts = [given_late] if replaces(change) or brings_names(change, own) else [given_late, lacks_use]
        for file, some in places(change) if change.parents else ():
            path = file.old_path or file.path
            here, before = tree.text(path), own.get((change.sha, path))
            if here is not None and any(doubt(block, here, before) for block in some for doubt in doubts):
                return True
        return False

    def _elsewhere(self, tree: Tree, changes: Sequence[Change], found: dict[str, Exposure], own: Own) -> None:
        """A release that lacks the lines at their path, or some of them, may have them at another one."""
        endings = {end[0] for change in changes for file in code(change) if (end := _ENDING.search(file.path))}
        partly = [change for change in changes if found[change.sha].has is not False]
        for change in rehomed(tree, partly, endings, own):
            found[change.sha] = replace(found[change.sha], has=stood(change, tree, own))
        changes = [change for change in changes if found[change.sha].has is False]
        verdicts = elsewhere(tree, changes, endings, own, self._files)
        left = [change for change in changes if verdicts.get(change.sha, False) is False]
        verdicts |= taken_apart(tree, left, own, self._files)
        for sha, has in verdicts.items():
            found[sha] = replace(found[sha], has=has)

    def _files(self, commit: str, paths: Iterable[str]) -> dict[str, Text | None]:
        asked = [(commit, path) for path in paths]
        return {path: text for (_, path), text in files_of(self._git, self._mirror.path, asked).items()}

    # --- what stands at the end ------------------------------------------------------------------------------------

    def standing(self, changes: Iterable[Change], head: str | None) -> dict[str, float]:
        """Revert -> how much of what it did stands in the tree of the head."""
        reverts = [c for c in changes if takes_back(c) and any(f.patch for f in c.files)]
        if not reverts or head is None:
            return {}
        tree = self._tree(head, reverts)
        shares = {change.sha: standing_share(change, tree) for change in reverts} if tree.whole else {}
        return {sha: share for sha, share in shares.items() if share is not None}

    # --- what is older than it seems -------------------------------------------------------------------------------

    def older(self, changes: Sequence[Change], recent: Sequence[Change]) -> dict[str, tuple[str, ...]]:
        """Sha -> lines that a small change of the window takes away and that this one seems to have added to the same file,
        but which it moved there, or which stood somewhere in the tree before all of these; both lists newest first.
        """
        fixes = (change for change in changes if may_mend(change) and not rewrites(change))
        gone = [{file.path: lines_of(file, "-") for file in code(change)} for change in fixes]
        came = {c.sha: lines for c in (*changes, *recent) if (lines := lines_that_came(c, gone))}
        if not came:
            return {}
        moved = self._moved([c for c in (*changes, *recent) if c.sha in came])
        left = {line for sha, lines in came.items() for line in lines - moved.get(sha, frozenset())}
        start = _start(changes, recent)
        known = self._anywhere(start, left, chain.from_iterable(gone)) if start and left else frozenset()
        found = {sha: lines & (known | moved.get(sha, frozenset())) for sha, lines in came.items()}
        return {sha: tuple(sorted(lines)) for sha, lines in found.items() if lines}

    def forgotten(self, changes: Sequence[Change], recent: Sequence[Change]) -> dict[str, tuple[str, str]]:
        """Fix or revert -> the change of the last days that took away what it still found called, and the name; both lists
        newest first.
        """
        start = _start(changes, recent)
        if start is None:
            return {}
        ask = partial(self._git.run, at=self._mirror.path)
        small = (c for c in changes if may_mend(c) and not rewrites(c) and c.parents)
        fixes = [(c, code(c)) for c in small if renamed_calls(code(c))][:_RENAMING]
        backs = [c for c in changes if takes_back(c) and c.parents][:_RENAMING]
        found = chain(forgot(fixes, start, ask), ((c.sha, lost(c, code(c), start, ask)) for c in backs))
        return {sha: told for sha, told in found if told is not None}

    def _anywhere(self, commit: str, lines: set[str], paths: Iterable[str]) -> frozenset[str]:
        """All lines of the files of a tree that hold one of these."""
        tree = self._at(commit)
        endings = {end[0] for path in paths if (end := _ENDING.search(path))}
        there = tree.holding(lines, endings)
        tree.load(there)
        return frozenset(chain.from_iterable(text.lines for path in there if (text := tree.text(path))))

    def _moved(self, changes: Sequence[Change]) -> dict[str, frozenset[str]]:
        """Sha -> lines that its files had before it, at whatever of their paths."""
        files = ((c.parents[0], f) for c in changes if c.parents for f in c.files if f.status in "MDR")
        asked = [(at, f.old_path or f.path) for at, f in files if not ASIDE.search(f.path) and "\n" not in f.path]
        before: dict[str, set[str]] = {}
        for (commit, _), text in files_of(self._git, self._mirror.path, asked).items():
            before.setdefault(commit, set()).update(text.lines if text else ())
        return {c.sha: frozenset(before.get(c.parents[0], ())) for c in changes if c.parents}

    # --- trees -----------------------------------------------------------------------------------------------------

    def _at(self, commit: str) -> Tree:
        return Tree(self._git, self._mirror.path, commit, self.complaints)

    def _tree(self, commit: str, changes: Iterable[Change]) -> Tree:
        tree = self._at(commit)
        paths = list(dict.fromkeys(f.old_path or f.path for c in changes for f in c.files))
        tree.load(paths)
        return tree


def _start(changes: Sequence[Change], recent: Sequence[Change]) -> str | None:
    """What was there before all of these; both lists newest first."""
    return next((c.parents[0] for c in reversed((*changes, *recent)) if c.parents), None)


def _is_young(one: Exposure) -> bool:
    """The fault seems to have come after the release; what hangs on the version of a dependency is no matter of its lines."""
    return (one.has is False and not one.pin) or (one.has is None and one.cause is not None)
