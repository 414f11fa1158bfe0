"""What an issue is about: its kind, the part of the project it names, and the order in which issues are told.

Labels and tags of the title go first, since projects make them by templates; phrases raise a bug to a regression or a
wrong result, and decide when nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from daybreak.core.model.items import Activity, Issue, Pull
from daybreak.core.model.links import Fix, IssueKind, IssueReading, Link, issue_id, pull_id
from daybreak.judge.links.texts import BOX, Block, prose, shown

_TITLE = 400
_LOOKED_AT = 8_000
_TAG = re.compile(
    r"\s{0,4}[\[【]([^\]】\n]{1,40})[\]】]\s{0,3}[:：]?|\s{0,4}(RFC|Bug|Feature|Question)\s?[:：]", re.IGNORECASE
)
_PATH = re.compile(r"(?<![\w/.-])((?:[A-Za-z_][\w-]{0,60}/){1,8})[\w-]{1,80}\.(?:pyi?|cuh?|cpp|cc|h|hpp|rs)\b")
_NAME = re.compile(r"(?!.{0,40}(?://|www\.))[\w][\w .+:/&()#-]{0,39}")
_INSTALLED = re.compile(r"^.{0,200}?(?:site|dist)-packages/")

_NAMED: tuple[tuple[IssueKind, re.Pattern[str]], ...] = (
    ("regression", re.compile(r"regress", re.IGNORECASE)),
    ("accuracy", re.compile(r"accura|correctness|wrong.?(?:output|result)|精度", re.IGNORECASE)),
    ("rfc", re.compile(r"\brfc\b|road ?map|proposal|design", re.IGNORECASE)),
    ("performance", re.compile(r"\bperf(?:ormance)?\b|slow|性能", re.IGNORECASE)),
    ("install", re.compile(r"\binstall|\bbuild\b|packaging|安装", re.IGNORECASE)),
    ("feature", re.compile(r"feature|enhancement|new.?model|model request|功能", re.IGNORECASE)),
    ("question", re.compile(r"question|usage|\bhelp\b(?! wanted)|support request|用法|疑问", re.IGNORECASE)),
    ("bug", re.compile(r"\bbugs?\b|\bcrash|\bfailure\b|缺陷", re.IGNORECASE)),
    (
        "other",
        re.compile(r"\bdoc(?:s|umentation)?\b|\bmisc\b|\bci\b|flaky|\btest\b|tracking|refactor|chore", re.IGNORECASE),
    ),
)
"""What labels and tags are called, in the order in which they decide."""
_PROCESS = re.compile(
    r"stale|good.?first|help.?wanted|ready|needs?.|keep.?open|triage|priority|\bp[0-3]\b|severity|duplicate|wontfix|invalid|"
    r"verified|await|high|low|medium|inactive|unconfirmed|won't|approved|milestone|^v?\d+(?:\.\d+)+$",
    re.IGNORECASE,
)

_REGRESSED = re.compile(
    r"\bregress(?:ion|ed|es)?\s(?:in|from|since|after|between|introduced|caused|with|on|by|vs)\b|\bused to work\b"
    r"|\b(?:work(?:s|ed|ing)|ran|runs|fine|ok|correct)\s(?:\w{1,12}\s){0,2}(?:in|on|with|before|until|prior to|at)\s(?:\w{1,12}\s){0,2}?[`'\"]?v?\d{1,3}\.\d"
    r"|\bno (?:such )?(?:issues?|problems?|errors?) (?:in|on|with|before) (?:\w{1,12}\s){0,2}?v?\d{1,3}\.\d"
    r"|\bv?\d{1,3}\.\d{1,3}(?:\.\w{1,12})? (?:works?|worked|(?:is|was) (?:fine|ok|good|correct))\b"
    r"|\b(?:since|after)\s(?:the\s)?(?:upgrad|updat|bump)\w{1,4}\b|\bno longer works\b|\bstopped working\b"
    r"|\b(?:git )?bisect(?:ed|ing)?\b|\bfirst bad commit\b|升级(?:到|后|之后)",
    re.IGNORECASE,
)
_REGRESSED_TITLE = re.compile(r"(?<!not a )(?<!no )\bregress(?:ion|ions|ed|es)\b|回归", re.IGNORECASE)
_INACCURATE = re.compile(
    r"\b(?:gibberish|garbled|garbage (?:output|text|token|result)s?)\b|\baccuracy (?:drop|loss|degrad|regress|issue|problem|collapse|is (?:low|wrong|0))"
    r"|\b(?:wrong|incorrect|corrupt(?:ed)?|nonsens(?:e|ical)|inaccurate|inconsistent|random|different)\s(?:\w{1,20}\s)?(?:output|result|answer|token|logit|logprob|generation|response|prediction)s?\b"
    r"|\b(?:outputs?|results?|logits?|responses?) (?:is|are|become|becomes|being) (?:\w{1,12} )?(?:wrong|incorrect|garbled|gibberish|garbage|nan|corrupted|nonsense|different)\b"
    r"|\bnumerical (?:mismatch|error|difference|instability)|\b(?:low|poor|bad|degraded|zero) accuracy\b|\b(?:returns?|produces?|generates?|outputs?|yields?) (?:\w{1,12} )?nans?\b|!{8,}|乱码|精度(?:下降|异常|问题|不对|损失)|输出(?:错误|异常|不一致)",
    re.IGNORECASE,
)
_SLOW = re.compile(
    r"\b(?:slow(?:er|down|ness|s)?|performance (?:drop|degrad|issue|problem|gap|regress)|throughput (?:drop|degrad|is low|lower)|(?:high|higher|increased) (?:latency|ttft|tpot|itl)|low (?:throughput|gpu utili[sz]ation)|memory leak)\b|变慢|性能(?:下降|差)",
    re.IGNORECASE,
)
_INSTALLS = re.compile(
    r"\b(?:pip install|uv pip|build(?:ing)? (?:from source|fail|error)|fail(?:s|ed)? to (?:build|install|compile)|no matching distribution|undefined symbol|wheel (?:is )?(?:missing|not found)|cannot install|installation (?:fail|error|issue))\b|安装(?:失败|报错)|编译(?:失败|报错)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\s{0,4}(?:questions?|how (?:to|do|can|should)|is (?:it|there)|does|do|can|could|what|why|when|where|which|any plan)\b|[?？]\s*$|请问|如何|怎么|能否",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"\b(?:feature request|add(?:ing)? support|support (?:for|of)|please (?:add|support)|would be (?:nice|great)|request(?:ing)? support)\b|^\s{0,4}(?:support|add|allow|enable|expose|implement)\b|支持",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:crash(?:es|ed|ing)?|errors?|fail(?:s|ed|ure|ing)?|hangs?|hanging|deadlocks?|segfaults?|segmentation fault|illegal memory access|oom|out of memory|exceptions?|broken?|breaks|does(?:n't| not) work|not working|asserts?|assertion|raises?|invalid|missing|leaks?|stuck|\w{1,30}Error)\b|崩溃|报错|卡死|失败|异常|无法",
    re.IGNORECASE,
)
_RANK: Mapping[IssueKind, int] = {
    "regression": 0, "accuracy": 0, "bug": 1, "performance": 2, "install": 3, "rfc": 4, "feature": 5, "question": 6,
    "other": 7,
}  # fmt: skip


def kind_of(issue: Issue, blocks: Sequence[Block]) -> IssueKind:
    """What an issue is about."""
    title = shown(issue.title[:_TITLE])
    said = _said(issue, title)
    if said not in (None, "bug", "performance", "accuracy"):
        return said or "other"
    text = _told(blocks)
    bare = _without_tags(title)
    guess = said or _guessed(bare, text)
    if guess not in ("bug", "performance", "accuracy"):
        return guess
    if _REGRESSED_TITLE.search(bare) or _REGRESSED.search(bare) or _REGRESSED.search(text):
        return "regression"
    wrong = _INACCURATE.search(bare) or (guess == "bug" and not _FAULT.search(bare) and _INACCURATE.search(text))
    return "accuracy" if wrong else guess


def _said(issue: Issue, title: str) -> IssueKind | None:
    """What tags and labels say; tags go first, since the author chose them for this very issue."""
    for names in (_tags(title), [shown(label[:60]) for label in issue.labels[:20] if not _PROCESS.search(label[:60])]):
        for kind, pattern in _NAMED:
            if any(pattern.search(name) for name in names):
                return kind
    return None


def _tags(title: str) -> list[str]:
    """`[Bug][ROCm]: …` → `Bug`, `ROCm`."""
    out: list[str] = []
    at = 0
    while len(out) < 6 and (m := _TAG.match(title, at)):
        out.append((m[1] or m[2]).strip())
        at = m.end()
    return out


def _without_tags(title: str) -> str:
    at = 0
    while m := _TAG.match(title, at):
        at = m.end()
    return title[at:].strip()


def _told(blocks: Sequence[Block]) -> str:
    """What the author says in words; listings, code and the template's environment left out."""
    words = (
        b.text
        for b in blocks
        if b.kind in ("text", "item") and "environment" not in b.section and not b.folded and not BOX.match(b.text)
    )
    return "\n".join(words)[:_LOOKED_AT]


