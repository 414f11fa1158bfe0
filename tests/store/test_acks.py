"""Acknowledgements: what an entry accepts, how long it holds, and a file that stays people's own."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daybreak.core.errors import ConfigError, UsageError
from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Hit, Net, Use
from daybreak.store.acks import Ack, accepted, add_ack, entry_text, expiry, load_acks, matches, remove_ack

TODAY = date(2026, 1, 20)
ID = "DB-3f9a2c11"
FINDING = Finding("a/1", "cli_flag_removed", "vllm/engine/arg_utils.py", 3, "--enable-lora-bias", "--enable-lora-bias")
HIT = Hit(
    "certain",
    Use("cli_flag", "--enable-lora-bias", "deploy/run.sh", 4),
    "acme/engine",
    Net(FINDING, ("a" * 40,)),
    {},
    {},
)


@pytest.mark.parametrize(
    ("ack", "accepts"),
    [
        (Ack(ID, "r"), True),
        (Ack("DB-00000000", "r"), False),
        (Ack("cli_flag_removed:--enable-lora-bias", "r"), True),
        (Ack("cli_flag_removed --enable-lora-bias", "r"), True),
        (Ack("cli_flag_removed:--enable-*", "r"), True),
        (Ack("cli_flag_removed:--disable-*", "r"), False),
        (Ack("env_removed:--enable-lora-bias", "r"), False),
        (Ack("cli_flag_removed:--enable-lora-bia?", "r"), False),
        (Ack(ID, "r", repo="acme/engine"), True),
        (Ack(ID, "r", repo="ACME/Engine"), True),
        (Ack(ID, "r", repo="acme/other"), False),
        (Ack(ID, "r", path="deploy/**"), True),
        (Ack(ID, "r", path="svc/**"), False),
        (Ack(ID, "r", path="*.sh"), True),
    ],
)
def test_what_an_entry_accepts(ack: Ack, accepts: bool) -> None:
    assert ack.accepts(ID, HIT, [HIT.use.path]) is accepts


@pytest.mark.parametrize(
    ("glob", "path", "meets"),
    [
        ("deploy/**", "deploy/a/b.sh", True),
        ("deploy", "deploy/a/b.sh", True),
        ("deploy/", "deploy/a/b.sh", True),
        ("./deploy/*.sh", "deploy/b.sh", True),
        ("deploy/*.sh", "deploy/a/b.sh", False),
        ("deploy/**/*.sh", "deploy/b.sh", True),
        ("*.sh", "a/b/c.sh", True),
        ("*.sh", "a/b/c.sh.txt", False),
        ("a/?.py", "a/b.py", True),
        ("a/?.py", "a/bb.py", False),
        ("dep", "deploy/b.sh", False),
        ("a[b].py", "a[b].py", True),
        ("a[b].py", "ab.py", False),
    ],
)
def test_globs(glob: str, path: str, meets: bool) -> None:
    assert matches(glob, path) is meets


def test_expired_ones_count_again_and_are_named_and_unused_ones_too() -> None:
    over = Ack(ID, "until the move", expires=TODAY)
    other = Ack("env_removed:X", "old")
    found = accepted([over, other], [(ID, HIT, ["deploy/run.sh"])], TODAY)
    assert (found.reasons, found.expired, found.unused) == ((None,), (over,), (other,))
    still = replace(over, expires=date(2026, 1, 21))
    found = accepted([over, still], [(ID, HIT, ["deploy/run.sh"])], TODAY)
    assert (found.reasons, found.expired, found.unused) == (("until the move",), (), ())


def test_adding_keeps_what_people_wrote(tmp_path: Path) -> None:
    file = tmp_path / "acks.toml"
    own = '# ours\n[[ack]]\nfinding   = "DB-00000000" # why\nreason = """two\nlines"""'
    file.write_text(own, "utf-8")
    add_ack(file, Ack(ID, 'a "quoted" \\ reason', "acme/engine", "deploy/**", date(2026, 3, 1)))
    text = file.read_text("utf-8")
    assert text.startswith(own + "\n")
    assert [ack.reason for ack in load_acks(file)] == ["two\nlines", 'a "quoted" \\ reason']
    assert tomllib.loads(text)["ack"][1]["expires"] == date(2026, 3, 1)
    with pytest.raises(UsageError, match="already"):
        add_ack(file, load_acks(file)[1])


def test_the_first_entry_makes_the_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "acks.toml"
    assert load_acks(file) == ()
    add_ack(file, Ack(ID, "fine"))
    assert file.read_text("utf-8").startswith("# Acknowledged")
    assert load_acks(file) == (Ack(ID, "fine"),)
    assert [p.name for p in file.parent.iterdir()] == ["acks.toml"]


def test_removing_takes_the_entry_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "acks.toml"
    file.write_text("# top\n", "utf-8")
    for name in (ID, "DB-11111111", "DB-22222222"):
        add_ack(file, Ack(name, "r"))
    assert remove_ack(file, "DB-11111111") == 1
    assert remove_ack(file, "DB-11111111") == 0
    assert [ack.finding for ack in load_acks(file)] == [ID, "DB-22222222"]
    assert file.read_text("utf-8").startswith("# top\n")


def test_a_file_that_cannot_be_edited_safely_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "acks.toml"
    text = f'ack = [{{finding = "{ID}", reason = "r"}}]\n'
    file.write_text(text, "utf-8")
    assert load_acks(file) == (Ack(ID, "r"),)
    for edit in (lambda: remove_ack(file, ID), lambda: add_ack(file, Ack("DB-22222222", "r"))):
        with pytest.raises((UsageError, ConfigError)):
            edit()
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[ack]\n", "not valid TOML"),
        ("[[ack]]\nreason = 'a'\nreason = 'b'\n", "not valid TOML: Cannot overwrite a value"),
        ("x = 1\n", "no [[ack]]"),
        ('[[ack]]\nfinding = "DB-3f9a2c11"\n', "no reason"),
        ('[[ack]]\nreason = "r"\n', "names no finding"),
        ('[[ack]]\nfinding = "what"\nreason = "r"\n', "names no finding"),
        ('[[ack]]\nfinding = "DB-3f9a2c11"\nreason = 3\n', "is not text"),
        ('[[ack]]\nfinding = "DB-3f9a2c11"\nreason = "r"\nwho = "me"\n', "unknown key 'who'"),
        ('[[ack]]\nfinding = "DB-3f9a2c11"\nreason = "r"\nexpires = "soon"\n', "not a day"),
        (f'[[ack]]\nfinding = "DB-3f9a2c11"\nreason = "r"\npath = "{"*a" * 20}"\n', "too long a pattern"),
    ],
)
def test_mistakes_are_told_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "acks.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as error:
        load_acks(file)
    assert words in error.value.message
    assert error.value.tip


@pytest.mark.parametrize(("text", "day"), [("30d", date(2026, 2, 19)), ("2026-03-01", date(2026, 3, 1))])
def test_expiry(text: str, day: date) -> None:
    assert expiry(text, TODAY) == day


@pytest.mark.parametrize("text", ["0d", "2026-01-20", "soon", "30", "2026-13-01"])
def test_no_expiry(text: str) -> None:
    with pytest.raises(UsageError):
        expiry(text, TODAY)


@given(st.text(min_size=1).filter(str.strip), st.text(), st.dates(date(1970, 1, 1)))
def test_any_words_survive_the_file(reason: str, path: str, day: date) -> None:
    text = entry_text(Ack(ID, reason, path=path, expires=day))
    row = tomllib.loads(text)["ack"][0]
    assert (row["reason"], row.get("path", ""), row["expires"]) == (reason, path, day)
