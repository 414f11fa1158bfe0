"""One cluster for all suites that ask for it, since starting it takes longer than any test; named in `pytest_plugins`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ray_nodes import Nodes, two_nodes


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    pytest.importorskip("ray", reason="ray is not installed here")
    with two_nodes(tmp_path_factory.mktemp("bin")) as found:
        yield found
