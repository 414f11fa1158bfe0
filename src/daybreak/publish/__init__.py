"""Stage 6: publish. `PUBLISHERS` maps a publisher's name to where it is defined."""

PUBLISHERS = {
    "folder": "daybreak.publish.folder:FolderPublisher",
    "git": "daybreak.publish.git_branch:GitBranch",
    "github": "daybreak.publish.github_issue:GithubPosts",
}
