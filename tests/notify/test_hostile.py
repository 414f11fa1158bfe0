"""Whatever a stranger writes arrives as text: no mention, no link, no markup, no emoji, and no broken message."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.core.config.sections import TargetConfig
from daybreak.core.text import contrast, shortened
from daybreak.core.words import say
from daybreak.core.words.grammar import alike
from daybreak.deliver.notify.by_apprise import FORMS
from daybreak.deliver.notify.delivery import Notifier, Writer, told
from daybreak.deliver.notify.markups import Mail, Markup
from daybreak.deliver.notify.message import LONGEST, Message, entry, fitted, plain, spans
from daybreak.deliver.notify.senders import card, dingtalk, wecom_text
from daybreak.deliver.notify.targets import Target, news, targets_of
from daybreak.store import Store
from hostile_texts import EVERY
from notify import days
from notify.scene import keep, settings_for
from notify.services import KINDS, tags

HOSTILE = [
    "@all", "@everyone and @here", "<@U024BE7LH>", "<!channel>", "<!here|here>", "<!subteam^S1>", "<#C024BE7LR>",
    "<at id=all></at>", '<at user_id="all">all</at>', "<at email=a@b.c></at>", "<@all>", "<@&123456>", "@room",
    "[click](https://evil.example/x)", "![img](https://evil.example/x.png)", "[a][b]\n\n[b]: https://evil.example",
    "<https://evil.example|click>", "https://evil.example/x", "www.evil.example", "ftp://evil.example", "//evil.example",
    "<a href='https://evil.example'>x</a>", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "</code></b><b>", "<font color='warning'>x</font>", "**bold** __bold__ *it* _it_ ~~gone~~ ||spoiler||",
    "`code` ``two`` ```three```", "unbalanced ` backtick", "# heading", "> quote", "- item", "1. item", "---",
    ":smile: :+1: :skull_and_crossbones:", "&lt;b&gt; &amp; &#64;all", "\\*escaped\\*", "a\u202eb\u2066c\u200b\ufeffd",
    "line\nbreak\r\nand\u2028more", "\x1b[31mred\x1b[0m\x07", "\x00\ud800", "$$x^2$$", "{{var}} ${ENV} %s {0}",
    "tg://user?id=1", "javascript:alert(1)", "mailto:a@b.c", "mxc://evil/x", "x" * 3000, "词" * 3000, "😀" * 1500,
    "]()[", "<", ">", "*", "_", "|", "`", "](", ")", "((((((((", "a|b|c", "@\u2060all", "", " ",
]  # fmt: skip
"""Each is put into every place where upstream text can stand."""
FORMED = ("feishu", "title", "wecom", "dingtalk", "slack", "discord", "telegram", "matrix", "mail", "plain")


def target(*languages: str) -> Target:
    (found,) = targets_of(settings_for(TargetConfig(url="json://127.0.0.1", languages=languages or ("zh",))))
    return found


def message(text: str, *languages: str) -> Message:
    found = news(target(), days.full(text))
    editions = (Writer(language).day("report", found) for language in languages or ("zh", "en"))
    return told(editions, "key", "report", days.LABEL, alarm=True)


def drawn(kind: str, one: Message) -> str:
    """As the target gets it."""
    if kind == "feishu":
        return "\n".join(e.get("content", "") for e in card(one)["elements"])
    if kind == "title":
        return str(card(one)["header"]["title"]["content"])
    if kind == "wecom":
        return wecom_text(one)
    if kind == "dingtalk":
        return str(dingtalk(one)["markdown"]["text"])
    if kind in ("mail", "plain"):
        markup = Mail() if kind == "mail" else Markup()
        return markup.whole(one.edition)
    form = FORMS[kind]
    return fitted(one, form.markup.whole, form.size, form.limit)


ALIVE = {
    "everywhere": r"@(?:all|everyone|here|room|channel|U0|&)|(?<!example\.org)(?<!\w):(?:smile|\+1|skull)|[\x00-\x09\x0b-\x1f\x7f\u202e\u2066\ufeff]",
    "feishu": r"<|&lt;at|(?<!\])\((?!https://example\.org)|!\[|`",
    "title": r"<[@a-zA-Z/!]",
    "wecom": r"<[@a-zA-Z/!]|!\[|\]\((?!https://example\.org)",
    "dingtalk": r"<[@a-zA-Z/!]|!\[|\]\((?!https://example\.org)",
    "slack": r"<(?!https://example\.org)|<!|<@",
    "discord": r"(?<!\\)<(?!https://example\.org)[@#a-z]|\]\((?!<https://example\.org)",
    "plain": r"\x1b",
}
"""What would take effect in a markup; addresses of ours are on example.org."""


def live(kind: str, text: str) -> list[str]:
    outside = re.sub(r"`[^`\n]*`", "", text) if kind in ("wecom", "dingtalk", "discord") else text
    found = re.findall(ALIVE["everywhere"], text)
    found += re.findall(ALIVE.get(kind, r"\x1b"), outside if kind != "slack" else re.sub(r"`[^`\n]*`", "", text))
    if kind in ("telegram", "matrix", "mail"):
        seen = tags(text)
        assert not seen.wrong
        allowed = {"b", "code", "a", "br", "h1", "h2", "p", "ul", "li"}
        found += [tag for tag, _ in seen.seen if tag not in allowed]
        found += [
            a["href"] or ""
            for t, a in seen.seen
            if t == "a" and not (a["href"] or "").startswith("https://example.org/")
        ]
        found += [name for _, a in seen.seen for name in a if name not in ("href", "style")]
    addresses = re.findall(r"(?:https?|ftp|tg|mxc)://(?!example\.org/)\w+", text)
    return found + addresses + re.findall(r"(?i)www\.evil", text)


@pytest.mark.parametrize("kind", FORMED)
def test_nothing_of_a_stranger_takes_effect(kind: str) -> None:
    for text in HOSTILE:
        assert live(kind, drawn(kind, message(text))) == [], text


def test_the_check_itself_sees_what_is_alive() -> None:
    for kind, text in (
        ("slack", "<!channel>"),
        ("feishu", "<at id=all></at>"),
        ("wecom", "<@all>"),
        ("discord", "hi @everyone"),
        ("telegram", "<a href='https://evil.example'>x</a>"),
        ("plain", "https://evil.example"),
        ("dingtalk", "![x](https://evil.example)"),
    ):
        assert live(kind, text), kind


@pytest.mark.parametrize("kind", [*KINDS, "mail"])
def test_hostile_days_are_really_taken_by_every_target(
    kind: str, serve: Callable[[str], Any], tell: Callable[..., Notifier], store: Store
) -> None:
    service = serve(kind)
    some = HOSTILE[
        KINDS.index(kind) if kind in KINDS else 0 :: 9
    ]  # all of them are drawn above; each kind is sent some
    for number, text in enumerate(some):
        day = days.full(text.encode("utf-8", "replace").decode(), f"2026-02-{number + 1:02}")
        tell(TargetConfig(url=service.url, languages=("zh", "en"))).report(keep(store, day))
    assert len(service.taken) == len(some)
    assert getattr(service, "refused", []) == []


@settings(max_examples=10, deadline=None)
@given(st.text(max_size=400))
def test_any_text_at_all_stays_text(text: str) -> None:
    for kind in FORMED:
        made = message(text)
        assert [
            one for one in live(kind, drawn(kind, made)) if one not in text or kind in ("telegram", "matrix", "mail")
        ] == []


@pytest.mark.parametrize("kind", ["telegram", "matrix", "mail"])
def test_what_is_escaped_is_read_as_it_was_written(kind: str) -> None:
    shown = "".join(tags(drawn(kind, message("a <b> & \"c\" 'd'"))).words)
    assert "a <b> & \"c\" 'd'" in shown
    assert "&amp;" not in html.unescape(shown)


# --- cutting -----------------------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300), st.integers(2, 120))
def test_shortened_text_is_short_and_a_beginning(text: str, most: int) -> None:
    short = shortened(text, most)
    assert len(short) <= most
    assert short == "" or short.rstrip("…")[:1] == short[:1] or short == "…"


def test_words_are_never_cut_in_the_middle() -> None:
    text = "alpha beta gamma delta epsilon"
    for most in range(12, len(text)):
        short = shortened(text, most).removesuffix("…")
        assert text.startswith(short)
        assert text[len(short) : len(short) + 1] in ("", " ")


def test_sentences_are_left_out_as_a_whole() -> None:
    said = "".join(span.text for span in spans("第一句话在这里。第二句 `code_here` 也在。" + "第三句很长" * 60 + "。"))
    assert said == "第一句话在这里。第二句 code_here 也在。"
    english = "One is here. Two is too. " + "three " * 80 + "."
    assert "".join(span.text for span in spans(english)).strip() == "One is here. Two is too."
    quoting = "It says: “All of it must be shared by every one of them.” `v0.25.1` has the code; the fix cherry-picks cleanly without its tests."
    assert plain(spans(quoting, 80)).strip() == "It says: “All of it must be shared by every one of them.”"
    assert plain(
        spans("Needs `v0.25.1` with its code, and whoever has none of it waits for the next release", 50)
    ).startswith("Needs v0.25.1 with its")


def test_no_quotation_and_no_bracket_is_left_open() -> None:
    open_ended = (
        "It says: “All of it is shared. It must be known to every one of them before they begin. None may lack it.”"
    )
    for most in range(30, len(open_ended)):
        said = plain(spans(open_ended, most))
        assert said.count("“") == said.count("”"), said
    assert (
        plain(spans("Removes the parameter `a` (`a/very/long/path/of/a/file.py`).", 40)) == "Removes the parameter a …"
    )


def test_both_sides_of_a_change_are_cut_where_they_differ() -> None:
    same = "if is_sm(100) and is_device_capability_family(100) or is_device_capability_family(110) or "
    said = plain(spans(f"Condition: `{same}a_new_family(1)` → `{same}an_old_family(2)`."))
    assert "a_new_family(1) → " in said
    assert "an_old_family(2)" in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_to_do_and_the_release_that_has_the_fault_are_told_however_long_the_rest_is(language: str) -> None:
    quote = "A comment says: “" + "words of a comment, " * 20 + "and its end”."
    said = say("judge.action.affects_applies", text=alike(f"“A title of some length”: {quote}"), tag="v0.19.0")[
        language
    ]
    told = plain(entry(said, language))
    assert told.endswith(said[said.index("`v0.19.0`") :].replace("`", ""))
    assert "A title of some length" in told


_LONG = {
    "quote": "a comment says: “" + "words of a comment, " * 20 + "and its end”.",
    "names": "moves the function `" + "a_package." * 9 + "f` to `" + "another_one." * 8 + "f`, no alias is kept.",
    "file": "removes the function `gone`, no alias is kept (`" + "a_folder/" * 20 + "file.py`).",
    "sentences": "removes it. " + "And so on and on. " * 30,
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("what", _LONG)
def test_an_entry_is_within_one_limit_and_says_what_to_do_and_which_release_has_it(language: str, what: str) -> None:
    said = alike(f"“{'A title of some length ' * 6}”: {_LONG[what]}")
    for how in ("pick it", "look at every place where it is set before you go on, " * 6 + "and then pick it"):
        full = say("judge.action.remedy", text=said, how=alike(how))
        told = plain(entry(say("judge.action.affects_applies", text=full, tag="v0.19.0")[language], language))
        assert len(told) <= LONGEST
        release = say("judge.action.affects_applies", text=alike(""), tag="v0.19.0")[language].replace("`", "").strip()
        assert told.endswith(release), told
        assert say("judge.action.remedy", text=alike(""), how=alike(how))[language].strip()[:10] in told
        assert "A title of some length" in told
    assert len(plain(spans(said[language]))) <= LONGEST


def test_a_title_gives_way_to_what_is_known_and_a_file_to_both() -> None:
    title = "A title that goes on and on, " * 5 + "to its end"
    said = f"“{title}”: moves `{'x' * 80}` to `{'y' * 80}`, no alias is kept. What to do: follow it."
    told = plain(entry(said, "en"))
    assert told.startswith("“A title that goes on and on,")
    assert told.endswith(f"moves {'x' * 80} to {'y' * 80}, no alias is kept. What to do: follow it.")
    short = f"“{title}”: removes `a`, no alias is kept (`{'folder/' * 20}a.py`). What to do: drop it."
    assert plain(entry(short, "en")) == f"“{title}”: removes a, no alias is kept. What to do: drop it."


def test_two_long_signatures_show_where_they_differ() -> None:
    same = "run(Tensor hidden_states, Tensor weights_of_the_first, Tensor weights_of_the_second, "
    before, after = contrast(same + "bool a)", same + "float scale, bool a)", 90)
    assert before.endswith("weights_of_the_second, bool a)")
    assert after.endswith("weights_of_the_second, float scale, bool a)")
    assert contrast("1", "2", 90) == ("1", "2")


# --- the shared corpus -------------------------------------------------------------------------------------------------


def test_each_text_of_the_corpus_stays_text_in_some_target() -> None:
    for number, text in enumerate(EVERY):
        kind = FORMED[number % len(FORMED)]
        assert live(kind, drawn(kind, message(text, ("zh", "en")[number % 2]))) == [], (kind, text[:80])


@pytest.mark.soak
@pytest.mark.parametrize("kind", FORMED)
def test_every_text_of_the_corpus_stays_text_in_every_target(kind: str) -> None:
    for text in EVERY:
        assert live(kind, drawn(kind, message(text))) == [], (kind, text[:80])
