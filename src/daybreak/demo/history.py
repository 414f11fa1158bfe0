"""Sample upstreams: a readable TOML file as a git history with the same ids everywhere, and as a bare repository."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct

from daybreak.core.config import environment

UPSTREAMS: tuple[str, ...] = ("lantern", "tilekit", "wick")
"""Short names of the packaged histories, in the order a reader should meet them."""

FILE, EXECUTABLE, SYMLINK, GITLINK = "100644", "100755", "120000", "160000"
_TEXT_KEYS = {"id", "author", "committer", "date", "authored", "message"}
_TREE_KEYS = {"on", "from", "merge", "revert", "rename", "delete", "write", "edit"}
_KIND_KEYS = {"binary", "symlink", "gitlink", "executable"}


class Entry(Struct, frozen=True):
    """One path of a tree; a gitlink has no data, since its commit lives elsewhere."""

    mode: str
    sha: str
    data: bytes | None


Tree = Mapping[str, Entry]


class Commit(Struct, frozen=True):
    """A commit with its whole tree and the id that git will give it."""

    id: str
    branch: str
    parents: tuple[str, ...]
    tree: Tree
    author: str
    committer: str
    date: datetime
    message: str
    sha: str


class Tag(Struct, frozen=True):
    """A tag; without a tagger it is lightweight and its id is the commit's."""

    name: str
    at: str
    tagger: str
    message: str
    sha: str


class Push(Struct, frozen=True):
    """A moment at which the main branch moved, and the tags that came with it."""

    at: datetime
    to: str
    tags: tuple[str, ...]


class History(Struct, frozen=True):
    """Everything about one upstream: its commits by local id, its tags by name, its pushes."""

    name: str
    branch: str
    commits: Mapping[str, Commit]
    tags: Mapping[str, Tag]
    pushes: tuple[Push, ...]

    def sha(self, commit: str) -> str:
        """The git id of the commit with this local id."""
        return self.commits[commit].sha

    def ancestors(self, commit: str) -> set[str]:
        """Local ids of the commit and of all that it builds on."""
        return _ancestors(self.commits, commit)


def load(name: str) -> History:
    """Read a packaged upstream by its short name, one of `UPSTREAMS`."""
    source = resources.files(__package__).joinpath("upstreams", f"{name}.toml")
    return parse(source.read_text(encoding="utf-8"))


def parse(text: str) -> History:
    """Turn the text of a history into objects, or say in a ValueError where it is wrong."""
    table = tomllib.loads(text)
    branch = str(table.get("branch", "main"))
    commits: dict[str, Commit] = {}
    tips: dict[str, str] = {}
    for entry in table["commit"]:
        commit = _commit(entry, commits, tips, branch)
        commits[commit.id] = commit
        tips[commit.branch] = commit.id
    tags = {entry["name"]: _tag(entry, commits) for entry in table.get("tag", [])}
    pushes = tuple(Push(_moment(entry["at"]), entry["to"], tuple(entry.get("tags", []))) for entry in table["push"])
    history = History(str(table["name"]), branch, commits, tags, pushes)
    _check_pushes(history)
    return history


def visible(history: History, moment: datetime) -> dict[str, str]:
    """Refs and ids that a clone made at `moment` would have got; empty before the first push."""
    refs: dict[str, str] = {}
    for push in history.pushes:
        if push.at <= moment:
            refs[f"refs/heads/{history.branch}"] = history.sha(push.to)
            refs.update({f"refs/tags/{name}": history.tags[name].sha for name in push.tags})
    return refs


# Reading a commit: parents, then the tree step by step, then the ids.


