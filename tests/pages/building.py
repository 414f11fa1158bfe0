"""Builds sites in tests, and reads pages as a browser's parser sees them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from daybreak.core.config import Settings, load
from daybreak.report.archive.opening import FolderArchive
from daybreak.site.pages.site import Built, Site

VOID = {"meta", "link", "input", "br", "img", "hr", "source", "col", "wbr", "area", "base", "embed", "track"}


def settings_of(folder: Path) -> Settings:
    return load(folder / "daybreak.toml", {}, {})


def build(folder: Path, out: Path) -> Built:
    return Site(FolderArchive(folder), settings_of(folder)).build(out)


@dataclass
class Page(HTMLParser):
    """Tags, attributes, ids, links and text of a page."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "action"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def parsed(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    return page
