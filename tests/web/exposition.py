"""Reads the text form of Prometheus, as Prometheus' own client does."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families


def samples(text: str) -> dict[str, float]:
    """Every sample by its name and labels; the parser refuses what is not of the form."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation
        assert family.type in ("gauge", "counter")
        for sample in family.samples:
            told = ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
            key = f"{sample.name}{{{told}}}" if told else sample.name
            assert key not in found
            found[key] = sample.value
    return found
