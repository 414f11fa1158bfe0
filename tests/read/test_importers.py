"""Of names that moved those are told first that most files import."""

from __future__ import annotations

from daybreak.findings import read
from daybreak.findings.importers import importers

BODY = "class {0}:\n    def go_{0}(self, x):\n        return x.{0}\n\n\n"
LISTED = "from engine.core.{} import (\n    Request,\n    Other,\n)\n\nRequest()\n"


def test_names_that_moved_come_in_the_order_of_how_many_files_import_them() -> None:
    both, stays = BODY.format("Accessor") + BODY.format("Request"), BODY.format("Stays")
    before = {"engine/core/a.py": both + stays, **{f"engine/core/u{n}.py": LISTED.format("a") for n in range(3)}}
    after = {"engine/core/a.py": stays, **{f"engine/core/u{n}.py": LISTED.format("b") for n in range(3)}}
    found = read(before, {**after, "engine/core/b.py": both})
    assert [f.symbol for f in found if f.kind == "class_moved"] == ["Request", "Accessor"]


def test_names_in_lines_of_imports_are_counted_once_a_file() -> None:
    patch = "-from a import One, Two as Second\n+from b import Three\n     One,\n-    Four as F,\n-run(Five)\n"
    assert importers([patch, patch]) == {"One": 2, "Two": 2, "Four": 2}


def test_variables_that_went_come_in_the_order_of_how_many_lines_lost_them() -> None:
    kept = "class Envs:\n    ENGINE_REST = EnvInt(1)\n"
    gone_ones = "    ENGINE_A_MODE = EnvInt(1)\n    ENGINE_B_MODE = EnvInt(1)\n"
    before = {"engine/envs.py": kept + gone_ones, "docs/use.md": "Set `ENGINE_B_MODE`.\nAnd more.\n"}
    after = {"engine/envs.py": kept, "docs/use.md": "And more.\n"}
    gone = [f.symbol for f in read(before, after) if f.kind == "env_removed"]
    assert gone == ["ENGINE_B_MODE", "ENGINE_A_MODE"]
