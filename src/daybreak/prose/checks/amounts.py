"""One amount in several writings: 32k is 32768, 0.9 is 90 %, 500 ms is 0.5 s, and a status has a number and a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from http import HTTPStatus

from daybreak.prose.checks.tokens import Number, value

_STATUS = {status.name.replace("_", "").lower(): str(int(status)) for status in HTTPStatus}
_STATUS_NAME = re.compile(r"(?:[Ss]tatus\w{0,4}|HTTP\w{0,8})(?:::|\.|_)?([A-Z][A-Za-z_]{1,40})")
_LARGEST = 300
"""Powers of ten past every real amount: they stay as they are written."""
_THOUSANDS = re.compile(r"[\d.,]+\s?[kK](?![A-Za-z])")
_TEN_THOUSANDS = re.compile(r"[\d.,]+\s?([万亿])")
_MILLIONS = re.compile(r"[\d.,]+\s?[mM]")
_SHORT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?([kKmM])(?![A-Za-z0-9])")
_GROUPED = re.compile(r"(?<![\w.])\d{1,3}(?:_\d{3})+(?!\w)")
_TIMES = {"us": ("ms", -3), "ms": ("s", -3), "s": ("ms", 3), "kb": ("mb", 0), "mb": ("gb", 0)}


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
    elif number.unit in _TIMES:
        other, power = _TIMES[number.unit]
        scaled = amount.scaleb(power) if power else amount / 1024
        yield Number(value(str(scaled)), other, number.written)


def _of(amount: Decimal) -> Number:
    return Number(value(str(amount)), "", str(amount))
