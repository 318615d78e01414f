//! `arki serve` for other computers: TLS, the addresses that are its own, and what stays on this computer.
#![cfg(unix)]

use crate::harness::Stage;
use crate::server::{Answered, Serving, answered};
use crate::tree::playing;
use arki_testkit::Turn;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

/// A certificate for this computer's addresses, with its key.
struct Certificate {
    certificate: PathBuf,
    key: PathBuf,
}

impl Certificate {
    fn made(stage: &Stage) -> Self {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        let folder = stage.home.data_dir().with_file_name("tls");
        std::fs::create_dir(&folder).unwrap();
        let it = Self { certificate: folder.join("cert.pem"), key: folder.join("key.pem") };
        std::fs::write(&it.certificate, made.cert.pem()).unwrap();
        std::fs::write(&it.key, made.signing_key.serialize_pem()).unwrap();
        it
    }

    fn arguments(&self) -> [String; 4] {
        let shown = |path: &PathBuf| path.display().to_string();
        ["--tls-cert".to_owned(), shown(&self.certificate), "--tls-key".to_owned(), shown(&self.key)]
    }

    fn client(&self) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(&self.certificate).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap();
        Arc::new(config.with_root_certificates(roots).with_no_client_auth())
    }
}

fn sent_safely(serving: &Serving, certificate: &Certificate, request: &str) -> Answered {
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connection = ClientConnection::new(certificate.client(), name).unwrap();
    let mut stream = StreamOwned::new(connection, serving.connect());
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // The end may come without a farewell.
    let _ = stream.read_to_end(&mut answer);
    answered(&String::from_utf8(answer).unwrap())
}

#[test]
fn beyond_loopback_it_speaks_tls_and_keeps_keys_rules_and_mode_all_to_this_computer() {
    let stage = playing(vec![Turn::text("Done.")]);
    let certificate = Certificate::made(&stage);
    let arguments = certificate.arguments();
    let arguments: Vec<&str> =
        ["--listen", "0.0.0.0"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let serving = Serving::with_arguments(&stage, &arguments);
    let ask = |method: &str, path: &str, body: &Value| {
        let request = serving.request(&serving.token, (method, path), "", &body.to_string());
        sent_safely(&serving, &certificate, &request)
    };
    assert_eq!(ask("GET", "/v1/runs", &json!({})).status, 200);
    let missing = (403, "RIGHTS_MISSING".to_owned());
    for (name, params) in [
        ("set_key", json!({"provider": "mock", "key": "k"})),
        ("trust_project", json!({"path": "/", "unpinned": []})),
        ("set_setting", json!({"key": "core", "text": "x"})),
        ("add_rule", json!({"rule": "{}"})),
        ("remove_mcp_server", json!({"name": "x"})),
        ("send_message", json!({})),
        ("resolve_approval", json!({})),
    ] {
        assert_eq!(ask("POST", &format!("/v1/commands/{name}"), &params).code(), missing, "{name}");
    }
    let run =
        |approve: &str| json!({"project": stage.home.project_dir(), "prompt": "go", "options": {"approve": approve}});
    assert_eq!(ask("POST", "/v1/runs", &run("all")).code(), missing);
    assert_eq!(ask("POST", "/v1/runs", &run("edits")).status, 201);
    // Without TLS nothing is answered.
    let mut plain = serving.connect();
    plain.write_all(serving.request(&serving.token, ("GET", "/v1/runs"), "", "").as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1"));
    serving.end();
}

#[test]
fn beyond_loopback_nothing_is_served_without_both_files() {
    let stage = playing(vec![]);
    let certificate = Certificate::made(&stage);
    let [of_certificate, certificate, of_key, key] = certificate.arguments();
    stage.arki(&["serve", "--listen", "0.0.0.0"]).fails(2, "USAGE");
    stage.arki(&["serve", "--listen", "0.0.0.0", &of_certificate, &certificate]).exits(2);
    stage.arki(&["serve", "--listen", "0.0.0.0", &of_key, &key]).exits(2);
    stage.arki(&["serve", "--listen", "::", &of_certificate, &key, &of_key, &certificate]).fails(2, "USAGE");
    stage.arki(&["serve", "--public-url", "http://arki.example"]).exits(2);
}

#[test]
fn a_public_address_is_answered_below_its_path_and_is_never_this_computer() {
    let stage = playing(vec![]);
    let serving = Serving::with_arguments(&stage, &["--public-url", "https://arki.example/tools"]);
    let ask = |host: &str, path: &str, body: &str| {
        let request = serving.request(&serving.token, ("POST", path), "", body);
        serving.sent(&request.replace(&format!("127.0.0.1:{}", serving.port), host))
    };
    assert_eq!(ask("arki.example", "/tools/v1/commands/list_sessions", "{}").status, 200);
    assert_eq!(ask("arki.example", "/tools/v1/commands/set_key", "{}").code(), (403, "RIGHTS_MISSING".to_owned()));
    assert_eq!(ask("arki.example", "/v1/commands/list_sessions", "{}").code(), (403, "REQUEST_REFUSED".to_owned()));
    assert_eq!(ask("arki.example:8443", "/tools/v1/commands/list_sessions", "{}").status, 403);
    assert_eq!(ask("other.example", "/tools/v1/commands/list_sessions", "{}").status, 403);
    let own = format!("127.0.0.1:{}", serving.port);
    assert_eq!(ask(&own, "/v1/commands/list_sessions", "{}").status, 200);
    serving.end();
}

#[test]
fn it_is_reached_by_both_addresses_of_loopback() {
    let stage = playing(vec![]);
    let serving = Serving::of(&stage);
    // Where there is no IPv6, there is one address.
    if let Ok(mut stream) = TcpStream::connect(("::1", serving.port)) {
        let request = serving.request(&serving.token, ("GET", "/v1/runs"), "", "");
        let request = request.replace("127.0.0.1", "[::1]");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answered(&answer).status, 200, "{answer}");
    }
    serving.end();
}
