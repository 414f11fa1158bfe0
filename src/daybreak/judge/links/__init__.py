"""What the items of a forge say, and what joins them with the changes: pure functions over frozen values."""
