//! Checkers around an edit: before a run's first one, so that there is something to compare with, and after each.
//!
//! A checker gets the project read-only and no network, as a hook does, and a folder of Arki's own for what it builds:
//! it changes nothing of the user's, waits for nobody's build, and is quick the second time. What is new becomes part of
//! the edit's result. Nothing that a checker does or fails to do is an error of the edit; a crash while one runs leaves
//! an edit that was written, and the run goes on without what the checker would have said.

use super::ExecutorSettings;
use super::hook_sandbox::HookSandbox;
use super::language_servers::LanguageServers;
use super::record::Record;
use crate::diagnostics::comparing::{new_since, told, told_anew};
use crate::diagnostics::place::ProblemPlaces;
use crate::diagnostics::reading::read;
use crate::diagnostics::{Checker, Diagnostic, one_line};
use crate::hooks::HookOrigin;
use crate::outcome::ToolError;
use arki_disk::{open_build_folder, remove_unused_build_folders};
use arki_process::{AnswerEnding, Answered, AnsweringSpec, CancellationToken, CommandLimits, Meanwhile, run_answering};
use arki_sandbox::{ProjectAccess, Sandbox};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OnceCell};

/// The limit for each of a checker's two outputs, in bytes.
const MAX_OUTPUT_BYTES: usize = 8 << 20;
/// A checker that prints more is ended, in bytes.
const MAX_WRITTEN_BYTES: u64 = 64 << 20;
/// The limit for everything that the model is told after one edit, in bytes.
const MAX_TOLD_BYTES: usize = 8 << 10;
/// A checker that fails so often in a row is not run again in the run.
const MAX_FAILURES: u32 = 2;
/// The time after which a project's build files of checkers are removed if no checker ran there.
const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// Told of a language server that may only be slow.
const SILENT: &str = "(It hasn't reported on your change yet, so it may find more.)";
/// The folders below the checkers' own in which programs put build results and caches.
const CACHES: &[(&str, &str)] = &[
    ("CARGO_TARGET_DIR", "cargo"),
    ("GOCACHE", "go"),
    ("MYPY_CACHE_DIR", "mypy"),
    ("PYTHONPYCACHEPREFIX", "python"),
    ("RUFF_CACHE_DIR", "ruff"),
    ("XDG_CACHE_HOME", "other"),
];

/// The checkers of a run.
pub(super) struct Checking {
    pub(super) settings: Arc<ExecutorSettings>,
    /// Made for the first checker.
    room: OnceCell<HookSandbox>,
    /// The last results, in the order of the settings.
    standings: Mutex<Vec<CheckerState>>,
    pub(super) language_servers: LanguageServers,
}

#[derive(Default, Clone)]
struct CheckerState {
    said: Option<Vec<Diagnostic>>,
    /// The number of failures in a row.
    failures: u32,
    /// A failure that the model is still to be told.
    untold: Option<String>,
    has_told: bool,
}

impl CheckerState {
    fn fail(&mut self, why: String) {
        self.failures += 1;
        if !self.has_told {
            self.untold = Some(why);
            self.has_told = true;
        }
    }
}

/// The findings of a checker in the project.
pub(super) struct CheckerWords {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The edited files of which a language server has said nothing.
    pub(super) unheard: usize,
}

/// Why nothing is known of what a checker thinks.
pub(super) enum NotChecked {
    Cancelled,
    Failed(String),
}

impl Checking {
    pub(super) fn new(settings: Arc<ExecutorSettings>) -> Self {
        Self {
            settings,
            room: OnceCell::new(),
            standings: Mutex::default(),
            language_servers: LanguageServers::default(),
        }
    }

    /// Runs the checkers for these files that haven't run yet. Returns whether the user stopped the run meanwhile.
    pub(super) async fn check_before(&self, edited: &[String], record: &Record<'_>) -> bool {
        let mut standings = self.standings.lock().await;
        for (index, checker) in self.checkers_for(edited) {
            let standing = of(&mut standings, index);
            // A server has to have seen a file to tell what is new in it.
            if standing.said.is_some() && !checker.is_server || standing.failures > 0 {
                continue;
            }
            match self.check((index, checker), edited, record).await {
                Ok(said) => standing.said = Some(said.diagnostics),
                Err(NotChecked::Cancelled) => return true,
                Err(NotChecked::Failed(why)) => standing.fail(why),
            }
        }
        false
    }

    /// Runs the checkers for these files, and returns what the model is told of them.
    pub(super) async fn check_after(&self, edited: &[String], record: &Record<'_>) -> Option<String> {
        let mut standings = self.standings.lock().await;
        let mut texts = Vec::new();
        for (index, checker) in self.checkers_for(edited) {
            let standing = of(&mut standings, index);
            if standing.failures < MAX_FAILURES {
                match self.check((index, checker), edited, record).await {
                    Ok(CheckerWords { diagnostics, unheard }) => {
                        let text = match &standing.said {
                            Some(before) => told(&checker.command, &new_since(before, &diagnostics), edited),
                            None => told_anew(&checker.command, &diagnostics, edited),
                        };
                        texts.push(if unheard > 0 { format!("{text}\n{SILENT}") } else { text });
                        (standing.said, standing.failures) = (Some(diagnostics), 0);
                    }
                    Err(NotChecked::Cancelled) => break,
                    Err(NotChecked::Failed(why)) => standing.fail(why),
                }
            }
            let untold = standing.untold.take();
            texts.extend(untold.map(|why| format!("`{}` could not check this: {why}", checker.command)));
        }
        (!texts.is_empty()).then(|| bounded(texts.join("\n")))
    }

