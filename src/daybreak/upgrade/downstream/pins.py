"""Requirements on watched projects: names with versions, images with tags, git addresses with refs, wheels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from daybreak.core.projects import Wanted
from daybreak.core.versions import normalised
from daybreak.upgrade.downstream.commands import Word
from daybreak.upgrade.downstream.readers import Found

_REQUIREMENT = re.compile(
    r"\s{0,20}(?P<name>[A-Za-z0-9][\w.-]{0,99})\s{0,20}(?:\[[^\]\n]{0,200}\])?\s{0,20}"
    r"(?:@\s{0,20}(?P<address>\S{1,500})|\(?(?P<versions>(?:[=<>!~^]=?=?|\d)[^;#\n)]{0,200})?\)?)\s{0,20}(?:[;#,].{0,500})?",
    re.DOTALL,
)
_GIT = re.compile(
    r"(?:^|[/@:])(?:github|gitlab)\.com[/:](?P<repo>[\w.-]{1,60}/[\w.-]{1,100}?)(?:\.git)?/?(?:@(?P<ref>[\w./+-]{1,100}))?(?:[#?/].{0,300})?$"
)
_WHEEL = re.compile(
    r"(?:^|/)(?P<name>[A-Za-z][\w.]{0,60})-(?P<version>\d[\w.+!%]{0,60})-[\w.]{1,40}-[^/\s]{1,120}\.whl"
)
_IMAGE = re.compile(
    r"(?P<name>[\w.-]{1,100}(?::\d{1,5})?(?:/[\w.-]{1,100}){0,6}?)(?::(?P<tag>[\w.${}-]{1,128}))?(?:@sha256:(?P<digest>[0-9a-f]{8,64}))?"
)
_TAG_VERSION = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?(?:rc|post|dev|a|b)\d{1,4})?)(?![\w.])")
_PARAMETER = re.compile(r"\$\{?(\w{1,100})[^}]{0,100}\}?")
PIP_VALUES = frozenset(
    {"-r", "-c", "-i", "-f", "-t", "-e", "--requirement", "--constraint", "--index-url", "--extra-index-url", "--find-links",
     "--target", "--editable", "--index", "--python", "--prefix", "--root", "--torch-backend", "-p", "-n", "--name",
     "--channel", "--platform", "--python-version", "--trusted-host", "--config-settings", "--group", "--extra"}
)  # fmt: skip


class Pin(NamedTuple):
    """A requirement on a watched project."""

    project: str
    value: str | None


def requirement(text: str, wanted: Wanted) -> Pin | None:
    """The pin a requirement states (`vllm[audio]==0.14.1; python_version>"3.9"`), if it is on a watched project."""
    text = text[:1000]
    match = _REQUIREMENT.fullmatch(text)
    if match is None or normalised(match["name"]) not in wanted.projects:
        return address(text, wanted)
    if match["address"]:
        named = address(match["address"], wanted)
        return Pin(normalised(match["name"]), named.value if named else None)
    return Pin(normalised(match["name"]), _tidy(match["versions"]))


def address(text: str, wanted: Wanted) -> Pin | None:
    """The pin a git address or a wheel states."""
    wheel = _WHEEL.search(text[:1000])
    if wheel and normalised(wheel["name"]) in wanted.projects:
        return Pin(normalised(wheel["name"]), f"=={wheel['version'].replace('%2B', '+')}")
    git = _GIT.search(text[:1000])
    if git is None or git["repo"].lower() not in wanted.sources:
        return None
    return Pin(wanted.sources[git["repo"].lower()], f"@{git['ref']}" if git["ref"] else None)


def _tidy(versions: str | None) -> str | None:
    if not versions or "$" in versions or "{" in versions:
        return None
    bare = re.sub(r"\s+", "", versions.strip().strip("\"'"))
    return f"=={bare}" if bare[:1].isdigit() else bare or None


def image(text: str, wanted: Wanted) -> tuple[str, Pin] | None:
    """The watched image a reference names, without registry, and the version its tag states."""
    match = _IMAGE.fullmatch(text.strip()[:500])
    if match is None:
        return None
    parts = match["name"].split("/")
    for count in (3, 2, 1):
        name = "/".join(parts[-count:])
        if name in wanted.images and (count > 1 or len(parts) > 1):
            return name, Pin(wanted.sources[name], _tag(match["tag"], match["digest"]))
    return None


def _tag(tag: str | None, digest: str | None) -> str | None:
    version = _TAG_VERSION.match(tag or "")
    if version:
        return f"=={version.group(1)}"
    if tag and ("$" in tag or "{" in tag):
        return None
    return tag or (f"@sha256:{digest}" if digest else None)


def expanded(text: str, variables: dict[str, list[Word]]) -> str:
    """A text with `$NAME` replaced where the file says what it is, once."""
    if "$" not in text:
        return text
    return _PARAMETER.sub(lambda match: _value(match, variables), text[:1000])


def _value(match: re.Match[str], variables: dict[str, list[Word]]) -> str:
    known = variables.get(match.group(1))
    return known[0].text[:200] if known and len(known) == 1 else match.group()


def of_words(words: Iterable[Word], wanted: Wanted, variables: dict[str, list[Word]]) -> Iterator[Found]:
    """Pins in the arguments of `pip install` and its like."""
    skip = False
    for word in words:
        text = expanded(word.text, variables)
        if skip and not text.startswith(("git+", "http")):
            skip = False
            continue
        skip = text in PIP_VALUES
        if text.startswith("-"):
            continue
        pin = requirement(text, wanted)
        if pin:
            yield Found("pin", pin.project, word.line, pin.value)


def of_clone(words: Sequence[Word], wanted: Wanted, variables: dict[str, list[Word]]) -> Iterator[Found]:
    """The pin `git clone -b v0.14.1 https://…` states."""
    texts = [expanded(word.text, variables) for word in words]
    ref = next((texts[i + 1] for i, one in enumerate(texts[:-1]) if one in ("-b", "--branch")), None)
    ref = next((one.partition("=")[2] for one in texts if one.startswith("--branch=")), ref)
    for text, word in zip(texts, words, strict=True):
        pin = None if text.startswith("-") else address(text, wanted)
        if pin:
            yield Found("pin", pin.project, word.line, f"@{ref}" if ref and "$" not in ref else pin.value)
