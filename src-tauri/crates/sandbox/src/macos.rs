//! Seatbelt: each command under a profile of its own, which `sandbox-exec` puts on before it becomes the command.
//!
//! Whether it confines is not taken on trust: before it is used for the first time, a command in it tries to get out. Where
//! anything goes through, or the system does not know a rule, there is no sandbox, and the user is asked.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use super::leavings::Held;
use super::seatbelt::{self, ProbeWorld, SeatbeltPaths, Unsayable};
use super::sensitive::{self, Sensitive};
use super::{CommandReach, GitAccess, SandboxSpec, SandboxStatus, SecretSight};
use arki_process::{ConfinedStart, Launch, ProcessError, Result, Streams, WrappedProgram};
use async_trait::async_trait;
use rustix::process::Pid;

/// The program's place. It is not looked up in `PATH`, which a project may influence.
const PROGRAM: &str = "/usr/bin/sandbox-exec";

#[derive(Debug, Clone)]
pub(super) struct Restricted {
    spec: Arc<SandboxSpec>,
}

impl Restricted {
    #[expect(clippy::unused_async, reason = "the same on every platform")]
    pub(super) async fn for_one_command(&self, _: Option<&Path>) -> Result<Self> {
        Ok(self.clone())
    }

    pub(super) fn has_own_network(&self) -> bool {
        false
    }

    pub(super) fn spec(&self) -> Arc<SandboxSpec> {
        self.spec.clone()
    }

    #[expect(clippy::unused_self, reason = "the same on every platform")]
    pub(super) fn held(&self, git: GitAccess) -> Held {
        Held::by_view(git)
    }

    /// Wraps the command; hidden places are looked for anew.
    pub(super) fn wrap(
        &self,
        _: &Path,
        command: &[&str],
        terminal: Option<&Path>,
        reach: CommandReach<'_>,
    ) -> io::Result<WrappedProgram> {
        let paths = SeatbeltPaths::of(&self.spec, terminal, reach);
        let profile = seatbelt::profile(&paths, self.spec.network).map_err(unsayable)?;
        let arguments = ["-p", &profile].iter().chain(command).map(|part| (*part).to_owned()).collect();
        Ok(WrappedProgram { program: PROGRAM.into(), arguments, descriptors: Vec::new() })
    }
}

#[async_trait]
impl ConfinedStart for Restricted {
    async fn start(&self, launch: Launch, streams: Streams) -> Result<io::Result<Pid>> {
        Ok(launch.start(&streams))
    }
}

pub(super) fn has_views() -> bool {
    false
}

pub(super) fn can_hide_secrets() -> bool {
    probe().available
}

pub(super) fn layers() -> Vec<SandboxStatus> {
    vec![probe()]
}

pub(super) fn probe() -> SandboxStatus {
    static STATUS: OnceLock<SandboxStatus> = OnceLock::new();
    STATUS.get_or_init(find_out).clone()
}

fn find_out() -> SandboxStatus {
    let reason = match try_it() {
        Ok(None) => return SandboxStatus::working("seatbelt"),
        Ok(Some(words)) => {
            let words: Vec<&str> = words.lines().collect();
            format!("macOS's sandbox does not confine commands as it should: {}", words.join(" "))
        }
        Err(error) => format!("macOS's sandbox can't be used: {error}."),
    };
    SandboxStatus::missing("none", reason)
}

fn try_it() -> io::Result<Option<String>> {
    let world = ProbeWorld::new()?;
    let found = sensitive::find(&world.project(), &Mutex::default());
    let reach = reach_of(&found, GitAccess::Writable);
    let restricted = Restricted { spec: Arc::new(world.spec()) };
    let wrapped = restricted.wrap(&world.project(), &ProbeWorld::command(), None, reach)?;
    world.try_to_leave(&wrapped.program, &wrapped.arguments)
}

fn reach_of(found: &Sensitive, git: GitAccess) -> CommandReach<'_> {
    CommandReach { found, git, writes_hooks: false, secrets: SecretSight::Shown, view: None, door: None }
}

pub(super) fn prepare(spec: &SandboxSpec) -> Result<(Restricted, String, Vec<String>)> {
    let restricted = Restricted { spec: Arc::new(spec.clone()) };
    restricted
        .wrap(&spec.project_root, &["true"], None, reach_of(&Sensitive::default(), GitAccess::ReadOnly))
        .map_err(|error| ProcessError::SandboxUnavailable { reason: format!("{error}.") })?;
    Ok((restricted, probe().name, Vec::new()))
}

pub(super) fn prepare_each(spec: &SandboxSpec) -> Result<Vec<(Restricted, String, Vec<String>)>> {
    Ok(vec![prepare(spec)?])
}

fn unsayable(Unsayable(path): Unsayable) -> io::Error {
    let words = format!("the path {} has characters that a sandbox rule can't contain", path.display());
    io::Error::new(io::ErrorKind::InvalidFilename, words)
}
