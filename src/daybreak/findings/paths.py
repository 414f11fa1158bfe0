"""Which part of a project a path belongs to.

One ordered table: the first row that fits decides, so what is never told to users (vendored, locks, generated, tests,
docs, CI) stands before what is. The rows are about habits that projects share; what is known of one is in its profile.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from daybreak.core.model.findings import Area
from daybreak.core.profiles import Profile, field, generic

_I = re.IGNORECASE
_LANGUAGES = "|".join(field().kernel_folders)

Manifest = Literal["pyproject", "cargo", "go", "npm", "setup", "dockerfile", "cmake", "version", "requirements"]
_MANIFESTS: dict[Manifest, str] = {
    "pyproject": r"pyproject[\w.-]{0,30}\.toml",
    "cargo": r"cargo\.toml",
    "go": r"go\.mod",
    "npm": r"package\.json",
    "setup": r"setup(?:_\w{1,20})?\.py",
    "dockerfile": r"[\w.-]{0,60}dockerfile[\w.-]{0,60}",
    "cmake": r"cmakelists\.txt|[\w.-]{1,60}\.cmake",
    "version": r"version\.(?:txt|py)",
    "requirements": r"requirements(?:[\w.-]{0,60}|/[\w./-]{1,120})\.(?:txt|in)|constraints[\w.-]{0,40}\.txt",
}
"""Files that say what a project is made of, by how they are called; the first that fits."""


def _called(*some: Manifest) -> str:
    return "|".join(_MANIFESTS[one] for one in some)


MANIFESTS = rf"(?:^|/)(?:{_called(*_MANIFESTS)})$"
"""The pattern of all of them, in whatever case."""
_FORMS = {name: re.compile(rf"(?:^|/)(?:{called})$", _I) for name, called in _MANIFESTS.items()}
_FIRST: tuple[tuple[Area, re.Pattern[str]], ...] = (
    ("vendored", re.compile(r"(?:^|/)(?:3rdparty\w{0,9}|third[-_]?party|vendor|vendored|_vendor|thirdparty)/", _I)),
    ("lock", re.compile(r"(?:^|/)(?:[\w.-]{0,60}\.lock|package-lock\.json|pnpm-lock\.yaml|yarn\.lock|go\.sum)$", _I)),
    (
        "generated",
        re.compile(
            r"(?:^|/)(?:generated|_generated|autogen|__generated__)/|_pb2(?:_grpc)?\.pyi?$|\.pb(?:\.\w{1,20})?\.(?:go|cc|h|rs)$"
            r"|(?:^|/)zz_generated[\w.-]{1,80}$|[._]generated\.\w{1,6}$"
            r"|\.min\.(?:js|css)$|(?:^|/)_version\.py$|/python/docs/|^python/docs/",
            _I,
        ),
    ),
    (
        "ci",
        re.compile(
            r"(?:^|/)(?:\.github|\.buildkite|\.circleci|\.gitlab|\.ci|\.jenkins|ci|ci_scripts|\.devcontainer)/|^release/"
            r"|(?:^|/)ci_[\w-]{1,60}\.(?:py|sh)$"
            r"|(?:^|/)(?:Jenkinsfile|\.gitlab-ci\.yml|\.pre-commit-config\.yaml|codecov\.yml|\.codecov\.yml"
            r"|\.coveragerc|\.flake8|\.clang-format|\.clang-tidy|\.codespellrc|\.shellcheckrc|\.markdownlint\.ya?ml"
            r"|\.yapfignore|\.isort\.cfg|\.editorconfig|\.git-blame-ignore-revs|\.typos\.toml|CODEOWNERS"
            r"|\.gitignore|\.gitattributes|mergify\.yml|\.mergify\.yml|\.readthedocs\.ya?ml)$",
            _I,
        ),
    ),
    (
        "test",
        re.compile(
            r"(?:^|/)(?:(?:[a-z\d]{1,20}[_-])?tests?|testing|unittests?|test_[\w-]{1,60}|__tests__|golden|testdata|fixtures)/"
            r"|(?:^|/)(?:test_[\w.-]{1,120}|conftest\.py|pytest\.ini|[\w.-]{1,120}_tests?\.(?:py|cc|cpp|cu|go|rs|sh))$",
            _I,
        ),
    ),
    (
        "docs",
        re.compile(
            r"(?:^|/)(?:docs?|docs_src|docs_new|documentation|cookbook|changelog\.d|examples?|tutorials?|samples"
            r"|\.claude|\.gemini|\.cursor|licenses|blogs?)/|^(?:sample|demos?|notebooks?)/|\.(?:md|mdx|rst|adoc|png|jpe?g|gif|svg)$"
            r"|(?:^|/)(?:LICENSE|NOTICE|AUTHORS|CITATION|CONTRIBUTORS|DCO|EULA|mkdocs|Doxyfile)[\w.]{0,12}$",
            _I,
        ),
    ),
    (
        "dependency",
        re.compile(
            rf"(?:^|/)(?:{_called('requirements', 'cargo', 'go', 'npm')}|environment\.ya?ml"
            r"|\.gitmodules|\.python-version|rust-toolchain(?:\.toml)?)$",
            _I,
        ),
    ),
    (
        "build",
        re.compile(
            rf"(?:^|/)(?:{_called('cmake', 'pyproject', 'dockerfile')}|Makefile|GNUmakefile|setup\.py|setup\.cfg"
            r"|MANIFEST\.in|version\.txt|build\.rs|build_[\w-]{1,60}\.py"
            r"|(?:[\w-]{1,60}[_-])?(?:build|install|develop|release|publish|wheels?)(?:[_-][\w-]{1,60})?\.(?:sh|bash|ps1)"
            r"|\.dockerignore|docker-bake\.hcl|versions\.json)$|\.(?:mk|bazel|bzl)$|(?:^|/)(?:docker|cmake)/"
            # Python among C++ writes sources when they are built: nobody imports it
            r"|(?:^|/)csrc/[\w./-]{1,200}\.py$",
            _I,
        ),
    ),
    (
        "test",
        re.compile(r"(?:^|/)(?:benchmarks?|bench|perf_tests?|evals?)/|(?:^|/)bench(?:mark)?_[\w-]{1,80}\.py$", _I),
    ),
    ("kernel", re.compile(r"(?:^|/)include/[\w./-]{1,200}\.(?:cu|cuh|inl)$")),
    (
        "api",
        re.compile(
            r"(?:^|/)(?:entrypoints|include|openapi|proto)/"
            r"|(?:^|/)(?:server_args|arg_utils|envs?|environ|protocol|api_server|http_server|sampling_params|cli_args"
            r"|[\w-]{0,40}_interface|launch_server|io_struct)\.py$"
            r"|^(?:(?:python|src)/)?\w{1,60}/config/|^(?:python/)?[\w-]{1,40}/__init__\.py$|^src/[\w/-]{1,60}/__init__\.py$"
            r"|(?:torch_bindings|pybind|pytorch_extension|common_extension|tvm_binding|_binding|bindings)[\w-]{0,40}"
            r"\.(?:cpp|cc|cu|h)$|^csrc/(?:apis?|ops\.h|python_api\.cpp)|\.proto$",
            _I,
        ),
    ),
)
"""What is asked before the profile."""
_LAST: tuple[tuple[Area, re.Pattern[str]], ...] = (
    (
        "kernel",
        re.compile(
            rf"\.(?:cu|cuh|hip|ptx|cubin|metal)$|(?:^|/)(?:csrc|kernels?|[\w-]{{0,40}}[_-]kernels?|hopper|{_LANGUAGES})/"
            r"[\w./-]{0,200}\.(?:py|h|hpp|cc|cpp|c|inl|inc|cuh?|jinja)$"
            r"|(?:^|/)[\w-]{0,80}(?:_kernels?|triton[\w-]{0,40})\.py$",
            _I,
        ),
    ),
    (
        "code",
        re.compile(
            r"\.(?:py|pyi|pyx|c|cc|cpp|cxx|h|hpp|hh|inl|inc|rs|go|js|jsx|ts|tsx|java|kt|swift|m|mm|sh|bash|ps1|lua"
            r"|mlir|td|jinja2?|sql|svelte|vue|html|css|gn)$",
            _I,
        ),
    ),
)

_CONTAINERS = frozenset({"src", "python", "lib", "libs", "packages", "source", "crates", "rust", "experimental"})
"""Folders that hold a project rather than name a part of it."""
_DEPTH = 3


@lru_cache(maxsize=16384)
def area(path: str, profile: Profile | None = None) -> Area:
    """The area of a path; what neither a row nor the profile knows is data (configs, images, weights)."""
    short, layout = path[-400:], (profile or generic()).layout
    for name, pattern in _FIRST:
        if pattern.search(short):
            return name
    if layout.is_api.search(short):
        return "api"
    if layout.is_code.search(short):
        return "code"
    return next((name for name, pattern in _LAST if pattern.search(short)), "data")


@lru_cache(maxsize=4096)
def manifest(path: str) -> Manifest | None:
    """What sort of manifest a file is."""
    return next((name for name, form in _FORMS.items() if form.search(path[-400:])), None)


def builds_part(path: str) -> bool:
    """A manifest of what a part in another language is built with: nobody's environment has to follow."""
    return manifest(path) in ("cargo", "go", "npm")


