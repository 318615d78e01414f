//! Files, edits, processes and the sandbox under one name, for whoever has not been moved to their crates yet.

pub use arki_disk::{
    FileAction, FileError, PrivateTempDir, create_private_dir, free_bytes, remove_abandoned_temp_dirs,
    remove_private_file, write_private_file, write_private_file_once,
};
pub use arki_edit::{
    Candidate, EDIT_LIMIT_BYTES, EditError, Eol, Merge, PatchError, TextEdit, TextFile, Tier, merge, patch::patch_paths,
};
pub use arki_files::FilesError as WorkspaceError;
pub use arki_files::*;
pub use arki_git::beyond_harmless as git_programs;
#[cfg(unix)]
pub use arki_process::outlives_terminal;
pub use arki_process::{
    CommandLimits, CommandOutcome, CommandSpec, Confinement, EnvironmentSpec, Load, Meanwhile, Overrun, PathOrigin,
    Piped, PipedProcess, PipedSpec, ProcessEnd, ProcessError, RunningCommand, child_environment, inherited_environment,
    learn_login_path, path_origin, run, run_with_input, running_commands, start_piped, stop_command,
};
pub use arki_sandbox::{
    GitAccess, GitSight, Network, ProjectAccess, Sandbox, SandboxSpec, SandboxStatus, home_secrets, runs_in_sandbox,
    settle_abandoned,
};