def _guessed(title: str, text: str) -> IssueKind:
    """From the words alone."""
    order: tuple[tuple[IssueKind, re.Pattern[str]], ...] = (
        ("install", _INSTALLS), ("accuracy", _INACCURATE), ("bug", _FAULT), ("performance", _SLOW), ("question", _ASKS),
        ("feature", _WANTS),
    )  # fmt: skip
    for kind, pattern in order:
        if pattern.search(title):
            return kind
    return "bug" if re.search(r"\bTraceback \(most recent call last\)", text) else "other"


# --- parts of the project ----------------------------------------------------------------------------------------


def components(issue: Issue, blocks: Sequence[Block]) -> tuple[str, ...]:
    """Tags and labels that say no kind, then the folders of files that the issue names."""
    title = shown(issue.title[:_TITLE])
    names = [*_tags(title), *(shown(label[:60]) for label in issue.labels[:20])]
    kept = [
        n for n in names if _NAME.fullmatch(n) and not any(p.search(n) for _, p in _NAMED) and not _PROCESS.search(n)
    ]
    return tuple(dict.fromkeys((*_folded_case(kept), *_folders(issue, blocks))))


def _folded_case(names: Sequence[str]) -> Iterator[str]:
    told: set[str] = set()
    for name in names:
        if name.lower() not in told:
            told.add(name.lower())
            yield name


