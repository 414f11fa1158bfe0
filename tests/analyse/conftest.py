"""What rules say is read back in full here: in a run it is right by construction, and here is where that is shown."""

from __future__ import annotations

from read_back import rules_read_back

__all__ = ["rules_read_back"]
