//! TLS on the way to a provider: a company's own certificate authority, and its proxy. The system's certificates are
//! those that `SSL_CERT_FILE` names.

use crate::harness::{Stage, payload, payloads};
use crate::providers::steps;
use crate::tls_server::{Authority, Proxy};
use arki_testkit::Turn;
use rcgen::{CertificateParams, date_time_ymd};
use serde_json::{Value, json};

/// An address of this computer that does not count as loopback, which no proxy is asked for.
const NOT_LOOPBACK: &str = "0.0.0.0";

fn named(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned()]).unwrap()
}

/// The provider is at `https://host:…`, with a certificate of this authority for it, and no proxy is set.
fn stage(authority: &Authority, host: &str) -> Stage {
    stage_with(authority, host, &named(host))
}

fn stage_with(authority: &Authority, host: &str, certificate: &CertificateParams) -> Stage {
    let mut stage = Stage::new(vec![Turn::text("Hello.")]);
    let behind = stage.model.url().replace("http://", "").replace("/v1", "").parse().unwrap();
    let port = authority.serve(certificate, behind).port();
    let provider = json!({"kind": "custom", "baseUrl": format!("https://{host}:{port}/v1"), "apiKeyEnv": "MOCK_KEY",
        "models": {"mock": {"contextWindow": 32768}}});
    stage.write_config(
        &json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}}).to_string(),
    );
    for inherited in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_DIR"] {
        set(&mut stage, inherited, "");
    }
    stage
}

fn set(stage: &mut Stage, name: &str, value: &str) {
    stage.home.env.insert(name.to_owned(), value.to_owned());
}

fn trust_only(stage: &mut Stage, certificates: &str) {
    let file = stage.write("certificates.pem", certificates);
    set(stage, "SSL_CERT_FILE", &file.to_string_lossy());
}

fn tested(stage: &Stage, code: i32) -> Vec<Value> {
    stage.arki(&["providers", "test", "mock", "--model", "mock/mock", "--json"]).exits(code).lines()
}

#[test]
fn a_certificate_of_an_unknown_authority_is_refused_before_the_key_is_sent() {
    let mut stage = stage(&Authority::new(), "127.0.0.1");
    trust_only(&mut stage, &Authority::new().pem());
    let shown = stage.exec(&["hello"]).fails(1, "CERTIFICATE_UNTRUSTED");
    assert!(shown.hint.contains("SSL_CERT_FILE") && shown.message.contains("unknown issuer"), "{shown:?}");
    let log = stage.log();
    assert_eq!(payload(&log, "run.failed")["retryable"], json!(false));
    assert_eq!(payloads(&log, "engine.retry"), Vec::<Value>::new());
    let lines = tested(&stage, 1);
    assert_eq!(steps(&lines), ["settings ok", "key ok", "reach ok", "tls failed"]);
    assert_eq!(lines[3]["code"], "CERTIFICATE_UNTRUSTED");
    assert!(stage.model.requests().is_empty());
}

#[test]
fn a_certificate_of_an_authority_that_ssl_cert_file_names_is_accepted() {
    let authority = Authority::new();
    let mut stage = stage(&authority, "127.0.0.1");
    trust_only(&mut stage, &authority.pem());
    let log = stage.exec(&["hello"]).exits(0).lines();
    assert_eq!(payload(&log, "run.completed")["response"], "Hello.");
    assert_eq!(steps(&tested(&stage, 0))[3], "tls ok");
}

#[test]
fn a_certificate_of_another_name_or_time_is_refused_in_words_of_its_own() {
    let authority = Authority::new();
    let mut expired = named("127.0.0.1");
    expired.not_after = date_time_ymd(2020, 1, 1);
    let mut early = named("127.0.0.1");
    (early.not_before, early.not_after) = (date_time_ymd(2090, 1, 1), date_time_ymd(2091, 1, 1));
    for (certificate, words) in
        [(named("lab.example"), "is for another name"), (expired, "has expired"), (early, "isn't valid yet")]
    {
        let mut stage = stage_with(&authority, "127.0.0.1", &certificate);
        trust_only(&mut stage, &authority.pem());
        let shown = stage.exec(&["hello"]).fails(1, "CERTIFICATE_UNTRUSTED");
        assert!(shown.message.contains(words) && !shown.hint.contains("SSL_CERT_FILE"), "{shown:?}");
    }
}