def _commit(table: Mapping[str, Any], done: Mapping[str, Commit], tips: Mapping[str, str], main: str) -> Commit:
    """Make one commit on top of what came before it."""
    name = str(table.get("id", "?"))
    if unknown := sorted(set(table) - _TEXT_KEYS - _TREE_KEYS - _KIND_KEYS):
        _fail(name, f"unknown key {unknown[0]!r}")
    if name in done:
        _fail(name, "the id is used twice")
    branch = str(table.get("on", main))
    start = table.get("from", tips.get(branch))
    parents = (*([start] if start else []), *table.get("merge", []))
    for known in (*parents, *([table["revert"]] if "revert" in table else [])):
        if known not in done:
            _fail(name, f"no commit {known!r} before this one")
    tree = _apply(name, table, _start_tree(name, table, done, parents))
    date = _moment(table["date"])
    author = _person(name, table["author"], _moment(table.get("authored", table["date"])))
    committer = _person(name, table.get("committer", table["author"]), date)
    message = _message(name, table["message"], done)
    lines = [f"tree {_tree_sha(tree)}", *(f"parent {done[parent].sha}" for parent in parents)]
    lines += [f"author {author}", f"committer {committer}", "", message]
    sha = _object("commit", "\n".join(lines).encode())
    return Commit(name, branch, parents, tree, author, committer, date, message, sha)


def _start_tree(
    name: str, table: Mapping[str, Any], done: Mapping[str, Commit], parents: tuple[str, ...]
) -> dict[str, Entry]:
    """The tree before the commit's own steps: the first parent's, with merge or revert applied."""
    tree = dict(done[parents[0]].tree) if parents else {}
    for other in parents[1:]:
        shared = _ancestors(done, parents[0]) & _ancestors(done, other)
        base = [commit for commit in done if commit in shared][-1]
        tree = _three_way(name, done[base].tree, tree, done[other].tree)
    if "revert" in table:
        undone = done[table["revert"]]
        before = done[undone.parents[0]].tree if undone.parents else {}
        tree = _three_way(name, undone.tree, tree, before)
    return tree


def _three_way(name: str, base: Tree, ours: Tree, theirs: Tree) -> dict[str, Entry]:
    """Take each path from the side that changed it; whole files only, which is all we need."""
    result = dict(ours)
    for path in sorted({*base, *theirs}):
        before, here, there = base.get(path), ours.get(path), theirs.get(path)
        if there in (before, here):
            continue
        if here != before:
            _fail(name, "changed on both sides", path)
        if there is None:
            del result[path]
        else:
            result[path] = there
    return result


def _apply(name: str, table: Mapping[str, Any], tree: dict[str, Entry]) -> dict[str, Entry]:
    """Apply what the commit says it changed, in the order given at the top of this file."""
    for old, new in table.get("rename", []):
        if new in tree:
            _fail(name, "rename onto a path that exists", new)
        tree[new] = _existing(name, tree, old)
        del tree[old]
    for path in table.get("delete", []):
        _existing(name, tree, path)
        del tree[path]
    for path, content in table.get("write", {}).items():
        _put(tree, path, content.encode())
    _apply_rest(name, table, tree)
    return tree


def _apply_rest(name: str, table: Mapping[str, Any], tree: dict[str, Entry]) -> None:
    """The steps on files that are there by now, and the kinds of entry that are not plain text."""
    for step in table.get("edit", []):
        _edit(name, tree, step)
    for path, content in table.get("binary", {}).items():
        _put(tree, path, base64.b64decode(content, validate=True))
    for path, target in table.get("symlink", {}).items():
        tree[path] = _blob(SYMLINK, target.encode())
    for path, sha in table.get("gitlink", {}).items():
        if not re.fullmatch("[0-9a-f]{40}", sha):
            _fail(name, f"not a commit id: {sha!r}", path)
        tree[path] = Entry(GITLINK, sha, None)
    for path in table.get("executable", []):
        entry = _existing(name, tree, path)
        tree[path] = Entry(EXECUTABLE, entry.sha, entry.data)


def _edit(name: str, tree: dict[str, Entry], step: Mapping[str, Any]) -> None:
    """Replace one passage; it must occur exactly once, or the history does not say what it means."""
    path = str(step["path"])
    text = (_existing(name, tree, path).data or b"").decode()
    found = text.count(step["old"])
    if found != 1:
        _fail(name, f"the passage to edit occurs {found} times: {step['old'][:60]!r}", path)
    if step["old"] == step["new"]:
        _fail(name, "the edit changes nothing", path)
    _put(tree, path, text.replace(step["old"], step["new"]).encode())


def _existing(name: str, tree: Tree, path: str) -> Entry:
    """The entry at a path that the commit takes for granted."""
    if path not in tree:
        _fail(name, "no such file", path)
    return tree[path]