    /// Checkers run what lies in the folder and what the model wrote, unasked: only in trusted folders, and where a
    /// sandbox confines them.
    fn checkers_for(&self, edited: &[String]) -> impl Iterator<Item = (usize, &Checker)> {
        let is_meant = |checker: &Checker| edited.iter().any(|path| checker.is_about(path));
        let may_run = self.settings.trusted && self.settings.sandbox.available;
        let checkers = self.settings.checkers.iter().enumerate().filter(move |_| may_run);
        checkers.filter(move |(_, checker)| is_meant(checker))
    }

    async fn check(
        &self,
        (index, checker): (usize, &Checker),
        edited: &[String],
        record: &Record<'_>,
    ) -> Result<CheckerWords, NotChecked> {
        if let HookOrigin::Project(file) = checker.origin
            && !self.settings.standing.is_agreed(file, Some(&checker.command))
        {
            return Err(failed("it or a script of it changed since it was approved."));
        }
        let time_limit = record.time_left().map_or(checker.time_limit, |left| left.min(checker.time_limit));
        if time_limit.is_zero() {
            return Err(failed("the run's time is up."));
        }
        if checker.is_server {
            return self.ask_server((index, checker), edited, time_limit, record.cancel()).await;
        }
        let answered = self
            .run_checker(checker, time_limit, record.cancel().clone())
            .await
            .map_err(|error| failed(&error.to_string()))?;
        match answered.ending {
            AnswerEnding::Cancelled => return Err(NotChecked::Cancelled),
            AnswerEnding::TimedOut => {
                return Err(failed(&format!("it took longer than {} s.", time_limit.as_secs())));
            }
            AnswerEnding::Overran(overrun) => return Err(failed(&format!("it was ended, {overrun}."))),
            AnswerEnding::Exited if answered.stdout_cut => {
                return Err(failed(&format!("it printed more than {} MiB.", MAX_OUTPUT_BYTES >> 20)));
            }
            AnswerEnding::Exited => {}
        }
        let places = ProblemPlaces { root: self.settings.project.root() };
        let said = read(&answered.stdout, &answered.stderr, &places);
        let said = said.ok_or_else(|| failed("its output is JSON that Arki can't read."))?;
        match answered.exit_code {
            code if code == Some(0) || !said.is_empty() => Ok(CheckerWords { diagnostics: said, unheard: 0 }),
            _ => Err(failed(&last_words(&answered))),
        }
    }

    async fn run_checker(
        &self,
        checker: &Checker,
        time_limit: Duration,
        cancel: CancellationToken,
    ) -> Result<Answered, ToolError> {
        let room = self.check_room().await?;
        let sandbox = room.sandbox(ProjectAccess::ReadOnly, false)?;
        let standing = self.settings.standing.clone();
        let limits = self.settings.limits.command;
        let spec = AnsweringSpec {
            name: format!("check {}", checker.command),
            command_line: checker.command.clone(),
            directory: self.settings.project.root().to_owned(),
            environment: room.environment.clone(),
            sandbox: sandbox.as_ref().map(Sandbox::as_confinement),
            time_limit,
            limits: CommandLimits { max_written_bytes: limits.max_written_bytes.min(MAX_WRITTEN_BYTES), ..limits },
            max_kept_bytes: MAX_OUTPUT_BYTES,
            meanwhile: Meanwhile::new(move |notes| notes.into_iter().for_each(|note| standing.tell(note))),
        };
        Ok(run_answering(spec, Vec::new(), cancel).await?)
    }

    pub(super) async fn check_room(&self) -> Result<&HookSandbox, ToolError> {
        let furnish = async || {
            let caches = &self.settings.checks;
            open_build_folder(caches)?;
            let own = caches.clone();
            // Nothing waits for it: what is old only takes space.
            tokio::task::spawn_blocking(move || match remove_unused_build_folders(&own, KEPT_FOR) {
                Ok(()) => {}
                Err(error) => tracing::warn!(%error, "what checkers built was not removed"),
            });
            let place = |folder: &str| caches.join(folder).display().to_string();
            let variables = CACHES.iter().map(|(name, folder)| ((*name).to_owned(), place(folder)));
            let no_colour = [("NO_COLOR", "1"), ("CARGO_TERM_COLOR", "never")];
            let no_colour = no_colour.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let variables: Vec<(String, String)> = variables.chain(no_colour).collect();
            HookSandbox::furnish(&self.settings, &variables, vec![caches.clone()])
        };
        self.room.get_or_try_init(furnish).await
    }
}

fn of(standings: &mut Vec<CheckerState>, index: usize) -> &mut CheckerState {
    if standings.len() <= index {
        standings.resize(index + 1, CheckerState::default());
    }
    &mut standings[index]
}

pub(super) fn failed(why: &str) -> NotChecked {
    NotChecked::Failed(why.to_owned())
}

/// The line that says best why a checker failed.
fn last_words(answered: &Answered) -> String {
    let lines =
        || answered.stderr.lines().chain(answered.stdout.lines()).map(str::trim).filter(|line| !line.is_empty());
    let says_why = |line: &&str| line.to_ascii_lowercase().contains("error") || line.contains("not found");
    let said = lines().find(says_why).or_else(|| lines().next()).unwrap_or("it said nothing.");
    let said = one_line(said);
    match answered.exit_code {
        Some(code) => format!("it ended with exit code {code}: {said}"),
        None => said,
    }
}

fn bounded(text: String) -> String {
    if text.len() <= MAX_TOLD_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(MAX_TOLD_BYTES);
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}\n[… cut after {} KiB]", &text[..end], MAX_TOLD_BYTES >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_bounded() {
        let text = bounded("a line of words\n".repeat(1000));
        assert!(text.len() < MAX_TOLD_BYTES + 50 && text.ends_with("cut after 8 KiB]"), "{}", text.len());
    }
}