#[test]
fn where_no_certificate_can_be_had_no_connection_is_made() {
    let mut stage = stage(&Authority::new(), "127.0.0.1");
    trust_only(&mut stage, "");
    let shown = stage.exec(&["hello"]).fails(1, "ADAPTER_INSTANTIATION");
    assert!(shown.message.contains("mock") && shown.hint.contains("SSL_CERT_FILE"), "{shown:?}");
    assert!(stage.model.requests().is_empty());
}

#[test]
fn the_proxy_of_the_environment_is_used_but_for_whom_no_proxy_names() {
    let (authority, proxy) = (Authority::new(), Proxy::start());
    let mut stage = stage(&authority, NOT_LOOPBACK);
    trust_only(&mut stage, &authority.pem());
    set(&mut stage, "HTTPS_PROXY", &proxy.url());
    stage.exec(&["hello"]).exits(0);
    let asked = proxy.asked();
    assert!(asked.len() == 1 && asked[0].starts_with("0.0.0.0:"), "{asked:?}");
    let lines = tested(&stage, 0);
    assert!(lines[2]["message"].as_str().unwrap().contains("The proxy 127.0.0.1:"), "{lines:?}");
    let asked = proxy.asked();

    set(&mut stage, "NO_PROXY", NOT_LOOPBACK);
    stage.exec(&["hello"]).exits(0);
    assert_eq!(proxy.asked(), asked);
}

#[test]
fn a_socks_proxy_is_used() {
    for scheme in ["socks5", "socks5h"] {
        let (authority, proxy) = (Authority::new(), Proxy::socks());
        let mut stage = stage(&authority, NOT_LOOPBACK);
        trust_only(&mut stage, &authority.pem());
        set(&mut stage, "ALL_PROXY", &format!("{scheme}://{}", proxy.address()));
        stage.exec(&["hello"]).exits(0);
        let asked = proxy.asked();
        assert!(asked.len() == 1 && asked[0].starts_with("0.0.0.0:"), "{asked:?}");
    }
}

#[test]
fn a_proxy_in_the_way_is_named_without_its_password() {
    let authority = Authority::new();
    for (answer, code, words) in [
        ("407 Proxy Authentication Required", "CONFIG_INVALID", "asks for a user name and a password"),
        ("502 Bad Gateway", "PROVIDER_UNREACHABLE", "doesn't connect to mock"),
        ("403 Forbidden", "PROVIDER_UNREACHABLE", "doesn't connect to mock"),
    ] {
        let proxy = Proxy::refusing(answer);
        let mut stage = stage(&authority, NOT_LOOPBACK);
        trust_only(&mut stage, &authority.pem());
        set(&mut stage, "HTTPS_PROXY", &format!("http://me:hunter2@{}", proxy.address()));
        let failed = tested(&stage, 1).pop().unwrap();
        let told = format!("The proxy {} ", proxy.address());
        let message = failed["message"].as_str().unwrap();
        assert!(failed["code"] == code && message.contains(&told) && message.contains(words), "{failed}");
        assert!(!failed.to_string().contains("hunter2"), "{failed}");
    }
    let (gone, mut stage) = (Proxy::gone(), stage(&authority, NOT_LOOPBACK));
    trust_only(&mut stage, &authority.pem());
    set(&mut stage, "HTTPS_PROXY", &format!("http://me:hunter2@{gone}"));
    let log = stage.exec(&["--max-seconds", "2", "hello"]).exits(5).lines();
    assert_eq!(payloads(&log, "engine.retry")[0]["code"], "PROVIDER_UNREACHABLE");
    let failed = tested(&stage, 1).pop().unwrap();
    assert!(failed["message"].as_str().unwrap().contains(&format!("Can't reach the proxy {gone}")), "{failed}");
}