def _put(tree: dict[str, Entry], path: str, data: bytes) -> None:
    """Write a file; one that was executable stays so, as an editor would leave it."""
    old = tree.get(path)
    tree[path] = _blob(EXECUTABLE if old is not None and old.mode == EXECUTABLE else FILE, data)


def _message(name: str, text: str, done: Mapping[str, Commit]) -> str:
    """Fill in the ids of earlier commits and end with one newline, as `git commit` does."""

    def sha(match: re.Match[str]) -> str:
        if match[1] not in done:
            _fail(name, f"the message names no earlier commit {match[1]!r}")
        return done[match[1]].sha

    return re.sub(r"\{sha:([^{}]+)\}", sha, text).strip("\n") + "\n"


def _tag(table: Mapping[str, Any], commits: Mapping[str, Commit]) -> Tag:
    """A tag object when there is a tagger, else a plain name for the commit."""
    name, at = str(table["name"]), str(table["at"])
    if at not in commits:
        raise ValueError(f"tag {name}: no commit {at!r}")
    target = commits[at].sha
    if "tagger" not in table:
        return Tag(name, at, "", "", target)
    tagger = _person(name, table["tagger"], _moment(table["date"]))
    message = str(table["message"]).strip("\n") + "\n"
    body = f"object {target}\ntype commit\ntag {name}\ntagger {tagger}\n\n{message}"
    return Tag(name, at, tagger, message, _object("tag", body.encode()))


def _person(name: str, who: str, when: datetime) -> str:
    """The line git stores: name, mail, seconds and zone."""
    if not re.fullmatch(r"[^<>\n]+ <[^<>\n]+>", who):
        _fail(name, f"not 'Name <mail>': {who!r}")
    return f"{who} {int(when.timestamp())} {when:%z}"


