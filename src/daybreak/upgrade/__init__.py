"""Upgrades: a range between two refs, what it does to your code, forks, and the history of a name."""
