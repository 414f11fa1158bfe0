"""Sample upstreams that live inside the package, and the main job run on their week."""
