"""Prometheus metrics: tables of before, after and exactly the findings that must come out."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings import read
from daybreak.findings.languages import metrics
from read.offers import Told, facts_of, mirrored, plainly, told
from timing import beside

LOGGERS = "engine/v1/loggers.py"
HEAD = "import prometheus_client\n"


def gauge(name: str, text: str = "Number of requests in the queue.", cls: str = "self._gauge_cls") -> str:
    return f'        self.g = {cls}(\n            name="{name}",\n            documentation="{text}",\n            labelnames=labels,\n        )\n'


def ray(cls: str, keys: str) -> str:
    return f'        self.delay = metrics.{cls}(\n            "delay_ms",\n            description="Time to report.",\n            tag_keys={keys},\n        )\n'


A, B = "engine:num_waiting", "engine:queue_length"

CASES: dict[str, tuple[str, str, list[Told]]] = {
    "gone": (HEAD + gauge(A), HEAD, [("metric_removed", A, A, None, True)]),
    "new": (HEAD, HEAD + gauge(A), [("metric_added", A, None, A, False)]),
    "renamed": (HEAD + gauge(A), HEAD + gauge(B), [("metric_renamed", A, A, B, True)]),
    "another one at the same place": (
        HEAD + gauge(A),
        HEAD + gauge(B, "Bytes that the cache holds."),
        [("metric_added", B, None, B, False), ("metric_removed", A, A, None, True)],
    ),
    "same words, another type": (
        HEAD + gauge(A),
        HEAD + gauge(B, cls="self._counter_cls"),
        [("metric_added", B, None, B, False), ("metric_removed", A, A, None, True)],
    ),
    "a counter with its ending spelt out": (
        HEAD + gauge(A, cls="Counter"),
        HEAD + gauge(A + "_total", cls="Counter"),
        [],
    ),
    "a gauge with another ending": (
        HEAD + gauge(A, cls="Gauge"),
        HEAD + gauge(A + "_total", cls="Gauge"),
        [("metric_renamed", A, A, A + "_total", True)],
    ),
    "another type under the same name": (
        HEAD + gauge(A, cls="Gauge"),
        HEAD + gauge(A, cls="self._counter_cls"),
        [("metric_changed", A, "gauge", "counter", True)],
    ),
    "the same type by another class": (HEAD + gauge(A, cls="Gauge"), HEAD + gauge(A), []),
    "a label less": (
        HEAD + gauge(A).replace("labels,", '["model", "engine"],'),
        HEAD + gauge(A).replace("labels,", '["model"],'),
        [("metric_changed", A, "labels model, engine", "labels model", True)],
    ),
    "a label more": (
        HEAD + gauge(A).replace("labels,", '["model"],'),
        HEAD + gauge(A).replace("labels,", '["model", "engine"],'),
        [("metric_changed", A, "labels model", "labels model, engine", True)],
    ),
    "a label beside those that are held elsewhere": (
        HEAD + gauge(A).replace("labels,", "labels.keys(),"),
        HEAD + gauge(A).replace("labels,", '[*labels.keys(), "stream"],'),
        [("metric_changed", A, "labels …", "labels …, stream", True)],
    ),
    "the same labels held elsewhere, written otherwise": (
        HEAD + gauge(A).replace("labels,", "labels.keys(),"),
        HEAD + gauge(A).replace("labels,", "list(labels.keys()),"),
        [],
    ),
    "the same labels in another order": (
        HEAD + gauge(A).replace("labels,", '["model", "engine"],'),
        HEAD + gauge(A).replace("labels,", '("engine", "model"),'),
        [],
    ),
    "another type and a key less, by Ray's own client": (
        ray("Gauge", '("deployment", "replica")'),
        ray("Histogram", '("deployment",)'),
        [
            ("metric_changed", "delay_ms", "gauge", "histogram", True),
            ("metric_changed", "delay_ms", "labels deployment, replica", "labels deployment", True),
        ],
    ),
    "labels that are held elsewhere": (HEAD + gauge(A).replace("labels,", '["model"],'), HEAD + gauge(A), []),
    "made in two places": (
        HEAD + gauge(A, cls="Gauge") + gauge(A, cls="Counter"),
        HEAD + gauge(A, cls="Counter"),
        [],
    ),
    "documentation only": (HEAD + gauge(A), HEAD + gauge(A, "Requests that wait."), []),
    "moved": (HEAD + gauge(A) + gauge(B), HEAD + gauge(B) + gauge(A), []),
    "class of the client library": (
        HEAD + 'C = Counter("engine_tokens", "Tokens so far.", ["model"])\n',
        HEAD,
        [("metric_removed", "engine_tokens", "engine_tokens", None, True)],
    ),
    "name held by a constant": (
        HEAD + 'NAME = "engine:tokens"\nC = Counter(name=NAME, documentation="Tokens.")\n',
        HEAD + 'NAME = "engine:all_tokens"\nC = Counter(name=NAME, documentation="Tokens.")\n',
        [("metric_renamed", "engine:tokens", "engine:tokens", "engine:all_tokens", True)],
    ),
    "a counter of letters": ('from collections import Counter\nC = Counter("hello_world")\n', "x = 1\n", []),
    "commented out": (HEAD + '# Gauge(name="engine:old", documentation="Old.")\n', HEAD, []),
}


@pytest.mark.parametrize("name", CASES)
def test_metrics(name: str) -> None:
    before, after, expected = CASES[name]
    assert told(facts_of(metrics, {LOGGERS: (before, after)})) == expected


ABROAD = {
    "labels of a vector that Go registers": (
        "pkg/metrics.go",
        'package server\n\nvar a = promauto.NewCounterVec(prometheus.CounterOpts{Name: "requests_total", Help: "Requests."}, []string{%s})\n',
        ('"code", "handler"', '"code"'),
        ("labels code, handler", "labels code"),
    ),
    "another type in Go": (
        "pkg/metrics.go",
        'package server\n\nvar a = prometheus.New%s(prometheus.%sOpts{Name: "requests_total", Help: "Requests."})\n',
        ("Gauge", "Histogram"),
        ("gauge", "histogram"),
    ),
    "labels of a description in Go": (
        "pkg/metrics.go",
        'package server\n\nvar a = prometheus.NewDesc("requests_total", "Requests.", []string{%s}, nil)\n',
        ('"code", "handler"', '"handler"'),
        ("labels code, handler", "labels handler"),
    ),
    "labels of a vector in Rust": (
        "src/metrics.rs",
        'pub fn a() {\n    let c = IntCounterVec::new(Opts::new("requests_total", "Requests."), &[%s]).unwrap();\n}\n',
        ('"code", "handler"', '"code"'),
        ("labels code, handler", "labels code"),
    ),
    "another type in Rust": (
        "src/metrics.rs",
        'pub fn a() {\n    let c = %s::new("requests_total", "Requests.").unwrap();\n}\n',
        ("IntCounter", "IntGauge"),
        ("counter", "gauge"),
    ),
}


@pytest.mark.parametrize("name", ABROAD)
def test_another_type_or_a_label_less_breaks_dashboards_in_go_and_rust_too(name: str) -> None:
    path, text, sides, expected = ABROAD[name]
    old, new = ({path: text.replace("%s", side)} for side in sides)
    found = [(f.before, f.after, f.breaking) for f in read(old, new) if f.kind == "metric_changed"]
    assert found == [(*expected, True)]


def test_a_metric_that_moved_to_another_file_is_not_removed() -> None:
    files = {LOGGERS: (HEAD + gauge(A), HEAD), "engine/metrics.py": (HEAD, HEAD + gauge(A))}
    assert facts_of(metrics, files) == []


def test_metrics_of_tests_are_nobodys_business() -> None:
    assert facts_of(metrics, {"tests/test_metrics.py": (HEAD + gauge(A), HEAD)}) == []


some = st.lists(
    st.tuples(st.sampled_from([A, B, "engine:x"]), st.sampled_from(["One two three.", "Four."])),
    max_size=3,
    unique_by=lambda m: m[0],
)


@settings(max_examples=80, deadline=None)
@given(some, some)
def test_backwards_is_mirrored(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> None:
    sides = [HEAD + "".join(gauge(*one) for one in side) for side in (old, new)]
    there, back = (facts_of(metrics, {LOGGERS: pair}) for pair in ((sides[0], sides[1]), (sides[1], sides[0])))
    assert mirrored(there) == plainly(back)
    assert facts_of(metrics, {LOGGERS: (sides[0], sides[0])}) == []


@pytest.mark.parametrize("text", ["Gauge(" * 100_000, HEAD + 'Gauge(name="a:b",' * 50_000, HEAD + '\nA = "' * 50_000])
def test_hostile_sizes_are_linear(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(ValueError):  # counted as a file that is not understood
        metrics.surface(LOGGERS, text)
    assert time.process_time() - started < beside(4)
