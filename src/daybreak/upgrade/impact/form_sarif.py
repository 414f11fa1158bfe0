"""`daybreak impact` as SARIF 2.1.0, for code scanning: a rule for each kind of finding, a result for each hit."""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from urllib.parse import quote

from daybreak.core.day_json import encoded
from daybreak.core.invisible_chars import valid_text
from daybreak.core.words.catalogue import table
from daybreak.findings.kinds import kind_of
from daybreak.upgrade.impact.form_report import ImpactReport, Told, Wording, uncut

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"certain": "error", "likely": "warning", "look": "note"}


def impact_sarif(report: ImpactReport, language: str) -> str:
    """The file's text, with a final newline."""
    words = Wording(language)
    kinds = sorted({one.hit.net.finding.kind for one in report.told})
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "daybreak",
                "semanticVersion": report.tool_version,
                "rules": [_rule(kind) for kind in kinds],
            }
        },
        "language": table(words.language, "language")["region"],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder that was read"}}},
        "results": [_result(report, one, words, kinds) for one in report.told],
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": _message(f"{item.what}: {item.reason}")}}
                    for item in (*report.skipped, *report.unread)
                ],
            }
        ],
    }
    return encoded({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(kind: str) -> dict[str, Any]:
    name = "".join(part.capitalize() for part in kind.split("_"))
    return {"id": kind, "name": name, "shortDescription": {"text": kind_of(kind).rule}}


def _result(report: ImpactReport, one: Told, words: Wording, kinds: list[str]) -> dict[str, Any]:
    hit, net = one.hit, one.hit.net
    said = f"{words.say(hit.why)} {words.say(hit.action)} ({words.release(hit)})"
    result: dict[str, Any] = {
        "ruleId": net.finding.kind,
        "ruleIndex": kinds.index(net.finding.kind),
        "level": _LEVELS[hit.certainty],
        "message": {"text": _message(f"{said} [{one.id}]")},
        "locations": [_location(one)],
        "partialFingerprints": {"daybreak/v1": _fingerprint(one)},
        "properties": {
            "id": one.id,
            "certainty": hit.certainty,
            "repo": hit.repo,
            "commits": list(net.commits),
            "since": net.since,
        },
    }
    if address := report.url(hit):
        result["hostedViewerUri"] = address
    if hit.acknowledged is not None:
        result["suppressions"] = [{"kind": "external", "justification": hit.acknowledged}]
    return result


def _location(one: Told) -> dict[str, Any]:
    use = one.hit.use
    region: dict[str, Any] = {"startLine": max(use.line, 1)}
    if use.text:
        region["snippet"] = {"text": use.text}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(valid_text(use.path), safe="/-._~"), "uriBaseId": "SRCROOT"},
            "region": region,
        }
    }


def _fingerprint(one: Told) -> str:
    """The same hit in a later run, though lines above it moved: what is found, where, and by which words."""
    use = one.hit.use
    text = f"{one.id}\0{use.path}\0{use.kind}\0{use.name}\0{use.text}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _message(text: str) -> str:
    """SARIF reads braces as places to fill and brackets as links; doubled and escaped they are themselves."""
    out = uncut(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return out.replace("{", "{{").replace("}", "}}")
