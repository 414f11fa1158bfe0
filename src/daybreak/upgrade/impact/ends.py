"""What a repository holds at the two ends of a range: files of a commit, who defines a name, which change took it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct, field

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.upgrade import Net, Uses
from daybreak.core.source_roots import project_files, source_roots
from daybreak.core.versions import version
from daybreak.findings.blobs import contents
from daybreak.upgrade.downstream.python_values import is_class_name
from daybreak.upgrade.impact.base import UNREAD
from daybreak.upgrade.impact.source import tree_of
from daybreak.upgrade.impact.table import Ends, Tree

# --- Files of one commit, as a mirror has them: some may be listed there and their contents lie on the server only ---


def file_of(environment: Mapping[str, str], mirror: str | None, sha: str, path: str) -> str | None:
    """One file of a commit; None when it is not there or cannot be had."""
    if mirror is None:
        return None
    try:
        return Git(environment).run("cat-file", "blob", f"{sha}:{path}", at=Path(mirror)).decode("utf-8", "replace")
    except GitError:
        return None


class Files:
    """Files of one commit: those that your code is likely to ask for are read in one go, the others one by one."""

    def __init__(self, environment: Mapping[str, str], mirror: str | None, sha: str, names: Iterable[str]) -> None:
        self._environment, self._mirror, self._sha, self._names = environment, mirror, sha, names
        self._oids: dict[str, str] | None = None
        """Path → blob of the commit; None when they cannot be listed."""
        self._texts: dict[str, str | None] = {}
        self._opened = False

    def text(self, path: str) -> str | None:
        """A file; None when there is none, UNREAD when it is listed and its contents cannot be had."""
        if not self._opened:
            self._open()
        if path not in self._texts:
            self._texts[path] = self._alone(path)
        return self._texts[path]

    def _alone(self, path: str) -> str | None:
        if self._oids is not None and path not in self._oids:
            return None
        if self._oids is not None and self._mirror is not None and path.endswith(".py"):
            folder = path.rpartition("/")[0]
            beside = {x: oid for x, oid in self._oids.items() if x.rpartition("/")[0] == folder and x.endswith(".py")}
            found = dict(contents(Git(self._environment), Path(self._mirror), beside.values()))
            self._texts |= {x: found[oid] for x, oid in beside.items() if oid in found and x not in self._texts}
            if path in self._texts:
                return self._texts[path]
        text = file_of(self._environment, self._mirror, self._sha, path)
        return UNREAD if text is None and self._oids is not None else text

    def roots(self) -> tuple[str, ...]:
        """Folders that imports start in."""
        if not self._opened:
            self._open()
        paths = self._oids or {}
        texts = {path: self.text(path) or "" for path in project_files(paths)}
        return source_roots(paths, texts)

    def _open(self) -> None:
        self._opened = True
        if self._mirror is None:
            return
        git, at = Git(self._environment), Path(self._mirror)
        try:
            listed = git.run("ls-tree", "-r", "-z", "--full-tree", self._sha, at=at)
        except GitError:
            return  # each is asked for by its path
        rows = (row.partition("\t") for row in listed.decode("utf-8", "surrogateescape").split("\0"))
        self._oids = {path: head.split()[2] for head, _, path in rows if " blob " in head}
        wanted = {path: self._oids[path] for path in _modules(self._oids, self._names)}
        found = dict(contents(git, at, wanted.values()))
        self._texts = {path: found[oid] for path, oid in wanted.items() if oid in found}


def _modules(paths: Iterable[str], names: Iterable[str]) -> list[str]:
    """Those of the paths that are the module of a dotted name, or a package around it."""
    wanted = {"/".join(parts[:size]) for parts in (name.split(".") for name in names) for size in range(1, len(parts))}
    tops = {one for one in wanted if "/" not in one}
    found = []
    for path in paths:
        module = path.removesuffix("/__init__.py") if path.endswith("/__init__.py") else path.removesuffix(".py")
        parts = module.split("/") if module != path else []
        if any(part in tops and "/".join(parts[at:]) in wanted for at, part in enumerate(parts)):
            found.append(path)
    return found


class Upstream(Struct, frozen=True):
    """One repository's side of the question."""

    repo: Repo
    what: str
    """`v0.14.1..v0.15.0`, or the days of a window."""
    nets: tuple[Net, ...] = ()
    subjects: Mapping[str, str] = field(default_factory=dict)
    project: str = ""
    """Text of its pyproject.toml at the end, which says what its package is called."""
    skipped: tuple[Skipped, ...] = ()
    failed: bool = False
    """It could not be had at all."""
    mirror: str | None = None
    end: str = ""
    """Commit at which the end stands."""
    start: str = ""
    """Commit at which the start stands."""
    others: frozenset[str] = frozenset()
    """Commits between the ends that are of other days than the window."""
    empty: bool = False
    """Nothing happened in the window."""
    newest: str = ""
    """The day of the branch's last commit, where the window has none."""
    pin: str = ""
    """The pin that asks for it: `requirements.txt:3: engine 1.0.0 → 1.1.0`."""


