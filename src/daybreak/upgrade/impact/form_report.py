"""What every output of `daybreak impact` is made from, and the words they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Certainty, Hit
from daybreak.report.render.escape import LONGEST, clean

PLACES = 10
"""Places of one finding that are listed unless all are asked for."""
ORDER: tuple[Certainty, ...] = ("certain", "likely", "look")

WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "title": "影响你的代码",
        "certain": "必定受影响",
        "likely": "很可能受影响",
        "look": "值得一看",
        "none": "没有发现受影响的地方。",
        "counts": "必定受影响 {certain} 处 · 很可能受影响 {likely} 处 · 值得一看 {look} 处",
        "read": "读了 {files}（{lines}），对照 {scope}",
        "files": "{n} 个文件",
        "lines": "{n} 行",
        "acknowledged": "另有 {n} 处已确认（{file}），未计入。",
        "accepted": "已确认：{reason}",
        "expired": "确认已过期，重新计入：{what}（{date}）",
        "unused": "没有用到的确认：{what}",
        "skipped": "上游未能读取 {n} 项：",
        "unread": "你的文件中有 {n} 个未能读取：",
        "not_read": "未能读取，没有对照",
        "empty": "（没有提交）",
        "list": "、",
        "action": "改法",
        "change": "改动",
        "since": "{release} 起",
        "unreleased": "尚未发布",
        "pinned": "你运行 {version}（{at}）",
        "more": "其余 {n} 项见 JSON 输出。",
        "places": "{n} 处",
        "elsewhere": "另有 {n} 处，--all 全部列出",
        "colon": "：",
        "stop": "。",
    },
    "en": {
        "title": "Touches your code",
        "certain": "Certain",
        "likely": "Likely",
        "look": "Worth a look",
        "none": "Nothing here touches your code.",
        "counts": "{certain} certain · {likely} likely · {look} worth a look",
        "read": "Read {files} ({lines}) against {scope}",
        "files": "{n} files",
        "files_one": "{n} file",
        "lines": "{n} lines",
        "lines_one": "{n} line",
        "acknowledged": "{n} more acknowledged in {file} and not counted.",
        "accepted": "acknowledged: {reason}",
        "expired": "An acknowledgement has expired and counts again: {what} ({date})",
        "unused": "An acknowledgement that nothing needs: {what}",
        "skipped": "Of upstream, {n} could not be read:",
        "unread": "Of your files, {n} could not be read:",
        "not_read": "could not be read and was not compared",
        "empty": " (no commits)",
        "list": ", ",
        "action": "What to do",
        "change": "change",
        "since": "since {release}",
        "unreleased": "not released",
        "pinned": "you run {version} ({at})",
        "more": "{n} more are in the JSON output.",
        "more_one": "{n} more is in the JSON output.",
        "places": "{n} places",
        "places_one": "{n} place",
        "elsewhere": "and {n} more, all of them with --all",
        "colon": ": ",
        "stop": ".",
    },
}


class Told(Struct, frozen=True):
    """A hit with the name by which it can be acknowledged."""

    id: str
    hit: Hit


class Scope(Struct, frozen=True):
    """What a repository's part of the answer is about."""

    repo: Repo
    what: str
    """`v0.14.1..v0.15.0`, or the days of a window."""
    empty: bool = False
    """The window has no commits."""


class ImpactReport(Struct, frozen=True):
    """Which upstream changes touch the code at a path; the same data gives the same bytes."""

    path: str
    """As the user wrote it."""
    tool_version: str
    scopes: tuple[Scope, ...] = ()
    told: tuple[Told, ...] = ()
    """Surest first; acknowledged ones among them only when asked for."""
    acknowledged: int = 0
    """Hits that an acknowledgement takes out of the count."""
    acks: str = ""
    """Name of the file of acknowledgements."""
    expired: tuple[tuple[str, str], ...] = ()
    """Acknowledgements that lost their force: what, and since when."""
    unused: tuple[str, ...] = ()
    files: int = 0
    lines: int = 0
    skipped: tuple[Skipped, ...] = ()
    """What of upstream could not be had or read."""
    unread: tuple[Skipped, ...] = ()
    """Your files that could not be read."""
    every: bool = False
    """Leave nothing out: acknowledged hits, places of a finding that has many."""
    subjects: Mapping[str, str] = field(default_factory=dict)
    """sha → first line of its message, as far as they are known."""

    @property
    def counted(self) -> tuple[Told, ...]:
        """Those that nobody has acknowledged."""
        return tuple(one for one in self.told if one.hit.acknowledged is None)

    def of(self, certainty: Certainty) -> Iterator[Told]:
        return (one for one in self.told if one.hit.certainty == certainty)

    def groups(self, certainty: Certainty) -> list[tuple[Told, ...]]:
        """Hits of one level that say the same of several places, in the order of the first of them."""
        found: dict[tuple[object, ...], list[Told]] = {}
        for one in self.of(certainty):
            key = (one.id, *sorted(one.hit.action.items()), one.hit.acknowledged)
            found.setdefault(key, []).append(one)
        return [tuple(group) for group in found.values()]

    def places(self, group: tuple[Told, ...]) -> tuple[Told, ...]:
        """Those of a group that are listed."""
        return group if self.every or len(group) <= PLACES + 1 else group[:PLACES]

    def url(self, hit: Hit) -> str:
        """Web address of the change that decides what holds now; empty when there is none."""
        repo = next((scope.repo for scope in self.scopes if scope.repo.name == hit.repo), None)
        if repo is None or not hit.net.commits or not repo.url.startswith(("http://", "https://")):
            return ""
        return repo.commit_url(hit.net.commits[-1])


class Wording:
    """The phrases of one language."""

    def __init__(self, language: str) -> None:
        self.language = language if language in WORDS else "en"
        self._table = WORDS[self.language]

    def __call__(self, key: str, **values: object) -> str:
        if values.get("n") == 1 and f"{key}_one" in self._table:
            key = f"{key}_one"
        phrase = self._table[key]
        return phrase.format(**values) if values else phrase

    def say(self, text: Text) -> str:
        """The sentence in this language, or in the first one it has."""
        return text.get(self.language) or next(iter(text.values()), "")

    def counts(self, report: ImpactReport) -> str:
        levels = [one.hit.certainty for one in report.counted]
        return self("counts", **{level: levels.count(level) for level in ORDER})

    def read(self, report: ImpactReport, shown: Callable[[str], str]) -> str:
        """How much was read and against what, without a full stop; `shown` makes names harmless."""
        scopes = (f"{s.repo.name} {s.what}{self('empty') if s.empty else ''}" for s in report.scopes)
        files, lines = self("files", n=report.files), self("lines", n=report.lines)
        return self("read", files=files, lines=lines, scope=shown(self("list").join(scopes)))

    def release(self, hit: Hit) -> str:
        """In which release it is, and which one you run."""
        since = self("since", release=hit.net.since) if hit.net.since else self("unreleased")
        return f"{since} · {self('pinned', version=hit.pinned, at=hit.pin_at)}" if hit.pinned else since


def uncut(text: str) -> str:
    """A text of ours as one harmless line of any length; what it quotes was shortened when it was made."""
    return "".join(clean(text[start : start + LONGEST - 1]) for start in range(0, len(text), LONGEST - 1))
