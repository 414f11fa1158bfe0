"""Where the work runs. `EXECUTORS` maps a kind to where it is defined."""

EXECUTORS = {
    "local": "daybreak.execute.local:LocalExecutor",
    "processes": "daybreak.execute.processes:ProcessExecutor",
    "ray": "daybreak.execute.ray_cluster:RayExecutor",
}
