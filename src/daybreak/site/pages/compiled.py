"""Compiled templates, kept as Python keeps our modules: beside them, where it may write. They cost a process a second.

They are code, so they lie nowhere that a checkout or somebody else could write to.
"""

from __future__ import annotations

import hashlib
import sys
from importlib.util import cache_from_source
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from daybreak.core.file_cache import code_digest, keep_newest, read_kept

MOST = 80
"""Files of the folder: the templates of a few versions of Python."""


def beside_templates() -> Path:
    """The folder in which Python would keep a module that stood among them."""
    return Path(cache_from_source(str(Path(__file__).with_name("templates") / "page.py"))).parent


class Compiled(BytecodeCache):
    """Damage, another version of anything and a folder that cannot be written to cost that second, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        kept = read_kept(self._path(bucket))
        if kept is not None:
            bucket.bytecode_from_string(kept)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            keep_newest(self._path(bucket), bucket.bytecode_to_string(), MOST)

    def get_source_checksum(self, source: str) -> str:
        """Of all that decides what is compiled: the text, who compiles it and the settings of the environment."""
        decides = (source, jinja2.__version__, code_digest("site/pages/templates.py"))
        return hashlib.sha256("\0".join(decides).encode()).hexdigest()

    def _path(self, bucket: Bucket) -> Path:
        return self.folder / f"{bucket.key}.{sys.implementation.cache_tag}.jinja"
