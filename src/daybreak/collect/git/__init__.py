"""The git source: mirrors, windows of commits, patches, tags."""
