"""A bare mirror of each repository on our own disk, made and updated by git.

A remote is cloned without blobs; a local path is borrowed, its objects shared. A mirror appears whole or not at
all: it is made under another name and renamed.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from daybreak.collect.git.brought import brought, refuse_misspelt, source_of
from daybreak.collect.git.chain import explain, lacks_objects
from daybreak.collect.git.commit_graph import object_folders
from daybreak.collect.git.noted_refs import as_written, note_refs, trust_only
from daybreak.core.address import Address, readable
from daybreak.core.config import is_remote
from daybreak.core.errors import GitError, RepositoryError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo
from daybreak.core.text import counted

Say = Callable[[str], None]

_FETCH = ("fetch", "--progress", "--no-write-fetch-head", "--no-auto-gc", "origin")
_ALL_TAGS = "+refs/tags/*:refs/tags/*"
"""Releases are often tagged on a branch of their own, which following the branch alone would never bring."""


class Mirror(Struct, frozen=True):
    """A mirror that can be read."""

    path: Path
    branch: str
    tip: str
    """Newest commit of the branch as far as the mirror knows."""
    stale: str | None = None
    """Why it could not be updated: it may lack the newest commits."""


class _Upstream(Struct, frozen=True):
    """What the other side has now."""

    branch: str
    tip: str
    tags: dict[str, str]


class _Refs(Struct, frozen=True):
    """Branches and tags of a repository, and which branch its HEAD names; None while that has no commit."""

    names: dict[str, str]
    head: str | None

    @property
    def tags(self) -> dict[str, str]:
        return {name: oid for name, oid in self.names.items() if name.startswith("refs/tags/")}


def folder_name(repo: Repo) -> str:
    return repo.name.replace("/", "+") + ".git"


def has_mirror(repo: Repo, root: Path) -> bool:
    """Whether there is anything on disk to look through; a repository that was never fetched has nothing."""
    return (root / folder_name(repo)).exists()


def open_mirror(git: Git, repo: Repo, root: Path, offline: bool, say: Say) -> Mirror:
    """The repository's mirror, made or updated unless offline; raises RepositoryError when there is none to read."""
    path = root / folder_name(repo)
    fault: RepositoryError | None = None
    found: tuple[str, str] | None = None
    if not offline:
        try:
            with git.faults.made_good():  # raised, and told as what it is
                repo = brought(repo, root, path.name)
                found = _bring_up_to_date(git, repo, path, say)
        except (GitError, OSError) as error:
            fault = _told(error, repo)
    if not _is_whole(path):
        refuse_missing(repo)
        raise fault or RepositoryError("it has no mirror on disk", "`daybreak run` makes it, without --offline.")
    if fault is None and not (as_written(path) or (offline and _is_being_written(path))):
        fault = RepositoryError("its branches and tags are not as they were written", "Run once without --offline.")
    branch, tip = found or _on_disk(git, repo, path)
    # A borrowed mirror is nothing without the objects of the path it was made from.
    if fault and not is_remote(repo.git) and git.missing(path, [tip]):
        raise fault
    if (path / "shallow").exists():
        raise RepositoryError(
            f"{readable(repo.git)} is a shallow clone: its history is cut off", "Run `git fetch --unshallow` in it."
        )
    return Mirror(path, branch.removeprefix("refs/heads/"), tip, fault.reason if fault else None)


def _is_being_written(path: Path) -> bool:
    """Whether somebody else packs its refs just now: they are as written a moment later."""
    for wait in (0.05, 0.1, 0.2):
        time.sleep(wait)
        if as_written(path):
            return True
    return False


def refuse_missing(repo: Repo) -> None:
    """Raises for a path that is not there: neither a server nor a mirror mends that."""
    if not is_remote(repo.git) and not Path(repo.git).exists():
        raise RepositoryError(f"{repo.git} does not exist", "Check `git` of this repository in daybreak.toml.")


def mirror_at(path: Path, commit: str) -> Mirror:
    """A mirror that is there and has a commit; git is not asked."""
    return Mirror(path, "", commit)


def _told(error: GitError | OSError, repo: Repo) -> RepositoryError:
    if isinstance(error, RepositoryError):
        return error
    if isinstance(error, GitError):
        return explain(error, repo.git, repo.branch)
    return RepositoryError(f"its mirror cannot be written: {error.strerror}", "Check the permissions of .daybreak.")


def _is_whole(path: Path) -> bool:
    """The files without which git sees no repository; a machine that went down may have left them empty."""
    try:
        return bool((path / "HEAD").read_bytes().strip() and (path / "config").read_bytes().strip())
    except OSError:
        return False


