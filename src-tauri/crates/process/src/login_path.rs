//! The PATH of the user's login shell, for an app that was not started from one.
//!
//! What a dock or a menu starts has the session's PATH, which rarely has what the user's profile adds: version managers,
//! package managers, a home's own `bin`. So the login shell is asked once, in the background, and of what it says PATH
//! alone is taken. The profile is the user's own and runs as it always does, outside any sandbox, in the home folder.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::environment::{EnvironmentSpec, child_environment};
use crate::limits::CommandLimits;
use crate::run::{CommandOutcome, CommandSpec, run};

/// Some profiles take seconds; nothing waits for this.
const PATIENCE: Duration = Duration::from_secs(10);
/// The limit for everything that the shell prints.
const MAX_OUTPUT_BYTES: usize = 1 << 20;
/// A profile may print what it likes before and after.
const MARK: &str = "--arki-environment--";
/// All shells that have `-l` and `-c` understand this line. Absolute, because the profile may not have a PATH yet.
const ASK: &str =
    r#"exec "$SHELL" -l -c 'printf "%s\0" --arki-environment--; /usr/bin/env -0; printf "%s\0" --arki-environment--'"#;

/// The source of the PATH of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathOrigin {
    /// The PATH that this process was given.
    Inherited,
    LoginShell,
    /// The login shell was asked in vain; a sentence on why.
    NotTold(String),
}

static TOLD: OnceLock<Result<String, String>> = OnceLock::new();

/// Asks the login shell, once in this process. To be called where it was started without a terminal. Needs a tokio
/// runtime with I/O and time enabled.
#[cfg(unix)]
pub async fn learn_login_path() {
    let shell = std::env::var("SHELL").unwrap_or_default();
    let told = ask(&shell, std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))).await;
    if let Err(reason) = &told {
        tracing::warn!(reason, "commands have the PATH that this process was given");
    }
    // Whoever asked first is right.
    let _ = TOLD.set(told);
}

/// There are no login shells.
#[cfg(not(unix))]
#[expect(clippy::unused_async, reason = "the same on every platform")]
pub async fn learn_login_path() {}

/// The environment that children's is made from: this process's, with the login shell's PATH where that was told.
#[must_use]
pub fn inherited_environment() -> Vec<(String, String)> {
    let own =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let told = TOLD.get().and_then(|told| told.as_ref().ok());
    own.map(|(name, value)| match told {
        Some(path) if name == "PATH" => (name, joined(path, &value)),
        _ => (name, value),
    })
    .collect()
}

#[must_use]
pub fn path_origin() -> PathOrigin {
    match TOLD.get() {
        None => PathOrigin::Inherited,
        Some(Ok(_)) => PathOrigin::LoginShell,
        Some(Err(reason)) => PathOrigin::NotTold(reason.clone()),
    }
}

#[cfg_attr(not(unix), expect(dead_code, reason = "there are no login shells"))]
async fn ask(shell: &str, home: PathBuf) -> Result<String, String> {
    if !Path::new(shell).is_absolute() {
        return Err("The login shell is unknown.".to_owned());
    }
    let environment = EnvironmentSpec { temp_dir: &tempfile::env::temp_dir(), sandbox: None };
    let spec = CommandSpec {
        command_line: ASK.to_owned(),
        directory: home,
        environment: child_environment(inherited_environment(), &[("SHELL".to_owned(), shell.to_owned())], environment),
        sandbox: None,
        terminal: false,
        time_limit: PATIENCE,
        limits: CommandLimits::default(),
        max_output_bytes: MAX_OUTPUT_BYTES,
        meanwhile: None,
    };
    match run(spec, |_| {}, CancellationToken::new()).await {
        Ok(CommandOutcome { timed_out: true, .. }) => {
            Err(format!("{shell} took longer than {} s to start.", PATIENCE.as_secs()))
        }
        Ok(outcome) => path_in(&outcome.output).ok_or_else(|| format!("{shell} did not report its PATH.")),
        Err(error) => Err(format!("{shell} could not be asked: {error}")),
    }
}

/// Reads the PATH between the marks. Only absolute folders count: a relative one would be a project's to fill.
fn path_in(output: &str) -> Option<String> {
    let variables = output.split_once(MARK)?.1.strip_prefix('\0')?;
    let variables = variables.split_once(&format!("{MARK}\0"))?.0;
    let path = variables.split('\0').find_map(|variable| variable.strip_prefix("PATH="))?;
    let folders: Vec<&str> = path.split(':').filter(|folder| folder.starts_with('/')).collect();
    (!folders.is_empty() && !path.contains('\n')).then(|| folders.join(":"))
}

/// Nothing that was there is lost.
fn joined(told: &str, inherited: &str) -> String {
    let known: Vec<&str> = told.split(':').collect();
    let more = inherited.split(':').filter(|folder| !folder.is_empty() && !known.contains(folder));
    known.iter().copied().chain(more).collect::<Vec<_>>().join(":")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn told_by(profile: &str) -> Result<String, String> {
        let home = tempfile::tempdir().unwrap();
        let shell = home.path().join("shell");
        // As a login shell it reads a profile first.
        let script = format!("#!/bin/sh\n[ \"$1\" = -l ] || exit 1\n{profile}\nshift; exec /bin/sh \"$@\"\n");
        std::fs::write(&shell, script).unwrap();
        std::fs::set_permissions(&shell, std::fs::Permissions::from_mode(0o700)).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(ask(shell.to_str().unwrap(), home.path().to_owned()))
    }

    #[test]
    fn what_the_profile_makes_of_the_path_is_told_whatever_else_it_prints() {
        let path = |profile: &str| told_by(profile).unwrap();
        assert_eq!(path("PATH=/own/bin:/usr/bin"), "/own/bin:/usr/bin");
        assert_eq!(path("echo Welcome; echo PATH=/no >&2; PATH=/own/bin:/bin; trap 'echo bye' EXIT"), "/own/bin:/bin");
        assert_eq!(path("export X='a\nPATH=/evil'; PATH=/own/bin"), "/own/bin");
        assert_eq!(path("PATH=:.:bin:/own/bin:../x"), "/own/bin");
    }

    #[test]
    fn a_shell_that_does_not_say_is_told_why() {
        assert!(told_by("exit 0").unwrap_err().contains("did not report"));
        assert!(told_by("PATH=relative").unwrap_err().contains("did not report"));
        assert!(told_by("read answer </dev/tty; exit 1").unwrap_err().contains("did not report"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        assert!(runtime.block_on(ask("", PathBuf::from("/"))).unwrap_err().contains("is unknown"));
    }

    /// As the app has it asked.
    #[test]
    fn it_is_asked_on_whatever_thread() {
        fn is_free<T: Send + 'static>(_: T) {}
        is_free(learn_login_path());
    }

    #[test]
    fn nothing_of_the_old_path_is_lost_and_nothing_is_there_twice() {
        assert_eq!(joined("/own/bin:/usr/bin", "/usr/bin:/opt/bin::/bin"), "/own/bin:/usr/bin:/opt/bin:/bin");
    }

    #[test]
    fn where_nobody_asked_the_environment_is_this_process_own() {
        assert_eq!(path_origin(), PathOrigin::Inherited);
        let path = inherited_environment().into_iter().find(|(name, _)| name == "PATH").unwrap().1;
        assert_eq!(path, std::env::var("PATH").unwrap());
    }
}
