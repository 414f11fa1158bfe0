"""A model's statements take the place of those that fill a gap; facts of the rules stay."""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import ModelReading, Role, Statement
from daybreak.prose.merge_model_text import made_way, retold
from told_days import change, entry

ONE = change(1, "Rename a flag")
COMMIT = f"commit:{ONE.sha}"
BREAKS = Finding(f"{ONE.sha[:12]}/1", "cli_flag_renamed", "a.py", 1, "--old", "--old", "--new", breaking=True)
DEFAULT = Finding(f"{ONE.sha[:12]}/2", "cli_default_changed", "a.py", 2, "--size", "1", "2")
ROLES: tuple[Role, ...] = ("what", "action")
ADDED = Finding(f"{ONE.sha[:12]}/3", "python_added", "a.py", 3, "helper", None, "def helper()")


def rule(role: Role, words: str, *evidence: str) -> Statement:
    return Statement(role, {"zh": f"{words}。", "en": f"{words}."}, (COMMIT, *evidence))


def model(role: Role, words: str) -> Statement:
    return Statement(role, {"zh": f"{words}。", "en": f"{words}."}, (COMMIT,), author="model")


def of(finding: Finding) -> str:
    return f"finding:{finding.id}"


PLACE = rule("what", "3 files changed")
RENAMED = rule("what", "renames --old to --new", of(BREAKS))
VALUE = rule("what", "default 1 to 2", of(DEFAULT))
NEW = rule("what", "adds helper", of(ADDED))
WHO = rule("impact", "users of --old are affected", of(BREAKS))
UNREAD = rule("risk", "2 files could not be read")
DO = rule("action", "write --new", of(BREAKS))
PULL = Statement("why", {"zh": "PR 说明。", "en": "The pull request says."}, ("pull:acme/engine#7",))


def told(*statements: Statement) -> Entry:
    return entry(ONE, "high", (BREAKS, DEFAULT, ADDED), statements)


def test_nothing_written_changes_nothing() -> None:
    one = told(PLACE, RENAMED, DO)
    assert retold(one, ()) == one.statements
    assert made_way(one, ()) == 0


def test_size_and_place_make_way_and_facts_stay() -> None:
    one = told(PLACE, RENAMED, VALUE, NEW, WHO, UNREAD, DO, PULL)
    found = retold(one, [model("what", "moves the limit"), model("risk", "old scripts fail"), model("why", "clarity")])
    assert PLACE not in found
    assert NEW not in found
    assert {
        RENAMED.text["en"],
        VALUE.text["en"],
        WHO.text["en"],
        UNREAD.text["en"],
        DO.text["en"],
        PULL.text["en"],
    } <= {s.text["en"] for s in found}
    assert made_way(one, [model("what", "moves the limit")]) == 2


def test_what_breaks_is_told_before_what_the_model_says() -> None:
    found = retold(told(RENAMED, DO), [model("what", "moves the limit"), model("action", "look at it")])
    assert [s.text["en"] for s in found] == [
        "renames --old to --new.",
        "moves the limit.",
        "look at it.",
        "write --new.",
    ]


def test_the_models_sentences_keep_their_order() -> None:
    told_so = [model("why", "it leaked"), model("what", "it is freed now"), model("impact", "long runs end")]
    found = retold(told(PLACE), told_so)
    assert list(found) == told_so


def test_roles_that_the_model_leaves_out_stay_with_the_rules() -> None:
    found = retold(told(PLACE), [model("why", "clarity")])
    assert PLACE in found


def test_a_sentence_is_told_once() -> None:
    found = retold(told(PLACE), [model("what", "Moves it"), model("what", "moves  it")])
    assert len(found) == 1


def test_a_fact_that_the_model_tells_with_all_its_names_is_told_once() -> None:
    value = rule("what", "default of `--size`: `1` → `2` (`a.py`)", of(DEFAULT))
    who = rule("impact", "users of `--old` are affected", of(BREAKS))
    again = [
        replace(model("what", "`--size` goes from `1` to `2`"), evidence=(of(DEFAULT),)),
        replace(model("impact", "commands with `--old` fail"), evidence=(of(BREAKS),)),
    ]
    assert retold(told(value, who), again) == tuple(again)
    assert made_way(told(value, who), again) == 2


def test_a_fact_stays_where_the_model_leaves_out_its_name_or_the_value_that_is_so_now() -> None:
    value = rule("what", "default of `--size`: `1` → `2` (`a.py`)", of(DEFAULT))
    who = rule("impact", "users of `--old` are affected", of(BREAKS))
    nameless = [model("what", "more fits in"), model("impact", "one flag less")]
    assert [one in retold(told(value, who), nameless) for one in (value, who)] == [True, True]
    assert value in retold(told(value), [model("what", "`--size` is another")])
    assert value not in retold(told(value), [model("what", "`--size` is `2` now")])


def test_what_breaks_and_what_to_do_stays_whatever_the_model_says() -> None:
    renamed = rule("what", "renames `--old` to `--new`", of(BREAKS))
    do = rule("action", "write `--new`", of(BREAKS))
    again = [replace(model(role, "`--old` is `--new`"), evidence=(of(BREAKS),)) for role in ROLES]
    found = retold(told(renamed, do), again)
    assert found[0] == renamed
    assert do in found


def test_beside_what_tells_the_whole_stands_only_what_it_does_not_name() -> None:
    led = ModelReading("contract", "flag", led=True)
    one = replace(told(PLACE, RENAMED, VALUE, NEW, WHO, UNREAD, DO, PULL), by_model=led)
    whole, do = model("impact", "`--old` is gone, and `--size` is other"), model("action", "pass `--new`")
    assert retold(one, [whole]) == (whole, VALUE, UNREAD, DO, PULL)
    assert retold(one, [whole, do]) == (whole, do, VALUE, UNREAD, PULL)
    assert retold(one, [model("impact", "starts faster")])[0] == RENAMED
    assert VALUE not in retold(one, [model("impact", "`--old` is gone, and `--size` is 2")])
