"""Profiles: what is known of one project is data; code names none, and a repository without one is read sensibly."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import daybreak
from daybreak.core.profiles import either, generic, profile_in, profile_of, profiles
from daybreak.core.projects import wanted_for

ROOT = Path(daybreak.__file__).parent


def _plain(text: str) -> str:
    """Letters and digits alone, so that `flash[- ]?attn` is `flashattn` as well."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _names() -> Iterator[str]:
    for profile in profiles():
        names = profile.names
        every = (profile.repo.rpartition("/")[2], *names.packages, *names.distributions, *names.parts, *names.programs)
        yield from map(_plain, every)


def _prefixes() -> Iterator[str]:
    for profile in profiles():
        yield from (*profile.names.variables, *profile.names.macros)


NAMES = either(sorted(set(_names())))
PREFIXES = either(rf"(?<![A-Z]){name}[A-Z(]" for name in sorted(set(_prefixes())))


def names_a_project(text: str) -> bool:
    return bool(NAMES.search(_plain(text)) or PREFIXES.search(text))


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Names and strings of a file's code; comments and docstrings may give examples."""
    text = path.read_text(encoding="utf-8")
    if not names_a_project(text):  # then no part of it does, and taking it apart is the long work
        return
    tree = ast.parse(text)
    docs = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value
        for field in ("id", "attr", "name", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield getattr(node, "lineno", 0), name


def test_no_code_names_a_project() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text[:80]}"
        for path in sorted(ROOT.rglob("*.py"))
        for line, text in _texts(path)
        if names_a_project(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    ["^vllm/config/", "CUTLASS_ALIGNAS", "flash[- ]?attn", "sgl-kernel/", "DG_(?:HOST|STATIC)_ASSERT", "Deep_?GEMM"],
)
def test_a_name_in_code_would_be_seen(text: str) -> None:
    assert names_a_project(text)


def test_every_profile_is_found_by_its_repository_whatever_the_case() -> None:
    assert len(profiles()) == 8
    for profile in profiles():
        assert profile_of(profile.repo) is profile
        assert profile_of(profile.repo.upper()) is profile


@pytest.mark.parametrize("repo", ["acme/engine", "acme/vllm", "vllm", "_field/_field", "", "a/../vllm"])
def test_a_repository_that_nobody_wrote_down_has_the_generic_profile(repo: str) -> None:
    assert profile_of(repo) is generic()


def test_a_fork_is_known_by_a_file_in_its_tree() -> None:
    assert profile_in({"setup.py", "python/sglang/__init__.py"}) is profile_of("sgl-project/sglang")
    assert profile_in({"setup.py", "engine/__init__.py"}) is generic()


def test_every_pattern_of_every_profile_compiles() -> None:
    for profile in (*profiles(), generic()):
        layout, public = profile.layout, profile.public
        for patterns in (layout.api, layout.code, layout.ships, public.imported, public.internal, public.listed):
            assert either(patterns).search("") is None
        assert either(public.plugins).fullmatch("") is None
        assert bool(public.mark) == bool(public.marked)


def test_the_names_of_an_unknown_project_follow_from_its_own_name() -> None:
    assert "SOME_LIB_" in wanted_for(["acme/some-lib"]).variables


def test_help_does_not_read_profiles() -> None:
    asks = "from daybreak.cli import main\ntry:\n    main(['--help'])\nfinally:\n    import sys\n    sys.exit('daybreak.core.profiles' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asks], capture_output=True, check=False).returncode == 0
