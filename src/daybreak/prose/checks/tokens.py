"""Technical words, numbers and amounts of a text: what a model must not make up, in whatever way it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

from daybreak.core.text import outside, plain

_TOKEN = re.compile(r"(?:--?|[./@$])?[A-Za-z_][A-Za-z0-9_+\-./:=*@#&]*|\d[A-Za-z0-9_+\-./:=*]*", re.ASCII)
_ENDING = "-./:=*+#&@"
_INNER = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}|\d|[_/@=*#&:]|\w\.\w|^--")
_HYPHENS = re.compile(r"[a-zA-Z]+(?:-[a-z]+)+")
_SLASHED = re.compile(r"[A-Za-z]+(?:/[a-z]+)+")
_PLAIN_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
_LATIN_SHORT = frozenset({"e.g", "i.e", "vs", "etc", "and/or", "n/a"})
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,])(?:(?<=[^\d])|^|(?<=\s))[-−]?(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
    r"(?![\d]|\.\d)(?P<gap>[ \-]?)(?P<u>%|×|[A-Za-z]+(?:/[A-Za-z]+)?|[\u4e00-\u9fff]{1,3})?",
    re.ASCII | re.IGNORECASE,
)
_ENGLISH = {
    "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100, "thousand": 1000, "million": 1000000, "twofold": 2,
    "threefold": 3, "tenfold": 10,
}  # fmt: skip
NUMBER_WORDS = frozenset(_ENGLISH)
_ENGLISH_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(_ENGLISH)})(?![\w-])", re.IGNORECASE)
_CHINESE = {
    "两": 2,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
    "百": 100,
    "千": 1000,
}
_CHINESE_WORD = re.compile(
    r"(?<![第其])([三四五六七八九十百千]|[两二](?=倍))(?=[个种项条次处份套类张台倍行卡路层组步轮字成帧块段页列款])"
)

_UNITS: dict[str, str] = {}
for _names in (
    "% percent 个百分点 百分点",
    "x × times fold 倍",
    "ms msec millisecond milliseconds 毫秒",
    "us usec microsecond microseconds µs 微秒",
    "ns nanosecond nanoseconds 纳秒",
    "s sec secs second seconds 秒 秒钟",
    "min mins minute minutes 分钟",
    "h hr hrs hour hours 小时",
    "day days d 天",
    "week weeks 周",
    "b byte bytes 字节",
    "kb kib",
    "mb mib",
    "gb gib",
    "tb tib",
    "bit bits 位 比特",
    "gb/s gbps",
    "tok/s tokens/s tps",
    "req/s qps rps",
    "tflops tflop/s",
    "gflops gflop/s",
    "mhz",
    "ghz",
    "degrees 度",
):
    _all = _names.split()
    _UNITS.update(dict.fromkeys(_all, _all[0]))
_UNITS["percentage"] = "%"
for _word in ("tokens", "token", "词元"):
    _UNITS[_word] = "token"
_TIMES = re.compile(r"(?<![\w.])((?!0x)\d{1,9}|(?<=[x×])\d{1,9})\s?[x×]\s?(?=\d)")
"""A shape such as 128x256 is two numbers, and no multiple."""
_FEW = ("0", "1", "2")
"""Dimensions that code has without a number: a scalar, a row, a table."""
_MOST_DIGITS = 400
"""Written out, `1e999999` would have a million of them."""
_SOFT_UNITS = frozenset({"token", "bit"})
"""Units that evidence often leaves to a name: the number alone carries them."""


class Number(NamedTuple):
    """A number as a sentence states it."""

    value: str
    unit: str
    written: str


def tokens(text: str) -> Iterator[str]:
    """Latin-script tokens of a text, without what punctuation hangs on to them."""
    for found in _TOKEN.finditer(text):
        token = "C++" if found[0].startswith("C++") else found[0].rstrip(_ENDING)
        if token and token.strip("-_./"):
            yield token


def technical(token: str) -> bool:
    """Whether English prose would not have it: a name, flag, path, version or abbreviation."""
    if token.lower() in _LATIN_SHORT or _HYPHENS.fullmatch(token) or _PLAIN_NUMBER.fullmatch(token):
        return False
    if _SLASHED.fullmatch(token):
        return any(technical(part) for part in token.split("/"))
    return bool(_INNER.search(token))


def measured(token: str) -> bool:
    """A number with its unit, such as `10ms` or `2x`: the numbers' business."""
    found = _NUMBER.fullmatch(token)
    return bool(_TIMES.search(token) and not token.strip("0123456789x×")) or bool(
        found and (not found["u"] or found["u"].lower() in _UNITS or found["u"].lower() in ("k", "m"))
    )


