//! Language servers as checkers: started in the checkers' room when a file of theirs is first edited, and kept until the
//! run has ended. One that fails is started anew for the next check.

use super::checking::{CheckerWords, Checking, NotChecked, failed};
use crate::diagnostics::language_server::{EditedDocument, LanguageServer};
use crate::diagnostics::place::ProblemPlaces;
use crate::diagnostics::reading::in_project;
use crate::diagnostics::{Checker, one_line};
use crate::outcome::ToolError;
use arki_process::{CancellationToken, Meanwhile, Piped, PipedProcess, PipedSpec, shell_line, start_piped};
use arki_sandbox::{ProjectAccess, Sandbox};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::Mutex;
use tokio_util::task::AbortOnDropHandle;

/// The largest file that a server is told of, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// The bytes that are kept of what a server complains of, the last ones.
const MAX_COMPLAINT_BYTES: usize = 4096;
/// The time for the last words of a server that has failed.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The servers that run, by their place in the settings.
#[derive(Default)]
pub(super) struct LanguageServers(Mutex<HashMap<usize, RunningServer>>);

struct RunningServer {
    server: LanguageServer,
    complaints: Complaints,
    _process: PipedProcess,
}

/// The end of what a server writes to its standard error.
struct Complaints {
    text: Arc<std::sync::Mutex<Vec<u8>>>,
    reading: AbortOnDropHandle<()>,
}

impl Checking {
    /// Returns what the server finds wrong with the project, these files as they are now.
    pub(super) async fn ask_server(
        &self,
        (index, checker): (usize, &Checker),
        files: &[String],
        time_limit: Duration,
        cancel: &CancellationToken,
    ) -> Result<CheckerWords, NotChecked> {
        let mut servers = self.language_servers.0.lock().await;
        let running = servers.remove(&index);
        let asked = async {
            let mut running = match running {
                Some(running) => running,
                None => self.start_server(checker).await?,
            };
            let documents = self.documents(files.iter().map(String::as_str).chain(running.server.paths()));
            match running.server.check(documents).await {
                Ok(checked) => Ok((running, checked)),
                Err(error) => Err(running.complaints.with(&error).await),
            }
        };
        let (running, (found, unheard)) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(NotChecked::Cancelled),
            () = tokio::time::sleep(time_limit) => {
                return Err(failed(&format!("it took longer than {} s.", time_limit.as_secs())));
            }
            asked = asked => asked?,
        };
        servers.insert(index, running);
        let diagnostics = in_project(found, &ProblemPlaces { root: self.settings.project.root() });
        Ok(CheckerWords { diagnostics, unheard })
    }

    /// Ends them: the executor may stay for a command in the background, and they are the run's.
    pub(super) async fn end_servers(&self) {
        self.language_servers.0.lock().await.clear();
    }

    async fn start_server(&self, checker: &Checker) -> Result<RunningServer, NotChecked> {
        let Piped { stdin, stdout, stderr, process } =
            self.start_piped(checker).await.map_err(|error| failed(&error.to_string()))?;
        let mut complaints = Complaints::reading(stderr);
        match LanguageServer::greet(stdin, stdout, self.settings.project.root()).await {
            Ok(server) => Ok(RunningServer { server, complaints, _process: process }),
            Err(error) => Err(complaints.with(&error).await),
        }
    }

    async fn start_piped(&self, checker: &Checker) -> Result<Piped, ToolError> {
        let room = self.check_room().await?;
        let sandbox = room.sandbox(ProjectAccess::ReadOnly, false)?;
        let standing = self.settings.standing.clone();
        let (program, arguments) = shell_line(&checker.command)?;
        let spec = PipedSpec {
            name: format!("check {}", checker.command),
            program,
            arguments,
            directory: self.settings.project.root().to_owned(),
            environment: room.environment.clone(),
            sandbox: sandbox.as_ref().map(Sandbox::as_confinement),
            limits: self.settings.limits.command,
            meanwhile: Meanwhile::new(move |notes| notes.into_iter().for_each(|note| standing.tell(note))),
        };
        Ok(start_piped(spec).await?)
    }

    fn documents<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Vec<EditedDocument> {
        let mut paths: Vec<&str> = paths.collect();
        paths.sort_unstable();
        paths.dedup();
        let text = |path: &str| {
            let place = self.settings.project.resolve(path).ok()?;
            let file = self.settings.project.read_if_present(&place, MAX_FILE_BYTES).ok()??;
            String::from_utf8(file.bytes).ok()
        };
        paths.into_iter().map(|path| EditedDocument { path: path.to_owned(), text: text(path) }).collect()
    }
}

impl Complaints {
    fn reading(mut stderr: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        let text = Arc::new(std::sync::Mutex::new(Vec::new()));
        let kept = text.clone();
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; MAX_COMPLAINT_BYTES];
            while let Ok(length) = stderr.read(&mut buffer).await
                && length > 0
            {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&buffer[..length]);
                let over = kept.len().saturating_sub(MAX_COMPLAINT_BYTES);
                kept.drain(..over);
            }
        });
        Self { text, reading: AbortOnDropHandle::new(reading) }
    }

    /// Why it failed: what it said last, or what is wrong with what it said.
    async fn with(&mut self, error: &io::Error) -> NotChecked {
        // It may still be saying why.
        let _ = tokio::time::timeout(LAST_WORDS, &mut self.reading).await;
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
        match (error.kind(), last) {
            (io::ErrorKind::ConnectionRefused, _) => failed(&format!("it refused: {}", one_line(&error.to_string()))),
            (io::ErrorKind::InvalidData, _) => failed(&format!("it doesn't speak the protocol: {error}.")),
            (_, Some(last)) => failed(&format!("it ended: {}", one_line(last))),
            (_, None) => failed("it ended."),
        }
    }
}
