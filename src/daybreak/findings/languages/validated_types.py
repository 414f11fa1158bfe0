"""Types under a name of their own, and the checks that stand beside them: `Budget = Annotated[int, BeforeValidator(check)]`.

Such a name keeps the type that it is made of. What changes is which values of the type are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import MAX_SPAN, Fact, Whole, bracketed
from daybreak.findings.languages.blocks import shown
from daybreak.findings.languages.guard_reading import guards
from daybreak.findings.languages.guard_words import whole_text
from daybreak.findings.languages.python_functions import Function, Sign, sources
from daybreak.findings.memory import remembered

_NAME = re.compile(r"[A-Z_a-z]\w*")
_ANNOTATED = re.compile(r"(?:\w+\.)?Annotated\[")
_VALIDATOR = re.compile(r"(?:\w+\.)?(?:Before|After|Plain|Wrap)Validator\(\s*(?:func\s*=\s*)?([A-Za-z_][\w.]*)\s*\)")
_BOUNDED = re.compile(r"\b(?:gt|ge|lt|le|multiple_of|min_length|max_length|pattern)\s*=")
_MOST = 3
"""Checks of one field that are told."""


def written_type(text: str, whole: Whole, sign: Sign) -> str:
    """The type that a name stands for, where a changed file says so; the text itself otherwise."""
    bare = text.strip()
    return _stands_for(whole, sign, bare) or text if _NAME.fullmatch(bare) else text


@remembered(64)
def _stands_for(whole: Whole, sign: Sign, name: str) -> str | None:
    given = re.compile(rf"^{name}(?:\s*:\s*(?:\w+\.)?TypeAlias)?\s*=\s*", re.MULTILINE)
    for file in whole.files:
        if name not in file.change.patch or not file.path.endswith((".py", ".pyi")):
            continue
        text = sources(whole).text(file, sign)
        if found := given.search(text):
            parts = _parts(text[found.end() : found.end() + MAX_SPAN])
            if parts:
                return f"Annotated[{', '.join(parts)}]"
    return None


def _parts(text: str) -> tuple[str, ...]:
    """The type and what stands beside it; nothing where a text is no such type."""
    opened = _ANNOTATED.match(text)
    span = bracketed(text[opened.end() :]) if opened else None
    return span.parts if span is not None and span.whole else ()


def new_checks(
    path: str, line: int, symbol: str, before: str, after: str, whole: Whole, breaks: bool
) -> Iterator[Fact]:
    """Checks that stand beside a type from now on, told of the field that they are asked of."""
    old, new = (_parts(text.strip())[1:] for text in (before, after))
    checks = (check for check in new if check not in old)
    texts = (text for check in checks for text in _refusals(check, symbol.rpartition(".")[2], whole))
    yield from (Fact("guard_added", path, line, symbol, None, shown(text), breaks) for text in islice(texts, _MOST))


def _refusals(check: str, field: str, whole: Whole) -> list[str]:
    """What a validator turns away, in words of the field; bounds as they are written."""
    if _BOUNDED.search(check):
        return [check]
    called = _VALIDATOR.fullmatch(check)
    one = _function(called[1], whole) if called else None
    if one is None or not one.parameters:
        return []
    given = re.compile(rf"\b{re.escape(next(iter(one.parameters)))}\b")
    texts = [given.sub(field, whole_text(guard)) for guard in guards(one)]
    return sorted(texts, key=lambda text: "isinstance(" in text)  # of another type it hardly was before


def _function(name: str, whole: Whole) -> Function | None:
    short = name.rpartition(".")[2]
    known = (
        sources(whole).functions(f, "+") for f in whole.files if f.path.endswith(".py") and short in f.change.patch
    )
    return next((some[key] for some in known for key in (name, short) if key in some), None)
