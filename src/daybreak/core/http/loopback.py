"""Which addresses no other machine can reach: what is served on the others needs a token."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether this is a name or number of this machine alone; with or without brackets, a final dot, capitals."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
