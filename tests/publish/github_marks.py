"""What GitHub would find in a body: an independent reading, with another Markdown parser and GitHub's own patterns."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt

MENTION = re.compile(r"(?:^|[^\w`/.&-])@[a-z0-9](?:[a-z0-9-]{0,38})?(?:/[\w.-]+)?", re.IGNORECASE)
NUMBER = re.compile(r"(?:^|\W)(?:[\w.-]+/[\w.-]+|[\w-]+)?#\d+\b")
GH = re.compile(r"(?:^|\W)GH-\d+\b", re.IGNORECASE)
ADDRESS = re.compile(r"(?:https?|ftp)://\S|(?:^|[\s(*_~])www\.\w", re.IGNORECASE)
COMMIT = re.compile(r"[\w.-]+(?:/[\w.-]+)?@[0-9a-f]{7,40}\b")
CLOSING = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?#\d", re.IGNORECASE)
TRACED = re.compile(
    r"https?://(?:www\.)?github\.com/[^/\s]+/[^/\s]+/(?:issues|pull|pulls|discussions|commit)/", re.IGNORECASE
)
HARMLESS = {"p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "a", "code", "pre", "em", "strong", "blockquote", "table"}
HARMLESS |= {"thead", "tbody", "tr", "th", "td", "details", "summary", "b", "hr", "br", "s", "h5", "h6"}

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


class _Reader(HTMLParser):
    """Text outside code and links, the links, and every tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = [""]
        self.links: list[str] = []
        self.labels: list[str] = []
        self.tags: set[str] = set()
        self.comments: list[str] = []
        self._quiet: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.tags |= {f"{tag}[{name}]" for name, _ in attrs if name not in ("href", "class", "start", "style")}
        if tag in ("code", "pre", "a"):
            self._quiet.append(tag)
        if tag == "a":
            self.links += [value or "" for name, value in attrs if name == "href"]
        if tag == "img":
            self.links += [value or "" for name, value in attrs if name == "src"]
        self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        if self._quiet and self._quiet[-1] == tag:
            self._quiet.pop()
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        if not self._quiet:
            self.texts[-1] += data
        elif self._quiet == ["a"]:
            self.labels.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def found_in(body: str) -> list[str]:
    """Everything that would take effect; an empty list is what we want."""
    reader = _Reader()
    reader.feed(MARKDOWN.render(body))
    reader.close()
    found = [f"tag {tag}" for tag in sorted(reader.tags - HARMLESS)]
    found += [f"link {link}" for link in reader.links if TRACED.match(link) or not link.startswith("https://")]
    for text in (*reader.texts, *reader.labels):
        for name, pattern in (("mention", MENTION), ("number", NUMBER), ("number", GH), ("commit", COMMIT)):
            found += [f"{name} {match[0]!r}" for match in pattern.finditer(text)]
        found += [f"closing {match[0]!r}" for match in CLOSING.finditer(text)]
    for text in reader.texts:
        found += [f"address {match[0]!r}" for match in ADDRESS.finditer(text)]
    return found + [f"comment {one!r}" for one in reader.comments]
