//! The port through which servers over pipes are started.

use crate::settings::Command;
use arki_domain::Error;
use arki_tools::ProgramView;
use async_trait::async_trait;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// Starts a server's program, confined as its settings say.
#[async_trait]
pub trait Launcher: Send + Sync {
    async fn launch(&self, command: &Command) -> Result<Launched, Error>;

    /// Returns whether such a program works in a view of the project.
    fn works_in_view(&self, _: &Command) -> bool {
        false
    }
}

/// A program that runs, by its pipes.
pub struct Launched {
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    pub process: Box<dyn ServerProcess>,
    /// The view of the project that it works in, if it does.
    pub view: Option<Arc<ProgramView>>,
}

/// The program itself. Dropping it ends the program and what it started.
#[async_trait]
pub trait ServerProcess: Send + Sync {
    /// Ends it, politely first, and says how it ended.
    async fn stop(&mut self) -> Ended;

    /// The limit that it was ended at, if it was; completes "it …".
    fn over_limit(&self) -> Option<String>;
}

/// The end of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The program ended by itself, or when it was stopped; such as `exit code 1`.
    Left(String),
    /// It took more than it may; completes "it …".
    OverLimit(String),
}