# --- What the repositories hold at both ends, as far as they have their history at hand ---


ASIDE = ("**/*.md", "**/*.rst", "**/*.txt", "docs/**", "**/tests/**", "**/test/**", "**/CHANGELOG*")


def ends_of(
    upstreams: Sequence[Upstream],
    environment: Mapping[str, str],
    uses: Uses,
    lost: Mapping[str, Mapping[str, str]] | None = None,
) -> Ends:
    """What the repositories hold at both ends, as far as they have their history at hand."""
    from daybreak.core.projects import wanted_for

    by_name = {upstream.repo.name: upstream for upstream in upstreams}
    versions = {name: end for name, one in by_name.items() if version(end := one.what.rpartition("..")[2])}
    started = {name: first for name, one in by_name.items() if version(first := one.what.partition("..")[0])}
    programs = {name: wanted_for([name], {name: one.project}).programs for name, one in by_name.items()}
    if any(upstream.mirror is None for upstream in upstreams if upstream.nets):
        return Ends(programs=programs, versions=versions, started=started)
    hints = {use.name for use in uses.uses if "." in use.name}

    @cache
    def passes(repo: str, method: str, word: str, place: int | None, others: Sequence[str]) -> bool | None:
        return _passes(environment, by_name[repo], method, word, place if method else None, others)

    def decided(repo: str, words: frozenset[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, str | None]]:
        return _decided(environment, by_name[repo], words)

    def defined(repo: str, names: frozenset[str]) -> dict[str, tuple[str, ...]]:
        return _defined(environment, by_name[repo], names)

    def before(repo: str, sha: str, path: str) -> str | None:
        return file_of(environment, by_name[repo].mirror, f"{sha}~1", path)

    then = {name: Files(environment, one.mirror, one.start, hints) for name, one in by_name.items()}
    now = {name: Files(environment, one.mirror, one.end, hints) for name, one in by_name.items()}
    roots = {name: tuple(dict.fromkeys((*now[name].roots(), *then[name].roots()))) for name in by_name}
    return Ends(
        _tree(now), _tree(then),
        lambda repo, word: _mentions(environment, by_name[repo], word),
        lambda repo, word: _quotes(environment, by_name[repo], word), passes, decided, defined, programs, versions, started, roots, before,
        lambda repo, words: _spoken(environment, by_name[repo], words), lost or {},
        others={name: one.others for name, one in by_name.items()},
    )  # fmt: skip


def _tree(held: Mapping[str, Files]) -> Tree:
    return lambda repo, path: held[repo].text(path)


_MOST_WORDS = 200
"""Words that git is asked for at once."""
_DIFF = 60_000_000
"""Characters of what it answers that are looked at."""


