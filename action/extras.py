"""What the config of a checkout asks for beyond the plain installation: `[llm,notify]`, or nothing.

It runs before Daybreak is installed, so it reads the file itself; a config that cannot be read is told of later, by the program.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any


def extras(config: dict[str, Any], environment: dict[str, str]) -> list[str]:
    """Names of `[project.optional-dependencies]`, in the order of the alphabet."""
    notify, store = _section(config, "notify"), environment.get("DAYBREAK_STORE") or str(config.get("store", ""))
    wanted = {
        "github-app": "GITHUB_APP_ID" in environment,
        "llm": _section(config, "analyst").get("kind") == "llm",
        "notify": bool(notify.get("urls") or notify.get("target")),
        "postgres": store.startswith("postgres"),
        "ray": _section(config, "execute").get("kind") == "ray",
    }
    return [name for name, needed in wanted.items() if needed]


def _section(config: dict[str, Any], name: str) -> dict[str, Any]:
    found = config.get(name)
    return found if isinstance(found, dict) else {}


def main(name: str) -> str:
    """As pip wants it behind the folder."""
    try:
        found = extras(tomllib.loads(Path(name or "daybreak.toml").read_text(encoding="utf-8")), dict(os.environ))
    except (OSError, ValueError):
        found = extras({}, dict(os.environ))
    return f"[{','.join(found)}]" if found else ""


if __name__ == "__main__":
    print(main(sys.argv[1]))
