"""All that a forge's items say of one repository, and what they are joined with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from daybreak.core.model.items import Activity, Pull
from daybreak.core.model.links import Claim, Coming, ComingReason, PullReading, RepoForge
from daybreak.judge.links.causes import causes
from daybreak.judge.links.issue_kinds import read_issues
from daybreak.judge.links.joins import Numbers, brought, fixed, held, shipped
from daybreak.judge.links.pins import Side
from daybreak.judge.links.texts import BOX, ITEM, Block, prose, shown

# --- Open pull requests of weight: what will break something, asks for comments, or is large ---


LINES, FILES = 1500, 40
"""From these on a pull request is large."""
_BREAKING = re.compile(
    r"\bbreaking\b(?! down| ties)|\bBC[- ]?break|\bbackwards?[- ]incompatible|^\s{0,4}\w{2,20}(?:\([^)\n]{0,40}\))?!:|\[deprecat\w{0,6}\]|\bdrop(?:s|ping)? support\b"
    r"|\bremov(?:e|es|ing) (?:the )?deprecated\b",
    re.IGNORECASE,
)
_NOT_BREAKING = re.compile(r"\bnon?[- ]breaking\b", re.IGNORECASE)
_RFC = re.compile(r"\brfc\b", re.IGNORECASE)


def coming(activity: Activity) -> tuple[Coming, ...]:
    """Those of the window that are still open: breaking ones first, then by what else they are and how large."""
    found = [(pull, reasons) for pull in activity.pulls if pull.state == "open" and (reasons := tuple(_reasons(pull)))]
    found.sort(key=lambda x: (*(r not in x[1] for r in ("breaking", "rfc")), -_size(x[0]), x[0].number))
    return tuple(Coming(activity.repo, pull.number, reasons) for pull, reasons in found)


def _size(pull: Pull) -> int:
    return (pull.added or 0) + (pull.deleted or 0)


def _reasons(pull: Pull) -> Iterator[ComingReason]:
    title = shown(pull.title[:400])
    labels = [shown(label[:80]) for label in pull.labels[:30]]
    told = any(_BREAKING.search(x) and not _NOT_BREAKING.search(x) for x in (title, *labels))
    if told:
        yield "breaking"
    if _RFC.search(title) or any(_RFC.fullmatch(label) for label in labels):
        yield "rfc"
    if _size(pull) >= LINES or (pull.files or 0) >= FILES:
        yield "large"


# --- What the text of a pull request says: why, whether it tells how it was tested, and the numbers that it claims ---
# Everything is quoted as it stands (up to white space), so that it can be found again in the body; sentences with
# addresses or markup that points elsewhere are passed over. Templates, check boxes and machine-made summaries say nothing.


_WHY_CHARACTERS = 400
_SENTENCES = 2
_CLAIMS, _ROWS = 3, 6
_CLAIM_LINE = 240
"""A longer line is no claim rather than a cut one: numbers are never cut."""

_REASON = re.compile(
    r"\b(?:purpose|motivation|why|problem|background|what (?:this|does)|description|summary|root cause|context|overview|issue)\b|动机|背景|目的|原因",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"coderabbit|gemini|copilot|auto-?translation|walkthrough|release notes|sourcery|cursor", re.IGNORECASE
)
_OF_TEMPLATE = re.compile(
    r"check ?list|essential elements|reviewer notes|related issues|pre-?commit checks|review and merge|user-facing change",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"\b(?:tests?|testing|tested|validation|verification|verified|benchmarks?|benchmarking|accuracy tests?|speed tests?|evaluation|how to reproduce)\b|测试|验证",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"[\s\-*_.:]*(?:n\.?/?a\.?|none|no|tbd|todo|wip|nothing|not applicable|see above|-+|ci|pass(?:ed)?|无)?[\s\-*_.:]*",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"please fill|fill in the|before submitting|thank you for (?:your )?contribut|anything written below|link existing issues|#xxxx|"
    r"please (?:describe|clarify|read|make sure|provide|explain)|if you are unsure",
    re.IGNORECASE,
)
_POINTS = re.compile(r"https?:|www\.|\]\(|!\[|<[/!a-zA-Z]|/(?:commit|pull|issues)/")
_CLOSES = re.compile(
    r"\s{0,8}[-*+]?\s{0,4}(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|related(?: to)?|refs?|see|part of|cc|depends on|follow-?up (?:to|of)|(?:this )?reverts?)\b[\s:,and#\d./\w-]{0,80}$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?][)\"'`*]{0,3}(?=\s+[A-Z\"'`(\[*\d\u4e00-\u9fff])|[。！？]|[:：]\s*$")
_SHORTENED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|fig|no|approx|resp|w\.r\.t|a\.k\.a)|\b[A-Z])\.$", re.IGNORECASE)

_NUMBER = r"(?<![\w.])[+\-~≈<>]?\d[\d,]{0,12}(?:\.\d{1,8})?"
_MEASURED = re.compile(
    rf"{_NUMBER}\s?(?:[x×](?![\w])|%|(?:[mµμun]?s|sec(?:onds?)?|min(?:utes?)?)(?![\w])|(?:tok(?:en)?s?|req(?:uest)?s?|it(?:er)?s?)\s?/\s?s|[tgmk]flop/?s|[TGMK]i?B(?:/s)?(?![\w])|TOPS\b)",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:fast(?:er)?|slow(?:er)?|speed-?ups?|speed up|throughput|latenc(?:y|ies)|improv\w{1,7}|reduc\w{1,6}|increas\w{1,4}|decreas\w{1,4}|lower|higher|gains?|regress\w{0,5}|accuracy|overhead|saves?|saving|longer|shorter|falls?|fell|rises?|rose|ttft|tpot|itl|bandwidth|utili[sz]ation|vs\.?|versus|compared|baseline|from|drops?|gsm8k|mmlu|score)\b|→|->|提升|降低|减少|加速",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"speed-?up|latenc|throughput|time|\bms\b|\bus\b|µs|tok|flops|gb/s|tb/s|ttft|tpot|itl|accura|score|baseline|before|after|main\b|this pr|ratio|mean|median|p9[059]|exact_match|memory",
    re.IGNORECASE,
)
_RULE = re.compile(r"[\s|:+=-]{3,2000}")
_DIGIT = re.compile(r"\d")


def read_pull(repo: str, pull: Pull) -> PullReading:
    """What the body says."""
    blocks, cut = prose(pull.body)
    said = [b for b in blocks if not _MACHINE.search(b.section) and not _OF_TEMPLATE.search(b.section)]
    claims, omitted = _claims(said)
    return PullReading(repo, pull.number, _why(said), _test_plan(said), claims, omitted, cut)


# --- why ---------------------------------------------------------------------------------------------------------


def _why(blocks: Sequence[Block]) -> str:
    """First sentences of the part that gives the reason; without such a part, of what stands before any heading."""
    words = [b for b in blocks if b.kind in ("text", "item") and not b.folded and not BOX.match(b.text)]
    named = [b for b in words if b.section and _REASON.search(b.section) and not _TESTS.search(b.section)]
    for group in (named, [b for b in words if not b.section]):
        out: list[str] = []
        for sentence in _sentences(group):
            if len(out) >= _SENTENCES or sum(map(len, out)) + len(sentence) > _WHY_CHARACTERS:
                break
            out.append(sentence)
        if out:
            return " ".join(out)
    return ""


def _sentences(blocks: Sequence[Block]) -> Iterator[str]:
    """Sentences that follow one another in the body, from the first that says something on; a gap ends them."""
    begun = False
    for block in blocks:
        if begun:
            return  # of one paragraph only: what follows may be a list, and the two would not stand together
        for sentence in split(shown(_unmarked(block.text))):
            if not _telling(sentence):
                if begun:
                    return
                continue
            begun = True
            yield sentence


def split(text: str) -> Iterator[str]:
    """A paragraph's sentences as they stand."""
    at = 0
    for m in _SENTENCE_END.finditer(text):
        piece = text[at : m.end()]
        if not _SHORTENED.search(piece[-12:]):
            yield piece.strip()
            at = m.end()
    if text[at:].strip():
        yield text[at:].strip()