def _decided(
    environment: Mapping[str, str], upstream: Upstream, asked: frozenset[tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str | None]]:
    """The last change between the ends that took or added each word in its file, and the first release that has it."""
    wanted = sorted(one for one in asked if one[1].isidentifier())[:_MOST_WORDS]
    if upstream.mirror is None or not wanted:
        return {}
    paths, words = sorted({path for path, _ in wanted}), sorted({word for _, word in wanted})
    pattern = rf"(^|[^[:alnum:]_])({'|'.join(words)})([^[:alnum:]_]|$)"
    log = ["log", "--first-parent", "-p", "-U0", "--no-color", "--no-ext-diff", "--format=%x00%H", "-E", f"-G{pattern}"]
    try:
        told = Git(environment).run(*log, f"{upstream.start}..{upstream.end}", "--", *paths, at=Path(upstream.mirror))
    except GitError:
        return {}
    released = {net.commits[-1]: net.since for net in upstream.nets if net.commits}
    last = upstream.what.rpartition("..")[2] if ".." in upstream.what else None
    found: dict[tuple[str, str], tuple[str, str | None]] = {}
    sha = path = ""
    for line in told[:_DIFF].decode("utf-8", "replace").split("\n"):
        if line.startswith("\0"):
            sha = line[1:]
        elif line.startswith(("--- a/", "+++ b/")):
            path = line[6:]
        elif line[:1] in ("-", "+"):
            for word in _WORD.findall(line[:2000]):
                found.setdefault((path, word), (sha, released.get(sha) or last))
    return {one: found[one] for one in wanted if one in found}


_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINES = re.compile(r"(?:class|def|async\s+def)\s+(\w+)|(\w+)\s*(?::[^=]*)?=")