def _moment(text: str) -> datetime:
    """A date with its zone; without one the same file would give other ids elsewhere."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"date without a zone: {text}")
    return moment


def _ancestors(commits: Mapping[str, Commit], commit: str) -> set[str]:
    """Ids of the commit and of all before it."""
    found: set[str] = set()
    waiting = [commit]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(commits[name].parents)
    return found


def _check_pushes(history: History) -> None:
    """Nobody pushes a commit before making it, and in the end everything has been pushed."""
    seen: set[str] = set()
    last: datetime | None = None
    for push in history.pushes:
        if push.to not in history.commits or (last is not None and push.at <= last):
            raise ValueError(f"push {push.at}: unknown commit {push.to!r} or not in order of time")
        fresh = history.ancestors(push.to) - seen
        for commit in fresh:
            if history.commits[commit].date > push.at:
                _fail(commit, f"pushed at {push.at}, before it was made")
        seen |= fresh
        last = push.at
    if missing := sorted(set(history.commits) - seen):
        _fail(missing[0], "never pushed")
    if sorted(name for push in history.pushes for name in push.tags) != sorted(history.tags):
        raise ValueError("each tag must come with exactly one push")


def _fail(name: str, reason: str, path: str = "") -> NoReturn:
    """Raise with the place in the file, which is what its author needs to know."""
    raise ValueError(f"commit {name}: {f'{path}: ' if path else ''}{reason}")


# Ids and the stream for git.


def _object(kind: str, body: bytes) -> str:
    """The id git gives an object."""
    head = f"{kind} {len(body)}\0".encode()
    return hashlib.sha1(head + body, usedforsecurity=False).hexdigest()


def _blob(mode: str, data: bytes) -> Entry:
    """An entry whose content we hold."""
    return Entry(mode, _object("blob", data), data)


def _tree_sha(tree: Tree) -> str:
    """The id of a tree given as flat paths; folders sort as if their name ended in a slash."""
    entries: dict[str, tuple[str, str]] = {}
    folders: dict[str, dict[str, Entry]] = {}
    for path, entry in tree.items():
        head, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(head, {})[rest] = entry
        else:
            entries[head] = (entry.mode, entry.sha)
    for head, inner in folders.items():
        entries[head] = ("40000", _tree_sha(inner))
    order = sorted(entries, key=lambda name: f"{name}/" if name in folders else name)
    lines = (f"{entries[name][0]} {name}\0".encode() + bytes.fromhex(entries[name][1]) for name in order)
    return _object("tree", b"".join(lines))


# --- From a sample history to a bare git repository, by one `git fast-import`; and what of it the world can see when ---

KEPT = "refs/demo/"
"""Where every object stays reachable; hidden from clones, so only `show` decides what is seen."""
_CONFIG = f"""[transfer]
\thideRefs = {KEPT.rstrip("/")}
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
"""


def build(history: History, folder: Path, git: str = "git") -> None:
    """Write a bare repository that holds every object and shows none until `show` is called.

    The ids that git reports are compared with ours: a history that came out different on this
    machine would make every golden report wrong, so it must not pass in silence.
    """
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    init = ["init", "--quiet", "--bare", "--template=", "--object-format=sha1"]
    _run([git, *init, "-b", history.branch, os.fspath(folder)])
    with (folder / "config").open("a", encoding="utf-8") as config:
        config.write(_CONFIG)
    importing = ["-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--date-format=raw"]
    marks = _git(git, folder, importing, b"".join(_stream(history)))
    for commit, sha in zip(history.commits.values(), marks.decode().split(), strict=True):
        if commit.sha != sha:
            raise RuntimeError(f"commit {commit.id}: git made {sha}, expected {commit.sha}")
    moves = [f"delete refs/tags/{name}\n" for name in history.tags]
    moves += [f"update {KEPT}tags/{tag.name} {tag.sha}\n" for tag in history.tags.values()]
    _git(git, folder, ["update-ref", "--stdin"], "".join(moves).encode())


def show(folder: Path, history: History, moment: datetime, git: str = "git") -> None:
    """Move the refs of a built repository to what was visible at `moment`, in one step."""
    seen = visible(history, moment)
    every = [f"refs/heads/{history.branch}", *(f"refs/tags/{name}" for name in history.tags)]
    moves = [f"update {ref} {seen[ref]}\n" if ref in seen else f"delete {ref}\n" for ref in every]
    _git(git, folder, ["update-ref", "--stdin"], "".join(moves).encode())


def _stream(history: History) -> Iterator[bytes]:
    """The input of `git fast-import`: commits as changes to their first parent, then tags."""
    marks = {name: number for number, name in enumerate(history.commits, start=1)}
    for name, commit in history.commits.items():
        yield f"commit {KEPT}{commit.branch}\nmark :{marks[name]}\n".encode()
        yield f"author {commit.author}\ncommitter {commit.committer}\n".encode()
        yield _data(commit.message.encode())
        for parent, word in zip(commit.parents, ("from", *["merge"] * 16), strict=False):
            yield f"{word} :{marks[parent]}\n".encode()
        before = history.commits[commit.parents[0]].tree if commit.parents else {}
        yield from _steps(before, commit.tree)
        yield f"\nget-mark :{marks[name]}\n".encode()
    for tag in history.tags.values():
        if tag.tagger:
            yield f"tag {tag.name}\nfrom :{marks[tag.at]}\ntagger {tag.tagger}\n".encode()
            yield _data(tag.message.encode())


def _steps(before: Tree, after: Tree) -> Iterator[bytes]:
    """What must be said to get from one tree to the next."""
    for path in sorted(set(before) - set(after)):
        yield f"D {path}\n".encode()
    for path, entry in sorted(after.items()):
        if before.get(path) == entry:
            continue
        if entry.data is None:
            yield f"M {entry.mode} {entry.sha} {path}\n".encode()
        else:
            yield f"M {entry.mode} inline {path}\n".encode() + _data(entry.data)


def _data(content: bytes) -> bytes:
    """A counted block, so that no content can be taken for a command."""
    return f"data {len(content)}\n".encode() + content + b"\n"


def _git(git: str, folder: Path, arguments: list[str], stdin: bytes) -> bytes:
    """Run git on the repository in this folder."""
    return _run([git, f"--git-dir={folder}", *arguments], stdin)


def _run(command: list[str], stdin: bytes = b"") -> bytes:
    """Run git sealed from the user's settings, which could change ids or run programs."""
    outside = environment()
    kept: dict[str, str] = {name: outside[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in outside}
    sealed = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_DEFAULT_REF_FORMAT": "files",
        "LC_ALL": "C",
    }
    done = subprocess.run(command, input=stdin, env=kept | sealed, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"{' '.join(command[:3])} failed ({done.returncode}): {said}")
    return done.stdout
