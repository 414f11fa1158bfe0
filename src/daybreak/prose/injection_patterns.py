"""Lines of evidence that speak to a program that reads them; they are data, and never evidence of anything.

Evidence may be large and is hostile, so patterns are bounded and run only near a word that each of them needs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

_NAMES = ("ai", "llm", "gpt", "language model", "assistant", "bot", "agent", "summari", "analyst", "reporter", "report generator", "report writer", "automated reader")  # fmt: skip
_READER = (
    r"(?:an? )?(?:AI|A\.I\.|LLMs?|GPT|ChatGPT|language models?|assistants?|chat ?bots?|bots?|agents?|summari[sz]ers?"
    r"|(?:AI )?(?:analysts?|reviewers|team)|automated readers?|report(?:er| generator| writer)s?)"
)
_ORDER = (
    r"(?:ignore|disregard|forget|override|say|write|state|report|tell|claim|mark|rate|rank|grade|classify|treat|output|print"
    r"|respond|reply|answer|include|insert|add|append|mention|recommend|summari[sz]e|repeat|translate|pretend|reveal|list"
    r"|call|approve|follow|quote)"
)
_AI = ("ai:", "ai,", "ai：", "ai，", " ai ", " ai.", "ai!", "ai-", "ai)")
_TALKING = tuple(name for name in _NAMES if name != "ai")


class _Pattern(NamedTuple):
    needs: tuple[str, ...]
    """One of these, in lower case, stands wherever the pattern does."""
    form: re.Pattern[str]
    also: tuple[str, ...] = ()
    """And one of these near it: a cheap look before a form that has to try much."""


def _pattern(needs: tuple[str, ...] | str, form: str, also: tuple[str, ...] = ()) -> _Pattern:
    return _Pattern((needs,) if isinstance(needs, str) else needs, re.compile(form, re.IGNORECASE | re.MULTILINE), also)


_PATTERNS = (
    _pattern(
        ("ignore", "disregard", "forget", "override"),
        r"(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|system|these|other|checker's)\b.{0,30}\b(?:instruction|prompt|rule|direction|guideline|message|evidence|check)|(?:ignore|disregard|forget|override) the (?:diff|rules?|evidence|instructions?|prompt|guidelines?|checks?)\b",
        ("instruction", "prompt", "rule", "direction", "guideline", "message", "evidence", "check", "diff"),
    ),
    _pattern(
        (*_AI, *_TALKING),
        rf"\b{_READER}\s?[:,，：]\s{{0,3}}(?:please\s|you\s(?:must|should|are)\s|do not\s|don't\s|never\s|always\s)?{_ORDER}\b"
        rf"|\b(?:dear|hey|hello|attention|note to|message (?:to|for)|instructions? (?:to|for)) (?:the |all |any )?(?:reading |automated )?{_READER}\b.{{0,20}}[:,!]"
        rf"|\b(?:to|for) (?:the |all |any )?{_READER}\s?[:,!]"
        rf"|\b(?:(?:any|every|all|the|whichever|AI) {_READER}|{_READER} (?:team|reviewers?|analysts?))\b.{{0,40}}\b(?:must|should|shall|has to|have to|are to|is to)\b",
    ),
    _pattern(
        "you are",
        r"\byou are (?:now |no longer )?(?:an? )?(?:AI|assistant|LLM|language model|DAN|helpful|unrestricted|free|in developer mode)",
    ),
    _pattern(("as an", "as a "), r"\bas an? (?:AI|LLM|language model|assistant)\b"),
    _pattern(
        ("in your", "in the"),
        r"\bin (?:your|the) (?:summary|report|answer|response|output|review|statement|digest)\b.{0,30}\b(?:say|write|state|add|include|recommend|mention|call|must)\b|\bin your (?:summary|report|digest)\b",
    ),
    _pattern(
        "when", r"\bwhen(?:ever)? (?:you )(?:summari[sz]|report|describ|analy[sz]|grad|review)\w{0,6}\b|\bwhen summari[sz]ing (?:this|it)\b"
    ),
    _pattern(
        ("system prompt", "developer message", "hidden prompt", "your "),
        r"\b(?:system prompt|developer message|hidden prompt)s?\s?[:：]|\b(?:reveal|print|repeat|override|ignore|show|leak)\b.{0,20}\b(?:system prompt|hidden prompt)|\byour (?:instructions|prompt|rules|guidelines)\b",
    ),
    _pattern(
        ("<|", "[inst]", "[/inst]", "<<sys", "<</sys", "<system", "</system", "<assistant", "begin "),
        r"<\|?/?(?:im_start|im_end|system|assistant|endoftext|eot_id|begin_of_text|start_header_id)\b|\[/?INST\]|<</?SYS>>|\bBEGIN (?:SYSTEM|PROMPT|INSTRUCTIONS)\b",
    ),
    _pattern(
        ("system", "assistant", "instruction", "new task", "developer message"),
        r"^[+\-\s/*#>]{0,16}(?:system|assistant|instructions?|new task|developer message)\s?[:：]\s",
    ),
    _pattern(
        ("importance", "severity", "priority", "grade", "score", "rating"),
        r"\b(?:importance|severity|priority|grade|score|rating)\b\s{0,2}(?:[:=：]|must be|should be|is to be|to be set to)\s{0,2}[\"']?(?:high|critical|max|top|urgent|low)"
        # A bare number is how code sets a priority or a score.
        r"|\bimportance\b\s{0,2}(?:[:=：]|must be|should be|is to be|to be set to)\s{0,2}[\"']?1(?:\.0)?\b",
    ),
    _pattern(
        " as ",
        r"\b(?:mark|rate|grade|classify|flag|label|treat|rank)\b.{0,30}\bas\b.{0,20}\b(?:high|critical|important|urgent|breaking|safe|low|top|security)",
    ),
    _pattern(
        ("role", "statement", "refs", "quote", "evidence", "importance", "dimension"),
        r"[\"'](?:role|statements?|refs|quote|evidence|importance|dimension)[\"']\s?:\s?[\[{\"']\s?(?:\[?\{|what|why|impact|risk|action|high|low|medium|[MPIFDSNT]\d|\")?",
    ),
    _pattern(
        ("忽略", "无视", "忘记", "忘掉", "不要理会", "绕过", "覆盖"),
        r"(?:忽略|无视|忘记|忘掉|不要理会|绕过|覆盖).{0,16}(?:指令|提示|规则|要求|上文|上述|以上|之前|前面|设定)",
        ("指令", "提示", "规则", "要求", "上文", "上述", "以上", "之前", "前面", "设定"),
    ),
    _pattern(("你是", "你现在是", "作为", "扮演", "假装"), r"(?:你是|你现在是|作为|扮演|假装).{0,10}(?:(?<![A-Za-z])AI(?![A-Za-z])|人工智能|助手|大模型|机器人|分析员)", ("ai", "人工智能", "助手", "模型", "机器人", "分析员")),
    _pattern(
        ("ai", "人工智能", "模型", "助手", "机器人", "摘要器", "分析员"),
        r"(?:致|告|给|请|对|各位)\s?(?:所有|任何|读到.{0,6}的|自动)?\s?(?:AI(?![A-Za-z])|人工智能|大?模型(?=[：:，,声回请])|助手|机器人|摘要器|分析员)",
    ),
    _pattern(
        ("在", "于"),
        r"(?:在|于)(?:你的|您的|总结|摘要|报告|回答|日报)(?:总结|摘要|报告|回答|输出)?(?:中|里|内)?.{0,12}(?:写|说|声明|注明|加入|插入|提到|标|输出|包含|必须)",
    ),
    _pattern(("系统提示", "你的指令", "你的规则", "开发者消息"), r"系统提示词?\s?[：:]|(?:输出|显示|泄露|打印|覆盖).{0,6}系统提示|你的(?:指令|规则)|开发者消息"),
    _pattern(
        ("重要性", "重要程度", "严重性", "优先级", "等级", "评级", "评分"),
        r"(?:重要性|重要程度|严重性|优先级|等级|评级|评分).{0,8}(?:设为|标为|定为|评为|改为|提到|必须|应为|[:：=]).{0,4}(?:高|最高|严重|满分|1|低|high)",
    ),
    _pattern(
        ("请", "必须", "务必", "应当", "应该"),
        r"(?:请(?!求)|必须|务必|应当|应该)(?:把|将)?.{0,10}(?:标记|评为|列为|标为|归为|说成|声称|宣布|写成|回复|声明)|(?:请|务必)输出",
    ),
)  # fmt: skip
_BEFORE, _AFTER = 140, 200
"""No pattern is longer than these, counted from the word it needs."""


def speaks_to_reader(line: str) -> bool:
    """Whether this line gives orders to a program, or poses as its conversation."""
    return bool(ordering(line.replace("\n", " ")))


def ordering(text: str) -> set[int]:
    """Where lines begin that give orders to a program: offsets into the text."""
    low = text.lower()
    if len(low) != len(text):  # a letter that grows when it is made small; offsets must stay
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    starts = [0, *(m.end() for m in re.finditer("\n", low))]
    found: set[int] = set()
    for pattern in _PATTERNS:
        for need in pattern.needs:
            for at in _hits(low, need):
                start = starts[bisect_right(starts, at) - 1]
                first, last = max(start, at - _BEFORE), at + _AFTER
                end = low.find("\n", at, last)
                last = last if end < 0 else end
                if start in found or (pattern.also and not any(low.find(w, first, last) >= 0 for w in pattern.also)):
                    continue
                if pattern.form.search(text[first:last]):
                    found.add(start)
    return found


def _hits(low: str, word: str) -> Iterator[int]:
    """Where the word stands; of a row of them those are enough that the windows around them cover."""
    at = low.find(word)
    while at >= 0:
        yield at
        line_end = low.find("\n", at, at + _AFTER // 2)
        at = low.find(word, line_end if line_end >= 0 else at + _AFTER // 2)
