"""Files of one commit, as a mirror has them: some may be listed there and their contents lie on the server only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.findings.blobs import contents
from daybreak.upgrade.impact.modules import UNREAD


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
        text = file_of(self._environment, self._mirror, self._sha, path)
        return UNREAD if text is None and self._oids is not None else text

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
