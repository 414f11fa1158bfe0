"""Where an entry turns from what changed to what to do: the same place in every language."""

from __future__ import annotations

import pytest

from daybreak.core.words import say
from daybreak.core.words.brief import advised
from daybreak.core.words.grammar import alike
from daybreak.core.words.phrases import languages, table

FRAMES = [
    key
    for key, said in table("en", "judge").items()
    if key.startswith("action.")
    and said.startswith("{text}")
    and key.partition(".")[2] not in ("affected", "where", "where_file", "where_all")
]
VALUES = {
    "package": alike("`x-kernel`"),
    **{
        name: alike(f"`v1.{at}`")
        for at, name in enumerate(("tag", "released", "candidate", "pin", "pins", "names", "cause", "paths", "repair"))
    },
    **{name: alike("`--x`") for name in ("how", "what", "name", "path", "option")},
}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("key", FRAMES)
@pytest.mark.parametrize(
    "end", ["Removes `--y`.", "A comment says: “It hangs.”", "删除 `--y`。", "注释写道：「会卡死」"]
)
def test_every_frame_that_advises_is_told_apart(key: str, language: str, end: str) -> None:
    whole = say(f"judge.{key}", text=alike(end), **VALUES)[language]
    what, advice = advised(whole, language)
    assert what == end
    assert advice
    assert what + advice == whole


@pytest.mark.parametrize("language", languages())
def test_who_is_affected_and_what_else_goes_belong_to_what_changed(language: str) -> None:
    text = say("judge.action.affected", text=alike("Removes `--y`."), who=alike("launch commands"))
    text = say("judge.action.remedy", text=text, how=alike("use `--z`"))
    what, advice = advised(text[language], language)
    assert "launch commands" in what
    assert "`--z`" in advice
    assert advised("It says what to do.", language) == ("It says what to do.", "")
