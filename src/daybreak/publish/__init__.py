"""Stage 6: publish. `PUBLISHERS` maps a publisher's name to where it is defined."""

PUBLISHERS = {"folder": "daybreak.publish.folder:FolderPublisher"}
