use super::*;
use crate::attributes::AttributeList;
use std::collections::HashMap;

fn of_environment(variables: &[(&str, &str)]) -> Result<Option<TelemetryDestination>, String> {
    let variables: HashMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    TelemetryDestination::of(&Endpoint::Environment, &|name| variables.get(name).cloned())
}

fn urls(destination: &TelemetryDestination) -> Vec<&str> {
    destination.targets.iter().map(|target| target.url.as_str()).collect()
}

#[test]
fn an_address_is_completed_by_the_signals_paths_and_nothing_else_is_looked_at() {
    let endpoint = Endpoint::parse("https://otel.example/base/").unwrap();
    let read = |name: &str| -> Option<String> { panic!("{name} was read") };
    let destination = TelemetryDestination::of(&endpoint, &read).unwrap().unwrap();
    let all = ["traces", "metrics", "logs"].map(|signal| format!("https://otel.example/base/v1/{signal}"));
    assert_eq!(urls(&destination), all);
    assert_eq!(destination.words(), "https://otel.example");
}

#[test]
fn only_loopback_gets_plain_http_and_no_address_has_a_key_in_it() {
    for good in ["http://localhost:4318", "http://127.0.0.1:4318", "http://[::1]:4318/x", "https://10.0.0.1", "env"] {
        assert!(Endpoint::parse(good).is_ok(), "{good}");
    }
    for bad in [
        "http://otel.example",
        "http://10.0.0.1:4318",
        "http://localhost.example",
        "ftp://localhost",
        "localhost:4318",
        "",
        "https://user:secret@otel.example",
        "https://otel.example/?key=1",
    ] {
        assert!(Endpoint::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_environment_says_where_how_and_as_whom() {
    let destination = of_environment(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://localhost:9/own"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20abc=, x-team = core"),
        ("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "x-key=k"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "1500"),
        ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,team=a%2Cb"),
        ("OTEL_SERVICE_NAME", "mine"),
    ]);
    let destination = destination.unwrap().unwrap();
    let expected = ["http://localhost:9/own", "https://otel.example/v1/metrics", "https://otel.example/v1/logs"];
    assert_eq!(urls(&destination), expected);
    assert_eq!(destination.targets[0].headers["authorization"], "Basic abc=");
    assert_eq!(
        (destination.targets[2].headers.len(), &destination.targets[2].headers["x-key"]),
        (1, &"k".parse().unwrap())
    );
    assert_eq!(destination.targets[1].timeout, Duration::from_millis(1500));
    assert_eq!(destination.secrets().collect::<Vec<_>>(), ["Basic abc=", "core", "Basic abc=", "core", "k"]);
    assert_eq!(*destination.resource(), Resource::default().with([("team".into(), "a,b".into())]).named("mine"));
}

#[test]
fn an_environment_that_names_no_receiver_or_turns_it_off_sends_nothing() {
    assert!(of_environment(&[]).unwrap().is_none());
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
    assert!(of_environment(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap().is_none());
    assert!(of_environment(&[endpoint, ("OTEL_SDK_DISABLED", "TRUE")]).unwrap().is_none());
    let traces = of_environment(&[endpoint, ("OTEL_METRICS_EXPORTER", "none"), ("OTEL_LOGS_EXPORTER", "console")]);
    assert_eq!(urls(&traces.unwrap().unwrap()), ["http://localhost:4318/v1/traces"]);
}

#[test]
fn a_variable_that_cant_be_used_is_named_and_its_value_is_not() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
    for (name, value) in [
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://otel.example/SECRET"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "SECRET"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a b=SECRET"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=%GGSECRET"),
        ("OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", "SECRET"),
        ("OTEL_RESOURCE_ATTRIBUTES", "=SECRET"),
    ] {
        let error = of_environment(&[endpoint, (name, value)]).unwrap_err();
        assert!(error.contains(name) && !error.contains("SECRET"), "{error}");
    }
    for (name, value) in [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd")] {
        assert!(of_environment(&[endpoint, (name, value)]).unwrap_err().contains(value));
    }
}

#[test]
fn an_attribute_is_said_once() {
    let mut attributes = Vec::new();
    attributes.set("a", "1");
    attributes.set("a", "2");
    assert_eq!(attributes.len(), 1);
}

#[test]
fn certificates_that_cannot_be_read_are_told_with_their_variable_where_they_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    let (missing, empty) = (folder.path().join("missing.pem"), folder.path().join("empty.pem"));
    std::fs::write(&empty, "no certificate").unwrap();
    for file in [&missing, &empty] {
        let file = file.to_str().unwrap();
        let at = |address| {
            of_environment(&[("OTEL_EXPORTER_OTLP_ENDPOINT", address), ("OTEL_EXPORTER_OTLP_CERTIFICATE", file)])
        };
        let told = at("https://localhost:1").unwrap_err();
        assert!(
            told.starts_with(&format!("OTEL_EXPORTER_OTLP_CERTIFICATE names {file}, which can't be used: ")),
            "{told}"
        );
        assert!(!told.contains("os error"), "{told}");
        assert!(at("http://localhost:1").is_ok());
    }
}
