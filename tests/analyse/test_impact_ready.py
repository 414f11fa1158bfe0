"""Code of yours that is ready for what upstream changes: it asks for the release in another file, or has another way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from analyse.impacted import REPO, WANTED
from daybreak.upgrade.downstream.readers import kind_of
from daybreak.upgrade.downstream.walk import read_uses
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

BEFORE = "class Engine:\n    def drop(self): ...\n"
AFTER = "class Engine:\n    def stop(self): ...\n"
COMPAT = (
    "import vllm\nfrom packaging.version import Version\n"
    "OLD = Version(vllm.__version__) < Version('0.12.0')\n"
    "def is_old():\n    return Version(vllm.__version__) < Version('0.12.0')\n"
)
HEAD = "from vllm.core import Engine\n"
CASES: Mapping[str, tuple[dict[str, str], str]] = {
    "a release that another file asks for": (
        {"app/main.py": f"from app.compat import OLD\n{HEAD}if OLD:\n    Engine().drop()\n"},
        "",
    ),
    "through the module": (
        {"app/main.py": f"from app import compat\n{HEAD}if compat.OLD:\n    Engine().drop()\n"},
        "",
    ),
    "a function that asks for it": (
        {"app/main.py": f"from app.compat import is_old\n{HEAD}if is_old():\n    Engine().drop()\n"},
        "",
    ),
    "the release of the end": (
        {"app/main.py": f"from app.compat import OLD\n{HEAD}if not OLD:\n    Engine().drop()\n"},
        "certain:4",
    ),
    "another way where anything fails": (
        {"app/main.py": f"{HEAD}try:\n    x = Engine().drop()\nexcept Exception:\n    x = None or 3\n"},
        "look:3",
    ),
    "a fault that is only told": (
        {"app/main.py": f"{HEAD}try:\n    Engine().drop()\nexcept Exception as error:\n    x = str(error)\n"},
        "certain:3",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_your_code_is_ready_for(name: str, tmp_path: Path) -> None:
    files, expected = CASES[name]
    for path, text in ({"app/__init__.py": "", "app/compat.py": COMPAT} | files).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    trees = [{"vllm/__init__.py": "", "vllm/core.py": text} for text in (AFTER, BEFORE)]
    ends = Ends(lambda _, path: trees[0].get(path), lambda _, path: trees[1].get(path), versions={REPO: "v0.13.0"})
    hits = join(read_uses(tmp_path, WANTED), {REPO: ()}, ends=ends)
    assert " ".join(f"{hit.certainty}:{hit.use.line}" for hit in hits) == expected


@pytest.mark.parametrize(("path", "kind"), [("a.py.jinja", None), ("a.py.example", "python"), ("a.yaml.j2", "yaml")])
def test_a_template_with_gaps_is_no_python(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind
