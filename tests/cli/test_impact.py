"""`daybreak impact` and `daybreak ack` as users run them: a real upstream, a small project, every form, every mistake."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.place import Place, one_sentence_and_a_tip
from gitrepo import GitRepo

NOW = {"DAYBREAK_NOW": "2026-01-20T08:00:00+00:00"}
ARGS = "engine/server_args.py"
API = "engine/api.py"
OLD_ARGS = 'parser.add_argument("--kv-size", default=1)\nparser.add_argument("--tp", default=1)\n'
NEW_ARGS = 'parser.add_argument("--tp", default=1)\n'
OLD_API = "def load_model(path, dtype=None):\n    return path, dtype\n\n\ndef keep():\n    return 1\n"
NEW_API = "def keep():\n    return 1\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An upstream that drops a flag and a function yesterday, and a project that uses both."""
    folder = tmp_path / "work"
    folder.mkdir()
    upstream = GitRepo.make(tmp_path / "upstream.git")
    first = upstream.commit(
        "First (#1)", {ARGS: OLD_ARGS, API: OLD_API, "engine/__init__.py": ""}, at="2026-01-10T10:00:00"
    )
    upstream.tag("v1.0.0", first)
    last = upstream.commit("Tidy up (#2)", {ARGS: NEW_ARGS, API: NEW_API}, at="2026-01-19T10:00:00")
    upstream.tag("v1.1.0", last)
    made = Place(folder, upstream)
    made.config()
    files = {
        "svc/app.py": "from engine.api import keep, load_model\n\nload_model('x')\nkeep()\n",
        "svc/run.sh": "python -m engine.launch --kv-size 3 --tp 2\n",
        "svc/requirements.txt": "engine==1.0.0\n",
        "svc/notes.txt": "nothing\n",
        "svc/picture.png": "no picture",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return made


def impact(place: Place, *more: str) -> subprocess.CompletedProcess[str]:
    return place.run("impact", "svc", *more, **NOW)


def hits(said: subprocess.CompletedProcess[str]) -> list[tuple[str, str, int, str]]:
    data: Any = json.loads(said.stdout)
    found = [(h["certainty"], h["use"]["path"], h["use"]["line"], h["finding"]["kind"]) for h in data["hits"]]
    return sorted(found)


EXPECTED = [
    ("certain", "svc/app.py", 1, "function_removed"),
    ("certain", "svc/app.py", 3, "function_removed"),
    ("certain", "svc/run.sh", 1, "cli_flag_removed"),
]


@pytest.mark.parametrize(("level", "code"), [("certain", 3), ("likely", 3), ("look", 3), ("never", 0)])
def test_what_fails_the_run_can_be_chosen(place: Place, level: str, code: int) -> None:
    assert impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0", "--fail-on", level).returncode == code


def test_paths_that_are_left_out_do_not_count(place: Place) -> None:
    asked = ("--range", "acme/engine", "v1.0.0..v1.1.0", "--format", "json")
    assert hits(impact(place, *asked, "--exclude", "*.sh")) == EXPECTED[:2]
    assert impact(place, *asked, "--exclude", "*").returncode == 0


def test_a_range_touches_the_flag_and_the_function(place: Place) -> None:
    said = impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0", "--format", "json")
    assert said.returncode == 3, said.stderr
    assert hits(said) == EXPECTED
    first = json.loads(said.stdout)["hits"][0]
    assert (first["since"], first["pinned"], first["pin_at"]) == ("v1.1.0", "1.0.0", "svc/requirements.txt:1")
    again = impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0", "--format", "json", "--offline")
    assert again.stdout == said.stdout


def test_yesterday_is_the_window_unless_told(place: Place) -> None:
    said = impact(place, "--format", "json")
    assert said.returncode == 3, said.stderr
    assert hits(said) == EXPECTED
    quiet = impact(place, "--date", "2026-01-15")
    assert quiet.returncode == 0, quiet.stderr
    assert "这段时间里没有提交，因此没有对照" in quiet.stdout


def test_pins_on_known_projects_that_nobody_watches_are_named(place: Place) -> None:
    (place.folder / "svc" / "requirements.txt").write_text("engine==1.0.0\ntrl==0.20.0\nin-house==1.0\n", "utf-8")
    said = impact(place, "--date", "2026-01-19")
    told = " ".join(said.stderr.split())
    assert "pinned here and not watched, so not looked at: huggingface/trl (requirements.txt:2);" in told
    assert "not watched" not in impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0").stderr
    assert "not watched" not in impact(place, "--date", "2026-01-19", "--exclude", "requirements*").stderr


def test_a_day_is_its_own_commits_wherever_they_stand(place: Place) -> None:
    """A commit that was made on the 10th and pushed on top of the 19th: that day has it, and nothing of the 19th."""
    assert impact(place, "--date", "2026-01-10").returncode == 0  # the branch's first commit, and it alone
    late = 'parser.add_argument("--late", default=1)\n'
    place.upstream.commit("Late (#3)", {"engine/late_args.py": late}, at="2026-01-10T12:00:00")
    place.upstream.commit("Of today (#4)", {"engine/new.py": "x = 1\n"}, at="2026-01-20T01:00:00")
    quiet = impact(place, "--date", "2026-01-10", "--format", "json")
    assert (quiet.returncode, hits(quiet)) == (0, []), quiet.stderr
    assert json.loads(quiet.stdout)["scopes"][0]["what"] == "2026-01-10"
    said = impact(place, "--date", "2026-01-19", "--format", "json")
    assert (said.returncode, hits(said)) == (3, EXPECTED), said.stderr
    none = json.loads(impact(place, "--date", "2026-01-12", "--format", "json").stdout)
    assert none["scopes"][0]["what"] == "2026-01-12 (no commits)"
    said = impact(place, "--date", "2026-01-12", "--lang", "en")
    assert "No commit lies in this window, so nothing was compared." in said.stdout
    assert "no commit lies in 2026-01-12; the newest that is here is of 2026-01-20: --date 2026-01-20" in said.stderr


def test_commits_of_one_day_with_another_between_them_are_netted(place: Place) -> None:
    """What the day took away and brought back is gone from its answer, though a later day's commit lies between."""
    place.upstream.commit("Between (#3)", {"engine/new.py": "x = 1\n"}, at="2026-01-20T01:00:00")
    place.upstream.commit("Bring it back (#4)", {API: OLD_API}, at="2026-01-19T12:00:00")
    said = impact(place, "--date", "2026-01-19", "--format", "json")
    assert hits(said) == [EXPECTED[2]], said.stderr


def test_files_of_yours_do_not_decide_the_exit_code(place: Place) -> None:
    (place.folder / "svc/bad.py").write_text("import engine\ndef (:\n", "utf-8")
    for name in ("app.py", "run.sh"):
        (place.folder / "svc" / name).unlink()
    alone = impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0", "--format", "github")
    assert alone.returncode == 0, alone.stderr
    assert alone.stdout.startswith("::notice file=svc/bad.py,")
    ranged = place.run("range", "acme/engine", "v1.0.0..v1.1.0", "--impact", "svc", "--no-publish", "--lang", "en")
    assert ranged.returncode == 0, ranged.stderr
    assert "1 of your files could not be read: `bad.py`" in ranged.stdout


@pytest.mark.parametrize("form", ["text", "markdown", "json", "sarif", "github"])
def test_code_in_a_language_whose_names_are_not_read_is_not_called_clean(place: Place, form: str) -> None:
    """Upstream is a library of Rust, and so is the code that uses it: no hit is no answer."""
    cargo = '[package]\nname = "engine"\nversion = "2.0.0"\n'
    rust = {"Cargo.toml": cargo, "src/lib.rs": "pub fn a() {}\npub fn b() {}\n"}
    first = place.upstream.commit("Rust (#3)", rust, at="2026-01-19T11:00:00")
    place.upstream.tag("v2.0.0", first)
    last = place.upstream.commit("Less (#4)", {"src/lib.rs": "pub fn b() {}\n"}, at="2026-01-19T12:00:00")
    place.upstream.tag("v2.1.0", last)
    for name in ("app.py", "run.sh"):
        (place.folder / "svc" / name).unlink()
    ranged = ("--range", "acme/engine", "v2.0.0..v2.1.0", "--format", form, "--lang", "en")
    assert impact(place, *ranged).returncode == 0  # none of it is Rust
    (place.folder / "svc/main.rs").write_text("fn main() { engine::a(); }\n", "utf-8")
    said = impact(place, *ranged)
    assert said.returncode == 3, said.stdout
    assert "Rust" in said.stdout
    assert "Nothing here touches your code" not in said.stdout
    if form == "json":
        assert json.loads(said.stdout)["not_compared"] == [{"language": "Rust", "files": 1, "share": 1.0}]


def test_what_you_run_already_is_no_news(place: Place) -> None:
    (place.folder / "svc/requirements.txt").write_text("engine==1.1.0\n", "utf-8")
    assert impact(place).returncode == 0
    assert impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0").returncode == 3


def test_any_repository_without_a_config(place: Place) -> None:
    (place.folder / "daybreak.toml").unlink()
    address = ("--git", str(place.upstream.path))
    said = impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0", *address, "--format", "json")
    assert said.returncode == 3, said.stderr
    assert hits(said) == EXPECTED


def test_the_way_back_has_nothing_to_lose(place: Place) -> None:
    said = impact(place, "--range", "acme/engine", "v1.1.0..v1.0.0")
    assert said.returncode == 0, said.stdout


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("text", "影响你的代码"),
        ("markdown", "<!-- daybreak.impact/1 -->"),
        ("github", "::error file=svc/"),
        ("sarif", "{"),
    ],
)
def test_every_form(place: Place, form: str, start: str) -> None:
    said = impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0", "--format", form)
    assert said.returncode == 3, said.stderr
    assert said.stdout.startswith(start)
    if form == "sarif":
        assert len(json.loads(said.stdout)["runs"][0]["results"]) == 3


