"""What a program does otherwise with what it is sent: which value wins, what is heeded, who reads for a check, what is agreed on."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "vllm/entrypoints/openai/protocol.py"
OR = "class ChatRequest:\n    def limits(self, config, x):\n        return {}\n"
CALL = "class Request:\n    {field}: bool = False\n\n\ndef serve(request, args):\n    return render(request.messages, {given})\n"
CHECK = (
    "class Connector:\n    def load(self, url):\n        spec = {}(url)\n"
    "        if spec.scheme == 'http':\n            self._assert_in_allowed_domains(spec)\n        return get(url)\n"
)
LISTED = "def load(url, allowed_hosts):\n    spec = {}(url)\n    if spec.host not in allowed_hosts:\n        raise ValueError(url)\n"
HASH = "def compute_compatibility_hash(config):\n    factors = {{\n        'model': config.model,\n{}    }}\n    return digest(factors)\n"


def told(before: str, after: str, path: str = PATH) -> list[tuple[str, str, str | None, str | None]]:
    found = read({path: before}, {path: after}, project="vllm-project/vllm")
    kinds = ("taken_changed", "taken_added", "trust_changed", "agreement_changed")
    return [(f.kind, f.symbol, f.before, f.after) for f in found if f.kind in kinds]


@pytest.mark.parametrize(
    ("before", "after", "wins"),
    [
        ("self.most or self.least", "self.least or self.most", True),
        ("self.most or self.least", "self.least or self.other", False),
        ("x.most or x.least", "x.least or x.most", False),
        ("self.most or 4", "4 or self.most", False),
        ("self.most or self.least", "(self.most or self.least)", False),
        ("1 if self.most or self.least else 2", "1 if self.least or self.most else 2", False),
        ("[y for y in x if self.most or self.least]", "[y for y in x if self.least or self.most]", False),
        ("any([self.most or self.least])", "any([self.least or self.most])", False),
        ("all(self.most or self.least for _ in x)", "all(self.least or self.most for _ in x)", False),
        ("self.use_a or self.is_b", "self.is_b or self.use_a", False),
        ("self.use_a or self.least", "self.least or self.use_a", True),
        ("(self.most or self.least) and x", "(self.least or self.most) and x", False),
    ],
)
def test_another_of_two_fields_wins(before: str, after: str, wins: bool) -> None:
    expected = [("taken_changed", "ChatRequest.limits", before, after)] if wins else []
    assert told(OR.format(before), OR.format(after)) == expected


def test_which_of_two_switches_is_on_is_the_same() -> None:
    declared = OR.replace("    def", "    most: bool = False\n    least: bool = True\n\n    def")
    answers = OR.replace("x):", "x) -> bool:")
    for form in (declared, answers):
        assert told(*(form.format(x) for x in ("self.most or self.least", "self.least or self.most"))) == []


@pytest.mark.parametrize(
    ("was", "now", "heeded"),
    [
        ("prompt=False", "prompt=request.prompt", "False"),
        ("prompt=None", "prompt=request.prompt", None),
        ("prompt=False", "prompt=args.prompt", None),
        ("prompt=False", "prompt=request.other", None),
        ("prompt=request.prompt", "prompt=False", None),
    ],
)
def test_a_field_of_requests_that_was_passed_over_is_heeded(was: str, now: str, heeded: str | None) -> None:
    expected = [("taken_added", "prompt", heeded, "request.prompt")] if heeded else []
    assert told(CALL.format(field="prompt", given=was), CALL.format(field="prompt", given=now)) == expected


def test_a_field_that_comes_with_the_change_was_sent_by_nobody() -> None:
    before, after = ("other", "prompt=False"), ("prompt", "prompt=request.prompt")
    assert told(*(CALL.format(field=field, given=given) for field, given in (before, after))) == []


@pytest.mark.parametrize(
    "form",
    [
        CALL.replace("Request", "RequestOutput"),
        CALL.replace("    {field}:", "    other: int\n\n\ndef h(\n    {field}:").replace(
            "False\n", "False,\n):\n    pass\n"
        ),
        CALL.replace("    {field}:", "    def h(\n        self,\n        {field}:").replace(
            "False\n", "False,\n    ):\n        pass\n"
        ),
    ],
    ids=["an output", "a parameter below", "a parameter of a method"],
)
def test_what_is_no_field_of_a_request_is_sent_by_nobody(form: str) -> None:
    assert told(*(form.format(field="prompt", given=f"prompt={x}") for x in ("False", "request.prompt"))) == []


@pytest.mark.parametrize(
    ("path", "owner"), [("vllm/v1/core/sched/scheduler.py", "Request"), (PATH, "Pool")], ids=["inside", "no request"]
)
def test_what_no_client_sends_is_not_heeded(path: str, owner: str) -> None:
    form = CALL.replace("Request", owner)
    before, after = (form.format(field="prompt", given=f"prompt={x}") for x in ("False", "request.prompt"))
    assert told(before, after, path) == []


@pytest.mark.parametrize(
    ("was", "now"),
    [("_url_of", "_read_url"), ("get_dispatch_path", "choose_fast_path"), ("urlparse", "urlsplit")],
    ids=["a helper", "a word within a name", "the same rules"],
)
def test_readers_that_are_not_known_to_disagree_are_no_matter_of_security(was: str, now: str) -> None:
    assert told(LISTED.format(was), LISTED.format(now)) == []


@pytest.mark.parametrize(
    ("form", "check"), [(CHECK, "_assert_in_allowed_domains"), (LISTED, "allowed_hosts")], ids=["a call", "a list"]
)
def test_another_reader_before_a_check_of_the_allowed_is_of_security(form: str, check: str) -> None:
    assert told(form.format("urlparse"), form.format("parse_url")) == [
        ("trust_changed", check, "urlparse", "parse_url")
    ]
    plain = form.replace("allowed", "known")
    assert told(plain.format("urlparse"), plain.format("parse_url")) == []


def test_another_key_of_what_two_ends_compare_breaks_a_mix_of_versions() -> None:
    more = "        'layout': config.layout,\n"
    assert told(HASH.format(""), HASH.format(more)) == [
        ("agreement_changed", "compute_compatibility_hash", None, "+layout")
    ]
    assert told(HASH.format(""), HASH.format("        # more\n")) == []
    found = read({PATH: HASH.format(more)}, {PATH: HASH.format("")}, project="vllm-project/vllm")
    assert [mark_of(f) for f in found if f.kind == "agreement_changed"] == ["breaks"]


OVER = "class SamplingParams:\n    def adjust(self, server_args):\n        if {}:\n            self.path = server_args.path\n        return 1\n"
GIVEN = "server_args.path is not None"


@pytest.mark.parametrize(
    ("before", "after", "wins"),
    [
        (GIVEN, f"self.path is None and {GIVEN}", True),
        (GIVEN, f"not self.path and {GIVEN}", True),
        (GIVEN, f"server_args.own and {GIVEN}", False),
        (f"self.path is None and {GIVEN}", f"{GIVEN} and self.path is None", False),
        (GIVEN, GIVEN, False),
    ],
)
def test_what_is_given_by_a_request_wins_over_what_the_server_was_started_with(
    before: str, after: str, wins: bool
) -> None:
    expected = [("taken_changed", "SamplingParams.adjust", "server_args.path", "self.path")] if wins else []
    assert told(OVER.format(before), OVER.format(after)) == expected
