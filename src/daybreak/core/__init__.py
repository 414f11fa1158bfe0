"""Core values and tools that every room may know: the report, the config, errors, windows, git, HTTP, text."""
