"""The site's search script, run in node where that is installed, else in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

BESIDE = Path(__file__).parent / "twin.js"
CHROMIUM = Path("/usr/bin/chromium")


def twin(**task: Any) -> dict[str, Any]:
    """What the script makes of texts, queries and questions to the index files."""
    script = resources.files("daybreak.site.pages").joinpath("static", "search.js").read_text(encoding="utf-8")
    whole = {"script": script, "files": {}, "known": {}, "all": True, "language": "zh", "most": 20, **task}
    answer = _in_node(whole) if shutil.which("node") else _in_chromium(whole)
    return dict(answer)


def _in_node(task: dict[str, Any]) -> Any:
    said = subprocess.run(
        ["node", str(BESIDE)], input=json.dumps(task), capture_output=True, text=True, check=False, timeout=60
    )
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def _in_chromium(task: dict[str, Any]) -> Any:
    playwright = pytest.importorskip("playwright.sync_api", reason="there is neither node nor playwright")
    if not CHROMIUM.exists():
        pytest.skip("this machine: there is neither node nor Chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM))
        page = browser.new_page()
        page.evaluate("code => { (0, eval)(code); }", BESIDE.read_text(encoding="utf-8"))
        found = page.evaluate("task => answered(task, (code) => { (0, eval)(code); })", task)
        browser.close()
    return found
