"""A default that nothing reads before a package has a version waits for it, as long as the tree pins an older one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daybreak.findings.reader import USUAL
from daybreak.findings.version_gates import _only_gate
from daybreak.judge.breaking import mark_of
from read.test_wide import findings

CONFIG = "from dataclasses import dataclass\n\n\n@dataclass\nclass ShapesConfig:\n    assume_short: bool = {}\n"
NEWER = (
    "def is_kernels_newer(target: str) -> bool:\n    return Version(str(kernels.__version__)) >= Version({})\n".format
)
ASKED = 'is_kernels_newer("2.10")'
READ = "def run(config, patches):\n    if {}:\n        patches['short'] = config.assume_short\n    return patches\n"


def tree(default: str, asked: str, *, pinned: str = "== 2.9.1", beside: str = "") -> dict[str, str]:
    return {
        "pyproject.toml": f'[build-system]\nrequires = ["kernels {pinned}"]\n\n[project]\nname = "engine"\n',
        "engine/config/shapes.py": CONFIG.format(default),
        "engine/versions.py": NEWER("target"),
        "engine/run.py": READ.format(asked) + beside,
    }


def told(folder: Path, asked: str, *, pinned: str = "== 2.9.1", beside: str = "") -> tuple[str | None, str | None]:
    before, after = (tree(one, asked, pinned=pinned, beside=beside) for one in ("True", "False"))
    changed = {path: text for path, text in after.items() if text != before[path]}
    (found,) = (one for one in findings(folder, before, changed, USUAL) if one.kind == "field_default_changed")
    return found.effective, mark_of(found)


@pytest.mark.parametrize("asked", [ASKED, f"config.on and {ASKED}", 'Version(kernels.__version__) >= Version("2.10")'])
def test_a_default_that_only_a_newer_version_reads_waits_for_it_and_breaks_nobody(tmp_path: Path, asked: str) -> None:
    assert told(tmp_path, asked) == ("kernels>=2.10 (pinned: 2.9.1)", None)


@pytest.mark.parametrize(
    ("asked", "pinned", "beside"),
    [
        ("config.on", "== 2.9.1", ""),
        (f"config.on or {ASKED}", "== 2.9.1", ""),
        (ASKED, "== 2.10.0", ""),
        (ASKED, ">= 2.9.1", ""),
        (ASKED, "== 2.9.1", "\n\ndef other(config):\n    return config.assume_short\n"),
        (ASKED, "== 2.9.1", "\n\ndef other(config):\n    return getattr(config, 'assume_short')\n"),
        ('Version(kernels.__version__) < Version("2.10")', "== 2.9.1", ""),
    ],
    ids=["no version", "one of two", "pinned as new", "no pin", "read beside it", "read by its name", "older ones"],
)
def test_a_default_that_something_may_read_today_waits_for_nothing(
    tmp_path: Path, asked: str, pinned: str, beside: str
) -> None:
    assert told(tmp_path, asked, pinned=pinned, beside=beside) == (None, "breaks")


def test_the_first_read_that_stands_elsewhere_ends_the_search() -> None:
    def files() -> Iterator[str]:
        yield 'if Version(torch.__version__) >= Version("2.9"):\n    print(config.limit)\n'
        yield "print(config.limit)\n"
        pytest.fail("a third file was read")

    assert _only_gate(files(), "limit", lambda _: ()) is None


def test_a_read_in_a_decorator_stands_before_the_first_line_of_what_it_decorates() -> None:
    gated = 'if Version(torch.__version__) >= Version("2.9"):\n    print(config.limit)\n'
    gate = _only_gate([gated], "limit", lambda _: ())
    assert gate is not None
    assert (gate.package, gate.least) == ("torch", "2.9")
    assert _only_gate([gated, "@cached(config.limit)\ndef made():\n    return 1\n"], "limit", lambda _: ()) is None