@lru_cache(maxsize=16384)
def component(path: str) -> str:
    """A short name for the part of the project that holds the path: its folder, at most three levels deep.

    Folders that only contain the project (`python/`, `src/`) do not count as a level, so that
    `python/engine/run/layers/moe/topk.py` is `python/engine/run/layers/moe` and not `python/engine/run`.
    """
    folders = path.split("/")[:-1]
    if not folders:
        return path
    depth, kept = _DEPTH, 0
    for index, folder in enumerate(folders):
        kept = index + 1
        if folder not in _CONTAINERS:
            depth -= 1
        if depth == 0:
            break
    if folders[0] == "python" and len(folders) > kept:
        kept += 1
    return "/".join(folders[:kept])


SOURCES: frozenset[Area] = frozenset({"api", "code", "kernel"})
"""Areas of the program itself."""
BEHIND: frozenset[Area] = frozenset({"docs", "ci", "test", "generated", "lock", "vendored"})
"""Areas whose files no user runs or imports."""
_OWN = re.compile(r"^(?:scripts?|tools?|hack|dev|playground|experiments?|recipes?)/(?!.{0,300}/include/)", _I)
"""Folders of the project's own people, which no package holds; headers below them are included by others."""
_MADE = re.compile(r"^[+ ].{0,200}(?:\bDO NOT EDIT\b|@generated\b)|^[+ ][\s#/*]{0,20}Generated by: ", re.MULTILINE)
_FROM_HEAD = re.compile(r"@@ -[01](?:,\d{1,9})? \+1(?:,\d{1,9})? @@")
_HEAD = 2000
"""Characters of a file's first hunk in which a program says that it wrote the file."""


