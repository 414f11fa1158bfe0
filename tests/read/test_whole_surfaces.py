"""A file that is too long to be read whole is not understood: half of it would make the rest look removed."""

from __future__ import annotations

import pytest

from daybreak.findings.compare import SURFACES, read_surface
from daybreak.findings.languages import cpp_scan, dependencies, operators

KEYS = {language.name: language.key for language in SURFACES}
HEADER = "".join(f"int size_{n}(int pages);\n" for n in range(5))
PINS = "".join(f"package-{n}==1.{n}\n" for n in range(5))
OPEN = "".join(f'register_custom_op("op_{n}", (\n' for n in range(5))


@pytest.mark.parametrize(
    ("language", "path", "text", "module", "limit"),
    [
        ("cpp", "include/a.h", HEADER, cpp_scan, "MAX_DECLARATIONS"),
        ("dependencies", "requirements.txt", PINS, dependencies, "MOST"),
        ("operators", "a/ops.py", OPEN, operators, "MOST_FAILED"),
    ],
)
def test_beyond_its_limit_a_file_is_named_not_cut(
    monkeypatch: pytest.MonkeyPatch, language: str, path: str, text: str, module: object, limit: str
) -> None:
    monkeypatch.setattr(module, limit, 5)
    assert not read_surface(KEYS[language], path, text).broken
    monkeypatch.setattr(module, limit, 4)
    assert read_surface(KEYS[language], path, text).broken
