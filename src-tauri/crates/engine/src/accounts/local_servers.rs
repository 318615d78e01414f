//! Model servers of the user's own computer, found where each usually listens, and taken into the configuration once
//! one of their models is chosen.

use crate::Accounts;
use crate::accounts::user_config::set;
use arki_api::LocalServer;
use arki_config::{AGENT, ProviderConfig};
use arki_domain::{Code, Error};
use arki_llm::{ProviderKind, ProviderSettings, Providers};

/// A program that serves models.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownServer {
    /// The provider's name in the configuration, where none has its address yet.
    name: &'static str,
    /// The program's name, as users see it.
    product: &'static str,
    kind: ProviderKind,
    base_url: String,
}

/// The port that Ollama listens on if nothing else is set.
const OLLAMA_PORT: u16 = 11434;
/// Ollama's own variable: the address that it listens on, which its programs call.
const OLLAMA_HOST: &str = "OLLAMA_HOST";

/// `ollama_host`: the value of [`OLLAMA_HOST`], which counts where it names a port of this computer.
fn known(ollama_host: Option<&str>) -> [KnownServer; 3] {
    let ollama_port = ollama_host.and_then(port_here).unwrap_or(OLLAMA_PORT);
    let custom = |name, product, port: u16| KnownServer {
        name,
        product,
        kind: ProviderKind::Custom,
        base_url: format!("http://127.0.0.1:{port}/v1"),
    };
    [
        KnownServer {
            name: "ollama",
            product: "Ollama",
            kind: ProviderKind::Ollama,
            base_url: format!("http://127.0.0.1:{ollama_port}"),
        },
        custom("lm-studio", "LM Studio", 1234),
        custom("llama.cpp", "llama.cpp", 8080),
    ]
}

/// The port of an address such as `127.0.0.1:11500`, `:11500`, `http://localhost:11500` or `0.0.0.0:11500`.
fn port_here(address: &str) -> Option<u16> {
    let address = address.trim().trim_start_matches("http://").trim_end_matches('/');
    let (host, port) = address.rsplit_once(':')?;
    matches!(host, "" | "127.0.0.1" | "localhost" | "0.0.0.0" | "[::1]" | "[::]").then(|| port.parse().ok())?
}

impl Accounts {
    /// The servers that answer now, each with its models; asks them all at once, for about two seconds. Changes nothing.
    ///
    /// # Errors
    /// When the configuration has an error.
    pub async fn find_local_servers(&self) -> Result<Vec<LocalServer>, Error> {
        let known = known(std::env::var(OLLAMA_HOST).ok().as_deref());
        self.found_of(&known).await
    }

    async fn found_of(&self, known: &[KnownServer]) -> Result<Vec<LocalServer>, Error> {
        let settings = known.iter().map(|known| ProviderSettings {
            base_url: Some(known.base_url.clone()),
            is_local: true,
            ..ProviderSettings::new(known.name, known.kind)
        });
        let live = Providers::new(settings.collect(), self.keys.clone()).live_models().await;
        let found = live.into_iter().filter_map(|live| {
            let known = known.iter().find(|known| known.name == live.provider)?;
            Some(LocalServer {
                name: known.name.to_owned(),
                product: known.product.to_owned(),
                base_url: known.base_url.clone(),
                models: live.models.ok()?.into_iter().map(|model| model.model).collect(),
            })
        });
        Ok(found.collect())
    }

    /// Makes a model of a server that [`Self::find_local_servers`] found the default, and the server a provider where it
    /// is none yet. Returns the model's id.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER` for a server that isn't looked for, `CONFIG_INVALID`; then the file is as it was.
    pub fn choose_local_model(&self, server: &str, model: &str) -> Result<String, Error> {
        let known = known(std::env::var(OLLAMA_HOST).ok().as_deref());
        let Some(known) = known.iter().find(|known| known.name == server) else {
            let hint = "Add the server as a provider in Settings.";
            return Err(Error::new(Code::UNKNOWN_PROVIDER, format!("Arki doesn't look for {server:?}."), hint));
        };
        self.choose_of(known, model)
    }

    fn choose_of(&self, known: &KnownServer, model: &str) -> Result<String, Error> {
        let configured = self.user_file()?.providers;
        let provider = configured.iter().find(|(_, provider)| is_at(provider, known)).map(|(name, _)| name.clone());
        let is_new = provider.is_none();
        let provider = provider.unwrap_or_else(|| free_name(known.name, |name| configured.contains_key(name)));
        let id = format!("{provider}/{model}");
        // One edit, so that no half of it stays where the other is refused.
        self.edit_config(|root| {
            let root = root.object_value_or_set();
            if is_new {
                let entry = root.object_value_or_set("providers").object_value_or_set(&provider);
                set(&entry, "kind", known.kind.name());
                if known.kind.default_base_url() != Some(&known.base_url) {
                    set(&entry, "baseUrl", known.base_url.as_str());
                }
                if known.kind == ProviderKind::Custom {
                    set(&entry, "isLocal", true);
                }
            }
            set(&root.object_value_or_set("agents").object_value_or_set(AGENT), "model", id.as_str());
            Ok(())
        })?;
        Ok(id)
    }
}