@lru_cache(maxsize=4096)
def value(text: str) -> str:
    """One writing for one number: `16,384` is `16384`, `0.10` is `0.1`; one past every float stays as it is written."""
    try:
        number = Decimal(text.replace(",", ""))
    except (InvalidOperation, ValueError):
        return text
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return text
    return format(number.normalize(), "f")


def unit(word: str | None) -> str:
    """The unit that a word stands for; empty when it is none."""
    word = (word or "").lower()
    if word.startswith("倍数"):
        return ""  # a multiple of it, and not so many times as much
    for end in range(len(word), 0, -1):
        if word[:end] in _UNITS and (end == len(word) or not word.isascii()):
            return _UNITS[word[:end]]
    return ""


def hard_unit(name: str) -> bool:
    return bool(name) and name not in _SOFT_UNITS


def numbers(text: str) -> Iterator[Number]:
    """Numbers of a sentence, in digits and in words."""
    for found in _NUMBER.finditer(_TIMES.sub(r"\1 , ", text)):
        said = found["u"] or ""
        if said == "D" or (found["gap"] == "-" and said == "d"):
            if value(found["n"]) not in _FEW:  # dimensions, and no days
                yield Number(value(found["n"]), "", found[0].strip())
            continue
        if found["gap"] == "-" and not unit(said):
            said = ""
        if (
            said
            and found["gap"] == ""
            and said.isascii()
            and said.isalpha()
            and not unit(said)
            and said.lower() not in ("k", "m")
        ):
            continue  # `2D`, `4xx`, `8bit`-like words are technical words
        yield Number(value(found["n"]), unit(said), found[0].strip())
    for word in _ENGLISH_WORD.findall(text):
        yield Number(str(_ENGLISH[word.lower()]), "x" if word.lower().endswith("fold") else "", word)
    for found in _CHINESE_WORD.finditer(text):
        follows = text[found.end() : found.end() + 1]
        yield Number(str(_CHINESE[found[1]]), "x" if follows == "倍" else "", found[0])


_ORDINALS = {
    "once": 1, "one": 1, "first": 1, "two": 2, "twice": 2, "both": 2, "second": 2, "third": 3, "fourth": 4, "fifth": 5,
    "zero": 0, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "half": 2, "double": 2, "single": 1,
}  # fmt: skip
_NUMERAL = {**_CHINESE, "一": 1, "单": 1, "双": 2, "半": 2, "零": 0, "首": 1}


def ordinals(text: str) -> Iterator[str]:
    """Every number that a word of the text may stand for, loosely."""
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in _ORDINALS or word in _ENGLISH:
            yield str(_ORDINALS[word] if word in _ORDINALS else _ENGLISH[word])
    for char in text:
        if char in _NUMERAL:
            yield str(_NUMERAL[char])


_LOOSE = re.compile(
    r"(?<![A-Za-z0-9_.])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?!\d|\.\d)", re.ASCII
)


_DIMENSIONS = re.compile(r"(?<=[A-Za-z_])([3-9])[dD](?![A-Za-z0-9])")
"""`Conv3d` has three of them."""


def loose_numbers(text: str) -> Iterator[str]:
    """Numbers of an evidence line, also where a unit or a name hangs on to them; not the digits inside a name."""
    for word in _ENGLISH_WORD.findall(text):
        yield str(_ENGLISH[word.lower()])
    for word in _CHINESE_WORD.findall(text):
        yield str(_CHINESE[word])
    yield from _DIMENSIONS.findall(text)
    for found in set(_LOOSE.findall(_TIMES.sub(r"\1 , ", text))):
        yield value(found)
        if "," in found:
            yield from map(value, found.split(","))


# --- Placeholders such as `{file:3}`: blanked for the checks of words, rendered by code for readers ---


