"""`verify`: every checkable claim of a Markdown report, ours or another tool's, held against git and what was collected.

A claim holds, or is false, or cannot be decided here; the last is counted with its reason and never called true. A run
asks only about the links of its own pages (`linked`); the checks of a whole report (`verifying`) are many and heavier.
"""
