//! Worktrees in which sessions work beside a project.

wire! {
    /// A copy of a project with a branch of its own.
    #[derive(PartialEq, Eq)]
    WorktreeEntry {
        pub branch: String,
        pub folder: String,
        /// The folder that it is a copy of.
        pub project: String,
        pub created_at: i64,
        /// False where it was not made to its end, or somebody removed the folder.
        pub is_whole: bool,
        /// True if its branch has commits that were not brought back; null where that can't be read.
        pub has_new_commits: Option<bool>,
    }
    /// The place of a worktree that is not made yet.
    #[derive(PartialEq, Eq)]
    PlannedWorktree {
        pub branch: String,
        pub folder: String,
        pub project: String,
    }
    /// The commits that came back to the project.
    #[derive(PartialEq, Eq)]
    BroughtBranch {
        pub branch: String,
        pub project: String,
        pub commits: u32,
    }
}
