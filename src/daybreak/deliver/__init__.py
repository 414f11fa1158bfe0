"""Delivery: reports brought to where people read them, and those told who want to know."""
