"""Pages of what lies beside the reports: one for each file and language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from daybreak.report.archive.beside import data_of
from daybreak.site.pages import Asset, Ground
from daybreak.site.pages.templates import render

Form = TypeVar("Form")


class FilePages(Generic[Form]):
    """A file that cannot be read has none."""

    folder = ""
    template = ""
    beginning = ""
    """Of the addresses, after the language."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def stems(self) -> list[str]:
        """Names of the files."""
        raise NotImplementedError

    def address(self, language: str, stem: str) -> str:
        raise NotImplementedError

    def read(self, data: bytes) -> Form | None:
        raise NotImplementedError

    def values(self, found: Form) -> Mapping[str, Any]:
        """What the template is given."""
        raise NotImplementedError

    def keys(self) -> Iterable[tuple[str, str]]:
        own = f"{self._ground.look}\0{self._ground.languages}\0".encode()
        for stem in self.stems():
            data = self._data(stem)
            if self.read(data) is not None:
                for language in self._ground.languages:
                    yield self.address(language, stem), hashlib.sha256(own + data).hexdigest()

    def page(self, path: str) -> Asset | None:
        language, _, rest = path.partition("/")
        if language not in self._ground.languages or not rest.startswith(self.beginning):
            return None
        for stem in self.stems():
            if path == self.address(language, stem) and (found := self.read(self._data(stem))) is not None:
                return render(self._ground, self.template, path, language, self.values(found))
        return None

    def _data(self, stem: str) -> bytes:
        return data_of(self._ground.settings.out, self.folder, stem)
