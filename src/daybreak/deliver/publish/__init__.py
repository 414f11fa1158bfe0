"""Stage 6: publish. `PUBLISHERS` maps a publisher's name to where it is defined."""

PUBLISHERS = {
    "folder": "daybreak.deliver.publish.folder:FolderPublisher",
    "git": "daybreak.deliver.publish.git_branch:GitBranch",
    "github": "daybreak.deliver.publish.github_issue:GithubPosts",
}
