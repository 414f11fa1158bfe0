"""A range of two refs: what each name means, the commit both descend from, and the commits on either side of it.

Names are tags, branches, commit ids and `latest`, each with steps back behind it (`^`, `~2`); nothing else of git's own
language is passed on, so a name from outside can never become an option or an expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.git.families import ALIVE, families, parsed
from daybreak.collect.git.mirror import Mirror
from daybreak.collect.git.patches import moment
from daybreak.core.address import readable
from daybreak.core.config import is_remote
from daybreak.core.errors import GitError, UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.upgrade import Ref, Span

# --- Which release of a repository is the newest, and which one first held a commit, wherever the tags lie ---


_MOST = 120
"""Tags that are asked: a range that lies before more releases than that is ancient history."""


def latest(dated: Iterable[tuple[int, str]], repo: Repo) -> str | None:
    """The highest release of the project's own living tags; candidates and nightly builds do not count."""
    known = families(dated, repo.name, repo.tags)
    found = known.newest(known.main)
    return found.name if found is not None else None


def releases_of(
    git: Git, path: Path, repo: Repo, base: str, shas: Iterable[str], besides: Iterable[str] = ()
) -> dict[str, str]:
    """Sha -> first release that holds it; all are `base` or descendants of it. `besides`: tags that count though they
    are not named like a release.
    """
    wanted = set(shas)
    found: dict[str, str] = {}
    for name, commit in _dated(git, path, repo, base, {*besides}).items():
        if not wanted:
            break
        held = wanted & _held(git, path, base, commit)
        found |= dict.fromkeys(held, name)
        wanted -= held
    return found


def _dated(git: Git, path: Path, repo: Repo, base: str, besides: set[str]) -> Mapping[str, str]:
    """Releases made since the base, oldest first, with their commits."""
    form = "--format=%(creatordate:unix) %(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname:strip=2)"
    try:
        start = int(git.run("log", "--no-walk", "--no-patch", "--format=%ct", base, "--", at=path))
        rows = git.run("for-each-ref", "--sort=creatordate", form, "refs/tags", at=path)
    except (GitError, ValueError):
        return {}
    known: list[tuple[int, str, str]] = []
    for row in rows.decode("utf-8", "surrogateescape").splitlines():
        made, kind, oid, inner, tagged, name = row.split(" ", 5)
        sha = oid if kind == "commit" else tagged if inner == "commit" else ""
        if sha and made.isdigit():
            known.append((int(made), name, sha))
    # A range of long ago has the tags that were alive then, before those that are now.
    then = families(((at, name) for at, name, _ in known if at <= start + ALIVE), repo.name, repo.tags)
    own = {then.main, families(((at, name) for at, name, _ in known), repo.name, repo.tags).main}
    chosen = [x for x in known if x[0] >= start and (x[1] in besides or _is_release(x[1], own, repo.tags))]
    return {name: sha for _, name, sha in chosen[:_MOST]}


def _is_release(name: str, own: set[str | None], pattern: str) -> bool:
    """Named like a release of the project itself."""
    tag = parsed(name)
    if tag is None or tag.candidate:
        return False
    return fnmatchcase(name, pattern) if pattern else tag.family in own


def _held(git: Git, path: Path, base: str, commit: str) -> set[str]:
    """Commits of a release from the base on, which may be asked for itself; of a history that is cut off below it,
    those above it.
    """
    for below in (f"^{base}^@", f"^{base}"):
        try:
            return set(git.run("rev-list", commit, below, "--", at=path).decode("ascii").split())
        except GitError:
            continue
    return set()


_SHA = re.compile(r"[0-9a-fA-F]{4,64}")
_STEPS = re.compile(r"(.+?)((?:\^[0-9]{0,2}|~[0-9]{0,6})+)")
"""A name and its steps back: no tag and no branch has `^` or `~` in its name."""
_EXAMPLE = "For example v0.14.1..v0.15.0, v0.15.0..main or v0.14.1..latest."
_HEADS, _TAGS = "refs/heads/", "refs/tags/"
_NEAR = 3


class _Names(Struct, frozen=True):
    """What a name can mean: commits by tag and by branch."""

    tags: dict[str, str]
    branches: dict[str, str]
    dated: tuple[tuple[int, str], ...] = ()
    """When each tag was made."""

    def commit(self, name: str) -> str | None:
        """A tag goes before a branch, as git has it."""
        short = name.removeprefix(_TAGS) if name.startswith(_TAGS) else name
        if short in self.tags and not name.startswith(_HEADS):
            return self.tags[short]
        if name.startswith(_TAGS):
            return None
        for prefix in ("", _HEADS, "origin/", "refs/remotes/origin/"):
            if name.startswith(prefix) and name.removeprefix(prefix) in self.branches:
                return self.branches[name.removeprefix(prefix)]
        return None


