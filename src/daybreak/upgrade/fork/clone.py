"""A user's clone, looked at and never touched: its two branches, the commits on either side, and trial merges.

Only the names are asked of the clone itself (`rev-parse`, `remote get-url`). Everything else goes through a lens: an
empty repository in a folder of our own that borrows the clone's objects. So the clone's settings, hooks, filters and
merge drivers have no say, and what a trial merge writes goes away with the lens: no ref, no index and no object of
the clone is ever written.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from daybreak.collect.git.chain import explain
from daybreak.core.address import readable
from daybreak.core.errors import GitError, UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo

MERGES_SINCE = (2, 39)
"""`git merge-tree --write-tree --stdin`."""
_SHA256 = 64
_ADDRESS = re.compile(r"(?:^|[/@])(?:www\.)?github\.com[/:]([\w.-]{1,100})/([\w.-]{1,100}?)(?:\.git)?/?$")
_WHO = "Daybreak <daybreak@example.invalid> 0 +0000"


class Fork(Struct, frozen=True):
    """The clone's two sides, and the lens they are read through."""

    lens: Path
    repo: Repo
    branch: str
    upstream: str
    """As shown: `upstream/main`."""
    ours_tip: str
    theirs_tip: str
    base: str
    ours: tuple[str, ...]
    """Commits of the branch that upstream does not have, neither as they are nor as the same patch; oldest first."""
    road: tuple[str, ...]
    """All commits from the base to the branch's tip, oldest first, when they are one line; else nothing."""
    theirs: tuple[str, ...]
    """Upstream's first-parent commits that the branch does not have, oldest first."""
    start: str
    """What the first of `theirs` stands on: the base, or an ancestor of it."""
    matched: bool = True
    """Whether patches could be compared; else `ours` may hold some that upstream has as well."""


def open_fork(git: Git, place: Path, branch: str, upstream: str | None, folder: Path) -> Fork:
    """Find both sides; what is wrong with the clone is one error in the user's words."""
    top = _top(place)
    try:
        git.take_user_settings(folder)
        return _opened(_Clone(git, top), branch, upstream, folder)
    except GitError as error:
        known = explain(error, str(top), branch)
        raise GitError(f"{known.message.rstrip('.')}.", known.tip or "", error.detail) from error


def _top(place: Path) -> Path:
    """The repository that a folder belongs to; a clone is asked from anywhere inside it."""
    place = place.expanduser()
    if not place.is_dir():
        raise UsageError(f"{place} is not a folder.", "Name the folder of your clone.")
    for folder in (place.resolve(), *place.resolve().parents):
        bare = all((folder / name).exists() for name in ("HEAD", "objects", "refs"))
        if bare or (folder / ".git").exists():
            return folder
    raise UsageError(f"{place} is not a git repository.", "Name the folder of your clone, or run there.")


