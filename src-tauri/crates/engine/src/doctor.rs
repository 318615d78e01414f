//! Checks of what works on this machine and what does not, with what to do about it.

use crate::accounts::keys::keychain_answers;
use crate::telemetry::{MAX_WAITING_RUNS, TelemetryState};
use crate::{Accounts, Projects, Records, Telemetry};
use arki_api::KeyStatus;
use arki_disk::{free_bytes, temp_folder, temp_folder_problem};
use arki_domain::{Error, io_words};
use arki_process::{PathOrigin, inherited_environment, open_files, open_files_problem, path_origin};
use arki_sandbox::{OverlayView, Sandbox, SandboxStatus};
use arki_telemetry::TelemetryContents;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    Ok,
    /// Works, but less than it could.
    Warning,
    Failed,
}

/// Said where the configuration has the decision on commands of the first template.
const FIRST_EXEC_UNSET: &str = "; \"exec\": \"approval\" in it comes from an older template and isn't used \
    (to be asked before every command: `arki config set policy.categories.exec approval`)";

/// Less is worth a word: a long session and the images of its files may take as much.
const MIN_FREE_BYTES: u64 = 1 << 30;

/// One line of `arki doctor`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    pub name: &'static str,
    pub state: CheckState,
    pub detail: String,
    /// The advice; empty when there is nothing to do.
    pub hint: String,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, state: CheckState::Ok, detail: detail.into(), hint: String::new() }
    }

    fn warning(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, state: CheckState::Warning, detail: detail.into(), hint: hint.into() }
    }

    fn of(name: &'static str, state: CheckState, fault: Error) -> Self {
        Self { name, state, detail: fault.message, hint: fault.hint }
    }
}

/// The checks of this machine, the data and a folder.
pub struct Doctor {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    telemetry: Arc<Telemetry>,
}

impl Doctor {
    pub(crate) fn new(
        records: Arc<Records>,
        accounts: Arc<Accounts>,
        projects: Arc<Projects>,
        telemetry: Arc<Telemetry>,
    ) -> Self {
        Self { records, accounts, projects, telemetry }
    }

    /// Returns what can be checked where the database can't be opened for this reason, which `name` is a check of.
    pub async fn checks_without_database(&self, folder: &Path, name: &'static str, reason: Error) -> Vec<Check> {
        let storage = Check::warning("storage", "unknown until the database can be opened", "");
        self.checks(folder, [Check::of(name, CheckState::Failed, reason), storage, self.check_disk()]).await
    }

    /// Checks configuration, database, keychain, sandbox, the folder and providers.
    pub async fn look(&self, folder: &Path) -> Vec<Check> {
        self.checks(folder, [self.check_database(), self.check_storage(), self.check_disk()]).await
    }

    async fn checks(&self, folder: &Path, of_database: [Check; 3]) -> Vec<Check> {
        let mut checks = vec![self.check_config()];
        checks.extend(of_database);
        checks.extend([
            check_keychain().await,
            self.check_sandbox(),
            self.check_limits(),
            check_open_files(),
            check_path(),
            check_temp_folder(),
        ]);
        checks.push(self.check_project(folder));
        checks.extend(self.check_providers().await);
        checks.extend(self.check_mcp_servers());
        checks.extend(self.check_telemetry().await);
        checks
    }

