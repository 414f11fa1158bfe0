"""How soon pages can be used on a slow machine: Chromium with its processor slowed four times, cold and warm.

    .venv/bin/python scripts/interactive.py site/zh/days/2026-08-20.html [...]

For each page: milliseconds until interactive in browsers that were just started, then in new windows of the same browsers.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SLOWED, BROWSERS, WINDOWS = 4, 5, 3
_READ = """() => {
  const timing = performance.getEntriesByType("navigation")[0];
  return [timing.domInteractive, document.querySelectorAll("*").length];
}"""


def _once(browser: Browser, address: str) -> tuple[float, int]:
    context = browser.new_context()
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    page.goto(address, wait_until="load")
    moment, elements = page.evaluate(_READ)
    context.close()
    return float(moment), int(elements)


def main(paths: list[str]) -> None:
    """Prints one line a page."""
    with sync_playwright() as playwright:
        for path in paths:
            cold: list[float] = []
            warm: list[float] = []
            elements = 0
            for _ in range(BROWSERS):
                browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
                first, *others = (_once(browser, Path(path).resolve().as_uri()) for _ in range(WINDOWS))
                cold.append(first[0])
                warm += [one[0] for one in others]
                elements = first[1]
                browser.close()
            told = "  ".join(
                f"{name} {statistics.median(times):.0f} ms (worst {max(times):.0f})"
                for name, times in (("just started", cold), ("warm", warm))
            )
            print(f"{path}: {Path(path).stat().st_size // 1000} KB, {elements} elements, {told}")


if __name__ == "__main__":
    main(sys.argv[1:])
