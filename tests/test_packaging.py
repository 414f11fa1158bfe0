"""What the package says of itself is in what is installed."""

from __future__ import annotations

import subprocess
import tomllib
from importlib import resources
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_a_package_that_says_it_is_typed_has_the_mark_of_it() -> None:
    assert "Typing :: Typed" in PROJECT["project"]["classifiers"]
    assert resources.files("daybreak").joinpath("py.typed").is_file()


def test_the_wheel_takes_the_mark_and_the_tables_along() -> None:
    """The builder takes every file below the package that git does not ignore."""
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel == {"packages": ["src/daybreak"]}
    beside = [path for path in (ROOT / "src" / "daybreak").rglob("*") if path.suffix in (".typed", ".toml", ".json")]
    assert any(path.name == "py.typed" for path in beside)
    ignored = subprocess.run(
        ["git", "check-ignore", "--no-index", *map(str, beside)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ignored.stdout == ""