    /// Returns what the user should know of the folder before work begins in it.
    fn check_project(&self, folder: &Path) -> Check {
        let mut view_fault = None;
        // One that is not trusted may be large, and there is nothing to look for in it.
        let project = match self.projects.load_project(folder) {
            Ok(open) if !open.is_trusted() => {
                return Check::ok(
                    "project",
                    format!("{}, not trusted: its rules, skills and settings are not loaded", open.path()),
                );
            }
            Ok(open) => {
                view_fault = self.view_fault(open.project.root());
                self.projects.project(folder)
            }
            Err(fault) => Err(fault),
        };
        let project = match project {
            Ok(project) => project,
            Err(fault) => return Check::of("project", CheckState::Warning, fault),
        };
        let mut said = vec![format!("{}, trusted.", project.path)];
        if !project.changed.is_empty() {
            let off: Vec<&str> = project.changed.iter().map(|changed| changed.path.as_str()).collect();
            said.push(format!("Off because they changed since: {}.", off.join(", ")));
        }
        if let Some(fault) = self.projects.configuration_fault(folder) {
            return Check::of("project", CheckState::Failed, fault);
        }
        let has_changed = !project.changed.is_empty();
        said.extend(project.notices);
        said.extend(view_fault);
        let state = if said.len() > 1 { CheckState::Warning } else { CheckState::Ok };
        let hint = if has_changed { "`arki trust --show` shows the difference, `arki trust` approves it." } else { "" };
        Check { name: "project", state, detail: said.join(" "), hint: hint.to_owned() }
    }

    /// Returns why commands ask by their lines in this project, where they needn't elsewhere on this machine.
    fn view_fault(&self, root: &Path) -> Option<String> {
        if !self.projects.sandbox().available || !Sandbox::has_views() {
            return None;
        }
        let fault = OverlayView::fault(root, &self.records.directories().views())?;
        Some(format!("Commands can't work on a view of it, so they ask before they run: {fault}"))
    }

    fn check_config(&self) -> Check {
        let file = self.records.directories().config_file();
        match self.accounts.user_config().and_then(|config| self.accounts.ensure_model_usable().map(|()| config)) {
            Ok(config) => {
                let first = self.accounts.written_user_config().is_ok_and(|text| arki_config::has_first_exec(&text));
                let unset = if first { FIRST_EXEC_UNSET } else { "" };
                Check::ok("configuration", format!("{}, model {}{unset}", file.display(), config.model))
            }
            Err(fault) => Check::of("configuration", CheckState::Failed, fault),
        }
    }

    fn check_database(&self) -> Check {
        let file = self.records.directories().database();
        let size = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
        match self.records.reader().verifier().verify(None) {
            Ok(reports) if reports.iter().all(|report| report.ok) => {
                let sessions = reports.len();
                Check::ok("database", format!("{}, {sessions} sessions, {} KiB", file.display(), size / 1024))
            }
            Ok(reports) => {
                let message = match reports.iter().filter(|report| !report.ok).count() {
                    1 => "The event log of 1 session is broken; it is read-only.".to_owned(),
                    broken => format!("The event log of {broken} sessions is broken; they are read-only."),
                };
                let hint = "`arki verify` names the first broken event of each.".to_owned();
                Check { name: "database", state: CheckState::Failed, detail: message, hint }
            }
            Err(error) => Check::of("database", CheckState::Failed, error.into()),
        }
    }

    /// Checks the disk space used.
    fn check_storage(&self) -> Check {
        let sizes = match self.records.reader().sizes().map_err(Error::from) {
            Ok(sizes) => sizes,
            Err(fault) => return Check::of("storage", CheckState::Failed, fault),
        };
        let mut detail = format!(
            "{} events, images {}, free {}, log {}",
            sizes.events,
            size(sizes.blobs_bytes),
            size(sizes.free_bytes),
            size(sizes.log_bytes)
        );
        if let Some((session_id, title, bytes)) = sizes.largest.first() {
            detail.push_str(&format!("; the largest session {session_id} \"{title}\" {}", size(*bytes)));
        }
        detail.push('.');
        Check { hint: "`arki sessions rm ID` frees a session's space.".to_owned(), ..Check::ok("storage", detail) }
    }

