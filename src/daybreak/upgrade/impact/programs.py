"""Which files define the options of a command: the module that it runs, and the modules that lend it their parsers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from daybreak.upgrade.impact.source import tree_of

PROJECT_FILES = ("pyproject.toml", "python/pyproject.toml")
"""Where a repository says what its package is called and which commands it installs."""
_PARSES = re.compile(r"(?:^|_)(?:arg|pars|option|cli(?:_|$))|Arg|Pars|Option|C[lL][iI](?![a-z])")
"""Names of what has to do with a command line: `prepare_server_args`, `make_arg_parser`, `EngineArgs`."""
_MADE_OF = re.compile(r"_from_\w{0,60}arg\w{0,9}$")
"""What is made of arguments that are there already: `build_client_from_engine_args`."""
_MOST = 60
"""Files that are looked at for one command."""
_Import = tuple[str, tuple[str, ...]]
"""A module, with leading dots as written, and the names that are taken from it."""


class Files(Protocol):
    """Files of one end."""

    def text(self, repo: str, path: str) -> str | None:
        """A file; None when there is none."""

    def file(self, repo: str, root: str, parts: Sequence[str]) -> str | None:
        """The file of a module below a folder."""

    def reached(self, repo: str, path: str, module: str) -> str | None:
        """The file of a module that a file imports."""


class Programs:
    """Commands of the repositories at one end, each looked up once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._defining: dict[tuple[str, str, str], frozenset[str]] = {}
        self._imports: dict[tuple[str, str], tuple[_Import, ...]] = {}

    def defines(self, repo: str, program: str, path: str) -> bool:
        """Whether a command (`vllm bench serve`, `python -m a.b`, `python tools/a.py`) takes options of a file; no where that is
        not known.
        """
        if program.endswith(".py"):
            key = (repo, program, "")
            if key not in self._defining:
                self._defining[key] = frozenset(self._lenders(repo, [program.rpartition(" ")[2]]))
            return path in self._defining[key]
        modules = self._modules(repo, program)
        tops = [top for top in (module.partition(".")[0] for module in modules) if f"/{top}/" in f"/{path}"]
        if not tops:
            return False
        root = f"/{path}".partition(f"/{tops[0]}/")[0][1:]
        key = (repo, program, f"{root}/" if root else "")
        if key not in self._defining:
            self._defining[key] = frozenset(self._lenders(repo, self._run(*key)))
        return path in self._defining[key]

    def _modules(self, repo: str, program: str) -> list[str]:
        """The modules that a command runs: the one it names, or that of what is installed under its name."""
        if "-m " in program:
            return [program.rpartition("-m ")[2]]
        head = re.escape(program.split(maxsplit=1)[0].rpartition("/")[2])
        asked = re.compile(rf"(?m)(?:^|[\"'])\s{{0,20}}{head}[\"']?\s{{0,9}}=\s{{0,9}}[\"']?([\w.]{{1,200}}):\w")
        texts = (self._files.text(repo, path) or "" for path in (*PROJECT_FILES, "setup.py"))
        return [found[1] for text in texts if (found := asked.search(text))]

    def _run(self, repo: str, program: str, root: str) -> list[str]:
        """The files that a command starts with."""
        named = "-m " in program
        words = [] if named else program.split()[1:]
        tried = [module.split(".") for module in self._modules(repo, program)]
        tried += [[*parts, "__main__"] for parts in tried] if named else []
        entries = [path for parts in tried if (path := self._files.file(repo, root, parts))]
        return [one for entry in entries for one in self._command(repo, entry, words)] if words else entries

    def _command(self, repo: str, entry: str, words: Sequence[str]) -> list[str]:
        """The file of a sub-command: a module below the entry's folder that is named for it, or the entry itself."""
        folder = entry.rpartition("/")[0]
        known: dict[str, None] = {entry: None, f"{folder}/__init__.py": None}
        for path in list(known):
            known |= dict.fromkeys(file for file, _ in self._imported(repo, path))
        found = [path for path in known if path.startswith(f"{folder}/") and _is_named(path[len(folder) + 1 :], words)]
        text = self._files.text(repo, entry) or ""
        own = len(words) == 1 and re.search(rf"add_parser\(\s{{0,80}}[\"']{re.escape(words[0])}[\"']", text)
        return found or ([entry] if own else [])

    def _lenders(self, repo: str, start: Sequence[str]) -> set[str]:
        """The same files, and those from which they take what has to do with a command line."""
        found, waiting = set(start), list(start)
        while waiting and len(found) < _MOST:
            for file, names in self._imported(repo, waiting.pop()):
                if file not in found and any(map(_lends, names)):
                    found.add(file)
                    waiting.append(file)
        return found

    def _imported(self, repo: str, path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The files that a file imports anywhere, and the names that it takes from each."""
        if (repo, path) not in self._imports:
            self._imports[repo, path] = tuple(_imports(self._files.text(repo, path) or ""))
        for module, names in self._imports[repo, path]:
            if file := self._files.reached(repo, path, module):
                yield file, names
            for name in names:
                dotted = f"{module}{'' if module.endswith('.') else '.'}{name}"
                if file := self._files.reached(repo, path, dotted):
                    yield file, (name,)


def _lends(name: str) -> bool:
    return _PARSES.search(name) is not None and _MADE_OF.search(name) is None


def _imports(text: str) -> Iterator[_Import]:
    tree = tree_of(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), tuple(one.name for one in node.names)
        elif isinstance(node, ast.Import):
            yield from ((one.name, ()) for one in node.names)


def _is_named(path: str, words: Sequence[str]) -> bool:
    """`benchmark/serve.py` is `bench serve`: a folder may write out what the command shortens."""
    parts = path.removesuffix(".py").removesuffix("/__init__").removesuffix("/main").split("/")
    plain = [word.replace("-", "_") for word in words]
    folders = all(part.startswith(word) for part, word in zip(parts, plain, strict=False))
    return len(parts) == len(plain) and folders and parts[-1] == plain[-1]