def test_acknowledged_once(place: Place) -> None:
    range_ = ("--range", "acme/engine", "v1.0.0..v1.1.0")
    found = json.loads(impact(place, *range_, "--format", "json").stdout)["hits"]
    flag = next(hit["id"] for hit in found if hit["finding"]["kind"] == "cli_flag_removed")
    assert (
        place.run("ack", flag, "--path", "svc/*.sh", "--reason", "gone in March", "--expires", "30d", **NOW).returncode
        == 0
    )
    assert place.run("ack", "function_removed:load_model", "--reason", "dead code", **NOW).returncode == 0
    assert place.run("ack", "env_removed:X", "--reason", "of old", **NOW).returncode == 0
    said = impact(place, *range_, "--lang", "en")
    assert said.returncode == 0, said.stdout
    assert "3 more acknowledged" in said.stdout
    assert "env_removed:X" in said.stdout
    assert "gone in March" in impact(place, *range_, "--all").stdout
    later = place.run("impact", "svc", *range_, "--lang", "en", DAYBREAK_NOW="2026-03-01T08:00:00+00:00")
    assert later.returncode == 3
    assert "has expired and counts again" in later.stdout
    listed = place.run("ack", "--list", **NOW)
    assert (listed.returncode, len(listed.stdout.splitlines())) == (0, 3)
    assert place.run("ack", flag, "--remove", **NOW).returncode == 0
    assert impact(place, *range_).returncode == 3


