"""Histories made of hostile text: a report comes out of each, and nothing in it is alive."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt

from cli.place import DAY, Place

FRAGMENTS = [
    "[RFC](https://example.com/rfc)", "![x](https://evil.example/b.png)", "<script>alert(1)</script>", "`code`", "``",
    "```", "</details>", "<!-- -->", "-->", "@someone", "#1", "GH-7", "a/b#3", "| cell |", "\\", "&amp;", "&#96;", "*b*",
    "_i_", "~~s~~", "# head", "- item", "1. one", "> quote", "http://x.example", "www.x.example", "javascript:x",
    ":bomb:", "\u202eright\u202c", "\u200b", "\x1b[31m", "\x07", "（", "）", "无更新", "No updates", "Fixes #9", "{0}", "%s",
    '"sha": "x"', "patch_truncated", "diff --git a/x b/x", "@@ -1 +1 @@", "\t", "——", "中文 标题", "(#77)", "0123456789abcdef",
]  # fmt: skip
PATHS = [
    "app/[id](modal)/page.py",
    "a b.py",
    "`.py",
    "``.py",
    "x|y.py",
    "<b>.md",
    "ünï.py",
    "tab\t.c",
    "q'\".py",
    "#.py",
    "(1).cu",
]


def hostile_day(place: Place, dice: random.Random) -> None:
    for number in range(6):
        words = [dice.choice(FRAGMENTS) for _ in range(dice.randint(1, 4))]
        body = "\n".join(" ".join(dice.choices(FRAGMENTS, k=3)) for _ in range(3))
        subject = " ".join(words).replace("\n", " ") + dice.choice(["", f" (#{100 + number})"])
        text = "".join(f"def f{n}(x='{dice.choice(FRAGMENTS)}'):\n    pass\n" for n in range(dice.randint(1, 4)))
        place.upstream.commit(
            f"{subject}\n\n{body}\n",
            {dice.choice(PATHS): text, "pkg/server_args.py": f'p.add_argument("--x{number}", default={number})\n'},
            at=f"{DAY}T{12 + number}:00:00",
            author=dice.choice(["Ann Lee", "E <b>vil", "@all", "x|y", "[a](b)"]).replace("<", "").replace(">", ""),
        )


OURS = re.compile(r"</?(?:details|summary|code|b)>|<a id=\"[\w.-]+\">|</a>|<!-- daybreak\.\w+/1 -->")
LEADS = re.compile(r"https://github\.com/acme/engine/(?:commit/[0-9a-f]{40}|pull/\d+)$|[\w./-]*(?:#[\w.%-]+)?$")


VIEWER = MarkdownIt("gfm-like", {"html": True, "linkify": True})
VIEWER.linkify.set({"fuzzy_link": False})  # type: ignore[union-attr]  # GitHub links only addresses with a scheme or www


def alive(text: str) -> Iterator[str]:
    """Markup and addresses of a page that are not the renderer's own, as a Markdown parser sees them."""
    for block in VIEWER.parse(text):
        for token in (block, *(block.children or ())):
            if token.type in ("html_block", "html_inline"):
                yield OURS.sub("", re.sub(r"(?s)<(summary|code)>.*?</\1>", "", token.content)).strip()
            elif token.type == "link_open" and not LEADS.match(str(token.attrs["href"])):
                yield str(token.attrs["href"])
            elif token.type == "image":
                yield token.content


def check(place: Place, seed: int) -> None:
    hostile_day(place, random.Random(seed))
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 0, (seed, answer.stderr)
    for name, data in place.written().items():
        text = data.decode("utf-8")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", text), (seed, name)
        if name.endswith(".md"):
            assert not any(alive(text)), (seed, name, [x for x in alive(text) if x])


@pytest.mark.parametrize("seed", range(4))
def test_a_hostile_day_is_reported(place: Place, seed: int) -> None:
    check(place, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 250))
def test_many_hostile_days_are_reported(place: Place, seed: int) -> None:
    check(place, seed)
