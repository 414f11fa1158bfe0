"""The phrases of the reports: each is used, and none says by accident that nothing happened."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import daybreak
from daybreak.core.words.phrases import Phrases, languages
from daybreak.core.words.phrases import phrases as room_phrases


def phrases(language: str) -> Phrases:
    return room_phrases(language, "report")


def test_one_is_singular_where_the_language_has_it() -> None:
    assert phrases("en")("head.repos", n=1) == "1 repository"
    assert phrases("en")("head.repos", n=2) == "2 repositories"
    assert phrases("zh")("head.repos", n=1) == "1 个仓库"


def test_every_key_is_used_and_every_used_key_exists() -> None:
    rooms = [Path(daybreak.__file__).parent / room for room in ("report", "upgrade", "runs")]
    source = "\n".join(path.read_text(encoding="utf-8") for room in rooms for path in room.rglob("*.py"))
    strings = {
        n.value
        for n in ast.walk(ast.parse(source.replace("from __future__ import annotations", "")))
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    site = Path(daybreak.__file__).parent / "site" / "pages"
    pages = (*site.rglob("*.html"), *site.glob("*.py"))
    strings |= {
        key
        for path in pages
        for key in re.findall(r"['\"]((?:rollup|head)\.(?!html)[a-z_]+)['\"]", path.read_text(encoding="utf-8"))
    }
    spans = (Path(daybreak.__file__).parent / "upgrade" / "rollup" / "pages.py").read_text(encoding="utf-8")
    strings |= {f"rollup.{key}" for key in re.findall(r"\bt\([\"']([a-z_]+)[\"']", spans)}
    used = {s for s in strings if re.fullmatch(r"[a-z]+\.[a-z_]*[a-z]", s)}
    families = {s for s in strings if re.fullmatch(r"[a-z]+\.(?:[a-z]+_)?", s)}
    known = {k.removesuffix("_one") for k in phrases("en").table}
    assert {k for k in used if k.split(".")[0] in {x.split(".")[0] for x in known}} <= known
    assert {k for k in known - used if not k.startswith(tuple(families))} == set()


def test_our_own_phrases_hold_no_accidental_claims() -> None:
    quiet = re.compile(r"无更新|\b[Nn]o (?:updates?|commits|changes)\b")
    found = {(language, k) for language in languages() for k, v in phrases(language).table.items() if quiet.search(v)}
    assert found == {("zh", "day.quiet"), ("en", "day.quiet")}
