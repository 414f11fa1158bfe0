"""Hostile text in a terminal: whatever command shows it, no control code, direction mark or hidden character comes out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from cli.test_hostile import alive
from daybreak.cli import main
from daybreak.cli.console import Voice, cut, harmless, width, wrapped
from daybreak.core.config import load
from daybreak.core.day_json import decode
from daybreak.store import open_store
from gitrepo import GitRepo
from hostile_days import LABEL, hostile_day, keep
from hostile_texts import EVERY, TEXTS

DAY = "2026-01-19"
OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)
CONFIG = """
timezone = "UTC"
[[repo]]
name = "acme/engine"
git = "../upstream.git"
"""


def hostile_upstream(path: Path, count: int) -> None:
    """Subjects, bodies, authors, paths and contents; one text after the other."""
    upstream = GitRepo.make(path)
    upstream.commit("First", {"a.py": 'parser.add_argument("--size", default=0)\n'}, at="2026-01-18T10:00:00")
    step = -(-len(TEXTS) // count)
    for number in range(count):
        some = TEXTS[number * step : (number + 1) * step]
        files = {
            f"d{number}/{at}/{text[:40].strip().replace('/', '_').replace(chr(0), '') or 'x'}.py": f"# {text[:2000]}\nx = {at}\n"
            for at, text in enumerate(some)
        }
        body = "\n".join(text[:2000] for text in some).replace("\x00", "")
        subject = " ".join(some[0][:300].replace("\x00", "").split()) or "x"
        upstream.commit(
            f"{subject}\n\n{body}\n",
            {**files, "a.py": f'parser.add_argument("--size", default={number + 1}, help="""{subject}""")\n'},
            at=f"{DAY}T{number // 60:02}:{number % 60:02}:00",
            author=re.sub(r"[<>\n\r\x00]", "", some[-1])[:100].strip() or "x",
        )


def told(capsys: pytest.CaptureFixture[str], *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
    """What a command writes, both ways."""
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert code in codes, (arguments, code, err)
    found = OBEYED.search(out + err)
    assert found is None, (arguments, found, (out + err)[max(0, found.start() - 80) : found.end() + 20])
    return out + err


BARE = re.compile(r"http://(?!www\.)[\w.-]+")
"""A name with a dot in it: the parser of the tests takes it for an address, GitHub does not."""
NOTIFY = """
[notify]
urls = ["json://127.0.0.1:1", "mailto://127.0.0.1?to=a@example.org", "slack://a/b/c"]
"""


def commands(folder: Path, capsys: pytest.CaptureFixture[str], day: str, shas: Sequence[str]) -> None:
    """Everything that shows what is stored, in text and as data."""
    (folder / "notify.toml").write_text((folder / "daybreak.toml").read_text("utf-8") + NOTIFY, encoding="utf-8")
    assert len(told(capsys, "show", day)) > 500
    json.loads(told(capsys, "show", day, "--json"))
    told(capsys, "status", codes=(0, 3))
    json.loads(told(capsys, "status", "--json", codes=(0, 3)))
    told(capsys, "search", "changes", codes=(0, 1))
    told(capsys, "search", "a*", "--limit", "100")
    json.loads(told(capsys, "search", "a*", "--limit", "100", "--json"))
    assert "slack" in told(capsys, "notify", "--dry-run", "--date", day, "--config", "notify.toml")
    for name in shas:
        told(capsys, "show", name)
        for row in told(capsys, "show", name, "--json").splitlines():
            json.loads(row)


def test_every_command_speaks_plainly_of_hostile_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile_upstream(tmp_path / "upstream.git", 12)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "daybreak.toml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.chdir(folder)
    told(capsys, "run", "--date", DAY, "--verbose", codes=(0, 3))
    report = decode((folder / "reports" / f"{DAY}.json").read_bytes())
    assert len(report.repos[0].commits) == 12
    commands(folder, capsys, DAY, [one.short for one in report.repos[0].commits[::6]])
    told(capsys, "run", "--date", DAY, "--force", "--log-format", "json", "--json", codes=(0, 3))
    assert main(["range", "acme/engine", "HEAD~9..HEAD", "--no-publish"]) in (0, 3)
    printed = capsys.readouterr()  # a page, in which mentions are kept apart by a sign that is not seen
    assert not OBEYED.search((printed.out + printed.err).replace("\u2060", "").replace("\t", ""))
    for page in [*(folder / "reports").rglob("*"), folder / "README.md"]:
        assert not page.is_file() or not OBEYED.search(
            page.read_text("utf-8").replace("\u2060", "").replace("\t", "")
        ), page
    for page in [*(folder / "reports").rglob("*.md"), folder / "README.md"]:
        assert [one for one in alive(page.read_text("utf-8")) if one and not BARE.fullmatch(one)] == [], page


@pytest.mark.parametrize("start", [0, *(pytest.param(at, marks=pytest.mark.soak) for at in range(50, 300, 50))])
def test_stored_days_are_shown_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], start: int
) -> None:
    keep(tmp_path, hostile_day(start))
    store = open_store(load(tmp_path / "daybreak.toml", {}, {}).config.store, tmp_path)
    store.put_report((tmp_path / "reports" / f"{LABEL}.json").read_bytes())
    store.close()
    monkeypatch.chdir(tmp_path)
    commands(tmp_path, capsys, LABEL, [])


@pytest.mark.parametrize("command", ["show", "search", "status", "notify", "run", "range"])
def test_hostile_words_of_a_command_line_are_not_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    keep(tmp_path)
    monkeypatch.chdir(tmp_path)
    options = {"notify": ["--dry-run", "--date"], "run": ["--repo"], "status": ["--since"], "range": []}.get(
        command, []
    )
    for text in (one for one in EVERY[::37] if not one.startswith("-") and "\x00" not in one):
        told(capsys, command, *options, text[:2000], codes=(0, 1, 2, 3))


def test_no_text_at_all_moves_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for text in EVERY:
        assert not OBEYED.search(harmless(text)), text
        assert "\n" not in harmless(text)
        for line in wrapped(text, 40, 3):
            assert width(line) <= 40
            assert not OBEYED.search(line)
        assert width(cut(harmless(text), 20)) <= 20
        for form in ("text", "json"):
            voice = Voice(verbose=True, form=form)
            voice.warn(text, skipped=text)
            voice.error(text, text, fact=text)
            voice.detail(text)
        out, err = capsys.readouterr()
        assert not OBEYED.search(out + err), text