def _defined(environment: Mapping[str, str], upstream: Upstream, names: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """The files that define each of these names at the end."""
    plain = sorted(name for name in names if name.isidentifier())
    if upstream.mirror is None or not plain:
        return {}
    any_name = "|".join(plain)
    pattern = rf"^(class|def|async +def) +({any_name})\b|^({any_name}) *(:[^=]*)?="
    asked = ["grep", "-z", "--full-name", "-E", "-e", pattern, upstream.end, "--", "*.py"]
    try:
        told = Git(environment).run(*asked, at=Path(upstream.mirror)).decode("utf-8", "replace")
    except GitError:
        return {}
    found: dict[str, dict[str, None]] = {}
    for line in told.split("\n"):
        place, _, text = line.partition("\0")
        match = _DEFINES.match(text)
        path = place.partition(":")[2]
        if match and not set(path.split("/")) & {"tests", "test", "examples", "benchmarks", "docs"}:
            found.setdefault(match[1] or match[2], {})[path] = None
    return {name: tuple(paths) for name, paths in found.items()}


def _mentions(environment: Mapping[str, str], upstream: Upstream, word: str) -> bool | None:
    """Whether sources of the end read a variable; None where they only name it, or cannot be asked."""
    if upstream.mirror is None:
        return None
    asked = ["grep", "-w", "-F", "-e", word, upstream.end, "--", *(f":(exclude,glob){x}" for x in ASIDE)]
    try:
        told = Git(environment).run(*asked, at=Path(upstream.mirror)).decode("utf-8", "replace")
    except GitError as error:
        return False if error.found_nothing else None
    lines = [line.removeprefix(f"{upstream.end}:").partition(":")[::2] for line in told.splitlines()]
    declares = {path for path, text in lines if re.search(rf"[\"']{re.escape(word)}[\"']\s{{0,20}}:", text)}
    read = re.compile(
        rf"^[^#]{{0,300}}?(?:\.{re.escape(word)}\b|[(\[,]\s{{0,20}}[\"']{re.escape(word)}[\"'](?!\]\s{{0,9}}=[^=]))"
    )
    return True if any(read.search(text) for path, text in lines if path not in declares) else None


def _grep(environment: Mapping[str, str], upstream: Upstream, *asked: str) -> str | None:
    """What the sources of the end hold; empty for nothing, None where they cannot be asked."""
    if upstream.mirror is None:
        return None
    words = ["grep", *asked, upstream.end, "--", "*.py", *(f":(exclude,glob){x}" for x in ASIDE)]
    try:
        return Git(environment).run(*words, at=Path(upstream.mirror)).decode("utf-8", "replace")
    except GitError as error:
        return "" if error.found_nothing else None


def _quotes(environment: Mapping[str, str], upstream: Upstream, word: str) -> bool:
    """Whether a table of the end has a name as a key."""
    found = _grep(environment, upstream, "-F", "-e", f'"{word}":', "-e", f"'{word}':") if word.isidentifier() else ""
    return bool(found)


def _spoken(environment: Mapping[str, str], upstream: Upstream, words: frozenset[str]) -> frozenset[str] | None:
    """Those of the words that sources of the end have as a member, a keyword or a string, and not only in a comment or as
    a local name; None where they cannot be asked.
    """
    lines = list[str]()
    for at in range(0, len(words), _MOST_ASKED):
        some = sorted(words)[at : at + _MOST_ASKED]
        found = _grep(environment, upstream, "-h", "-w", "-F", *(part for word in some for part in ("-e", word)))
        if found is None:
            return None
        lines += found.splitlines()
    return words.intersection(name for line in lines for name in _MEMBER.findall(line.partition("#")[0]))


_MOST_ASKED = 60
"""Words of one search: of more git is slow."""
_MEMBER = re.compile(r"(?:\.|\bdef |[\"'`]|[(,]\s{0,4}|^    |^\s{8,80}(?=\w+(?:=|: )))([A-Za-z_]\w+)")
_MOST_CALLERS = 60


_BESIDE = 2
_FEW_CALLERS = 12
"""A method that more files call has a name of many."""


def _passes(
    environment: Mapping[str, str], upstream: Upstream, method: str, word: str, place: int | None, others: Sequence[str]
) -> bool | None:
    """Whether a call of something of that name passes a parameter anywhere in the sources of the end; `.name` is a method."""
    if not ((method.lstrip(".") or word).isidentifier() and word.isidentifier()):
        return None
    paths = _files_with(environment, upstream, f"{method}(") if method else None
    few = paths is not None and len(paths) <= _FEW_CALLERS
    if not few:  # a name of many: only where the word stands, too
        paths = _files_with(environment, upstream, *([f"{method}("] if method else []), f"{word}=")
    if paths is None or len(paths) > _MOST_CALLERS:
        return None
    beside, by_place = 0 if method else _BESIDE, place if few else None
    calls = _calls_in(environment, upstream, paths, method)
    return any(
        _passed(call, word, others, beside) or (by_place is not None and len(call.args) > by_place) for call in calls
    )


def _passed(call: ast.Call, word: str, others: Sequence[str], beside: int) -> bool:
    names = {keyword.arg for keyword in call.keywords}
    return word in names and len(names & set(others)) >= beside


def _files_with(environment: Mapping[str, str], upstream: Upstream, *texts: str) -> list[str] | None:
    asked = [part for text in texts for part in ("-e", text)]
    found = _grep(environment, upstream, "-l", "--all-match", "-F", *asked)
    return None if found is None else [line.partition(":")[2] for line in found.splitlines()]


def _calls_in(
    environment: Mapping[str, str], upstream: Upstream, paths: Iterable[str], method: str
) -> Iterator[ast.Call]:
    """Calls in files of the end that may come to an override of a method."""
    texts = (file_of(environment, upstream.mirror, upstream.end, path) for path in paths)
    trees = (tree_of(text) for text in texts if text is not None)
    calls = (one for tree in trees if tree is not None for one in ast.walk(tree) if isinstance(one, ast.Call))
    return (one for one in calls if _calls(one.func, method))


def _calls(node: ast.expr, method: str) -> bool:
    """A call that may come to an override: not one that is written for a class by name; no object has a function."""
    if isinstance(node, ast.Name):
        return node.id == method or not method
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and is_class_name(node.value.id)
    return isinstance(node, ast.Attribute) and node.attr == (method.lstrip(".") or node.attr) and not named