@lru_cache(maxsize=16384)
def ships(path: str) -> bool:
    """Users may run or import what this file holds."""
    return area(path) not in BEHIND and not _OWN.search(path[-400:])


def is_written(patch: str) -> bool:
    """A program says at the head of the file, as far as the patch shows it, that it wrote all of it."""
    return _FROM_HEAD.match(patch) is not None and _says_made(patch[:_HEAD])


@lru_cache(maxsize=2048)
def _says_made(head: str) -> bool:
    return _MADE.search(head) is not None


def within(path: str, symbol: str = "") -> bool:
    """Nobody outside is meant to reach the name: some part of it, or of the way to it, is private."""
    parts = (*path.split("/"), *symbol.split("."))
    return any(part == "internal" or (part.startswith("_") and not part.startswith("__")) for part in parts)


def components(weighted: Iterable[tuple[str, int]], limit: int = 3) -> tuple[str, ...]:
    """The components that a change touches, most changed lines first; tests, docs and CI only when alone."""
    front: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    for path, weight in weighted:
        (behind if area(path) in BEHIND else front)[component(path)] += weight + 1
    ranked = sorted((front or behind).items(), key=lambda item: (-item[1], item[0]))
    return tuple(name for name, _ in ranked[:limit])


_PACKAGE = re.compile(
    r"^(?:packages/|crates/)?([a-z]\w{1,30}-(?:kernels?|router|gateway|cubin|jit-cache|model-gateway))/"
)
NOT_SHIPPED = re.compile(r"(?:^|/)(?:(?:[a-z\d]{1,20}[_-])?tests?|benchmarks?|examples?|docs?)/")


@lru_cache(maxsize=8192)
def effective_with(profile: Profile, path: str) -> str | None:
    """The package whose pin must be bumped before a change at the path reaches users; None: at once."""
    if NOT_SHIPPED.search(path[:400]):
        return None
    for pattern, package in profile.layout.shipped:
        if pattern.search(path[:400]):
            return package
    match = _PACKAGE.search(path[:400])
    return match[1] if match else None
