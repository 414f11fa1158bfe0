"""What `daybreak impact` says to do about a field that went: those who set it drop it, those who read it read another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.place import Place
from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Net
from daybreak.upgrade.impact.answer import _of_path
from gitrepo import GitRepo

CONFIG = "engine/config.py"
HEAD = "from dataclasses import dataclass\n\n\n@dataclass\nclass CacheConfig:\n    size: int = 1\n"
PLAIN = f'{HEAD}    offload_gb: float = 0\n    """GiB to offload; use it with care."""\n'
TOLD = f'{HEAD}    offload_gb: float = 0\n    """DEPRECATED: please use\n    OffloadConfig.uva.offload_gb instead."""\n'


@pytest.mark.parametrize(
    ("before", "todo"),
    [
        ((PLAIN, TOLD), "Use `OffloadConfig.uva.offload_gb` instead."),
        ((TOLD,), "Use `OffloadConfig.uva.offload_gb` instead."),
        ((PLAIN,), "Replace it before upgrading."),
    ],
)
def test_who_reads_a_field_that_went_is_told_what_its_own_text_said(
    tmp_path: Path, before: tuple[str, ...], todo: str
) -> None:
    upstream = GitRepo.make(tmp_path / "upstream.git")
    tree = {"engine/__init__.py": "", CONFIG: before[0]}
    shas = [upstream.commit("First (#1)", tree), *(upstream.commit("Say so (#2)", {CONFIG: x}) for x in before[1:])]
    last = upstream.commit("Take it away (#3)", {CONFIG: HEAD})
    folder = tmp_path / "work"
    (folder / "svc").mkdir(parents=True)
    own = "from engine.config import CacheConfig\n\n\ndef show(cfg: CacheConfig):\n    return cfg.offload_gb\n"
    (folder / "svc/app.py").write_text(own, "utf-8")
    asked = (
        "--range",
        "o/engine",
        f"{shas[0]}..{last}",
        "--git",
        str(upstream.path),
        "--format",
        "json",
        "--lang",
        "en",
    )
    said = Place(folder, upstream).run("impact", "svc", *asked, DAYBREAK_NOW="2026-01-20T08:00:00+00:00")
    hits = json.loads(said.stdout)["hits"]
    assert [(hit["use"]["line"], hit["action"]["en"]) for hit in hits] == [(5, todo)]


def test_a_variable_that_went_is_found_whatever_its_name_begins_with(tmp_path: Path) -> None:
    gone = Finding("1/1", "env_read_removed", "engine/pool.py", 3, "KDA_USE_TILE", "KDA_USE_TILE", None, breaking=True)
    (tmp_path / "run.sh").write_text("export KDA_USE_TILE=1\nexport KDA_OTHER=1\nengine serve\n", "utf-8")
    (tmp_path / ".env").write_text("KDA_USE_TILE=1\n", "utf-8")
    _, hits, _ = _of_path(tmp_path, {"o/engine": (Net(gone, ("1" * 40,)),)}, {})
    assert sorted((hit.use.path, hit.use.line) for hit in hits) == [(".env", 1), ("run.sh", 1)]
