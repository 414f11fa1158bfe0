"""Forks: how your clone stands to its upstream."""
