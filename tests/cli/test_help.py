"""What the program says of itself: help, completion, docs; data on request from every command."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cli.place import DAY, Place
from contracts import stored
from daybreak.cli.parser import ABOUT, COMMANDS, build_parser
from daybreak.store.sqlite import SqliteStore
from program import run
from test_docs import script


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("-h",)])
def test_the_program_alone_prints_its_help(tmp_path: Path, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "daybreak", *words]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith("usage: daybreak ")
    assert all(f"\n    {name}" in answer.stdout for name in COMMANDS)


def test_the_help_that_is_ready_is_the_parsers() -> None:
    made = script("readme_help")
    assert " ".join(made.commands().split()) == " ".join(made.LIST.read_text(encoding="utf-8").split()), (
        "run `make docs`"
    )


@pytest.mark.parametrize("words", [("help", "range"), ("range", "--help")])
def test_help_of_a_command_can_be_asked_for_in_both_ways(tmp_path: Path, words: tuple[str, ...]) -> None:
    answer = run(*words, cwd=tmp_path)
    assert answer.returncode == 0
    assert answer.stdout.startswith("usage: daybreak range ")


def test_version_is_a_word_as_well(tmp_path: Path) -> None:
    assert run("version", cwd=tmp_path).stdout == run("--version", cwd=tmp_path).stdout != ""


def test_every_command_says_in_a_sentence_what_it_does() -> None:
    commands = next(dict(one.choices) for one in build_parser()._actions if isinstance(one.choices, dict))
    for name, command in commands.items():
        assert len((command.description or "").split()) >= 8, name
    assert set(ABOUT) <= set(COMMANDS)


def test_every_command_that_answers_takes_json() -> None:
    commands = next(dict(one.choices) for one in build_parser()._actions if isinstance(one.choices, dict))
    lacking = [n for n, c in commands.items() if not any("--json" in one.option_strings for one in c._actions)]
    assert lacking == ["serve", "mcp"]  # they answer over HTTP and MCP, in JSON


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("doctor", "--offline"), 3),
        (("site",), 0),
        (("status",), 0),
        (("docs",), 0),
        (("docs", "upgrades"), 0),
        (("completion", "bash"), 0),
        (("ack", "--list"), 0),
        (("ack", "cli_flag_removed:--kv", "--reason", "we go in May"), 0),
        (("init", "new"), 0),
        (("notify", "--dry-run", "--date", DAY), 0),
    ],
)
def test_data_is_one_json_value(place: Place, words: tuple[str, ...], code: int) -> None:
    if words[0] in ("site", "notify"):
        assert place.run("run", "--date", DAY, "--quiet").returncode == 0
    if words[0] == "doctor":
        place.config('[analyst]\nkind = "llm"\n')
    answer = place.run(*words, "--json", DAYBREAK_NOW="2026-01-20T08:00:00+00:00")
    assert answer.returncode == code, answer.stderr
    assert json.loads(answer.stdout) is not None


def test_a_page_of_the_docs_is_printed_and_an_unknown_one_named(tmp_path: Path) -> None:
    assert run("docs", "docs/notify.md", cwd=tmp_path).stdout.startswith("# ")
    answer = run("docs", "notfy", cwd=tmp_path)
    assert answer.returncode == 2
    assert "'notify'" in answer.stderr


# --- completion --------------------------------------------------------------------------------------------------------


def completed(folder: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    text = run("completion", "bash", cwd=folder).stdout
    line = " ".join(f'"{word}"' for word in words)
    ask = f'{text}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _daybreak; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return subprocess.run(["bash", "-c", ask], cwd=folder, capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes_commands_options_choices_and_files(tmp_path: Path) -> None:
    (tmp_path / "notes.toml").touch()
    assert completed(tmp_path, "daybreak", "sta") == ["status"]
    assert completed(tmp_path, "daybreak", "impact", "--form") == ["--format"]
    assert "sarif" in completed(tmp_path, "daybreak", "impact", "--format", "")
    assert completed(tmp_path, "daybreak", "run", "--config", "not") == ["notes.toml"]


def test_the_scripts_of_other_shells_name_every_command(tmp_path: Path) -> None:
    for shell in ("zsh", "fish"):
        text = run("completion", shell, cwd=tmp_path).stdout
        assert all(name in text for name in COMMANDS)


def cpu(*words: str) -> float:
    """Seconds of one start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_takes_little_more_than_a_start_of_python() -> None:
    """Turn by turn, so that other work on the machine is met by both."""
    pairs = [(cpu("-m", "daybreak", "--help"), cpu("-c", "pass")) for _ in range(15)]
    assert min(helped for helped, _ in pairs) <= 2.5 * min(plain for _, plain in pairs)


def test_the_state_of_a_month_takes_a_few_starts_of_python(tmp_path: Path) -> None:
    """0.4 s of CPU more than a start, and in proportion where a start takes longer than 0.025; modules take most of it."""
    (tmp_path / "daybreak.toml").write_text('timezone = "UTC"\n[[repo]]\nname = "acme/engine"\n', encoding="utf-8")
    (tmp_path / "reports").mkdir()
    data = stored.day_report()[1]
    with closing(SqliteStore("sqlite:///.daybreak/daybreak.db", tmp_path)) as store:
        for day in range(1, 32):
            report = data.replace(b"2026-01-19", f"2026-01-{day:02}".encode())
            store.put_report(report)
            (tmp_path / "reports" / f"2026-01-{day:02}.json").write_bytes(report)
    asked = ("-m", "daybreak", "status", "--config", str(tmp_path / "daybreak.toml"))
    pairs = [(cpu(*asked), cpu("-c", "pass")) for _ in range(7)]
    told, plain = (min(some) for some in zip(*pairs, strict=True))
    assert told - plain <= 0.4 * max(1.0, plain / 0.025)
