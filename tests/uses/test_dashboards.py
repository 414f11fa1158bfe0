from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uses.reading import read, short

CASES = {
    "a Grafana panel": (
        "board.json",
        '{"panels": [{"title": "vllm:not_this",\n"targets": [{"expr": "rate(vllm:prompt_tokens_total[5m]) / vllm:x"}]}]}',
        ["metric vllm:prompt_tokens_total@2", "metric vllm:x@2"],
    ),
    "a template variable": (
        "board.json", '{"templating": [{"query": "label_values(vllm:x, model_name)"}]}', ["metric vllm:x@1"],
    ),
    "names joined by an underscore": (
        "rules.yml",
        ("- alert: Lantern\n  expr: lantern_waiting_requests > 10\n- alert: B\n  expr: my_lantern_waiting_requests > lanterns_x\n"
        '- alert: C\n  expr: sum by (lantern_pod) (rate(lantern_tokens_total{lantern_id="a"}[1m]))\n- name: lantern_server\n'),
        ["metric lantern_waiting_requests@2", "metric lantern_pod@6", "metric lantern_tokens_total@6"],
    ),
    "a panel of names joined by an underscore": (
        "board.json", '{"lantern": [\n{"expr": "max(lantern_waiting)", "refId": "lantern_a"}]}', ["metric lantern_waiting@2"],
    ),
    "a rule": (
        "rules.yml",
        ("groups:\n- rules:\n  - alert: Slow\n    expr: |\n      sum(rate(vllm:a_sum[5m]))\n        / sum(rate(vllm:a_count[5m])) > 1\n"
        "    annotations:\n      description: vllm:not_this is high\n"),
        ["metric vllm:a_sum@5", "metric vllm:a_count@6"],
    ),
    "a rule of ours records under a name like theirs": (
        "rules.yml",
        "- record: vllm:a:rate5m\n  expr: rate(vllm:a_total[5m])\n- alert: X\n  expr: vllm:a:rate5m > 1\n",
        ["metric vllm:a_total@2"],
    ),
    "an autoscaler": (
        "hpa.yaml", "triggers:\n- metadata:\n    query: sum(vllm:num_requests_waiting)\n", ["metric vllm:num_requests_waiting@3"],
    ),
    "rules inside a manifest": (
        "map.yaml", "data:\n  a.rules: |\n    - expr: vllm:x > 1\n", ["metric vllm:x@3"],
    ),
    "a dashboard inside a manifest": (
        "map.yaml", 'data:\n  a.json: |\n    {"x": [\n    {"expr": "vllm:x"}]}\n', ["metric vllm:x@4"],
    ),
    "a client": (
        "scrape.ts", 'const name = "vllm:x";\n// "vllm:y"\n', ["metric vllm:x@1"],
    ),
    # what is not ours
    "another project's metric": ("rules.yml", "- expr: tgi:x + myvllm:y\n", []),
    "a prefix only": ("rules.yml", '- expr: \'{__name__=~"vllm:.*"}\'\n', []),
    "a comment": ("rules.yml", "# expr: vllm:x\n", []),
    "data": ("data.json", '{"text": "we run vllm serve --a for you"}', []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_metrics(case: str) -> None:
    path, text, expected = CASES[case]
    assert short(path, text) == expected


CLIENTS = {
    "a route and its fields": (
        "fetch(`${base}/v1/chat/completions`, { body: JSON.stringify({\n  model,\n  guided_json: schema, inner: { deep: 1 },\n}) });\n",
        ["route /v1/chat/completions@1", "request_field model@2", "request_field guided_json@3", "request_field inner@3"],
    ),
    "a variable": ("const x = process.env.VLLM_A ?? '';\n", ["env VLLM_A@1"]),
    "a started program": ('spawn("vllm", ["serve", m,\n  "--a", "1"]);\n', ["cli_flag --a=1@2"]),
    "a comment": ('// fetch("/v1/models") with vllm\n', []),
    "another service": ('fetch("/users/list");\n', []),
    "bodies for a public service and for another": (
        ('fetch("https://api.acme.org/v1/chat", {body: JSON.stringify({best_of: 1})});\n'
         "fetch(`${base}/v1/chat`, {body: JSON.stringify({seed: 1})});\n"),
        ["request_field seed@2", "route /v1/chat@2"],
    ),
    "a public service": ('fetch("https://api.openai.com/v1/models");\n', []),
}  # fmt: skip


@pytest.mark.parametrize("case", CLIENTS)
def test_clients(case: str) -> None:
    text, expected = CLIENTS[case]
    assert short("client.ts", text) == expected


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for name in ("x.ts", "x.go", "x.rs"):
        list(read(name, text + ' "/v1/x" vllm ' + text))