fn is_at(provider: &ProviderConfig, known: &KnownServer) -> bool {
    let address = provider.base_url.as_deref().or(provider.kind.default_base_url());
    let plain = |url: &str| url.trim_end_matches('/').replace("://localhost:", "://127.0.0.1:");
    provider.kind == known.kind && address.is_some_and(|address| plain(address) == plain(&known.base_url))
}

/// `name`, or `name-2` and so on where another provider is called so.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::model_memory::StoredModelMemory;
    use crate::{Directories, EnvironmentKeys};
    use arki_domain::SystemClock;
    use arki_redaction::Redactor;
    use arki_store::{Store, StoreOptions};
    use serde_json::{Value, json};
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::Arc;

    fn accounts_with(config: &str) -> (tempfile::TempDir, Accounts) {
        let home = tempfile::tempdir().unwrap();
        let directories = Directories { config: home.path().join("config"), data: home.path().join("data") };
        std::fs::create_dir_all(&directories.config).unwrap();
        std::fs::write(directories.config_file(), config).unwrap();
        let store = Arc::new(
            Store::open_in_memory(StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() })
                .unwrap(),
        );
        let memory = Arc::new(StoredModelMemory(store));
        let accounts = Accounts::new(directories, Redactor::default(), EnvironmentKeys::default(), memory);
        (home, accounts)
    }

    /// Answers every request with this, until the test ends.
    fn server(body: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                let length = body.len();
                let _ =
                    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
            }
        });
        port
    }

    fn custom_at(name: &'static str, port: u16) -> KnownServer {
        let base_url = format!("http://127.0.0.1:{port}/v1");
        KnownServer { name, product: "A server", kind: ProviderKind::Custom, base_url }
    }

    #[test]
    fn ollamas_own_variable_says_where_it_listens_on_this_computer() {
        for (address, port) in [("127.0.0.1:5", 5), (":6", 6), ("http://localhost:7/", 7), ("0.0.0.0:8", 8)] {
            assert_eq!(known(Some(address))[0].base_url, format!("http://127.0.0.1:{port}"), "{address}");
        }
        for elsewhere in ["example.org:5", "10.0.0.1:5", "127.0.0.1", ""] {
            assert_eq!(known(Some(elsewhere))[0].base_url, "http://127.0.0.1:11434", "{elsewhere}");
        }
    }

    #[tokio::test]
    async fn a_server_that_lists_models_is_found_and_any_other_is_not() {
        let (_home, accounts) = accounts_with("{}");
        let models = server(r#"{"object":"list","data":[{"id":"small"},{"id":"large"}]}"#);
        let page = server("<html>Not a model server</html>");
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let known = [custom_at("lm-studio", models), custom_at("llama.cpp", page), custom_at("ollama", closed)];
        let found = accounts.found_of(&known).await.unwrap();
        let told: Vec<_> = found.iter().map(|server| (server.name.as_str(), server.models.clone())).collect();
        assert_eq!(told, [("lm-studio", vec!["small".to_owned(), "large".to_owned()])]);
    }

    #[test]
    fn choosing_a_model_adds_the_server_once_and_keeps_comments() {
        let (home, accounts) = accounts_with("{ // mine\n  \"providers\": {\"llama.cpp\": {\"kind\": \"demo\"}} }");
        let read = || std::fs::read_to_string(home.path().join("config/config.json")).unwrap();
        let here = custom_at("llama.cpp", 9);
        assert_eq!(accounts.choose_of(&here, "a").unwrap(), "llama.cpp-2/a");
        assert_eq!(accounts.choose_of(&here, "b").unwrap(), "llama.cpp-2/b");
        assert!(read().contains("// mine"), "{}", read());
        let config: Value = jsonc_parser::parse_to_serde_value(&read(), &Default::default()).unwrap();
        let entry = json!({"kind": "custom", "baseUrl": "http://127.0.0.1:9/v1", "isLocal": true});
        assert_eq!(config["providers"], json!({"llama.cpp": {"kind": "demo"}, "llama.cpp-2": entry}));
        assert_eq!(config["agents"]["arki"]["model"], "llama.cpp-2/b");
    }

    #[test]
    fn a_server_that_is_not_looked_for_is_refused() {
        let (_home, accounts) = accounts_with("{}");
        assert!(accounts.choose_local_model("elsewhere", "m").is_err_and(|fault| fault.is(Code::UNKNOWN_PROVIDER)));
    }
}