    /// The room that is left on the disk of the data folder.
    fn check_disk(&self) -> Check {
        let folder =
            self.records.directories().data.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
        let free = match free_bytes(folder) {
            Ok(free) => free,
            Err(error) => {
                let detail =
                    format!("the free space in {} can't be read: {}", folder.display(), io_words(error.kind()));
                return Check::warning("disk", detail, "");
            }
        };
        let detail = format!("{} free in {}", size(free), folder.display());
        if free >= MIN_FREE_BYTES {
            return Check::ok("disk", detail);
        }
        let hint = "Free some space: on a full disk runs can't continue. Nothing saved is lost.";
        Check::warning("disk", format!("{detail}: low"), hint)
    }

    fn check_sandbox(&self) -> Check {
        let status = self.projects.sandbox();
        if status.available {
            return sandbox_found(&Sandbox::layers());
        }
        let reason = status.reason.as_deref().unwrap_or("There is no sandbox on this system.");
        Check::warning("sandbox", reason, "Every command needs your approval, even if you allowed it in advance.")
    }

    /// Checks the limits of commands.
    fn check_limits(&self) -> Check {
        let limits = self.accounts.user_config().map(|config| config.tool_limits.command).unwrap_or_default();
        let memory = match limits.max_memory_bytes {
            u64::MAX => "any memory".to_owned(),
            bytes => format!("{} of memory", size(bytes)),
        };
        let written = size(limits.max_written_bytes);
        Check::ok("commands", format!("{} processes, {memory} and {written} of output each", limits.max_processes))
    }

    async fn check_providers(&self) -> Vec<Check> {
        let Ok(providers) = self.accounts.providers_listed().await else { return Vec::new() };
        providers
            .into_iter()
            .map(|provider| {
                let detail = format!("{} ({})", provider.name, provider.kind);
                match provider.key_source {
                    KeyStatus::Environment => Check::ok("provider", format!("{detail}: key from the environment")),
                    KeyStatus::Keychain => Check::ok("provider", format!("{detail}: key from the keychain")),
                    KeyStatus::NoneNeeded => Check::ok("provider", format!("{detail}: no key needed")),
                    KeyStatus::Missing => {
                        let hint = format!("Add one with `arki keys set {}`.", provider.name);
                        Check::warning("provider", format!("{detail}: no key"), hint)
                    }
                }
            })
            .collect()
    }
}

/// The strongest that works, and why not a stronger one.
fn sandbox_found(layers: &[SandboxStatus]) -> Check {
    let strongest = layers.iter().position(|layer| layer.available).unwrap_or(layers.len());
    let better = &layers[..strongest];
    let found = layers.iter().filter(|layer| layer.available);
    let names: Vec<&str> = found.map(|layer| layer.name.as_str()).collect();
    let mut detail = names.join(", then ");
    let reasons: Vec<&str> = better.iter().filter_map(|layer| layer.reason.as_deref()).collect();
    if reasons.is_empty() {
        return Check::ok("sandbox", detail);
    }
    detail.push_str(&format!(". {}", reasons.join(" ")));
    Check {
        hint:
            "With user namespaces, commands work on a view of the project, and what they change is reviewed before it \
               lands; see the user guide, \"The sandbox\"."
                .to_owned(),
        ..Check::ok("sandbox", detail)
    }
}

impl Doctor {
    /// Only where it is on. Nothing is sent.
    async fn check_telemetry(&self) -> Option<Check> {
        match self.telemetry.state().await {
            Ok(state) => state.as_ref().map(telemetry_check),
            // What is wrong with the configuration is said already.
            Err(fault) if self.accounts.user_config().is_err() => {
                tracing::info!(%fault, "telemetry is not checked");
                None
            }
            Err(fault) => Some(Check::of("telemetry", CheckState::Warning, fault)),
        }
    }

    /// Only where there are any; none is started.
    fn check_mcp_servers(&self) -> Option<Check> {
        let config = self.accounts.user_config().ok().filter(|config| !config.mcp_servers.is_empty())?;
        let names: Vec<&str> = config.mcp_servers.keys().map(String::as_str).collect();
        let detail = format!("{} configured: {}", names.len(), names.join(", "));
        let is_program = |name: &&str| config.mcp_servers[*name].config.command.is_some();
        if !self.projects.sandbox().available && names.iter().any(is_program) {
            let detail = format!("{detail}; programs run without a sandbox here");
            return Some(Check::warning("mcp", detail, "Configure only servers that you would run yourself."));
        }
        Some(Check { hint: "`arki mcp test NAME` tries one.".to_owned(), ..Check::ok("mcp", detail) })
    }
}