class _Clone(Struct, frozen=True):
    """Small questions to the clone itself; none of them writes."""

    git: Git
    top: Path

    def ask(self, *words: str) -> str | None:
        try:
            return self.git.run(*words, at=self.top).decode("utf-8", "surrogateescape").strip()
        except GitError as error:
            if any(fault in error.detail for fault in ("dubious ownership", "not a git repository")):
                raise
            return None

    def commit(self, name: str) -> str | None:
        if not name or name.startswith("-"):
            return None
        return self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")

    def remotes(self) -> list[str]:
        return (self.ask("remote") or "").splitlines()

    def default_branch(self, remote: str) -> str | None:
        """`upstream/main`: what the remote's HEAD said when it was cloned, else the usual names."""
        head = self.ask("symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
        names = [head] if head else [f"{remote}/main", f"{remote}/master"]
        return next((name for name in names if self.commit(f"refs/remotes/{name}")), None)


def _opened(clone: _Clone, branch: str, upstream: str | None, folder: Path) -> Fork:
    objects = clone.ask("rev-parse", "--git-path", "objects")
    ours = clone.commit(f"refs/heads/{branch}") or clone.commit(branch)
    if ours is None or objects is None:
        raise UsageError(
            f"There is no branch {readable(branch)!r} in {clone.top}.",
            "`git branch --all` lists the branches there are.",
        )
    if clone.ask("rev-parse", "--is-shallow-repository") == "true":
        raise UsageError(
            f"{clone.top} is a shallow clone, so what both sides share cannot be told.",
            "Get the whole history first: git fetch --unshallow",
        )
    name = upstream or _upstream(clone, ours)
    theirs = clone.commit(f"refs/remotes/{name}") or clone.commit(name)
    if theirs is None:
        raise UsageError(
            f"There is no {readable(name)!r} in {clone.top}.", "Fetch it first: git fetch upstream; then name it."
        )
    lens = _lens(folder / "lens", (clone.top / objects).resolve(), len(ours) == _SHA256)
    return _sides(clone.git, lens, _repo(clone, name), (branch, name), (ours, theirs))


def _upstream(clone: _Clone, ours: str) -> str:
    """The remote `upstream`, else `origin` when the branch is not the same as its default branch."""
    found = clone.default_branch("upstream") if "upstream" in clone.remotes() else None
    if found is None and "origin" in clone.remotes():
        found = clone.default_branch("origin")
        if found is not None and clone.commit(f"refs/remotes/{found}") == ours:
            found = None
    if found is None:
        raise UsageError(
            f"{clone.top} has no remote that the branch could be compared with.",
            "Add it (git remote add upstream URL; git fetch upstream), or say which ref with --upstream.",
        )
    return found


def _repo(clone: _Clone, upstream: str) -> Repo:
    """Upstream's name from the address of the remote it was fetched from; an address is shown only when it is GitHub's."""
    remote = next((r for r in clone.remotes() if upstream.startswith(f"{r}/")), None)
    address = (clone.ask("remote", "get-url", remote) or "") if remote else ""
    match = _ADDRESS.search(address)
    if match:
        name = f"{match[1]}/{match[2]}"
        return Repo(name, f"https://github.com/{name}", "")
    return Repo(re.sub(r"[^\w.-]+", "-", clone.top.name) or "upstream", "", "")


def _lens(folder: Path, objects: Path, sha256: bool) -> Path:
    """An empty repository that borrows the objects of another."""
    for part in ("objects/info", "refs"):
        (folder / part).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    kind = "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n" if sha256 else ""
    (folder / "config").write_text(f"[core]\n\tbare = true\n{kind}", encoding="ascii")
    quoted = str(objects).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    (folder / "objects" / "info" / "alternates").write_text(f'"{quoted}"\n', encoding="utf-8", errors="surrogateescape")
    return folder


def _sides(git: Git, lens: Path, repo: Repo, names: tuple[str, str], tips: tuple[str, str]) -> Fork:
    ours, theirs = tips
    base = _common(git, lens, names, tips)
    own, matched = _own(git, lens, ours, theirs)
    new = _listed(git, lens, "--first-parent", "--reverse", theirs, f"^{ours}")
    road = _listed(git, lens, "--parents", "--reverse", "--topo-order", ours, f"^{base}")
    line = [row.split() for row in road]
    linear = all(len(row) == 2 for row in line) and (not line or line[0][1] == base)
    start = git.run("rev-parse", f"{new[0]}^1", at=lens).decode().strip() if new else base
    return Fork(
        *(lens, repo, *names, ours, theirs, base),
        own,
        tuple(row[0] for row in line) if linear else (),
        tuple(new),
        start,
        matched,
    )


def _own(git: Git, lens: Path, ours: str, theirs: str) -> tuple[tuple[str, ...], bool]:
    """Our commits, and whether those that upstream has as the same patch could be left out."""
    words = ("--no-merges", "--right-only", "--reverse", "--topo-order", f"{theirs}...{ours}")
    try:
        return tuple(_listed(git, lens, "--cherry-pick", *words)), True
    except GitError:
        return tuple(_listed(git, lens, *words)), False


def _common(git: Git, lens: Path, names: tuple[str, str], tips: tuple[str, str]) -> str:
    try:
        return git.run("merge-base", *tips, at=lens).decode().split()[0]
    except GitError as error:
        if not error.found_nothing:
            raise
    branch, upstream = map(readable, names)
    raise UsageError(
        f"{branch!r} and {upstream!r} have no commit in common.", "Name the branch of the same project with --upstream."
    )


def _listed(git: Git, lens: Path, *words: str) -> list[str]:
    return git.run("rev-list", *words, at=lens).decode().splitlines()


def touched_paths(git: Git, fork: Fork) -> set[str]:
    """Every path that upstream's changes name, those that were put back included."""
    if not fork.theirs:
        return set()
    how = (
        "--format=",
        "--name-only",
        "--no-renames",
        "-z",
        "--diff-merges=first-parent",
        "--stdin",
        "--no-walk=unsorted",
    )
    shas = "".join(f"{sha}\n" for sha in fork.theirs).encode()
    named = git.run("log", *how, at=fork.lens, stdin=shas).split(b"\0")
    if fork.start != fork.base:
        named += git.run(
            "diff-tree", "-r", "--name-only", "--no-renames", "-z", fork.base, fork.start, at=fork.lens
        ).split(b"\0")
    return {_text(path.removeprefix(b"\n")) for path in named}


# --- what is made in the lens -------------------------------------------------------------------------------------


def tree_of(git: Git, lens: Path, commits: Sequence[str]) -> dict[str, str]:
    """The tree of each commit."""
    if not commits:
        return {}
    lines = "".join(f"{sha}^{{tree}}\n" for sha in commits).encode()
    rows = git.run("cat-file", "--batch-check=%(objectname)", "--buffer", at=lens, stdin=lines).decode().splitlines()
    return {sha: row for sha, row in zip(commits, rows, strict=True) if " " not in row}


def written_commit(lens: Path, tree: str, parents: Sequence[str] = ()) -> str:
    """A commit of our own in the lens: it lets git compare and merge any trees, with any one as their base."""
    head = "".join([f"tree {tree}\n", *(f"parent {sha}\n" for sha in parents)])
    body = f"{head}author {_WHO}\ncommitter {_WHO}\n\nlens\n".encode()
    data = b"commit %d\0%s" % (len(body), body)
    # git's own name of the object, which is no secret to keep.
    name = (hashlib.sha256(data) if len(tree) == _SHA256 else hashlib.sha1(data, usedforsecurity=False)).hexdigest()
    path = lens / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        path.write_bytes(zlib.compress(data, 1))
    return name


# --- trial merges -------------------------------------------------------------------------------------------------


class Conflict(Struct, frozen=True):
    """One thing that git could not merge by itself."""

    kind: str
    """`contents`, `modify/delete`, `rename/rename`, `binary` and so on, as git calls them."""
    paths: tuple[str, ...]


class Trial(Struct, frozen=True):
    """What came of one merge; `clean` is None when git could not even try."""

    clean: bool | None
    tree: str = ""
    conflicts: tuple[Conflict, ...] = ()
    stages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Files that are left in conflict -> their blobs: "1" in the base, "2" on our side, "3" on theirs."""
    fault: str = ""


def can_merge(git: Git) -> bool:
    """Whether this git can merge without a work tree."""
    return git.version()[:2] >= MERGES_SINCE


def merged(git: Git, lens: Path, pairs: Sequence[tuple[str, str]]) -> Iterator[Trial]:
    """Merge the second commit of each pair into the first; one answer for each pair, in that order."""
    left = list(pairs)
    while left:
        lines = "".join(f"{ours} {theirs}\n" for ours, theirs in left).encode()
        with git.stream("merge-tree", "--write-tree", "-z", "--stdin", at=lens, stdin=lines) as stream:
            fields = stream.output.read().split(b"\0")
            fault = stream.last_words() if stream.finish() else ""
        answers = list(_trials(fields))[: len(left)]
        yield from answers
        left = left[len(answers) :]
        if left:
            # git ends at the first merge that it cannot read; the others are asked anew.
            yield Trial(None, fault=fault or "git ended without an answer")
            left = left[1:]


def _trials(fields: list[bytes]) -> Iterator[Trial]:
    """Status, tree, then for a conflict: file rows up to an empty field, messages up to an empty field."""
    at = 0
    while at + 2 < len(fields):
        clean, tree = fields[at] == b"1", fields[at + 1].decode()
        at += 2
        stages: dict[str, dict[str, str]] = {}
        conflicts: list[Conflict] = []
        if not clean:
            while at < len(fields) and fields[at]:
                row, _, path = fields[at].partition(b"\t")
                _, oid, stage = row.decode().split(" ")
                stages.setdefault(_text(path), {})[stage] = oid
                at += 1
            at += 1
            while at < len(fields) and fields[at].isdigit():
                count = int(fields[at])
                named, kind = fields[at + 1 : at + 1 + count], fields[at + 1 + count : at + 2 + count]
                at += count + 3
                found = re.fullmatch(rb"CONFLICT ?\((.{1,80})\)", kind[0]) if kind else None
                if found:
                    conflicts.append(Conflict(found[1].decode("ascii", "replace"), tuple(map(_text, named))))
        at += 1
        yield Trial(clean, tree, tuple(conflicts), stages)


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")


# --- files at a commit --------------------------------------------------------------------------------------------

LARGEST = 2 << 20


def blob_text(git: Git, lens: Path, oid: str) -> str | None:
    """The text of a blob; None when it is binary, too large to follow line by line, or cannot be read."""
    try:
        if int(git.run("cat-file", "-s", oid, at=lens)) > LARGEST:
            return None
        data = git.blob(lens, oid)
    except GitError:
        return None
    return None if b"\0" in data[:8000] else data.decode("utf-8", "replace")


def blob_patch(git: Git, lens: Path, old: str, new: str) -> str | None:
    """The hunks between two blobs, made as git's merge makes them."""
    how = ("--histogram", "--no-indent-heuristic", "-U0", "--no-color", "--no-ext-diff", "--no-textconv")
    try:
        text = git.run("diff", *how, old, new, at=lens).decode("utf-8", "replace")
    except GitError:
        return None
    at = text.find("\n@@ ")
    return text[at + 1 :] if at >= 0 else ""
