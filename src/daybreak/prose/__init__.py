"""A model's prose: what it is shown and asked, how it answers, and the checks that an answer must pass."""
