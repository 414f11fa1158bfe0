"""Where the work runs. `EXECUTORS` maps a kind to where it is defined."""

EXECUTORS = {
    "local": "daybreak.runs.execute.local:LocalExecutor",
    "processes": "daybreak.runs.execute.processes:ProcessExecutor",
    "ray": "daybreak.runs.execute.ray_cluster:RayExecutor",
}