def _is_sound(git: Git, repo: Repo, path: Path) -> bool:
    """Whether git reads it, and it borrows from where it should."""
    try:
        if not is_remote(repo.git) and not all(one.is_dir() for one in object_folders(path / "objects")):
            return False
        _refs(git, path)
    except (GitError, OSError):
        return False
    return True


def _bring_up_to_date(git: Git, repo: Repo, path: Path, say: Say) -> tuple[str, str]:
    """Branch and tip after making or updating the mirror."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        say(f"{repo.name}: making a mirror")
    elif not _is_whole(path):
        say(f"{repo.name}: its mirror is damaged, making it anew")
    elif Address.of(_origin(path)).bare != repo.git:
        say(f"{repo.name}: address changed, making its mirror anew")
    elif _is_partial(path):
        say(f"{repo.name}: its mirror has no file contents, making it anew with all of them")
    else:
        _clear_leftovers(path)
        if _origin(path) != repo.git:  # made when addresses were kept with their passwords
            git.run("config", "remote.origin.url", repo.git, at=path, read_only=False)
        doubtful = not as_written(path)
        if doubtful:
            say(f"{repo.name}: branches and tags of its mirror are not as they were written, asking for them anew")
        try:
            found = _update(git, repo, path, doubtful=doubtful)
            if is_remote(repo.git) or _is_sound(git, repo, path):
                return found
        except (GitError, OSError) as error:
            if not _lacks_ours(error, repo) and _is_sound(git, repo, path):
                raise
        say(f"{repo.name}: its mirror is damaged, making it anew")
    _replace(git, repo, path, say)
    return _on_disk(git, repo, path)


def _lacks_ours(error: GitError | OSError, repo: Repo) -> bool:
    """A fetch that stumbles over what a clone has lost will do so every morning, whatever its branches say."""
    return isinstance(error, GitError) and is_remote(repo.git) and lacks_objects(error.detail)


def _replace(git: Git, repo: Repo, path: Path, say: Say) -> None:
    """Clone beside the place and swap; a clone that fails leaves what was there. A server is asked first: one that does not
    answer is known by a short question, long before a transfer would be given up.
    """
    if is_remote(repo.git):
        try:
            git.run("ls-remote", "--", repo.git, "HEAD", network=True)
        except GitError as error:
            say(f"{repo.name}: {explain(error, repo.git, repo.branch).message}")
            raise
    fresh = path.with_name(f"{path.name}.new-{os.getpid()}")
    for leftover in path.parent.glob(f"{path.name}.new-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        _clone(git, repo, fresh)
        if path.exists():
            discard(path)
        fresh.rename(path)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def renew(git: Git, repo: Repo, path: Path, say: Say) -> None:
    """A clone of which objects are lost or damaged, made anew beside what is there."""
    say(f"{repo.name}: objects of its mirror are lost or damaged, making it anew")
    _replace(git, repo, path, say)


def discard(path: Path) -> None:
    """Out of the way first, then gone: half a mirror must never be taken for one."""
    aside = path.with_name(f"{path.name}.new-{os.getpid()}-gone")
    path.rename(aside)
    shutil.rmtree(aside)


def _clone(git: Git, repo: Repo, target: Path) -> None:
    """With all contents: what a release has, who calls a name and whether a pick applies lie in files that no day touches."""
    branch = ["--branch", repo.branch] if repo.branch else []
    refuse_missing(repo)
    how = [] if is_remote(repo.git) else ["--shared"]
    clone = ("clone", "--progress", "--bare", *how, "--single-branch", *branch, "--", repo.git, str(target))
    try:
        git.run_telling(*clone)
    except GitError as error:
        if repo.branch and "Remote branch" in error.message + error.detail:
            raise _no_branch(repo.branch, readable(repo.git), _branches(git, repo)) from error
        raise
    if (ours := _refs(git, target)).names:
        if is_remote(repo.git):
            git.run_telling(*_FETCH, _ALL_TAGS, at=target)
        else:
            _borrow_refs(git, target, ours, _ask(git, repo))
    else:
        _ask(git, repo)  # raises, with what is there instead of a default branch
    _tidy(git, target)


def _update(git: Git, repo: Repo, path: Path, *, doubtful: bool) -> tuple[str, str]:
    upstream = _ask(git, repo)
    if doubtful:
        trust_only(path, upstream.branch)
        # git refuses to fetch beside a name of what is not there
        trust_only(path, upstream.branch, git.missing(path, sorted(set(_refs(git, path).names.values()))))
    ours = _refs(git, path)
    known = upstream.tags == ours.tags if not is_remote(repo.git) else upstream.tags.items() <= ours.tags.items()
    if not doubtful and ours.names.get(upstream.branch) == upstream.tip and known:
        _follow(git, path, upstream.branch)
        return upstream.branch, upstream.tip
    if is_remote(repo.git):
        branch = f"+{upstream.branch}:{upstream.branch}"
        git.run_telling(*_FETCH, *(["--prune"] if doubtful else []), branch, _ALL_TAGS, at=path)
        ours = _refs(git, path)
    else:
        _borrow_refs(git, path, ours, upstream)
        ours = _Refs({upstream.branch: upstream.tip}, upstream.branch)
    _follow(git, path, upstream.branch)
    _tidy(git, path)
    return upstream.branch, ours.names[upstream.branch]


def _follow(git: Git, path: Path, branch: str) -> None:
    """Name the branch in HEAD, once it is there: a fetch that fails must leave HEAD where it was."""
    if (path / "HEAD").read_bytes().strip() != f"ref: {branch}".encode():
        git.run("symbolic-ref", "HEAD", branch, at=path, read_only=False)


def _ask(git: Git, repo: Repo) -> _Upstream:
    """What upstream has now; raises when it has no such branch."""
    branch, tip, tags = _ask_remote(git, repo) if is_remote(repo.git) else _ask_path(git, repo)
    if branch and tip:
        return _Upstream(branch, tip, tags)
    if repo.branch:
        raise _no_branch(repo.branch, readable(repo.git), _branches(git, repo))
    raise _no_default(repo, _branches(git, repo))


def _no_default(repo: Repo, branches: Sequence[str]) -> RepositoryError:
    """HEAD names nothing that is there: of a bundle without it, of a repository whose default branch went, of an empty one."""
    if not branches:
        return RepositoryError(
            f"{repo.name} is empty: it has no commits", "Take it off the watchlist until it has some."
        )
    some = sorted(branches, key=lambda name: (name not in _USUAL, name))
    more = f" and {len(some) - 3} more" if len(some) > 3 else ""
    return RepositoryError(
        f"{repo.name} names no default branch; it has {', '.join(some[:3])}{more}", f'Set branch = "{some[0]}" for it.'
    )


_HEADS, _USUAL = "refs/heads/", ("main", "master")


def _branches(git: Git, repo: Repo) -> list[str]:
    if is_remote(repo.git):
        asked = git.run("ls-remote", "--heads", "--", repo.git, network=True).decode("utf-8", "surrogateescape")
        names = [row.partition("\t")[2] for row in asked.splitlines()]
    else:
        names = list(_refs(git, Path(repo.git)).names)
    return _heads(names)


def _heads(names: Iterable[str]) -> list[str]:
    return [readable(name.removeprefix(_HEADS)) for name in names if name.startswith(_HEADS)]


def _no_branch(branch: str, where: str, others: Sequence[str]) -> RepositoryError:
    near = difflib.get_close_matches(branch, others, n=1, cutoff=0.6)
    meant = f"Did you mean {near[0]!r}? " if near else ""
    return RepositoryError(
        f"branch {branch!r} does not exist in {where}",
        f"{meant}Correct `branch`, or leave it out to follow the default one.",
    )


def _ask_remote(git: Git, repo: Repo) -> tuple[str | None, str | None, dict[str, str]]:
    """With its tags: a release is often put on a commit that came before."""
    wanted = f"refs/heads/{repo.branch}" if repo.branch else "HEAD"
    asked = git.run("ls-remote", "--symref", "--", repo.git, wanted, "refs/tags/*", network=True)
    rows = asked.decode("utf-8", "surrogateescape").splitlines()
    symbolic = [m[1] for row in rows if (m := re.fullmatch(r"ref: (refs/heads/.+)\tHEAD", row))]
    tips = [row.split("\t")[0] for row in rows if row.endswith("\t" + wanted) and not row.startswith("ref:")]
    branch = wanted if repo.branch else next(iter(symbolic), None)
    named = (row.partition("\t") for row in rows if "\trefs/tags/" in row and not row.endswith("^{}"))
    return branch, next(iter(tips), None), {name: sha for sha, _, name in named}


def _ask_path(git: Git, repo: Repo) -> tuple[str | None, str | None, dict[str, str]]:
    """A local path is asked directly: its refs are all we need, since its objects are shared."""
    refuse_missing(repo)
    source = Path(repo.git)
    refs = _refs(git, source)
    branch = f"refs/heads/{repo.branch}" if repo.branch else refs.head
    return branch, refs.names.get(branch or ""), refs.tags


def _refs(git: Git, path: Path) -> _Refs:
    form = "--format=%(objectname) %(HEAD) %(refname)"
    rows = (
        git.run("for-each-ref", form, "refs/heads", "refs/tags", at=path)
        .decode("utf-8", "surrogateescape")
        .splitlines()
    )
    parts = [(oid, rest[:1], rest[2:]) for oid, _, rest in (row.partition(" ") for row in rows)]
    return _Refs({name: oid for oid, _, name in parts}, next((name for _, mark, name in parts if mark == "*"), None))


def _borrow_refs(git: Git, path: Path, ours: _Refs, upstream: _Upstream) -> None:
    tags = upstream.tags
    missing = git.missing(path, sorted(set(tags.values())))
    wanted = {name: oid for name, oid in tags.items() if oid not in missing} | {upstream.branch: upstream.tip}
    orders = [f"update {name} {oid}\n" for name, oid in wanted.items() if ours.names.get(name) != oid]
    orders += [f"delete {name}\n" for name in ours.tags if name not in wanted]
    git.run("update-ref", "--stdin", at=path, stdin="".join(orders).encode("utf-8", "surrogateescape"), read_only=False)


def _tidy(git: Git, path: Path) -> None:
    """Packed refs and a commit-graph of our own make asking ten times faster; without them we are slower, not wrong."""
    try:
        git.run("pack-refs", "--all", at=path, read_only=False)
        note_refs(path)
        git.run("commit-graph", "write", "--reachable", "--split", at=path, read_only=False)
    except (GitError, OSError):
        shutil.rmtree(path / "objects" / "info" / "commit-graphs", ignore_errors=True)


_LEFTOVERS = (
    "*.lock",
    "refs/**/*.lock",
    "objects/info/**/*.lock",
    # With this one there, git can neither pack refs nor delete one that is packed.
    "packed-refs.new",
    "objects/pack/tmp_*",
    "objects/pack/.tmp-*",
    "objects/info/commit-graphs/tmp_*",
    "objects/incoming-*",
    "objects/tmp_objdir-*",
)


def _clear_leftovers(path: Path) -> None:
    """A git that was killed leaves locks and unfinished files; the run lock says that nobody else is here."""
    for leftover in (place for pattern in _LEFTOVERS for place in path.glob(pattern)):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _on_disk(git: Git, repo: Repo, path: Path) -> tuple[str, str]:
    """Branch and tip as the mirror has them."""
    refs = _refs(git, path)
    branch = f"refs/heads/{repo.branch}" if repo.branch else refs.head
    tip = refs.names.get(branch or "")
    if branch and tip:
        return branch, tip
    if repo.branch:
        raise _no_branch(repo.branch, repo.name, _heads(refs.names))
    raise _no_default(repo, _heads(refs.names))


def _origin(path: Path) -> str:
    """The address the mirror was made from; read as text to save a process."""
    config = (path / "config").read_text(encoding="utf-8", errors="replace")
    match = re.search(r"^\s*url = (.*)$", config, re.MULTILINE)
    return match[1].strip('"').replace('\\"', '"').replace("\\\\", "\\") if match else ""


def _is_partial(path: Path) -> bool:
    """Made without contents, as earlier versions did."""
    return "promisor = true" in (path / "config").read_text(encoding="utf-8", errors="replace")


def reachable(git: Git, repo: Repo) -> str:
    """The branch and tip upstream has now, in words; raises RepositoryError when it cannot be asked."""
    if source := source_of(repo.git):
        return f"brought by the plug-in {source!r}"
    refuse_misspelt(repo.git)
    try:
        upstream = _ask(git, repo)
    except RepositoryError:
        raise
    except GitError as error:
        raise explain(error, repo.git, repo.branch) from error
    return f"{upstream.branch.removeprefix('refs/heads/')} at {upstream.tip[:9]}{_aged(git, repo, upstream.tip)}"


def _aged(git: Git, repo: Repo, tip: str) -> str:
    """Of a folder, the day of its newest commit: nobody may have brought it up to date since."""
    if not Path(repo.git).is_dir():
        return ""
    with suppress(GitError):
        day = git.run("log", "-1", "--format=%cs", tip, at=Path(repo.git)).decode("ascii", "replace").strip()
        return f" of {day}; a folder is as new as whoever fetches into it{_lacking(git, repo, tip)}"
    return ""


def _lacking(git: Git, repo: Repo, tip: str) -> str:
    """Of a folder, how much of its newest tree it has no contents of: a partial clone is read with gaps."""
    asked = ("rev-list", "--objects", "--no-walk", "--missing=print", tip)
    rows = git.run(*asked, at=Path(repo.git)).split(b"\n")
    count = sum(row.startswith(b"?") for row in rows)
    return f"; contents of {counted(count, 'file')} are not in it: `git fetch --refetch` brings them" if count else ""
