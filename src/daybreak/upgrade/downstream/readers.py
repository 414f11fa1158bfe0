"""Which reader a file gets, by its name and first line, and one door to all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from daybreak.core.model.upgrade import Use, UseKind
from daybreak.core.projects import Unreadable, Wanted, shown

# --- A use before its file is known: readers of embedded text shift lines, one place turns them into uses ---


NAME_MOST = 200
"""A longer name is no name."""
VALUE_MOST = 500
"""Characters of a value that are kept."""


class Found(NamedTuple):
    """What was found on a line."""

    kind: UseKind
    name: str
    line: int
    value: str | None = None
    program: str | None = None
    keywords: tuple[str, ...] = ()
    positional: int | None = None
    guarded: bool = False


def lines_of(text: str) -> list[str]:
    """Lines as an editor counts them: other breaks that `splitlines` knows are not line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def shifted(found: Iterable[Found], by: int) -> Iterator[Found]:
    """Found in a text that starts `by` lines further down."""
    return (one._replace(line=one.line + by) for one in found)


def finished(path: str, text: str, found: Iterable[Found]) -> Iterator[Use]:
    """The uses of a file, each once, in the order of its lines, with the line as it stands there."""
    lines = lines_of(text)
    once = {one for one in found if one.name and len(one.name) <= NAME_MOST}
    for one in sorted(once, key=_order):
        line = min(max(one.line, 1), len(lines))
        value = None if one.value is None else one.value[:VALUE_MOST]
        yield Use(
            one.kind, one.name, path, line, shown(lines[line - 1]), value,
            one.keywords, one.positional, one.program, one.guarded,
        )  # fmt: skip


def _order(one: Found) -> tuple[object, ...]:
    return (one.line, one.kind, one.name, one.value or "", one.program or "", one.keywords, one.positional or 0)


READERS: tuple[tuple[str, str], ...] = (
    (r"setup\.py", "requirements:setup_script"),
    (r".*\.(?:pyi?|pyw)", "python"),
    (r".*\.ipynb", "notebook"),
    (r"(?:.*[.-])?(?:Dockerfile|Containerfile)(?:[.-](?!md$|txt$|dockerignore$).*)?|.*\.dockerfile", "dockerfile"),
    (r"(?:uv|poetry|pdm)\.lock|pylock.*\.toml", "requirements:locked"),
    (r"(?:.*[-_.])?(?:requirements?|constraints?)(?:[-_.].*)?\.(?:txt|in)", "requirements"),
    (r"setup\.cfg|tox\.ini", "requirements:sections"),
    (r"Pipfile|.*\.toml", "toml"),
    (r".*\.(?:ya?ml|rules)|pixi\.lock", "yaml"),
    (r".*\.(?:json|jsonc|json5)|Pipfile\.lock", "json_files"),
    (r"\.env(?:\..*)?|.*\.env|\.envrc", "env_files"),
    (r"(?:GNU)?[Mm]akefile(?:\..*)?|.*\.mk|[Jj]ustfile|Procfile(?:\..*)?|.*\.(?:service|ini|conf)", "shell"),
    (r".*\.(?:sh|bash|zsh|ksh|sbatch|slurm|bats|command)|\.(?:bashrc|bash_profile|zshrc|profile)", "shell"),
    (r".*\.(?:c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx|inl|inc|ipp)", "cpp"),
    (r".*\.(?:[cm]?[jt]sx?|go|rs|java|kt|scala|rb|php|cs|swift|vue|svelte)", "clients"),
)
"""File name -> kind of file; first match wins."""
DOORS = {
    "python": "python:uses",
    "notebook": "python:notebook_uses",
    "requirements": "data_files:requirements_file",
    "requirements:setup_script": "data_files:setup_script",
    "requirements:locked": "data_files:locked",
    "requirements:sections": "data_files:sections",
    "toml": "data_files:toml_file",
    "env_files": "data_files:variables_file",
    "yaml": "yaml:yaml_file",
    "json_files": "yaml:json_file",
    "shell": "shell:shell_file",
    "dockerfile": "shell:dockerfile",
    "cpp": "sources:cpp_file",
    "clients": "sources:client_file",
}
"""Kind of file -> module of this folder and the function that reads it."""
_PATTERNS = tuple((re.compile(pattern), target) for pattern, target in READERS)
_TEMPLATE = re.compile(r"\.(?:j2|jinja2?|tpl|tmpl|template|gotmpl|mustache|erb|sample|example|dist)$")
_FILLED = re.compile(r"\.pyi?\.(?:j2|jinja2?|gotmpl|mustache|erb)$")
"""What becomes Python only when its gaps are filled."""
_SHEBANG = re.compile(r"#![^\n]{0,100}\b(?:(?P<shell>(?:ba|z|k|da)?sh)|(?P<python>python[\d.]*))\b")
_REQUIREMENTS = re.compile(r"(?:^|/)(?:requirements|constraints)/[\w.-]{1,100}\.(?:txt|in)$")
_NESTED_MOST = 3

