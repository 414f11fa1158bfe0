"""Daybreak: a true, complete daily report on the repositories you build on."""

__version__ = "0.1.0"
