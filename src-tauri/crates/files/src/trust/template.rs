//! The project configuration that a folder gets when it is trusted.

use std::io::{self, Write};
use std::path::Path;

use cap_std::fs::{Dir, DirBuilder, OpenOptions};

use crate::error::{FileAction, Result, TrustError, io_error};
use crate::project::Project;
use arki_disk::open_folder;

const FOLDER: &str = ".arki";
const FILE: &str = "config.json";

/// Empty: what is not said here is as in the user's own configuration.
const TEMPLATE: &str = r#"// Arki's configuration for this project. It goes over your own, and can only be stricter:
// agents (with models you have), policy, limits, skills, hooks, mcpServers, compaction, plan, state and diagnostics.
{
  // "policy": { "rules": [{ "decision": "deny", "tool": "run_command", "command": ["git", "push"] }] },
  // "mcpServers": { "docs": { "command": "docs-server", "args": [] } }
}
"#;

/// Creates `.arki/config.json`, for the owner alone, when it is missing. Does nothing when it is there.
pub fn install_template(project_root: &Path) -> Result<()> {
    let project = Project::open(project_root)?;
    let fail = |error| io_error(&format!("{FOLDER}/{FILE}"), FileAction::Write, error);
    if project.dir().symlink_metadata(FOLDER).is_ok_and(|found| found.is_symlink()) {
        return Err(TrustError::LinkedFolder { path: FOLDER.to_owned() }.into());
    }
    match project.dir().create_dir_with(FOLDER, &folder_for_owner()) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fail(error)),
        _ => {}
    }
    let folder = open_folder(project.dir(), FOLDER).map_err(fail)?;
    match write_new(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(fail(error)),
        _ => Ok(()),
    }
}

fn write_new(folder: &Dir) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = folder.open_with(FILE, &options)?;
    file.write_all(TEMPLATE.as_bytes())?;
    file.sync_all()
}

#[cfg(unix)]
fn folder_for_owner() -> DirBuilder {
    use cap_std::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn folder_for_owner() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(test)]
pub(super) const TEMPLATE_FOR_TEST: &str = TEMPLATE;