def _telling(sentence: str) -> bool:
    if (
        sentence.endswith((":", "："))
        or len(sentence) < 15
        or len(sentence) > _WHY_CHARACTERS
        or _POINTS.search(sentence)
        or _TEMPLATE.search(sentence)
    ):
        return False
    return _CLOSES.match(sentence) is None and sentence.count(" ") + len(re.findall(r"[\u4e00-\u9fff]", sentence)) >= 3


# --- tests -------------------------------------------------------------------------------------------------------


def _test_plan(blocks: Sequence[Block]) -> bool:
    """A part about tests with more in it than boxes, nothing and the template's own words."""
    for block in blocks:
        if block.kind == "heading" or not _TESTS.search(block.section):
            continue
        if block.kind in ("code", "table"):
            return True
        lines = [x for x in block.text.split("\n") if not BOX.match(x) and not _TEMPLATE.search(x)]
        if any(not _NOTHING.fullmatch(shown(x)) for x in lines) and not BOX.match(block.text):
            return True
    return False


# --- numbers -----------------------------------------------------------------------------------------------------


def _claims(blocks: Sequence[Block]) -> tuple[tuple[Claim, ...], int]:
    """Tables first, since they are what was measured; then sentences."""
    found = [claim for over, b in zip((None, *blocks), blocks, strict=False) if (claim := _table(b, over)) is not None]
    for block in blocks:
        if block.kind in ("text", "item") and not BOX.match(block.text):
            found += [Claim((s,)) for s in split(shown(_unmarked(block.text))) if _measures(s)]
    once = list(dict.fromkeys(found))
    return tuple(once[:_CLAIMS]), max(0, len(once) - _CLAIMS)


