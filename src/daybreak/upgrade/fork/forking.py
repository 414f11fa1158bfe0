"""How a fork stands to its upstream: what meets our patches, whether it still merges, and which fixes to pick.

The clone is only read (`collect.fork`): sides, net patch and merge come first, then upstream is graded and followed
change by change, so that patches need not be kept, and at last each fix that may be picked is tried.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.git.history import HistoryReader
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange, Skipped
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import ForkReport, ForkTouch, Pick
from daybreak.core.profiles import field as of_field
from daybreak.core.words import say, term
from daybreak.findings.reader import RuleReader
from daybreak.judge.change_kinds import bare, front, security_word
from daybreak.judge.grading import AT_ONCE, Grader
from daybreak.judge.hazards import hazard
from daybreak.judge.message_refs import Index, named, reverted
from daybreak.judge.reach import aside_of
from daybreak.upgrade.fork.clone import (
    Fork,
    Trial,
    blob_patch,
    blob_text,
    can_merge,
    merged,
    open_fork,
    touched_paths,
    tree_of,
    written_commit,
)
from daybreak.upgrade.fork.fork_lines import Edit, Region, edits, regions, split_lines
from daybreak.upgrade.fork.forks import Clash, OurFile, Own, Step, Trace, names_met, our_file, touches, words_added

# --- Small upstream fixes that a fork may want to take over: which ones, and why each matters ---
# Fixes that say what was wrong come first: security, wrong results, crashes, hangs, leaks, regressions; then those that
# do not say it, of the parts that every request runs through. Left out are fixes of what is said, tested or documented,
# fixes that upstream took back, and fixes of a change that the fork does not have.


MOST_LINES = 60
"""Changed lines outside tests and docs."""
MOST_FILES = 5
_CODE = frozenset({"code", "kernel", "api"})
_CORE = re.compile(
    r"(?:^|/)(?:(?:csrc|kernels?|layers|\w{0,20}sampl\w{0,20}|\w{0,20}logits\w{0,20}"
    rf"|\w{{0,30}}(?:{'|'.join(of_field().attention)}|moe|expert|quant|fp8|fp4|gemm)\w{{0,30}}"
    r"|\w{0,20}(?:kv_cache|mem_cache|kv_transfer|kv_offload|disaggregation|block_pool)\w{0,30}"
    r"|spec_decode|speculative|distributed|parallel_state|comm|device_communicators)(?:/|\.)"
    r"|(?:scheduler|sched|managers|core|engine|entrypoints|openai|api_server|http_server|serving_\w{1,30}"
    r"|(?:worker|model_executor/model_runner|gpu_model_runner|cuda_graph_runner)\w{0,30})(?:/|_|\.))",
    re.IGNORECASE,
)
"""Parts of a project that every request runs through, by habits of naming."""
_ABOUT = re.compile(
    r"\b(?:typos?|comments?|docstrings?|docs?|lint|mypy|typing|type (?:hints?|annotations?)|messages?|logs?|logging"
    r"|warnings?|tests?|testing|CI|flaky|benchmarks?|bench|unused|redundant|clean ?-?ups?|pre-?commit)\b",
    re.IGNORECASE,
)
"""A subject that speaks of these repairs what is said, or what tests, and nothing that a server does."""


class Wish(NamedTuple):
    """Why a fork would want a change."""

    why: Text
    classed: bool
    """It says what was wrong; else it is a fix and no more is known."""


def wanted(entry: Entry) -> Wish | None:
    """Why a fork would want this change; None: it is no small fix, or one of nothing that a server does."""
    change = entry.change
    if entry.kind not in ("fix", "security") or change.skipped or not small(change) or entry.breaking:
        return None
    if not _CODE & set(entry.reading.areas) or _ABOUT.search(change.subject[:400]):
        return None
    said = hazard(bare(change.subject))
    if entry.kind == "security":
        return Wish(_text(term("upgrade.pick_why", "security"), security_word(change.subject), entry), True)
    if said is not None:
        return Wish(_text(term("upgrade.pick_why", said.name), said.word, entry), True)
    return Wish(_text(term("upgrade.pick_why", "fix"), "", entry), False) if _core(change) else None


def _core(change: Change) -> bool:
    """It touches what every request runs through, and not only on hardware that few have."""
    paths = [file.path[-300:] for file in front(change)]
    return any(aside_of(path) is None and _CORE.search(path) for path in paths)


def small(change: Change) -> bool:
    """Few enough lines and files to be read before they are taken over; tests come along for nothing."""
    ours = front(change)
    plain = all(not f.binary and not f.submodule and f.skipped is None for f in change.files)
    return plain and 0 < len(ours) <= MOST_FILES and sum(f.added + f.deleted for f in ours) <= MOST_LINES


def _text(why: Text, word: str, entry: Entry) -> Text:
    if word:
        why = say("upgrade.pick.word", why=why, word=word)
    part = entry.reading.components[:1]
    return say("upgrade.pick.part", why=why, part=part[0]) if part else why


def needless(theirs: Sequence[Change]) -> dict[str, str]:
    """By sha, why a fix is not for a fork that has none of these changes: upstream took it back, or what it repairs is
    among them; oldest first.
    """
    index = Index(theirs)
    found: dict[str, str] = {}
    for change in theirs:
        for undone in reverted(change, index):
            found[undone.sha] = "upstream took it back"
        repaired = named(change, index)
        if repaired is not None and repaired[1] in ("repairs", "mends"):
            found.setdefault(change.sha, "it repairs a change that the branch does not have")
    return found


Say = Callable[[str], None]

_OLD_GIT = "this git cannot merge without a work tree (git 2.39 or newer can)"
_UNMATCHED = "whether upstream has the same patches could not be told: an object is missing or damaged"
_MOST_FOLLOWED = 2000
"""Files of ours whose lines are followed; beyond this a branch is no set of patches any more."""


def fork_report(
    place: Path, branch: str, upstream: str | None, environment: Mapping[str, str], progress: Say
) -> ForkReport:
    """Compare a branch of the clone at `place` with upstream (a ref; None: the default branch of the remote)."""
    git = Git(environment)
    with tempfile.TemporaryDirectory(prefix="daybreak-") as folder:
        fork = open_fork(git, place, branch, upstream, Path(folder))
        ours = f"{len(fork.ours)} commit{'' if len(fork.ours) == 1 else 's'} of ours"
        progress(f"{ours} and {len(fork.theirs)} of {fork.upstream} since they parted")
        return _Work(git, fork, Path(folder), progress).report()


@dataclass(slots=True)
class _Work:
    """One comparison."""

    git: Git
    fork: Fork
    folder: Path
    say: Say
    skipped: list[Skipped] = field(default_factory=list)

    def report(self) -> ForkReport:
        fork = self.fork
        net = self._net()
        trial = self._merge()
        files = self._our_files(net, trial)
        links = {
            path: key for key, f in files.items() for path, s in trial.stages.items() if s.get("1") == f.file.old_blob
        }
        trace = Trace(files, self._edits, links)
        entries, named = self._upstream(trace, words_added(net))
        own, subjects = self._own(files)
        conflicts = self._conflicting(trial, trace)
        return ForkReport(
            branch=fork.branch,
            upstream=fork.upstream,
            base=fork.base,
            ours=fork.ours,
            theirs=tuple(reversed(entries)),
            merges=trial.clean,
            conflicts=tuple(sorted(trial.stages)),
            touches=self._ordered(touches(self._known(trace.steps), conflicts, named, own)),
            picks=self._picks(entries),
            skipped=tuple(self.skipped),
            repo=fork.repo,
            subjects=subjects,
        )

    # --- our side ---------------------------------------------------------------------------------------------------

    def _history(self, shas: Sequence[str]) -> list[Change]:
        """With whole patches: a commit whose patch was cut beside large neighbours is read again alone."""
        found = HistoryReader(self.git, self.fork.lens, self.fork.repo.name, UTC).read(shas)
        cut = {c.sha for c in found if len(shas) > 1 and any(f.patch_cut for f in c.files)}
        return [self._history([change.sha])[0] if change.sha in cut else change for change in found]

    def _streamed(self, shas: Sequence[str]) -> Iterator[Change]:
        """Some at a time, so that memory does not grow with their number."""
        for start in range(0, len(shas), AT_ONCE):
            yield from self._history(shas[start : start + AT_ONCE])

    def _between(self, start: str, end: str) -> Change:
        """All that lies between two commits, as one change."""
        tree = tree_of(self.git, self.fork.lens, [end]).get(end)
        if tree is None:
            raise GitError(f"The files of {end[:9]} are not in the clone.", "Get them first: git fetch --refetch")
        return self._history([written_commit(self.fork.lens, tree, [start])])[0]

    def _net(self) -> Change:
        net = self._between(self.fork.base, self.fork.ours_tip)
        if not self.fork.matched:
            self.skipped.append(Skipped(f"commits of {self.fork.branch}", _UNMATCHED))
        if net.skipped:
            self.skipped.append(Skipped(f"patches of {self.fork.branch}", net.skipped))
        if net.files_total > min(len(net.files), _MOST_FOLLOWED):
            kept = min(len(net.files), _MOST_FOLLOWED)
            reason = f"the branch touches {net.files_total} files; the first {kept} were compared"
            self.skipped.append(Skipped(f"patches of {self.fork.branch}", reason))
        for file in net.files:
            if file.skipped or file.patch_cut:
                self.skipped.append(Skipped(file.path, file.skipped or "its patch is too large to follow its lines"))
        return replace(net, files=net.files[:_MOST_FOLLOWED])

    def _our_files(self, net: Change, trial: Trial) -> dict[str, OurFile]:
        """The lines of a file are read where upstream touches it as well."""
        found = {}
        touched = {*self._touched(), *trial.stages}
        for file in net.files:
            text = None
            near = file.path in touched or file.old_path in touched
            if near and file.status != "A" and not (file.binary or file.submodule or file.skipped):
                text = blob_text(self.git, self.fork.lens, file.old_blob)
            ours = our_file(file, text, self._regions(file, text, trial))
            found[ours.key] = ours
        return found

    def _touched(self) -> set[str]:
        try:
            return touched_paths(self.git, self.fork)
        except GitError:
            raise GitError("A tree of upstream is not in the clone.", "Get it first: git fetch --refetch") from None

    def _regions(self, file: FileChange, text: str | None, trial: Trial) -> list[Region]:
        """Where the file's lines conflict, found as git's merge finds it."""
        stages = next((s for path, s in trial.stages.items() if _is(file, path, s)), None)
        if stages is None or file.binary or (text is None and file.status != "A"):
            return []
        sides = [self._edits(stages.get("1", ""), stages[side]) for side in "23"]
        ours, theirs = sides
        return [] if ours is None or theirs is None else regions(split_lines(text or ""), ours, theirs)

    def _edits(self, old: str, new: str) -> list[Edit] | None:
        if not old.strip("0"):
            text = blob_text(self.git, self.fork.lens, new)
            return None if text is None else [Edit(0, 0, tuple(split_lines(text)))]
        patch = blob_patch(self.git, self.fork.lens, old, new)
        return None if patch is None else edits(patch)

    def _own(self, files: Mapping[str, OurFile]) -> tuple[Own, dict[str, str]]:
        """Our commits, followed like upstream's when they are one line from the base."""
        fork, steps = self.fork, list[Step]()
        subjects: dict[str, str] = {}
        trace = Trace({key: replace(file, regions=()) for key, file in files.items()}, self._edits)
        by_path = {file.file.path: key for key, file in files.items()}
        for change in self._streamed(fork.road or fork.ours):
            if fork.road:
                new = trace.add(change)
            else:
                keys = {by_path.get(f.path, f.old_path or f.path) for f in change.files}
                new = [Step(change.sha, key, (), ()) for key in sorted(keys)]
            if change.sha in fork.ours:
                subjects[change.sha] = change.subject
                steps += new
        return Own(fork.ours, tuple(steps), bool(fork.road)), subjects

    # --- their side -------------------------------------------------------------------------------------------------

    def _upstream(self, trace: Trace, words: frozenset[str]) -> tuple[list[Entry], dict[str, list[str]]]:
        """Grade and follow upstream, oldest first; entries are kept without their patches."""
        fork = self.fork
        if fork.start != fork.base:
            trace.add(self._between(fork.base, fork.start))
        reader = RuleReader(self.git, self.folder / "cache")
        grader = Grader(self.git, fork.repo, fork.lens, reader)
        entries, named = [], {}
        for entry in grader.grade(fork.theirs):
            if entry.change.skipped:
                self.skipped.append(Skipped(entry.change.short, entry.change.skipped))
            trace.add(entry.change)
            met = names_met(entry.reading.findings, words)
            if met:
                named[entry.change.sha] = met
            entries.append(_slim(entry))
        return entries, named

    def _known(self, steps: Sequence[Step]) -> list[Step]:
        """Without those of the way back to where upstream's first change stands."""
        known = set(self.fork.theirs)
        return [step for step in steps if step.sha in known]

    def _ordered(self, found: Sequence[ForkTouch]) -> tuple[ForkTouch, ...]:
        """Strongest first, then newest first."""
        place = {sha: at for at, sha in enumerate(self.fork.theirs)}
        rank = ("conflict", "hunk", "symbol", "file")
        return tuple(sorted(found, key=lambda t: (rank.index(t.overlap), -place.get(t.sha, 0))))

    # --- merging ----------------------------------------------------------------------------------------------------

    def _merge(self) -> Trial:
        if not can_merge(self.git):
            self.skipped.append(Skipped("merge", _OLD_GIT, "Install a newer git."))
            return Trial(None)
        trial = next(merged(self.git, self.fork.lens, [(self.fork.ours_tip, self.fork.theirs_tip)]))
        if trial.clean is None:
            self.skipped.append(
                Skipped("merge", "git could not try it: an object is missing or damaged", "", trial.fault)
            )
        return trial

    def _conflicting(self, trial: Trial, trace: Trace) -> set[str]:
        """The upstream changes that are the reason for git's conflicts."""
        known, found = set(self.fork.theirs), set[str]()
        for conflict in trial.conflicts:
            shas = known.intersection(trace.clashing(Clash(conflict.kind, conflict.paths)))
            if not shas:
                what = ", ".join(conflict.paths[:1]) or "merge"
                self.skipped.append(Skipped(what, "which upstream change conflicts there could not be told"))
            found |= shas
        return found

    def _picks(self, entries: Sequence[Entry]) -> tuple[Pick, ...]:
        """Small fixes that apply to the branch each alone, and one after another: those that say what was wrong first,
        then the others; both oldest first.
        """
        useless = needless([entry.change for entry in entries])
        found = [(e, wish) for e in entries if (wish := wanted(e)) is not None and e.change.sha not in useless]
        offered = [(e, wish.why) for e, wish in sorted(found, key=lambda one: not one[1].classed)]
        if not offered or not can_merge(self.git):
            return ()
        count = len(offered)
        self.say(f"{count} small {'fix is' if count == 1 else 'fixes are'} tried on {self.fork.branch}")
        parents = {entry.change.sha: entry.change.parents[0] for entry, _ in offered}
        trees = tree_of(self.git, self.fork.lens, [self.fork.ours_tip, *parents, *parents.values()])
        cherries = _Cherries(self.git, self.fork.lens, trees, parents)
        tip = trees[self.fork.ours_tip]
        picks = []
        now = tip
        for (entry, why), alone in zip(offered, cherries.on(tip, list(parents)), strict=True):
            if alone.clean is None:
                self.skipped.append(Skipped(entry.change.short, "it could not be tried on the branch", "", alone.fault))
            if not alone.clean or alone.tree == tip:
                continue
            after = alone if now == tip else next(cherries.on(now, [entry.change.sha]))
            if after.clean and after.tree != now:
                now = after.tree
                picks.append(Pick(entry.change.sha, why))
        return tuple(picks)


class _Cherries(Struct, frozen=True):
    """Tries single changes on a tree, as `git cherry-pick` would."""

    git: Git
    lens: Path
    trees: Mapping[str, str]
    parents: Mapping[str, str]

    def on(self, tree: str, shas: Sequence[str]) -> Iterator[Trial]:
        pairs = []
        for sha in shas:
            base = written_commit(self.lens, self.trees[self.parents[sha]])
            theirs = written_commit(self.lens, self.trees[sha], [base])
            pairs.append((written_commit(self.lens, tree, [base]), theirs))
        return merged(self.git, self.lens, pairs)


def _is(file: FileChange, path: str, stages: Mapping[str, str]) -> bool:
    """Whether a file in conflict, known by its blobs, is this one of ours, whatever upstream calls it now."""
    same = file.new_blob == stages.get("2") and (path == file.path or file.old_blob == stages.get("1"))
    return same and "3" in stages


def _slim(entry: Entry) -> Entry:
    files = tuple(replace(file, patch="") for file in entry.change.files)
    return replace(entry, change=replace(entry.change, files=files), reading=replace(entry.reading, hunks=()))