def split(text: str) -> tuple[str, str]:
    """The two names of `A..B`."""
    if "..." in text:
        one, _, two = text.partition("...")
        raise UsageError(
            f"{readable(text)!r} has three dots; a range is A..B.",
            f"Write {readable(one)}..{readable(two)}: what both sides have in common is found by itself.",
        )
    start, dots, end = text.partition("..")
    if not dots or not start or not end or ".." in end:
        near = f"Write {readable(start)}..latest. " if start and not end and " " not in start else ""
        raise UsageError(f"{readable(text)!r} is not a range A..B.", f"{near}{_EXAMPLE}")
    return start, end


def resolve(git: Git, mirror: Mirror, repo: Repo, text: str, offline: bool = False) -> Span:
    """Both ends of `A..B` and the commits between; UsageError when a name is unknown or the two are not related."""
    start, end = split(text)
    names = _known(git, mirror, repo)
    if any(_unknown(git, mirror, names, name) for name in (start, end)):
        names = _upstream(git, mirror, repo, names, (start, end), offline)
    ends = [_ref(git, mirror, repo, names, name) for name in (start, end)]
    base = common(git, mirror.path, ends[0].sha, ends[1].sha)
    if base is None:
        raise UsageError(
            f"{readable(ends[0].name)} and {readable(ends[1].name)} of {repo.name} have no commit in common.",
            "Choose two refs of one history; for sources without history use `daybreak range --trees OLD NEW`.",
        )
    gained, lost = (_since(git, mirror.path, base, ref.sha) for ref in (ends[1], ends[0]))
    released = releases_of(git, mirror.path, repo, base, (*gained, *lost), _tagged(names, ends))
    stale = (f"could not be updated, its newest commits may be missing: {mirror.stale}",) if mirror.stale else ()
    return Span(
        repo=repo,
        start=ends[0],
        end=ends[1],
        gained=gained,
        lost=lost,
        released=released,
        mirror=str(mirror.path),
        skipped=tuple(Skipped(repo.name, reason) for reason in stale),
    )


def _tagged(names: _Names, ends: Sequence[Ref]) -> tuple[str, ...]:
    """Those ends that are tags: whoever asks for a candidate takes it for a release."""
    return tuple(name for ref in ends if (name := ref.name.removeprefix(_TAGS)) in names.tags)


# --- names ---------------------------------------------------------------------------------------------------------


def _known(git: Git, mirror: Mirror, repo: Repo) -> _Names:
    """What the mirror knows; a repository on this machine is asked for its branches too, since its objects are shared."""
    names = _Names(*_listed(git, mirror.path))
    names.branches.update({mirror.branch: mirror.tip, "HEAD": mirror.tip})
    if is_remote(repo.git) or not Path(repo.git).exists():
        return names
    try:
        _, branches, _ = _listed(git, Path(repo.git))
    except GitError:
        return names
    return replace(names, branches=branches | names.branches)


def _listed(git: Git, path: Path) -> tuple[dict[str, str], dict[str, str], tuple[tuple[int, str], ...]]:
    """Tags and branches of a repository by name; a tag of something that is no commit is none; and when tags were made."""
    form = "--format=%(creatordate:unix) %(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)"
    rows = git.run("for-each-ref", form, _HEADS, _TAGS, at=path).decode("utf-8", "surrogateescape").splitlines()
    tags: dict[str, str] = {}
    branches: dict[str, str] = {}
    dated: list[tuple[int, str]] = []
    for row in rows:
        made, kind, oid, inner, tagged, name = row.split(" ", 5)
        sha = oid if kind == "commit" else tagged if inner == "commit" else ""
        if sha:
            side, prefix = (tags, _TAGS) if name.startswith(_TAGS) else (branches, _HEADS)
            side[name.removeprefix(prefix)] = sha
            dated += [(int(made) if made.isdigit() else 0, name.removeprefix(prefix))] if side is tags else []
    return tags, branches, tuple(dated)


def _unknown(git: Git, mirror: Mirror, names: _Names, name: str) -> bool:
    name = _apart(name)[0]
    return name != "latest" and names.commit(name) is None and _by_id(git, mirror.path, name) is None


def _apart(name: str) -> tuple[str, str]:
    """What is named, and the steps back from it: `v1`, `~2`."""
    found = _STEPS.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")


