"""A class of settings that refuses what it took is told with its name."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PATH, TOOLS = "engine/config/cache.py", "engine/config/utils.py"
PLAIN = "from dataclasses import dataclass\n\n\n@dataclass\nclass CacheConfig:\n    size: int = 1\n"
CHECKS = PLAIN.replace("from dataclasses", "from pydantic.dataclasses")
FORBIDS = "from pydantic import ConfigDict\n" + CHECKS.replace(
    "@dataclass", '@dataclass(config=ConfigDict(extra="forbid"))'
)
MODEL = "from pydantic import BaseModel, ConfigDict\n\n\nclass CacheConfig(BaseModel):\n    size: int = 1\n"
CLOSED = MODEL.replace("    size", '    model_config = ConfigDict(extra="forbid")\n    size')
OWN = 'def config(cls):\n    """Each field has a default."""\n    return cls\n'
STRICT = (
    "from pydantic import ConfigDict\nfrom pydantic.dataclasses import dataclass\n\n\n"
    'def config(cls):\n    merged = ConfigDict(extra="forbid")\n    return dataclass(cls, config=merged)\n'
)


def told(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str]]:
    return [
        (f.kind, f.symbol)
        for f in read(before, after)
        if f.kind in ("unknown_refused", "values_validated") and f.breaking
    ]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (PLAIN, CHECKS, "values_validated"),
        (PLAIN, FORBIDS, "values_validated"),
        (CHECKS, FORBIDS, "unknown_refused"),
        (MODEL, CLOSED, "unknown_refused"),
    ],
)
def test_a_class_that_becomes_stricter_breaks_who_fills_it(before: str, after: str, kind: str) -> None:
    assert told({PATH: before}, {PATH: after}) == [(kind, "CacheConfig")]
    assert told({PATH: after}, {PATH: before}) == [], "what is refused no more breaks nobody"


def test_a_decorator_of_the_project_that_forbids_from_now_on_is_read_with_the_classes_that_take_it() -> None:
    used = "from engine.config.utils import config\n"
    old = used + CHECKS.replace("@dataclass", "@config\n@dataclass")
    new = used + CHECKS.partition("\n\n\n")[2].replace("@dataclass", "@config")
    assert told({PATH: old, TOOLS: OWN}, {PATH: new, TOOLS: STRICT}) == [("unknown_refused", "CacheConfig")]
    closed = used + FORBIDS.replace("@dataclass", "@config\n@dataclass")
    assert told({PATH: closed, TOOLS: OWN}, {PATH: new, TOOLS: STRICT}) == [], "it forbade them before"


@pytest.mark.parametrize(
    ("why", "before", "after"),
    [
        ("a private class", PLAIN.replace("Cache", "_Cache"), CHECKS.replace("Cache", "_Cache")),
        (
            "a class that the program fills itself",
            PLAIN.replace("CacheConfig", "Range"),
            CHECKS.replace("CacheConfig", "Range"),
        ),
        ("a new class", "", FORBIDS),
        ("it allows what it does not know", CHECKS, FORBIDS.replace("forbid", "allow")),
    ],
)
def test_nothing_is_said_where_nobody_is_refused(why: str, before: str, after: str) -> None:
    assert told({PATH: before}, {PATH: after}) == [], why
