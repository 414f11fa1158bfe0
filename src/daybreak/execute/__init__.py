"""Where the work runs. `EXECUTORS` maps a kind to where it is defined."""

EXECUTORS = {"local": "daybreak.execute.local:LocalExecutor"}
