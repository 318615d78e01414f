//! The ports that servers need, to be implemented by whoever knows the world: the one that starts the programs of
//! servers over pipes among them.

use crate::agreement::AgreementStore;
use crate::form::Form;
use crate::settings::Command;
use arki_domain::Error;
use arki_tools::{CallPlace, ProgramView};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// The ports that a server needs.
#[derive(Clone)]
pub struct Ports {
    pub launcher: Arc<dyn Launcher>,
    pub agreements: Arc<dyn AgreementStore>,
    pub tokens: Arc<dyn TokenStore>,
    /// `None` where nobody can be shown a page.
    pub sign_in: Option<Arc<dyn SignIn>>,
    /// `None` where nobody can be asked.
    pub elicitor: Option<Arc<dyn Elicitor>>,
    /// The project, which servers are told of.
    pub root: Option<PathBuf>,
}

/// The store of tokens: the operating system's keychain.
#[async_trait]
pub trait TokenStore: Send + Sync {
    async fn load(&self, url: &str) -> Result<Option<String>, Error>;

    async fn save(&self, url: &str, tokens: &str) -> Result<(), Error>;

    async fn clear(&self, url: &str) -> Result<(), Error>;
}

/// A port for showing a page to the user.
#[async_trait]
pub trait SignIn: Send + Sync {
    /// Returns where the page sends the browser back to.
    fn redirect_uri(&self) -> String;

    /// Shows the page; gives the address that the browser was sent back to.
    async fn visit(&self, url: &str) -> Result<String, Error>;
}

/// A port for asking the user what a server wants to know.
#[async_trait]
pub trait Elicitor: Send + Sync {
    /// Waits for the user. Dropped when the answer no longer matters: the question is to be taken back then.
    async fn ask(&self, question: ServerQuestion) -> Reply;
}

/// A server's question to the user in the middle of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerQuestion {
    pub server: String,
    /// The calls that it may have come up in: one, unless the server works on several and does not say for which it asks.
    pub calls: Vec<CallPlace>,
    /// The server's words, as plain text of several lines.
    pub message: String,
    pub wanted: WantedAnswer,
}

#[derive(Debug, Clone, PartialEq)]
pub enum WantedAnswer {
    Form(Form),
    /// The user is to visit a page.
    Page(WebAddress),
}

/// An address with `https`, or with `http` on this computer, as a browser reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAddress {
    pub url: String,
    /// The part of it that says whose page it is.
    pub host: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Accepted, with values that fit the form; with none for a page, which the user agreed to open.
    Accept(Map<String, Value>),
    Decline,
    Cancel,
    /// Nobody answered; the server is told that it was cancelled.
    TimedOut,
}

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