PLACEHOLDER = re.compile(r"`?\{([A-Za-z_]{1,20}:\d{1,4})\}`?")
_BRACE = re.compile(r"\{[^{}]{0,40}\}?|\}")
_LITERAL = {"pr", "commit", "count", "issue"}
_PLAIN_VALUE = re.compile(r"#?[0-9A-Za-z]{1,40}")
MOST = 120


def blanked(text: str) -> str:
    """The text without placeholders: what the model itself wrote."""
    return PLACEHOLDER.sub(" ", text)


def unknown(text: str, names: Mapping[str, str]) -> str:
    """The first placeholder that no piece lists, or a stray one; empty when all are known."""
    for found in PLACEHOLDER.finditer(text):
        if found[1] not in names:
            return found[0]
    stray = _BRACE.search(outside(blanked(text)))
    return stray[0] if stray else ""


def rendered(text: str, names: Mapping[str, str]) -> str:
    """The text with every placeholder put in: paths and names in backticks, counts and numbers of items as they are."""
    return PLACEHOLDER.sub(lambda found: _shown(found[1], names[found[1]]), text)


def _shown(name: str, value: str) -> str:
    if name.partition(":")[0] in _LITERAL and _PLAIN_VALUE.fullmatch(value):
        return value
    text = plain(value)
    if len(text) > MOST:
        text = text[: MOST - 1].rstrip() + "…"
    return f"`{text or '?'}`"


# --- One amount in several writings: 32k is 32768, 0.9 is 90 %, 500 ms is 0.5 s, and a status has a number and a name ---

_STATUS = {status.name.replace("_", "").lower(): str(int(status)) for status in HTTPStatus}
_STATUS_NAME = re.compile(r"(?:[Ss]tatus\w{0,4}|HTTP\w{0,8})(?:::|\.|_)?([A-Z][A-Za-z_]{1,40})")
_LARGEST = 300
"""Powers of ten past every real amount: they stay as they are written."""
_THOUSANDS = re.compile(r"[\d.,]+\s?[kK](?![A-Za-z])")
_TEN_THOUSANDS = re.compile(r"[\d.,]+\s?([万亿])")
_MILLIONS = re.compile(r"[\d.,]+\s?[mM]")
_SHORT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?([kKmM])(?![A-Za-z0-9])")
_GROUPED = re.compile(r"(?<![\w.])\d{1,3}(?:_\d{3})+(?!\w)")
_AMOUNTS_TIMES = {"us": ("ms", -3), "ms": ("s", -3), "s": ("ms", 3), "kb": ("mb", 0), "mb": ("gb", 0)}


def statuses(line: str) -> Iterator[str]:
    """Numbers of the HTTP statuses that a line names: `StatusCode::BAD_REQUEST`, `http.StatusBadRequest`."""
    if "tatus" in line or "HTTP" in line:
        for found in _STATUS_NAME.finditer(line):
            name = found[1].replace("_", "").lower()
            if name in _STATUS:
                yield _STATUS[name]


def written_out(line: str) -> Iterator[str]:
    """Numbers that a line has in short, as 4M, or in groups, as 4_194_304."""
    for found in _SHORT.finditer(line):
        least = 1 if found[2] in "kK" else 2
        yield from (value(str(Decimal(found[1]) * base**least)) for base in (1000, 1024))
    for found in _GROUPED.finditer(line):
        yield value(found[0].replace("_", ""))


def same(number: Number) -> Iterator[Number]:
    """The number itself, then other writings of the same amount."""
    yield number
    try:
        amount = Decimal(number.value)
    except InvalidOperation:
        return
    if not amount.is_finite() or abs(amount.adjusted()) > _LARGEST:
        return
    if found := _TEN_THOUSANDS.match(number.written):
        yield _of(amount * (10**8 if found[1] == "亿" else 10**4))
    elif _THOUSANDS.match(number.written):
        yield from (_of(amount * times) for times in (1000, 1024))
    elif _MILLIONS.fullmatch(number.written):
        yield from (_of(amount * times) for times in (1000**2, 1024**2))
    elif number.unit == "%":
        yield _of(amount / 100)
    elif number.unit in _AMOUNTS_TIMES:
        other, power = _AMOUNTS_TIMES[number.unit]
        scaled = amount.scaleb(power) if power else amount / 1024
        yield Number(value(str(scaled)), other, number.written)


def _of(amount: Decimal) -> Number:
    return Number(value(str(amount)), "", str(amount))
