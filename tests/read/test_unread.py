"""What was not read is said: languages without a reader, by name and share."""

from __future__ import annotations

import pytest

from daybreak.findings import languages
from daybreak.findings.languages import language_by_strings, language_without_reader
from daybreak.findings.unread import languages_by_strings, unread_languages
from render import factory

LEFT = ["a/Main.java", "a/b.kt", "web/app.js", "core/x.lua", "k/a.pyx"]


@pytest.mark.parametrize(
    "path", ["a.py", "a.rs", "a.go", "a.ts", "a.tsx", "a.cu", "run.sh", "README.md", "data.json", "java", ""]
)
def test_what_is_read_or_no_source_is_not_counted(path: str) -> None:
    assert language_without_reader(path) is None


@pytest.mark.parametrize("path", LEFT)
def test_a_source_without_a_reader_has_a_language(path: str) -> None:
    assert language_without_reader(path)
    assert language_by_strings(path) == language_without_reader(path)


def test_a_language_whose_grammar_is_missing_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    languages._unread_ending.cache_clear()
    monkeypatch.setattr(languages, "find_spec", lambda name: None)
    assert [language_without_reader(f"a.{end}") for end in ("rs", "go", "ts", "py")] == [
        "Rust",
        "Go",
        "TypeScript",
        None,
    ]
    monkeypatch.undo()
    languages._unread_ending.cache_clear()


def test_shares_are_of_the_changed_sources() -> None:
    paths = ["a/A.java", "a/B.java", "a/c.js", "a/d.py", "docs/e.java", "tests/F.java", "g.md"]
    change = factory.change(1, files=tuple(factory.file(path) for path in paths))
    assert [(one.language, one.files, one.share) for one in unread_languages([change, change])] == [
        ("Java", 2, 0.5), ("JavaScript", 1, 0.25)
    ]  # fmt: skip


def test_presets_charts_and_templates_that_ship_are_counted_and_those_of_ci_are_not() -> None:
    paths = ["charts/values.yaml", "config/preset.yml", "deploy/pod.yaml.tmpl", ".github/workflows/ci.yml", "a/b.py"]
    change = factory.change(1, files=tuple(factory.file(path) for path in paths))
    assert [(one.language, one.files) for one in unread_languages([change])] == [("YAML", 2), ("Templates", 1)]


def test_names_are_read_of_no_client_in_rust() -> None:
    assert [(one.language, one.share) for one in languages_by_strings(["a.rs", "b.rs", "c.py", "d.md"])] == [
        ("Rust", 0.667)
    ]
