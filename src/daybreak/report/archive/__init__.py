"""Reported days as values, read back from what was stored: what pages, search, feeds, notifications and tools are made from."""
