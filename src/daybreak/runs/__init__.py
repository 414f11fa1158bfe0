"""Runs: the pipeline in order, what it is wired from, where its work is done, and what is written down meanwhile."""
