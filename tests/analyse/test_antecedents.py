"""A sentence of a model is shown only where what it points to is shown before it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daybreak.core.model.report import Entry
from daybreak.core.model.statements import ModelReading, Role, Statement
from daybreak.judge.antecedents import leans
from daybreak.judge.model_reading import said_by_model, told_within
from daybreak.judge.worth_knowing import sentence_of
from told_days import change, entry


def said(role: Role, en: str, zh: str = "现在释放 block。") -> Statement:
    return Statement(role, {"zh": zh, "en": en}, ("commit:1",), author="model")


def told(*statements: Statement, led: bool = True) -> Entry:
    return replace(entry(change(1, "Free blocks"), statements=statements), by_model=ModelReading(led=led))


TROUBLE = said("why", "Blocks of aborted requests were never freed.")
NOW = said("what", "`abort` frees the blocks.")
WHO = said("impact", "It concerns who aborts requests.")
DO = said("action", "Set `--keep-blocks` to keep them.")


@pytest.mark.parametrize(
    "en",
    [
        "It now picks the signature.",
        "Now, if the two differ, `register` is called.",
        "Such cases are now counted.",
        "In the latter case overlap is off.",
        "The option accepts `priority` again.",
        "With it on, the answer is not cached.",
        "Those buffers are used no more.",
        "This concerns hybrid models.",
        "Servers that leave `--io` unset get `direct` as well.",
        "Requests without an id are dropped, too.",
    ],
)
def test_a_sentence_that_begins_with_what_another_named_points_back(en: str) -> None:
    assert leans({"en": en, "zh": "现在释放 block。"})


@pytest.mark.parametrize("zh", ["现在该选项重新接受 `priority`。", "这类调用得到全零输出。", "后者会关掉 overlap。", "其默认值改了。", "两者不等时启动失败。"])  # fmt: skip
def test_and_so_in_chinese(zh: str) -> None:
    assert leans({"en": "Blocks are freed.", "zh": zh})


@pytest.mark.parametrize(
    ("en", "zh"),
    [
        ("The default of `seed` is `None`.", "`seed` 的默认值是 `None`。"),
        ("The option `--seed` is gone.", "此外，选项 `--seed` 已删除。"),
        ("Takes `seed` as well as `--seed`.", "`seed` 与 `--seed` 都可以用。"),
        ("Those who set `seed` get another result.", "其他平台仍抛错。"),
        ("If `seed` is set, it is passed on.", "设了 `seed` 时它会被传下去。"),
        ("This change frees blocks.", "这次改动释放 block。"),
        ("On the branch, `seed` was dropped.", "在分支上，此前 `seed` 丢失。"),
    ],
)
def test_a_sentence_that_names_its_own_thing_stands_alone(en: str, zh: str) -> None:
    assert not leans({"en": en, "zh": zh})


def test_of_a_role_the_sentence_is_told_that_stands_alone_or_else_behind_the_one_it_points_to() -> None:
    found = said_by_model(told(TROUBLE, NOW, WHO), "why", "impact")
    assert found is not None
    assert found["en"] == " ".join(one.text["en"] for one in (TROUBLE, NOW, WHO))
    alone = said("impact", "Deployments that abort requests meet it.")
    found = said_by_model(told(TROUBLE, NOW, WHO, alone), "impact")
    assert found is not None
    assert found["en"] == alone.text["en"]


def test_the_first_sentence_tells_the_whole_and_more_follows_as_long_as_there_is_room() -> None:
    whole = told(TROUBLE, NOW, WHO, DO)
    for words, shown in ((0, [TROUBLE]), (14, [TROUBLE, DO]), (40, [TROUBLE, DO, NOW])):
        found = told_within(whole, words, (("action",), ("what",)))
        assert found is not None
        assert found["en"] == " ".join(one.text["en"] for one in shown)


def test_roles_that_are_wanted_alike_are_told_in_the_order_of_the_model() -> None:
    risk = said("risk", "Requests without an id are dropped.")
    whole = told(TROUBLE, risk, NOW, DO)
    found = told_within(whole, 40, (("action",), ("what", "risk")))
    assert found is not None
    assert found["en"] == " ".join(one.text["en"] for one in (TROUBLE, DO, risk, NOW))


def test_what_only_points_back_is_told_by_rules() -> None:
    assert sentence_of(told(WHO)) is None
    assert said_by_model(told(WHO), "impact") is None


def test_a_row_has_what_tells_the_whole_and_not_another_role() -> None:
    found = sentence_of(told(TROUBLE, NOW))
    assert found is not None
    assert found.text["en"] == TROUBLE.text["en"]
    found = sentence_of(told(TROUBLE, NOW, led=False))
    assert found is not None
    assert found.text["en"] == NOW.text["en"]
