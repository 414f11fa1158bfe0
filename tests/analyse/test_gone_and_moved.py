"""What goes as a whole, stands in another order, or shuts a version out is told as that, and not by single lines of it."""

from typing import Literal

import pytest
from msgspec.structs import replace

from daybreak.core.model.findings import Finding, Reading
from daybreak.judge.gist import gist
from daybreak.judge.line_pairs import turns_of
from read.made import SHA, change_of, patch_of, read_one

CODE = "engine/scheduler.py"
SCRIPT = """import requests


def download(url):
    response = requests.get(url)
    if response.status_code != 200:
        raise ValueError(f"Failed to download video: {url} is not supported")
    return response.content
"""


@pytest.mark.parametrize("path", ["examples/scripts/video.py", "engine/video.py"])
def test_a_file_that_goes_is_told_as_such_and_nothing_from_inside_it(path: str) -> None:
    patches = {path: patch_of(SCRIPT, ""), "docs/overview.md": patch_of("| video.py | Downloads a video |\n", "")}
    change = change_of(patches, subject="Remove the script that does download video")

    def said(status: Literal["D", "M"]) -> str:
        files = tuple(replace(one, status=status) if one.path == path else one for one in change.files)
        gone = replace(change, files=files)
        found = gist(gone, read_one(gone))
        return found.text["en"] if found else ""

    assert said("D") == f"Removes `{path}`"
    assert "Failed to download video" in said("M")  # the file stays, and does not refuse that any more


def test_a_lowest_version_of_an_extra_that_the_title_names_is_told_in_words_and_not_by_its_lines() -> None:
    old, new = (f'vllm = [\n    "vllm>={n},<=0.23.0",\n    "fastapi",\n]\n' for n in ("0.14.0", "0.15.0"))
    head = '[project]\nname = "kit"\n\n[project.optional-dependencies]\n'
    change = change_of({"pyproject.toml": patch_of(head + old, head + new)}, subject="Drop vLLM 0.14 support")
    floor = Finding(
        f"{SHA[:12]}/1",
        "extra_dependency_changed",
        "pyproject.toml",
        6,
        "[vllm] vllm",
        before=">=0.14.0,<=0.23.0",
        after=">=0.15.0,<=0.23.0",
    )
    found = gist(change, Reading(SHA, findings=(floor,)))
    assert found is not None
    assert "Changed lines" not in found.text["en"]
    assert found.text["en"].startswith("For the extra alone, `[vllm] vllm`: `>=0.14.0,<=0.23.0` → `>=0.15.0,<=0.23.0`")


def test_statements_that_stand_in_another_order_are_no_pairs_of_lines() -> None:
    def of(name: str) -> str:
        return f"if is_{name}_available():\n    import {name}\n\n"

    fast, slow, pages, rows = map(of, ("fast", "slow", "pages", "rows"))
    patch = (
        "@@ -1,12 +1,12 @@\n"
        + "".join(f"+{x}\n" for x in rows.splitlines())
        + "".join(f" {x}\n" for x in fast.splitlines())
        + "".join(f"-{x}\n" for x in slow.splitlines())
        + "".join(f" {x}\n" for x in pages.splitlines())
        + "".join(f"-{x}\n" for x in rows.splitlines())
        + "".join(f"+{x}\n" for x in slow.splitlines())
    )
    assert turns_of([(CODE, patch)], "Sort conditional imports") == []
    other = patch.replace("+if is_slow", "+if not is_slow")  # one of them differs
    assert any("not is_slow" in turn.new for turn in turns_of([(CODE, other)], "Sort conditional imports"))
