"""Check: "the commit gives no performance numbers" stands only where it gives none; it claims nothing else."""

from __future__ import annotations

import re

from daybreak.prose.checks import tokens
from daybreak.prose.checks.interface import Claim, Fault

_WHAT = r"(?:performance|speed|latency|throughput|memory|benchmark|accuracy|timing|perf|measured)"
_DATA = r"(?:numbers?|figures?|data|results?|measurements?|benchmarks?|values?)"
_WHO = r"(?:commit(?: message)?|change|message|patch|pull request|PR|author|diff|evidence|description|title)"
_ABSENT = re.compile(
    rf"[,;.]?\s*\b(?:and |but |although |while |though )?(?:the |this |its )?{_WHO} (?:gives?|contains?|comes?|has|have|states?|reports?|provides?"
    rf"|includes?|shows?|names?|does not (?:give|contain|state|report|provide|include|show|name))(?: with)? ?(?:no|without|any)?(?: any)? ?(?:\w+ )?{_WHAT}(?: (?:or|and) {_WHAT})? {_DATA}\b"
    rf"|[,;.]?\s*\b(?:and |but )?no {_WHAT} {_DATA} (?:is|are|was|were) (?:given|stated|reported|provided|shown|included)"
    r"|[，；。]?\s*(?:但|而|且)?(?:该|此|本|这个|这次)?\s?(?:commit|提交|改动|变更|证据|作者|PR|说明|正文|补丁)(?:信息|说明|正文)?(?:里|中)?\s?(?:并)?(?:没有|没|未|并未|不)(?:有|给出|附带|附上|附|提供|包含|列出|说明|报告|带)?"
    r"(?:任何|具体)?的?(?:性能|延迟|吞吐|速度|显存|内存|精度|基准|测试|benchmark)(?:相关)?的?(?:数据|数字|指标|结果|数值|测试|对比)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:no|not|without)\b|没|未|不", re.IGNORECASE)
_MEASURES = frozenset({"%", "x", "ms", "us", "ns", "gb/s", "tok/s", "req/s", "tflops", "gflops", "gb", "mb"})


def without_absent(text: str) -> str:
    """The text without clauses that only say which figures are not there."""
    return _ABSENT.sub(lambda found: "" if _DENIES.search(found[0]) else found[0], text)


class NothingMeasured:
    """Figures that the evidence gives are not denied."""

    def fault(self, claim: Claim) -> Fault | None:
        denied = [text for text in claim.bare.values() if without_absent(text) != text]
        if not denied:
            return None
        for ground in claim.grounds.pieces.values():
            if ground.ref[:1] in "MP":
                for line in ground.lines[:2000]:
                    figure = next((n for n in tokens.numbers(line[:400]) if n.unit in _MEASURES), None)
                    if figure is not None:
                        return Fault("opposite", figure.written)
        return None