fn telemetry_check(state: &TelemetryState) -> Check {
    let Some(receivers) = &state.receivers else {
        return Check::ok("telemetry", "`telemetry.endpoint` is \"env\", and no OTEL_ variable names a receiver");
    };
    let contents = match state.settings.contents {
        TelemetryContents::Included => "with prompts, answers and results",
        TelemetryContents::LeftOut => "without what was written",
    };
    let mut detail = format!("runs go to {receivers}, {contents}; {} sent, {} waiting", state.sent, state.waiting);
    if state.left_out > 0 {
        detail.push_str(&format!(
            "; {} left out: a run waits for a week at most, and {MAX_WAITING_RUNS} runs do",
            state.left_out
        ));
    }
    let Some(trouble) = &state.trouble else { return Check::ok("telemetry", detail) };
    let hint = "Start the receiver, or change `telemetry.endpoint`.";
    Check::warning("telemetry", format!("{detail}. {trouble}"), hint)
}

fn size(bytes: u64) -> String {
    if bytes < 1 << 20 {
        return format!("{} KiB", bytes.div_ceil(1 << 10));
    }
    if bytes >= 10 << 30 {
        return format!("{} GiB", bytes >> 30);
    }
    #[expect(clippy::cast_precision_loss, reason = "one digit is shown")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{mebibytes:.1} MiB")
}

/// Checks how many files may be open: a run has some, and a command's start needs more.
fn check_open_files() -> Check {
    if let Some(problem) = open_files_problem() {
        return Check::of("open files", CheckState::Failed, problem.into());
    }
    Check::ok("open files", open_files().map_or_else(|| "any number".to_owned(), |most| format!("at most {most}")))
}

/// Checks the PATH by which commands and servers find their programs.
fn check_path() -> Check {
    let path = inherited_environment().into_iter().find(|(name, _)| name == "PATH").map_or_else(String::new, |it| it.1);
    let folders = path.split(if cfg!(windows) { ';' } else { ':' }).filter(|folder| !folder.is_empty()).count();
    match path_origin() {
        PathOrigin::Inherited => Check::ok("path", format!("{folders} folders, inherited by this program: {path}")),
        PathOrigin::LoginShell => Check::ok("path", format!("{folders} folders, from the login shell: {path}")),
        PathOrigin::NotTold(reason) => {
            let detail = format!("{reason} Commands get the {folders} folders that this program inherited: {path}");
            Check::warning("path", detail, "Start Arki from a terminal, or fix the shell's profile.")
        }
    }
}

/// Checks the folder for temporary files, and says where another one is used than the environment names.
fn check_temp_folder() -> Check {
    let (named, used) = (std::env::temp_dir(), temp_folder());
    let state = match (temp_folder_problem(&used), temp_folder_problem(&named)) {
        (None, None) => return Check::ok("temporary files", used.display().to_string()),
        (None, Some(_)) => CheckState::Warning,
        (Some(_), _) => CheckState::Failed,
    };
    let problem = temp_folder_problem(&named).unwrap_or_default();
    let mut detail = format!("The folder for temporary files {:?} {problem}.", named.display().to_string());
    if state == CheckState::Warning {
        detail.push_str(&format!(" Arki uses {}.", used.display()));
    }
    Check { name: "temporary files", state, detail, hint: "Set TMPDIR to a folder that you can write to.".to_owned() }
}

async fn check_keychain() -> Check {
    match keychain_answers().await {
        Ok(()) => Check::ok("keychain", "answers"),
        Err(fault) => Check::of("keychain", CheckState::Warning, fault),
    }
}