Reader = Callable[..., Iterator[Any]]


def kind_of(path: str, head: str = "") -> str | None:
    """The reader for a file, given its path and first line; None when it is nothing that is read."""
    name = path.rpartition("/")[2]
    if _FILLED.search(name):
        return None
    for _ in range(2):
        if _REQUIREMENTS.search(path):
            return "requirements"
        target = next((target for pattern, target in _PATTERNS if pattern.fullmatch(name)), None)
        if target or not _TEMPLATE.search(name):
            break
        name = _TEMPLATE.sub("", name)
        path = _TEMPLATE.sub("", path)
    if target is None and (shebang := _SHEBANG.match(head)):
        return "shell" if shebang["shell"] else "python"
    return target


def uses(path: str, text: str, wanted: Wanted, *, kind: str | None = None, program: str | None = None) -> Iterator[Use]:
    """What one file uses, by the reader its name asks for; raises `Unreadable` when it is not what its name says."""
    kind = kind or kind_of(path, text[:200].partition("\n")[0])
    if kind is None:
        return
    if kind in ("python", "notebook"):
        yield from reader_of(kind)(path, text, wanted)
        return
    yield from finished(path, text, _found(path, kind, text, wanted, 0, program))
    if kind == "requirements:setup_script":
        yield from reader_of("python")(path, text, wanted)


def _found(path: str, kind: str, text: str, wanted: Wanted, depth: int, program: str | None = None) -> Iterator[Found]:
    name = path.rpartition("/")[2]
    if kind not in ("toml", "json_files"):  # these two are strict, and must know a template from the real thing
        name = _TEMPLATE.sub("", name)

    def embedded(inner: str, body: str) -> Iterator[Found]:
        return _embedded(inner, body, wanted, depth + 1)

    more = {"program": program} if program else {}
    return reader_of(kind)(name, text, wanted, embedded, **more)


def _embedded(name: str, text: str, wanted: Wanted, depth: int) -> Iterator[Found]:
    """A file inside a file: a script in a manifest, a rule in a chart; one that cannot be read is passed over."""
    kind = kind_of(name)
    if kind is None or depth > _NESTED_MOST:
        return
    try:
        if kind in ("python", "notebook"):
            for use in reader_of(kind)(name, text, wanted):
                yield Found(
                    use.kind,
                    use.name,
                    use.line,
                    use.value,
                    use.program,
                    use.keywords,
                    use.positional,
                    use.guarded or bool(use.when),
                )
        else:
            yield from _found(name, kind, text, wanted, depth)
    except Unreadable:
        return


def reader_of(kind: str) -> Reader:
    """Readers are imported when the first file of their kind is met."""
    module, _, function = DOORS[kind].partition(":")
    reader: Reader = getattr(import_module(f"daybreak.upgrade.downstream.{module}"), function)
    return reader
