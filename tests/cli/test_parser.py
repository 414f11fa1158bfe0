"""The table of commands and the commands themselves."""

import argparse
from importlib import import_module

import pytest

from daybreak.cli.parser import COMMANDS, build_parser, common_options
from daybreak.core.errors import UsageError


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_of_itself_what_the_table_says(name: str) -> None:
    root = argparse.ArgumentParser()
    commands = root.add_subparsers()
    import_module(f"daybreak.cli.{name}").add(commands, common_options())
    (told,) = commands._choices_actions
    assert (told.dest, told.help) == (name, COMMANDS[name])


def test_only_the_command_that_is_asked_for_is_loaded() -> None:
    parsed = build_parser(["grade", "acme/engine", "--commits", "-"]).parse_args(["grade", "a/b", "--commits", "-"])
    assert parsed.repo == "a/b"
    with pytest.raises(UsageError):
        build_parser(["grade"]).parse_args(["doctor", "--offline"])


def test_a_flag_is_asked_for_without_its_dashes() -> None:
    words = ["show", "--max-size"]
    with pytest.raises(UsageError) as told:
        build_parser(words).parse_args(words)
    assert "without its dashes" in told.value.tip


def test_an_unknown_option_points_to_the_help_of_its_command() -> None:
    with pytest.raises(UsageError) as refused:
        build_parser(["run", "--foo"]).parse_args(["run", "--foo"])
    assert refused.value.tip == "See `daybreak run --help`."


@pytest.mark.parametrize(
    "words", [["range", "acme/engine", "v1", "v2"], ["impact", ".", "--range", "acme/engine", "v1", "v2"]]
)
def test_two_refs_apart_are_answered_with_how_a_range_is_written(words: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        build_parser(words).parse_args(words)
    assert "OWNER/NAME v1.0..v1.1" in refused.value.tip


@pytest.mark.parametrize("words", [["run", "2026-03-06"], ["impact", ".", "2026-03-06"]])
def test_a_day_without_its_option_is_answered_with_it(words: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        build_parser(words).parse_args(words)
    assert refused.value.tip == "A day is named by --date 2026-03-06."


@pytest.mark.parametrize("words", [["--config", "other.toml", "run"], ["--verbose", "run"]])
def test_an_option_before_the_command_is_told_where_it_belongs(words: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        build_parser(words).parse_args(words)
    assert refused.value.tip == "Options stand behind the command: `daybreak run --help` has them."


def test_a_word_near_to_one_of_the_choices_is_asked_for() -> None:
    with pytest.raises(UsageError) as refused:
        build_parser(["completion", "bsh"]).parse_args(["completion", "bsh"])
    assert refused.value.tip == "Did you mean 'bash'?"
