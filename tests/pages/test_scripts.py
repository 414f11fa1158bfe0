"""Scripts of the pages: what one says of a name, it says once. A second function of a name replaces the first in silence."""

from __future__ import annotations

import re
from importlib import resources

import pytest

FOLDER = resources.files("daybreak.site.pages").joinpath("static")
SCRIPTS = sorted(one.name for one in FOLDER.iterdir() if one.name.endswith(".js"))
_DECLARED = re.compile(r"^( *)(?:async )?(?:function\*? (\w+)|(?:const|let|var) (.+))")
_BOUND = re.compile(r"(?:^|, )(\w+) = ")


def declared_twice(script: str) -> list[str]:
    """Names that one block declares a second time: a block is what stands at its indentation until a line stands less far in."""
    found, blocks = [], dict[int, set[str]]()
    for line in filter(str.strip, script.splitlines()):
        depth = len(line) - len(line.lstrip())
        blocks = {at: names for at, names in blocks.items() if at <= depth}
        if told := _DECLARED.match(line):
            names = [told[2]] if told[2] else _BOUND.findall(told[3])
            known = blocks.setdefault(depth, set())
            found += [name for name in names if name in known]
            known.update(names)
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_name_is_declared_twice_in_a_block(name: str) -> None:
    assert not declared_twice(FOLDER.joinpath(name).read_text(encoding="utf-8"))


def test_a_second_declaration_is_seen_and_one_of_another_block_is_none() -> None:
    inner = "  function ours() {\n    const words = 1;\n  }\n  function theirs() {\n    const words = 2;\n  }\n"
    assert not declared_twice(f"(() => {{\n{inner}}})();\n")
    for second in ("  function ours() {}\n", "  const ours = () => 1;\n", "  const some = 1, ours = 2;\n"):
        assert declared_twice(f"(() => {{\n{inner}{second}}})();\n") == ["ours"]
