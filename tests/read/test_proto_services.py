"""Services of gRPC and their methods."""

from __future__ import annotations

import pytest

from daybreak.findings import read

RPC = "  rpc {}(Ask) returns (Answer) {{}}\n"
Told = list[tuple[str, str, str | None]]


def service(name: str, *methods: str, package: str = "kit") -> str:
    return f'syntax = "proto3";\npackage {package};\nservice {name} {{\n{"".join(map(RPC.format, methods))}}}\n'


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("another name", {"a.proto": service("Old", "Run", "Stop")}, {"a.proto": service("New", "Run", "Stop", "Ask")}, [("service_renamed", "kit.Old", "kit.New"), ("rpc_added", "kit.New.Ask", "Ask")]),
        ("gone", {"a.proto": service("Old", "Run")}, {"a.proto": service("New", "Walk")}, [("service_removed", "kit.Old", None), ("service_added", "kit.New", "kit.New")]),
        ("another file", {"a.proto": service("Old", "Run")}, {"b.proto": service("Old", "Run")}, []),
        ("another package", {"a.proto": service("Old", "Run")}, {"a.proto": service("Old", "Run", package="kit.v2")}, [("service_renamed", "kit.Old", "kit.v2.Old")]),
        ("a method that went", {"a.proto": service("Old", "Run", "Stop")}, {"a.proto": service("Old", "Run")}, [("rpc_removed", "kit.Old.Stop", None)]),
        ("another order", {"a.proto": service("Old", "Run", "Stop")}, {"a.proto": service("Old", "Stop", "Run")}, []),
        ("a remark", {"a.proto": service("Old", "Run")}, {"a.proto": "// service Other {}\n" + service("Old", "Run")}, []),
    ],
)  # fmt: skip
def test_what_clients_call(what: str, before: dict[str, str], after: dict[str, str], expected: Told) -> None:
    sides = [{f"rust/proto/{path}": text for path, text in side.items()} for side in (before, after)]
    found = [f for f in read(sides[0], sides[1]) if f.kind.startswith(("service", "rpc"))]
    assert sorted((f.kind, f.symbol, f.after) for f in found) == sorted(expected), what
    assert all(f.breaking == (f.kind.rpartition("_")[2] != "added") for f in found)
