//! A client of the Language Server Protocol that wants one thing: what a server finds wrong with some files
//! (<https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/>).
//!
//! Servers publish whenever they like and don't say when they are done. So an answer is what they have published once
//! they have said something of each file, no work of theirs is under way and they have been quiet for a moment.

mod messages;
mod wire;

use super::MAX_DIAGNOSTICS;
use super::reading::ReportedProblem;
use messages::{Configuration, Greeting, Incoming, Published, ServerProgress};
use reqwest::Url;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use wire::Wire;

/// The silence after which a server that has said something of each file is done.
const QUIET: Duration = Duration::from_millis(700);
/// The same for one that hasn't: some say nothing of a file that has no faults.
const LONG_QUIET: Duration = Duration::from_secs(3);
/// The pieces of other work that are waited for at the same time.
const MAX_AT_WORK: usize = 100;
/// The characters by which one of them is known.
const MAX_TOKEN_CHARS: usize = 200;
/// The settings that one question may ask for.
const MAX_ITEMS: usize = 1000;

/// The protocol's names for files of these endings, where that isn't the ending itself.
const LANGUAGES: &[(&str, &str)] = &[
    ("cc", "cpp"),
    ("cs", "csharp"),
    ("cts", "typescript"),
    ("h", "c"),
    ("hpp", "cpp"),
    ("js", "javascript"),
    ("jsx", "javascriptreact"),
    ("kt", "kotlin"),
    ("md", "markdown"),
    ("mjs", "javascript"),
    ("mts", "typescript"),
    ("py", "python"),
    ("pyi", "python"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("sh", "shellscript"),
    ("ts", "typescript"),
    ("tsx", "typescriptreact"),
    ("yml", "yaml"),
];

/// A file as it is now; without a text it is gone.
pub(crate) struct EditedDocument {
    /// The path as seen from the project.
    pub(crate) path: String,
    pub(crate) text: Option<String>,
}

pub(crate) struct LanguageServer {
    wire: Wire,
    /// Ends with `/`.
    root: Url,
    /// The texts that it has, by their path in the project.
    open: BTreeMap<String, OpenDocument>,
    published: BTreeMap<String, Vec<ReportedProblem>>,
    /// The work that it has under way, by its own names.
    at_work: HashSet<String>,
}

struct OpenDocument {
    address: String,
    version: i64,
    text: String,
}

impl LanguageServer {
    /// Greets a server that was just started. `root` is the project's folder.
    ///
    /// # Errors
    /// When it ends, refuses (`ConnectionRefused`), or says what isn't the protocol (`InvalidData`).
    pub(crate) async fn greet(
        to: impl AsyncWrite + Send + Unpin + 'static,
        from: impl AsyncRead + Send + Unpin + 'static,
        root: &Path,
    ) -> io::Result<Self> {
        let root = Url::from_directory_path(root).map_err(|()| io::Error::other("the folder has no address"))?;
        let wire = Wire::new(to, from);
        let (published, open, at_work) = (BTreeMap::new(), BTreeMap::new(), HashSet::new());
        let mut server = Self { wire, root, open, published, at_work };
        let folder = json!({"uri": server.root.as_str(), "name": "project"});
        let initialize = json!({
            "processId": null,
            "rootUri": server.root.as_str(),
            "workspaceFolders": [folder],
            "capabilities": {
                "textDocument": {
                    "synchronization": {"didSave": true},
                    "publishDiagnostics": {"versionSupport": true},
                },
                "window": {"workDoneProgress": true},
                "workspace": {"configuration": true, "workspaceFolders": true},
            },
        });
        server.wire.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize})).await?;
        loop {
            let message = server.wire.receive().await?;
            match Greeting::of(&message) {
                Some(Greeting::Refused(why)) => return Err(io::Error::new(io::ErrorKind::ConnectionRefused, why)),
                Some(Greeting::Ready) => break,
                None => _ = server.hear(&message).await?,
            }
        }
        server.tell("initialized", json!({})).await?;
        Ok(server)
    }

    /// The files whose texts it has.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.open.keys().map(String::as_str)
    }

    /// Tells it of these files, and returns what it finds wrong with all that it knows, and how many of the files that
    /// are new to it it has said nothing of.
    pub(crate) async fn check(&mut self, documents: Vec<EditedDocument>) -> io::Result<(Vec<ReportedProblem>, usize)> {
        let mut unheard = HashSet::new();
        let mut is_told = false;
        for EditedDocument { path, text } in documents {
            match text {
                Some(text) => unheard.extend(self.show(path, text).await?),
                None => is_told |= self.close(&path).await?,
            }
        }
        is_told |= !unheard.is_empty();
        let unheard = self.listen(unheard, if is_told { QUIET } else { Duration::ZERO }).await?;
        Ok((self.published.values().flatten().take(MAX_DIAGNOSTICS).cloned().collect(), unheard))
    }

    fn address(&self, path: &str) -> Option<String> {
        let mut address = self.root.clone();
        address.path_segments_mut().ok()?.pop_if_empty().extend(path.split('/'));
        Some(address.into())
    }

    /// Returns the file's address where the text is new to it.
    async fn show(&mut self, path: String, text: String) -> io::Result<Option<String>> {
        let known = self.open.remove(&path);
        let is_new = known.as_ref().is_none_or(|known| known.text != text);
        let version = known.as_ref().map_or(1, |known| known.version + i64::from(is_new));
        let Some(address) = known.as_ref().map(|known| known.address.clone()).or_else(|| self.address(&path)) else {
            return Ok(None);
        };
        if known.is_none() {
            let language = language(&path);
            let document = json!({"uri": address, "languageId": language, "version": version, "text": text});
            self.tell("textDocument/didOpen", json!({"textDocument": document})).await?;
        } else if is_new {
            let document = json!({"uri": address, "version": version});
            let changes = json!({"textDocument": document, "contentChanges": [{"text": text}]});
            self.tell("textDocument/didChange", changes).await?;
            self.tell("textDocument/didSave", json!({"textDocument": {"uri": address}})).await?;
        }
        let told = is_new.then(|| address.clone());
        self.open.insert(path, OpenDocument { address, version, text });
        Ok(told)
    }

    /// Returns whether it had the file.
    async fn close(&mut self, path: &str) -> io::Result<bool> {
        let Some(OpenDocument { address, .. }) = self.open.remove(path) else { return Ok(false) };
        self.published.remove(&address);
        self.tell("textDocument/didClose", json!({"textDocument": {"uri": address}})).await?;
        Ok(true)
    }

    async fn tell(&mut self, method: &str, params: Value) -> io::Result<()> {
        self.wire.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await
    }

    /// Listens until it has nothing more to say, for at least `quiet` of silence. Returns how many are still unheard.
    async fn listen(&mut self, mut unheard: HashSet<String>, quiet: Duration) -> io::Result<usize> {
        loop {
            let is_waited_for = !unheard.is_empty() || !self.at_work.is_empty();
            match timeout(if is_waited_for { LONG_QUIET } else { quiet }, self.wire.receive()).await {
                Ok(message) => {
                    if let Some(address) = self.hear(&message?).await? {
                        unheard.remove(&address);
                    }
                }
                Err(_) if self.at_work.is_empty() => return Ok(unheard.len()),
                Err(_) => {}
            }
        }
    }

    /// Returns the file that it has now said something of in its last version.
    async fn hear(&mut self, message: &[u8]) -> io::Result<Option<String>> {
        let Ok(Incoming { id, method: Some(method), params }) = serde_json::from_slice(message) else {
            return Ok(None);
        };
        let params = params.map_or("null", |params| params.get());
        match (&*method, id) {
            ("textDocument/publishDiagnostics", _) => return Ok(self.publish(params)),
            ("$/progress", _) => self.progress(params),
            (method, Some(id)) => {
                let result = answer(method, params);
                self.wire.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await?;
            }
            _ => {}
        }
        Ok(None)
    }

    fn publish(&mut self, params: &str) -> Option<String> {
        let published: Published<'_> = serde_json::from_str(params).ok()?;
        // Servers don't all escape alike.
        let path = Url::parse(published.uri()).ok()?.to_file_path().ok()?;
        let address = Url::from_file_path(&path).ok()?.to_string();
        if !address.starts_with(self.root.as_str()) {
            return None;
        }
        let version = self.open.values().find(|open| open.address == address).map(|open| open.version);
        if published.version.is_some_and(|of| version.is_some_and(|version| of < version)) {
            return None;
        }
        self.published.remove(&address);
        let room = MAX_DIAGNOSTICS.saturating_sub(self.published.values().map(Vec::len).sum());
        let found: Vec<ReportedProblem> = published.found(path.to_str()?).take(room).collect();
        if !found.is_empty() {
            self.published.insert(address.clone(), found);
        }
        Some(address)
    }

    fn progress(&mut self, params: &str) {
        let Ok(ServerProgress { token, value }) = serde_json::from_str(params) else { return };
        let token = token.get().chars().take(MAX_TOKEN_CHARS).collect::<String>();
        match value.kind.as_deref() {
            Some("begin") if self.at_work.len() < MAX_AT_WORK => _ = self.at_work.insert(token),
            Some("end") => _ = self.at_work.remove(&token),
            _ => {}
        }
    }
}

/// Returns the answer to a request of the server's. It wants to know little else, and may go on with nothing.
fn answer(method: &str, params: &str) -> Value {
    match (method, serde_json::from_str::<Configuration>(params)) {
        ("workspace/configuration", Ok(wanted)) => json!(vec![Value::Null; wanted.items.len().min(MAX_ITEMS)]),
        _ => Value::Null,
    }
}

fn language(path: &str) -> &str {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("plaintext", |(_, end)| end);
    LANGUAGES.iter().find(|(known, _)| *known == ending).map_or(ending, |(_, language)| language)
}

#[cfg(test)]
mod tests;
