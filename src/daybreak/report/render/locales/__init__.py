"""One table of phrases per report language; adding a language is one TOML file and one line in `LOCALES`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from daybreak.core.errors import UsageError

LOCALES: Mapping[str, str] = {"zh": "zh.toml", "en": "en.toml"}
"""Report language -> its file beside this one; read when first asked for."""


class Phrases:
    """The phrases of one language. `t("head.repos", n=8)`; a key with `_one` beside it is used when n is 1."""

    def __init__(self, language: str, table: Mapping[str, str]) -> None:
        self.language = language
        self.table = table

    def __call__(self, key: str, /, **values: object) -> str:
        if values.get("n") == 1 and f"{key}_one" in self.table:
            key = f"{key}_one"
        phrase = self.table[key]
        return phrase.format(**values) if values else phrase

    def get(self, key: str, otherwise: str) -> str:
        """For codes that may be newer than this table."""
        return self.table.get(key, otherwise)


@cache
def phrases(language: str) -> Phrases:
    """The table of a language, flattened to dotted keys."""
    if language not in LOCALES:
        raise UsageError(f"{language!r} is not a report language.", f"Use one of: {', '.join(LOCALES)}.")
    source = resources.files(__package__).joinpath(LOCALES[language]).read_text(encoding="utf-8")
    return Phrases(
        language,
        {f"{group}.{key}": value for group, table in tomllib.loads(source).items() for key, value in table.items()},
    )
