"""What a page is in a browser: its elements and attributes, where its links lead, how wide it is, what it ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pages.chromium import Watched

if TYPE_CHECKING:
    from collections.abc import Sequence

BEFORE = """
window.violations = [];
document.addEventListener("securitypolicyviolation", event => window.violations.push(event.violatedDirective));
"""
"""Runs in every page before anything of it."""
LOOK = """() => {
  const all = [...document.querySelectorAll("*")];
  const kinds = new Set(), odd = [];
  for (const one of all) {
    kinds.add(one.localName);
    for (const attribute of one.attributes) {
      if (one === document.documentElement) continue; // our script notes the state of the page there
      kinds.add(one.localName + "[" + attribute.name + "]");
      if (/^on/i.test(attribute.name) || attribute.name === "style") odd.push(one.outerHTML.slice(0, 120));
    }
    for (const name of ["href", "src", "action", "formAction"]) {
      const value = one.getAttribute && one.hasAttribute(name) ? String(one[name]) : "";
      if (value && !/^(https?|file):/.test(value) && typeof one[name] === "string") odd.push(name + " " + value.slice(0, 120));
    }
    if (one.localName === "script" && !/assets\\/[\\w.-]+\\.js$|search\\/[\\w./-]+\\.js(\\?[\\w=]*)?$/.test(one.src)) odd.push("script " + one.src);
    if (one.localName === "link" && one.rel === "stylesheet" && !/assets\\/[\\w.-]+\\.css$/.test(one.href)) odd.push(one.href);
  }
  for (const one of all) for (const name of ["mouseover", "pointerenter", "focus", "toggle", "error", "animationstart"])
    one.dispatchEvent(new Event(name));
  return {
    kinds: [...kinds].sort(), odd, pwned: "pwned" in window, violations: window.violations, frames: window.length,
    title: document.title, headings: document.querySelectorAll("main h1").length,
    base: document.baseURI === location.href || document.baseURI === location.href.split("#")[0],
  };
}"""
OPEN = "document.querySelectorAll('details').forEach(fold => { fold.open = true })"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDTHS = (390, 1440)


@dataclass(frozen=True)
class Looked:
    """A page as it was found."""

    kinds: frozenset[str]
    """`element` and `element[attribute]`."""
    title: str
    wrong: tuple[str, ...]


def looked(watched: Watched, address: str, widths: Sequence[int] = WIDTHS) -> Looked:
    """Open a page with all its folds, and look at it in each width."""
    watched.goto(address)
    return look(watched, address, widths)


def look(watched: Watched, address: str, widths: Sequence[int] = WIDTHS) -> Looked:
    """At the page that is there."""
    page = watched.page
    page.evaluate(OPEN)
    wrong: list[str] = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        if (wider := page.evaluate(WIDER)) > 0:
            wrong.append(f"{wider} pixels too wide at {width}")
    seen: dict[str, Any] = page.evaluate(LOOK)
    wrong += [f"odd: {one}" for one in seen["odd"]]
    wrong += [name for name in ("pwned",) if seen[name]] + [f"policy: {one}" for one in seen["violations"]]
    wrong += [f"{seen['frames']} frames"] if seen["frames"] or len(page.frames) != 1 else []
    wrong += [] if seen["base"] else ["another base"]
    wrong += [f"went to {page.url}"] if page.url.partition("#")[0] != address.partition("#")[0] else []
    wrong += [f"{len(page.context.pages)} tabs"] if len(page.context.pages) != 1 else []
    wrong += [f"{seen['headings']} main headings"] if seen["headings"] != 1 else []
    return Looked(frozenset(seen["kinds"]), seen["title"], tuple(wrong))
