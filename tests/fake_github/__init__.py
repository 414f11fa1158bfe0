"""A GitHub of our own for tests: a stateful server on loopback, held to the official description of the real one."""

from __future__ import annotations

from fake_github.asked import Recorded
from fake_github.day import Day, build_day
from fake_github.faults import Fault
from fake_github.official import validate_answer, validate_query
from fake_github.server import Server

__all__ = ["Day", "Fault", "Recorded", "Server", "build_day", "validate_answer", "validate_query"]
