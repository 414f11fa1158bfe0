"""Importance by effect: what breaks is high, what no user sees is low, whatever the title says."""

from typing import Any

import pytest

from daybreak.analyse.importance import importance, weights
from daybreak.analyse.kinds import kind_of
from daybreak.model import Importance
from daybreak.read.reader import read_one
from read.made import change_of, patch_of

FLAG = patch_of('    p.add_argument("--kv", default=1)\n', "")


def grade(files: dict[str, str], subject: str, **fields: Any) -> Importance:
    change = change_of(files, subject=subject, **fields)
    reading = read_one(change)
    return importance(change, reading, kind_of(change, reading))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("docs/a.md", "only_docs"),
        ("tests/test_a.py", "only_test"),
        (".github/workflows/a.yml", "only_ci"),
    ],
)
def test_what_no_user_sees_is_low(path: str, reason: str) -> None:
    found = grade({path: patch_of("a\n", "b\n")}, "[Security] Fix crash, wrong results and hang: BREAKING CHANGE")
    assert (found.level, found.reasons[0].code) == ("low", reason)


def test_a_removed_flag_is_high_and_says_why() -> None:
    found = grade({"python/engine/server_args.py": FLAG}, "Clean up arguments")
    assert found.level == "high"
    assert found.reasons[0].text == {"zh": "可能破坏现有用法：`--kv`", "en": "may break existing use: `--kv`"}


def test_words_and_place_raise() -> None:
    plain = grade({"engine/util.py": patch_of("a\n", "b\n")}, "Tidy")
    told = grade({"engine/scheduler/core.py": patch_of("a\n", "b\n")}, "Fix deadlock and corrupted output in scheduler")
    assert plain.level == "low"
    assert told.score > plain.score
    assert told.level in ("medium", "high")


def test_a_version_bump_is_low() -> None:
    assert grade({"pyproject.toml": patch_of('version = "1.0"\n', 'version = "1.1"\n')}, "Release 1.1").level == "low"


def test_an_empty_commit_is_low() -> None:
    assert grade({}, "Fix security hole", empty=True).level == "low"


def test_what_could_not_be_read_is_open() -> None:
    found = grade({}, "x", skipped="missing object")
    assert (found.level, found.reasons[0].code) == ("medium", "unread")


def test_every_weight_with_words_has_both_languages() -> None:
    table = weights()
    assert 0 < table.medium < table.high < 1
    for zh, en in table.text.values():
        assert zh
        assert en
        assert ("{}" in zh) == ("{}" in en)
