//! A client of the Language Server Protocol that wants one thing: what a server finds wrong with some files
//! (<https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/>).
//!
//! Servers publish whenever they like and don't say when they are done. So an answer is what they have published once
//! they have said something of each file, no work of theirs is under way and they have been quiet for a moment.

mod wire;

use super::reading::Found;
use super::{MAX_DIAGNOSTICS, Severity};
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
/// The diagnostics that are kept of one message about one file.
const MAX_OF_A_FILE: usize = 500;
/// The pieces of other work that are waited for at the same time.
const MAX_AT_WORK: usize = 100;

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
pub(crate) struct Document {
    /// The path as seen from the project.
    pub(crate) path: String,
    pub(crate) text: Option<String>,
}

pub(crate) struct LanguageServer {
    wire: Wire,
    /// Ends with `/`.
    root: Url,
    /// The texts that it has, by their path in the project.
    open: BTreeMap<String, Open>,
    published: BTreeMap<String, Vec<Value>>,
    /// The work that it has under way, by its own names.
    at_work: HashSet<String>,
}

struct Open {
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
            if message["id"] == 1 && message.get("method").is_none() {
                match message.pointer("/error/message").and_then(Value::as_str) {
                    Some(why) => return Err(io::Error::new(io::ErrorKind::ConnectionRefused, why.to_owned())),
                    None => break,
                }
            }
            server.hear(message).await?;
        }
        server.tell("initialized", json!({})).await?;
        Ok(server)
    }

    /// The files whose texts it has.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.open.keys().map(String::as_str)
    }

    /// Tells it of these files, and returns what it finds wrong with all that it knows.
    ///
    /// # Errors
    /// When it ends, or says what isn't the protocol.
    pub(crate) async fn check(&mut self, documents: Vec<Document>) -> io::Result<Vec<Found>> {
        let mut unheard = HashSet::new();
        for Document { path, text } in documents {
            match text {
                Some(text) => unheard.extend(self.show(path, text).await?),
                None => self.close(&path).await?,
            }
        }
        self.listen(unheard).await?;
        Ok(self.found())
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
        self.open.insert(path, Open { address, version, text });
        Ok(told)
    }

    async fn close(&mut self, path: &str) -> io::Result<()> {
        if let Some(Open { address, .. }) = self.open.remove(path) {
            self.published.remove(&address);
            self.tell("textDocument/didClose", json!({"textDocument": {"uri": address}})).await?;
        }
        Ok(())
    }

    async fn tell(&mut self, method: &str, params: Value) -> io::Result<()> {
        self.wire.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await
    }

    /// Listens until it has nothing more to say.
    async fn listen(&mut self, mut unheard: HashSet<String>) -> io::Result<()> {
        loop {
            let patience = if unheard.is_empty() { QUIET } else { LONG_QUIET };
            match timeout(patience, self.wire.receive()).await {
                Ok(message) => {
                    if let Some(address) = self.hear(message?).await? {
                        unheard.remove(&address);
                    }
                }
                Err(_) if self.at_work.is_empty() => return Ok(()),
                Err(_) => {}
            }
        }
    }

    /// Returns the file that it has now said something of in its last version.
    async fn hear(&mut self, message: Value) -> io::Result<Option<String>> {
        let params = &message["params"];
        match (message["method"].as_str(), message.get("id")) {
            (Some("textDocument/publishDiagnostics"), _) => return Ok(self.publish(params)),
            (Some("$/progress"), _) => self.progress(params),
            (Some(method), Some(id)) => {
                let result = answer(method, params);
                self.wire.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await?;
            }
            _ => {}
        }
        Ok(None)
    }

    fn publish(&mut self, params: &Value) -> Option<String> {
        // Servers don't all escape alike.
        let address = Url::parse(params["uri"].as_str()?).ok()?.to_file_path().ok()?;
        let address = Url::from_file_path(address).ok()?.to_string();
        let version = self.open.values().find(|open| open.address == address).map(|open| open.version);
        if params["version"].as_i64().is_some_and(|of| version.is_some_and(|version| of < version)) {
            return None;
        }
        let diagnostics = params["diagnostics"].as_array()?.iter().take(MAX_OF_A_FILE).cloned().collect();
        if self.published.len() < MAX_DIAGNOSTICS || self.published.contains_key(&address) {
            self.published.insert(address.clone(), diagnostics);
        }
        Some(address)
    }

    fn progress(&mut self, params: &Value) {
        let token = params["token"].to_string();
        match params["value"]["kind"].as_str() {
            Some("begin") if self.at_work.len() < MAX_AT_WORK => _ = self.at_work.insert(token),
            Some("end") => _ = self.at_work.remove(&token),
            _ => {}
        }
    }

    fn found(&self) -> Vec<Found> {
        let of_file = |(address, diagnostics): (&String, &Vec<Value>)| {
            let path = Url::parse(address).ok().and_then(|address| address.to_file_path().ok());
            let path = path.and_then(|path| path.to_str().map(str::to_owned));
            let found = path.map(|path| diagnostics.iter().filter_map(|one| found(&path, one)).collect::<Vec<_>>());
            found.unwrap_or_default()
        };
        self.published.iter().flat_map(of_file).take(MAX_DIAGNOSTICS).collect()
    }
}

/// Returns the answer to a request of the server's. It wants to know little else, and may go on with nothing.
fn answer(method: &str, params: &Value) -> Value {
    match method {
        "workspace/configuration" => {
            let wanted = params["items"].as_array().map_or(0, Vec::len);
            json!(vec![Value::Null; wanted])
        }
        _ => Value::Null,
    }
}

/// `None` for notes and hints.
fn found(path: &str, diagnostic: &Value) -> Option<Found> {
    let severity = match diagnostic["severity"].as_u64() {
        Some(1) => Severity::Error,
        Some(2) => Severity::Warning,
        Some(_) => return None,
        None => Severity::Unsaid,
    };
    let start = &diagnostic["range"]["start"];
    let place = |key: &str| start[key].as_u64().unwrap_or(0).saturating_add(1);
    let code = match &diagnostic["code"] {
        Value::String(code) => Some(code.clone()),
        Value::Number(code) => Some(code.to_string()),
        _ => None,
    };
    Some(Found {
        path: path.to_owned(),
        folder: None,
        line: place("line"),
        column: place("character"),
        severity,
        code,
        message: diagnostic["message"].as_str()?.to_owned(),
    })
}

fn language(path: &str) -> &str {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("plaintext", |(_, end)| end);
    LANGUAGES.iter().find(|(known, _)| *known == ending).map_or(ending, |(_, language)| language)
}

#[cfg(test)]
mod tests;
