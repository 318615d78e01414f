//! Servers' programs: in the project's folder, with an allow-listed environment, in a sandbox without a network unless
//! the configuration grants one. The project is read-only unless the user's own configuration lists it as writable; then
//! the program works in a view of it, where there are views.

use crate::projects::leavings::Leavings;
use arki_disk::PrivateTempDir;
use arki_domain::{Code, Error};
use arki_mcp::{Command, Ended, Launched, Launcher, ServerProcess};
use arki_process::{
    CommandLimits, EnvironmentSpec, Meanwhile, PipedProcess, PipedSpec, ProcessEnd, child_environment,
    inherited_environment, start_piped,
};
use arki_sandbox::{Network, OverlayView, ProjectAccess, Sandbox, SandboxSpec, SandboxStatus};
use arki_tools::ProgramView;
use async_trait::async_trait;
use globset::{Glob, GlobSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The exit code of a shell for a program that is not there.
const NOT_FOUND: i32 = 127;
/// The project among the folders that a server may write.
const PROJECT: &str = ".";

pub(super) struct SandboxedLauncher {
    /// Its name.
    pub(super) server: String,
    pub(super) project: PathBuf,
    pub(super) hidden: Vec<PathBuf>,
    /// The folder for files that it may not leave behind.
    pub(super) trash: PathBuf,
    /// The folder for notes on the state before it.
    pub(super) journals: PathBuf,
    /// The folder for its view.
    pub(super) views: PathBuf,
    /// The files that it can't open in a view.
    pub(super) closed: Vec<Glob>,
    /// True where the project can have views; tried out for the first program that writes it.
    pub(super) has_views: OnceLock<bool>,
    /// Told what it left behind.
    pub(super) leavings: Arc<Leavings>,
    pub(super) sandbox: SandboxStatus,
    pub(super) limits: CommandLimits,
}

#[async_trait]
impl Launcher for SandboxedLauncher {
    async fn launch(&self, command: &Command) -> Result<Launched, Error> {
        let temp_dir = PrivateTempDir::create()?;
        let view = if self.works_in_view(command) { Some(Arc::new(self.new_view()?)) } else { None };
        let sandbox = match self.sandbox.available {
            true => Some(Sandbox::prepare(&self.sandbox_spec(command, temp_dir.path())?)?),
            false => None,
        };
        let sandbox = match &view {
            Some(view) => sandbox.map(|sandbox| sandbox.in_view(view.clone()).without_secrets()),
            None => sandbox,
        };
        let extra: Vec<(String, String)> = command.env.clone().into_iter().collect();
        let spec = EnvironmentSpec { temp_dir: temp_dir.path(), sandbox: sandbox.as_ref().map(Sandbox::name) };
        let started = start_piped(PipedSpec {
            name: self.server.clone(),
            program: command.command.clone(),
            arguments: command.args.clone(),
            directory: self.project.clone(),
            environment: child_environment(inherited_environment(), &extra, spec),
            sandbox: sandbox.as_ref().map(Sandbox::as_confinement),
            limits: self.limits,
            meanwhile: self.meanwhile(),
        });
        let started = started.await?;
        Ok(Launched {
            stdin: started.stdin,
            stdout: started.stdout,
            stderr: started.stderr,
            process: Box::new(LaunchedServer { process: Some(started.process), _temp_dir: temp_dir }),
            view: view.map(|view| Arc::new(ProgramView::new(view, self.project.clone()))),
        })
    }

    fn works_in_view(&self, command: &Command) -> bool {
        let can = || {
            let can = self.sandbox.available && Sandbox::has_views();
            can && OverlayView::fault(&self.project, &self.views).is_none()
        };
        writes_project(command) && *self.has_views.get_or_init(can)
    }
}

impl SandboxedLauncher {
    fn meanwhile(&self) -> Meanwhile {
        let (leavings, project) = (self.leavings.clone(), self.project.display().to_string());
        Meanwhile::new(move |notes| leavings.add(&project, &notes))
    }

    fn new_view(&self) -> Result<OverlayView, Error> {
        OverlayView::create(&self.views, Vec::new()).map_err(|error| {
            let message = format!("Arki can't make a view of the project for this server: {error}.");
            Error::new(Code::SANDBOX_UNAVAILABLE, message, "`arki doctor` says what views need.")
        })
    }

    fn sandbox_spec(&self, command: &Command, temp_dir: &Path) -> Result<SandboxSpec, Error> {
        let mut closed = GlobSet::builder();
        self.closed.iter().for_each(|glob| _ = closed.add(glob.clone()));
        let others = command.writable.iter().filter(|folder| *folder != PROJECT);
        Ok(SandboxSpec {
            project_root: self.project.clone(),
            project: if writes_project(command) { ProjectAccess::Writable } else { ProjectAccess::ReadOnly },
            temp_dir: temp_dir.to_owned(),
            hidden: self.hidden.clone(),
            shown: Vec::new(),
            also_writable: others.map(|folder| at_home(folder)).collect(),
            network: if command.network { Network::Granted } else { Network::None },
            secrets: Some(closed.build().map_err(Error::internal)?),
            trash: Some(self.trash.clone()),
            journals: Some(self.journals.clone()),
        })
    }
}

fn writes_project(command: &Command) -> bool {
    command.writable.iter().any(|folder| folder == PROJECT)
}

fn at_home(folder: &str) -> PathBuf {
    match (folder.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(folder),
    }
}

struct LaunchedServer {
    process: Option<PipedProcess>,
    /// Removed with it.
    _temp_dir: PrivateTempDir,
}

#[async_trait]
impl ServerProcess for LaunchedServer {
    async fn stop(&mut self) -> Ended {
        let Some(process) = self.process.take() else { return Ended::Left(String::new()) };
        Ended::Left(match process.stop().await {
            ProcessEnd { overran: Some(limit), .. } => return Ended::OverLimit(limit.to_string()),
            ProcessEnd { exit_code: Some(NOT_FOUND), .. } => "exit code 127: is the program installed?".to_owned(),
            ProcessEnd { exit_code: Some(code), .. } => format!("exit code {code}"),
            ProcessEnd { signal: Some(signal), .. } => format!("signal {signal}"),
            ProcessEnd { .. } => "it does not end".to_owned(),
        })
    }

    fn over_limit(&self) -> Option<String> {
        Some(self.process.as_ref()?.overran()?.to_string())
    }
}
