//! The start of a run and its inputs: as somebody asks for it, and as it is known before anything has happened.

use crate::projects::open::canonical;
use crate::{ClientCapabilities, OpenProject, SessionReader, SessionSettings};
use arki_agent::RunControl;
use arki_api::Shown;
use arki_config::AGENT;
use arki_domain::{AnsweredRequest, Code, Error, MessageId, ParentCall, RunId, RunOptions, SessionId, ToolNames};
use std::path::{Path, PathBuf};

/// The place of a new run.
#[derive(Debug, Clone)]
pub enum RunTarget {
    /// A new session in this folder.
    NewSession(PathBuf),
    Session(SessionId),
}

impl RunTarget {
    /// Returns where a message goes that was written under the names that a client shows.
    ///
    /// # Errors
    /// Those of [`SessionReader::session_shown`], or `FOLDER_UNAVAILABLE` where the folder is gone or leads elsewhere by now.
    pub fn of_shown(sessions: &SessionReader, shown: Shown) -> Result<Self, Error> {
        match shown.session_id {
            Some(_) => sessions.session_shown(shown).map(Self::Session),
            None => same_folder(&shown.folder).map(Self::NewSession),
        }
    }
}

fn same_folder(shown: &str) -> Result<PathBuf, Error> {
    let folder = canonical(Path::new(shown))?;
    if folder == Path::new(shown) {
        return Ok(folder);
    }
    let message = format!("{shown} now leads to {}.", folder.display());
    Err(Error::new(Code::FOLDER_UNAVAILABLE, message, "Open the folder that you mean."))
}

/// The place where a run begins, and its names.
pub(crate) struct RunPlace {
    pub(crate) session_id: SessionId,
    pub(crate) is_new: bool,
    pub(crate) project: PathBuf,
    pub(crate) run_id: RunId,
    pub(crate) agent: String,
    pub(crate) parent: Option<ParentCall>,
    pub(crate) control: RunControl,
    pub(crate) presence: ClientCapabilities,
    /// The project, where somebody has just opened it.
    pub(crate) open: Option<OpenProject>,
    /// The settings of the session.
    pub(crate) settings: SessionSettings,
}

impl RunPlace {
    pub(crate) fn of_new_session(project: PathBuf, presence: ClientCapabilities) -> Self {
        Self {
            session_id: SessionId::new(),
            is_new: true,
            project,
            run_id: RunId::new(),
            agent: AGENT.to_owned(),
            parent: None,
            control: RunControl::default(),
            presence,
            open: None,
            settings: SessionSettings::default(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct StartRun {
    pub target: RunTarget,
    pub prompt: String,
    /// `provider/model`; the configured one where `None`.
    pub model: Option<String>,
    /// The name of the core that decides the run's steps; the configured one where `None`.
    pub core: Option<String>,
    pub options: RunOptions,
    /// The pictures that the prompt shows: each a whole file. They are kept, and `options.images` speaks of them.
    pub images: Vec<Vec<u8>>,
    /// The input piped in beside the prompt, which names it; empty where there was none.
    pub piped: Vec<u8>,
    /// The tools that the session's runs don't have from now on; as before where `None`.
    pub disabled_tools: Option<Vec<String>>,
    /// The only tools that the run has, besides other restrictions; those of the command that was typed.
    pub allowed_tools: Option<ToolNames>,
    /// The queued message that the prompt is.
    pub message_id: Option<MessageId>,
    /// The request over HTTP that starts it, if it may be sent again.
    pub request: Option<AnsweredRequest>,
}

impl StartRun {
    /// Makes a run with nothing but the prompt.
    #[must_use]
    pub fn new(target: RunTarget, prompt: impl Into<String>) -> Self {
        Self {
            target,
            prompt: prompt.into(),
            model: None,
            core: None,
            options: RunOptions::default(),
            images: Vec::new(),
            piped: Vec::new(),
            disabled_tools: None,
            allowed_tools: None,
            message_id: None,
            request: None,
        }
    }
}
