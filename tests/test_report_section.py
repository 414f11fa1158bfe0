"""A report is one value: who renders it knows nothing else, and a section more is six files (docs/how-to/report-section.md)."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import daybreak

SOURCE = Path(daybreak.__file__).parent
TESTS = Path(__file__).parent
WORKING = {
    "daybreak.core.model.report": {"Entry", "RepoReport", "Story"},
    "daybreak.core.model.items": {"Activity", "Issue", "Pull", "Release"},
    "daybreak.core.model.links": {"CrossForge", "ForgeDay", "IssueReading", "PullReading", "RepoForge"},
    "daybreak.core.model.statements": {"Importance", "Statement"},
    "daybreak.judge.interface": {"Judgement"},
}
"""Values of judging, which a report is made from."""

SECTION = {
    "core/model/day.py": (
        "    touches: Touches | None = None\n",
        '    quiet: tuple[str, ...] = ()\n    """Repositories in which nothing happened."""\n',
    ),
    "judge/day_value.py": (
        "        repos=repos,\n",
        "        quiet=tuple(repo.name for repo in repos if not repo.commits),\n",
    ),
    "core/words/zh.toml": ('conclusion = "总结"\n', 'quiet = "安静的仓库"\n'),
    "core/words/en.toml": ('conclusion = "Conclusion"\n', 'quiet = "Quiet repositories"\n'),
    "report/render/day_page.py": (
        "    blocks += across_block(ed)\n",
        "    blocks += [f\"## {t('section.quiet')}\", *map(text, day.quiet)] if day.quiet else []\n",
    ),
    "site/pages/templates/day.html": (
        '<section id="conclusion"><noscript>\n',
        "{% if day.quiet %}<h2>{{ t('section.quiet') }}</h2><p>{{ day.quiet|map('clean')|join(' ') }}</p>{% endif %}\n",
    ),
}
"""File -> a line of it, and what the section adds before that line."""

TOLD = """
import sys
from pathlib import Path
from daybreak.core.day_json import decode
from daybreak.judge.day_value import day_of
from daybreak.report.gate import problems
from daybreak.report.render.markdown import all_pages
from pages.building import build
from render import factory

out = Path(sys.argv[1])
(out / "daybreak.toml").write_text('[[repo]]\\nname = "acme/engine"\\n')
day = day_of(factory.report())
pages = {page.path: page.text for page in all_pages(day)}
assert problems(all_pages(day), day, lambda _: True) == ()
for path, text in pages.items():
    (out / path).parent.mkdir(parents=True, exist_ok=True)
    (out / path).write_text(text, encoding="utf-8")
build(out, out / "site")
assert decode((out / "reports/2026-01-19.json").read_bytes()).quiet == ("acme/quiet", "acme/lost")
"""


@pytest.mark.parametrize("room", ["deliver", "report", "site"])
def test_who_renders_a_report_knows_no_value_of_judging(room: str) -> None:
    files = list((SOURCE / room).rglob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not {one.name for one in node.names} & WORKING.get(node.module or "", set()), file


def test_a_section_more_is_six_files(tmp_path: Path) -> None:
    copied = tmp_path / "src" / "daybreak"
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    assert len(SECTION) <= 6
    for name, (line, added) in SECTION.items():
        text = (copied / name).read_text(encoding="utf-8")
        assert text.count(line) == 1, f"{name} has another form: the section stands before another line"
        (copied / name).write_text(text.replace(line, added + line), encoding="utf-8")
    out = tmp_path / "out"
    out.mkdir()
    path = os.pathsep.join(map(str, (copied.parent, TESTS)))
    subprocess.run(
        [sys.executable, "-c", TOLD, str(out)], env={**os.environ, "PYTHONPATH": path}, check=True, timeout=120
    )
    for told in ("reports/2026-01-19.md", "site/zh/days/2026-01-19.html"):
        page = (out / told).read_text(encoding="utf-8")
        assert "安静的仓库" in page
        assert "acme/quiet" in page
