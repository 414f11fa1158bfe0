"""Metadata that depends on where a release is made: its home, and README's links, which an index cannot follow otherwise.

A release workflow says the home (`GITHUB_SERVER_URL`, `GITHUB_REPOSITORY`); a build anywhere else claims none.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(\]\()(?!https?:|#|mailto:)([^)\s]+)(\))")


class CustomMetadataHook(MetadataHookInterface):
    """Fills `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        home = _home()
        metadata["readme"] = {"content-type": "text/markdown", "text": linked(text, home)}
        metadata["urls"] = addresses(home)


def _home() -> str:
    name = os.environ.get("GITHUB_REPOSITORY", "")
    return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}" if name else ""


def linked(text: str, home: str) -> str:
    """The page with links that lead into the repository, at the branch `main`."""
    return _LINK.sub(rf"\g<1>{home}/blob/main/\g<2>\g<3>", text) if home else text


def addresses(home: str) -> dict[str, str]:
    """Where people go from an index."""
    pages = {"Documentation": "tree/main/docs", "Changelog": "blob/main/CHANGELOG.md", "Issues": "issues"}
    return (
        {"Homepage": home, "Source": home, **{name: f"{home}/{page}" for name, page in pages.items()}} if home else {}
    )