def _folders(issue: Issue, blocks: Sequence[Block]) -> Iterator[str]:
    """Of a traceback the last file is where it went wrong; two folders at most."""
    text = "\n".join((issue.title[:_TITLE], *(b.text for b in blocks)))[-40_000:]
    found = [_INSTALLED.sub("", m[1]).strip("/") for m in _PATH.finditer(_INSTALLED_ANY.sub(" ", text))]
    folders = ["/".join(f.removeprefix("python/").split("/")[:3]) for f in reversed(found)]
    yield from list(dict.fromkeys(f for f in folders if "/" in f))[:2]


_INSTALLED_ANY = re.compile(r"[\w./-]{1,200}?(?:site|dist)-packages/")


# --- in the report -----------------------------------------------------------------------------------------------


def read_issues(activity: Activity, links: Sequence[Link]) -> tuple[IssueReading, ...]:
    """The new issues of the window, most pressing first."""
    pulls = {pull_id(activity.repo, p.number): p for p in activity.pulls}
    out = []
    for issue in activity.issues:
        if not {"opened", "reopened"} & set(issue.happened):
            continue
        blocks, cut = prose(issue.body)
        mine = [link for link in links if link.kind == "fixes" and link.target == issue_id(activity.repo, issue.number)]
        kind, fixes, commits = kind_of(issue, blocks), fixes_of(issue, mine, pulls), commits_of(mine)
        parts = components(issue, blocks)
        out.append((issue, IssueReading(activity.repo, issue.number, kind, parts, fixes, cut, commits)))
    out.sort(key=lambda x: (_RANK[x[1].kind], -(x[0].reactions + x[0].comments), x[0].number))
    return tuple(reading for _, reading in out)


def fixes_of(issue: Issue, links: Sequence[Link], pulls: Mapping[str, Pull]) -> tuple[Fix, ...]:
    """Pull requests that close the issue and are merged or may still be; `links` are those that say what closes it."""
    found: dict[int, Fix] = {}
    for link in links:
        pull = pulls.get(link.source)
        if pull is not None and pull.state != "closed":
            by_hand = pull.number in issue.connected or issue.number in pull.connected
            undone = pull.number in issue.undone
            found.setdefault(pull.number, Fix(pull.number, pull.state, link.likely, by_hand, undone))
    for number in issue.undone:  # of an earlier day, mostly: what closed an issue was merged
        found.setdefault(number, Fix(number, "merged", reopened=True))
    return tuple(sorted(found.values(), key=lambda f: (f.reopened, f.state != "merged", f.likely, f.number)))


def commits_of(links: Sequence[Link]) -> tuple[str, ...]:
    """Shas of the commits that surely closed it."""
    return tuple(
        link.source.partition(":")[2] for link in links if link.source.startswith("commit:") and not link.likely
    )