def _back(git: Git, mirror: Mirror, repo: Repo, sha: str, name: str) -> str:
    """The commit so many steps before one."""
    steps = _apart(name)[1]
    if not steps:
        return sha
    try:
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{sha}{steps}^{{commit}}")
        return git.run(*asked, at=mirror.path).decode("ascii").strip()
    except GitError:
        message = f"{repo.name} has no commit {readable(name)!r}: its history does not go back so far."
        raise UsageError(message, "Take fewer steps back.") from None


def _upstream(git: Git, mirror: Mirror, repo: Repo, names: _Names, wanted: Sequence[str], offline: bool) -> _Names:
    """The same with branches that only the other side has: a mirror follows one branch, and fetches others when asked."""
    if offline or not is_remote(repo.git):
        return names
    try:
        rows = git.run("ls-remote", "--heads", "--", repo.git, network=True).decode("utf-8", "replace").splitlines()
        there = {name.removeprefix(_HEADS): sha for sha, _, name in (row.partition("\t") for row in rows)}
        asked = {_apart(name)[0].removeprefix(_HEADS).removeprefix("origin/") for name in wanted}
        for name in sorted(asked & there.keys()):
            spec = f"+{_HEADS}{name}:{_HEADS}{name}"
            git.run_telling(
                "fetch", "--progress", "--no-write-fetch-head", "--no-auto-gc", "origin", spec, at=mirror.path
            )
    except GitError:
        return names  # what the mirror knows decides
    return replace(names, branches=there | names.branches)


def _ref(git: Git, mirror: Mirror, repo: Repo, names: _Names, name: str) -> Ref:
    named, steps = _apart(name)
    if named == "latest" and "latest" not in names.tags:
        found = latest(names.dated, repo)
        if found is None:
            raise UsageError(f"{repo.name} has no release tag, so there is no `latest`.", "Name a tag, branch or sha.")
        named, name = found, f"{found}{steps}"
    sha = names.commit(named) or _by_id(git, mirror.path, named)
    if sha is None:
        raise UsageError(f"{repo.name} has no tag, branch or commit {readable(named)!r}.", _tip(names, named, repo))
    sha = _back(git, mirror, repo, sha, name)
    try:
        time = git.run("log", "--no-walk", "--no-patch", "--format=%ct", sha, "--", at=mirror.path).decode().strip()
    except GitError as error:
        raise UsageError(
            f"The commit of {readable(name)!r} cannot be read: it is missing from the repository or damaged.",
            "Name another ref, or mend the repository with `git fsck`.",
        ) from error
    return Ref(name, sha, moment(time, UTC))


def _by_id(git: Git, path: Path, name: str) -> str | None:
    if not _SHA.fullmatch(name):
        return None
    asked = f"{name.lower()}^{{commit}}\n".encode()
    try:
        words = git.run("cat-file", "--batch-check", "--buffer", at=path, stdin=asked).decode().split()
    except GitError:
        return None
    return words[0] if len(words) == 3 and words[1] == "commit" else None


def _tip(names: _Names, name: str, repo: Repo) -> str:
    import difflib

    known = [*names.tags, *names.branches]
    short = name.removeprefix(_TAGS).removeprefix(_HEADS)
    # A release is often written without its `v`, or with one too many.
    same = [x for x in (f"v{short}", short.removeprefix("v")) if x in known]
    # And without its last part: `v0.24` is `v0.24.0` sooner than `v0.2.4`.
    begun = sorted((x for x in known if x.removeprefix("v").startswith(f"{short.removeprefix('v')}.")), key=len)
    near = same or begun[:1] or difflib.get_close_matches(short, known, n=_NEAR, cutoff=0.6)
    if near:
        return f"Did you mean {' or '.join(repr(readable(x)) for x in near)}?"
    newest = latest(names.dated, repo)
    return f"Use a tag, a branch or a sha; the newest release is {newest!r}." if newest else "Use a branch or a sha."


# --- commits -------------------------------------------------------------------------------------------------------


def common(git: Git, path: Path, start: str, end: str) -> str | None:
    """The newest commit that both have on their own line of first parents; else what git finds over all parents."""
    if start == end:
        return start
    line = set(_line(git, path, start))
    shared = next((sha for sha in _line(git, path, end) if sha in line), None)
    if shared is not None:
        return shared
    try:
        return git.run("merge-base", start, end, at=path).decode().split()[0]
    except (GitError, IndexError):
        return None


def _line(git: Git, path: Path, tip: str) -> list[str]:
    return git.run("rev-list", "--first-parent", tip, "--", at=path).decode("ascii").split()


def _since(git: Git, path: Path, base: str, tip: str) -> tuple[str, ...]:
    if base == tip:
        return ()
    rows = git.run("rev-list", "--first-parent", "--reverse", tip, f"^{base}", "--", at=path)
    return tuple(rows.decode("ascii").split())