def _unmarked(text: str) -> str:
    """An item without its sign."""
    sign = ITEM.match(text)
    return text[sign.end() :] if sign else text


def _measures(sentence: str) -> bool:
    fits = 15 <= len(sentence) <= _CLAIM_LINE and not _POINTS.search(sentence) and not _TEMPLATE.search(sentence)
    fits = fits and not sentence.endswith((":", "："))
    return fits and bool(_MEASURED.search(sentence)) and bool(_COMPARES.search(sentence))


def _table(block: Block, over: Block | None) -> Claim | None:
    """A table's head and first rows, as they stand; one that measures nothing, or that is broken, is none."""
    if block.kind != "table":
        return None
    rows = [shown(line) for line in block.text.split("\n")]
    if len(rows) < 3 or not _RULE.fullmatch(rows[1]) or _RULE.fullmatch(rows[0]):
        return None
    body = rows[2:]
    quoted = (rows[0], *body[:_ROWS])
    if any(_POINTS.search(row) or len(row) > _CLAIM_LINE or row.count("|") != rows[0].count("|") for row in quoted):
        return None
    units = bool(_HEAD.search(rows[0])) or any(_MEASURED.search(row) for row in body)
    numbers = [row for row in body if len(_DIGIT.findall(row)) >= 2]
    if not units or len(numbers) < max(1, len(body) // 2):
        return None
    return Claim((*_set_up(block, over), *quoted), max(0, len(body) - _ROWS))


def _set_up(table: Block, over: Block | None) -> Iterator[str]:
    """The line that leads to a table: on what it was measured, mostly."""
    if over is not None and over.kind == "text" and (over.section, over.folded) == (table.section, table.folded):
        line = shown(over.text.split("\n")[-1])
        if line.endswith((":", "：")) and 15 <= len(line) <= _CLAIM_LINE:
            yield from () if _POINTS.search(line) or _TEMPLATE.search(line) else (line,)


def of_repository(side: Side, numbers: Mapping[str, Numbers]) -> RepoForge:
    """Links, readings and what is coming of one repository."""
    mine = numbers[side.repo.lower()]
    changes = [entry.change for entry in side.entries]
    links = [*brought(mine, changes), *fixed(mine, changes, numbers), *shipped(side.entries, side.activity)]
    issues = read_issues(side.activity, links)
    by_number = {issue.number: issue for issue in side.activity.issues}
    tags = dict.fromkeys(side.tags, False) | {release.tag: True for release in side.activity.releases}
    graded = [(by_number[reading.number], reading.kind) for reading in issues]
    links += causes(mine, graded, side.entries, side.earlier, tags)
    told = {number for change in changes if (number := mine.of_change(change)) is not None}
    pulls = [p for p in side.activity.pulls if p.number in told or "merged" in p.happened]
    return RepoForge(
        side.repo,
        tuple(links),
        issues,
        tuple(read_pull(side.repo, pull) for pull in sorted(pulls, key=lambda p: p.number)),
        coming(side.activity),
        held(side.entries, side.activity, side.holds),
    )