def test_a_repository_that_cannot_be_had_is_not_silence(place: Place) -> None:
    place.config(more='[[repo]]\nname = "acme/gone"\ngit = "/nowhere/at/all"\n')
    said = impact(place, "--date", "2026-01-15")
    assert said.returncode == 3
    assert "acme/gone" in said.stderr
    alone = impact(place, "--repo", "acme/gone")
    assert alone.returncode == 1
    one_sentence_and_a_tip(alone)


def test_unreadable_files_are_named_and_the_rest_is_read(place: Place) -> None:
    (place.folder / "svc/nb.ipynb").write_text("not json", "utf-8")
    (place.folder / "svc/bad.py").write_text("import engine\ndef (:\n", "utf-8")
    said = impact(place, "--range", "acme/engine", "v1.0.0..v1.1.0", "--lang", "en")
    assert said.returncode == 3
    assert "nb.ipynb" in said.stdout
    assert "bad.py" in said.stdout
    assert "1 certain" not in said.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("impact", "nowhere"), "There is no nowhere"),
        (("impact", "svc/picture.png"), "picture.png"),
        (("impact", "svc", "--fork", "main"), "svc"),
        (("impact", "svc", "--range", "acme/engine", "v1.0.0..v9"), "v9"),
        (("impact", "svc", "--range", "acme/engine", "v1.0.0"), "is not a range"),
        (("impact", "svc", "--range", "acme/engin", "v1.0.0..v1.1.0"), "Did you mean 'acme/engine'?"),
        (
            ("impact", "svc", "--range", "acme/other", "v1.0.0..v1.1.0"),
            "Add it to daybreak.toml as a [[repo]], or say where it is with --git.",
        ),
        (("impact", "svc", "--repo", "acme/other"), "Add it to daybreak.toml as a [[repo]]."),
        (("impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", "--last", "7d"), "two different things"),
        (("impact", "svc", "--git", "x"), "--git needs one --range"),
        (("impact", "svc", "--acks", "none.toml"), "There is no none.toml"),
        (("impact", "svc", "--format", "xml"), "invalid choice"),
        (("impact", "svc", "--upstream", "x"), "belongs to --fork"),
        (("ack",), "no FINDING"),
        (("ack", "DB-3f9a2c11"), "needs --reason"),
        (("ack", "what", "--reason", "r"), "neither the id"),
        (("ack", "DB-3f9a2c11", "--remove"), "no entry"),
        (("ack", "DB-3f9a2c11", "--reason", "r", "--expires", "soon"), "not a day"),
    ],
)
def test_mistakes_are_one_sentence_and_a_tip(place: Place, arguments: tuple[str, ...], words: str) -> None:
    said = place.run(*arguments, **NOW)
    assert said.returncode == 2
    assert words in one_sentence_and_a_tip(said)
    assert said.stdout == ""


def test_a_day_finds_what_the_range_of_its_commits_finds(place: Place) -> None:
    """Also what no reading of a change tells and only the trees show: a name that a module does not hand on any more."""
    util = "from engine.api import keep\n\n\ndef size():\n    return keep()\n"
    base = place.upstream.commit("Helpers (#3)", {"engine/util.py": util}, at="2026-01-19T12:00:00")
    last = place.upstream.commit(
        "Ask directly (#4)", {"engine/util.py": "def size():\n    return 1\n"}, at="2026-01-20T02:00:00"
    )
    (place.folder / "svc/app.py").write_text("from engine.util import keep\n\nkeep()\n", "utf-8")
    (place.folder / "svc/requirements.txt").unlink()
    told = impact(place, "--range", "acme/engine", f"{base[:12]}..{last[:12]}", "--format", "json")
    assert told.returncode == 3, told.stderr
    ranged = hits(told)
    assert ranged == [("certain", "svc/app.py", 1, "export_removed")]
    assert hits(impact(place, "--date", "2026-01-20", "--format", "json")) == ranged
