//! stub
use std::path::Path;

/// What differs from run to run.
#[derive(Debug, Clone, Copy)]
pub struct EnvironmentSpec<'a> {
    /// The private temporary folder; becomes `TMPDIR` (`TEMP` and `TMP` on Windows).
    pub temp_dir: &'a Path,
    /// The sandbox's name, as in [`crate::SandboxStatus`]; `None` outside one.
    pub sandbox: Option<&'a str>,
}

/// The environment of a child process: the allowed ones of `current`, then `extra`, then Arki's own.
pub fn child_environment(
    _current: impl IntoIterator<Item = (String, String)>,
    _extra: &[(String, String)],
    _spec: EnvironmentSpec<'_>,
) -> Vec<(String, String)> {
    todo!()
}
