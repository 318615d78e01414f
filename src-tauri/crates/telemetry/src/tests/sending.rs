use super::script::rich;
use crate::messages::{ExportResponse, PartialSuccess, TracesData};
use crate::{Delivery, Endpoint, Sender, TelemetryContents, TelemetryDestination, Wait};
use prost::Message;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

/// Sends to a receiver that answers the requests with these, one after the other; with what it got.
fn sent(answers: Vec<Vec<u8>>) -> (Delivery, Vec<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let receiver = std::thread::spawn(move || answers.into_iter().map(|answer| served(&listener, &answer)).collect());
    (delivered(&endpoint), receiver.join().unwrap())
}

fn delivered(endpoint: &Endpoint) -> Delivery {
    delivered_to(&TelemetryDestination::of(endpoint, &|_| None).unwrap().unwrap())
}

fn of_environment(variables: &[(&str, &str)]) -> TelemetryDestination {
    let read = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    TelemetryDestination::of(&Endpoint::Environment, &read).unwrap().unwrap()
}

fn delivered_to(destination: &TelemetryDestination) -> Delivery {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let told = rich().told(TelemetryContents::LeftOut);
    runtime.block_on(async { Sender::new(destination).unwrap().send(&told).await })
}

/// A request's head and body.
fn served(listener: &TcpListener, answer: &[u8]) -> (String, Vec<u8>) {
    served_over(listener.accept().unwrap().0, answer)
}

fn served_over(mut stream: impl Read + Write, answer: &[u8]) -> (String, Vec<u8>) {
    let mut got = Vec::new();
    let mut byte = [0];
    while !got.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        got.push(byte[0]);
    }
    let head = String::from_utf8(got).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    stream.write_all(answer).unwrap();
    (head, body)
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

#[test]
fn a_run_is_three_requests_in_protobuf() {
    let (delivery, got) = sent(vec![answer("200 OK", "", b""); 3]);
    assert_eq!(delivery, Delivery::Done { notes: Vec::new() });
    let paths: Vec<&str> = got.iter().map(|(head, _)| head.lines().next().unwrap()).collect();
    assert_eq!(paths, ["traces", "logs", "metrics"].map(|signal| format!("post /v1/{signal} http/1.1")));
    assert!(got.iter().all(|(head, _)| head.contains("content-type: application/x-protobuf")));
    let traces = TracesData::decode(got[0].1.as_slice()).unwrap();
    assert_eq!(traces.resource_spans[0].scope_spans[0].spans, rich().told(TelemetryContents::LeftOut).spans);
}

#[test]
fn what_may_pass_is_tried_later_and_not_before_the_receiver_wants_it() {
    let later = |answers| match sent(answers).0 {
        Delivery::Later { wait, .. } => wait,
        done => panic!("{done:?}"),
    };
    assert_eq!(later(vec![answer("429 Slow down", "retry-after: 7\r\n", b"")]), Wait::Asked(Duration::from_secs(7)));
    assert_eq!(later(vec![answer("503 No", "retry-after: 999999\r\n", b"")]), Wait::Asked(Duration::from_secs(3600)));
    let past = "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
    assert_eq!(later(vec![answer("503 No", past, b"")]), Wait::Asked(Duration::ZERO));
    assert_eq!(later(vec![answer("200 OK", "", b""), answer("500 Oh", "", b"")]), Wait::Growing);
    assert_eq!(later(vec![b"nonsense\r\n\r\n".to_vec()]), Wait::Growing);
}

#[test]
fn nobody_listening_is_known_at_once() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = Endpoint::parse(&format!("http://127.0.0.1:{port}")).unwrap();
    let Delivery::Later { reason, wait } = delivered(&endpoint) else { panic!("it was sent") };
    assert_eq!((reason, wait), (format!("http://127.0.0.1:{port} can't be reached."), Wait::None));
}

#[test]
fn what_is_refused_for_good_is_left_out_and_told() {
    let partial = PartialSuccess { rejected: 2, error_message: "too\nold".into() };
    let partial = ExportResponse { partial_success: Some(partial) }.encode_to_vec();
    let (delivery, _) =
        sent(vec![answer("200 OK", "", &partial), answer("404 Not Found", "", b""), answer("200 OK", "", b"")]);
    let Delivery::Done { notes } = delivery else { panic!("{delivery:?}") };
    assert_eq!(notes.len(), 2);
    assert!(notes[0].ends_with("refused a part of the traces: 2 items (tooold)."), "{}", notes[0]);
    assert!(notes[1].ends_with("refused logs with 404 Not Found."), "{}", notes[1]);
}

#[test]
fn a_redirect_is_not_followed() {
    let away = answer("307 Away", "location: http://127.0.0.1:1/\r\n", b"");
    let (delivery, _) = sent(vec![away.clone(), away.clone(), away]);
    assert!(matches!(delivery, Delivery::Done { notes } if notes.len() == 3));
}

#[test]
fn bodies_are_compressed_where_the_environment_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let destination = of_environment(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &address),
        ("OTEL_METRICS_EXPORTER", "none"),
        ("OTEL_LOGS_EXPORTER", "none"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
    ]);
    let receiver = std::thread::spawn(move || served(&listener, &answer("200 OK", "", b"")));
    assert_eq!(delivered_to(&destination), Delivery::Done { notes: Vec::new() });
    let (head, body) = receiver.join().unwrap();
    assert!(head.contains("content-encoding: gzip"), "{head}");
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(body.as_slice()).read_to_end(&mut plain).unwrap();
    let spans = TracesData::decode(plain.as_slice()).unwrap().resource_spans[0].scope_spans[0].spans.clone();
    assert_eq!(spans, rich().told(TelemetryContents::LeftOut).spans);
}

#[test]
fn a_receiver_of_an_authority_of_ones_own_is_trusted_by_its_certificate_alone() {
    let folder = tempfile::tempdir().unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let own_file = folder.path().join("own.pem");
    std::fs::write(&own_file, own.cert.pem()).unwrap();
    let other_file = folder.path().join("other.pem");
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&other_file, other.cert.pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    let config = std::sync::Arc::new(config);
    for (file, is_trusted) in [(&own_file, true), (&other_file, false)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let destination = of_environment(&[
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &address),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", file.to_str().unwrap()),
        ]);
        let config = config.clone();
        let receiver = std::thread::spawn(move || {
            let mut session = rustls::ServerConnection::new(config).unwrap();
            let mut stream = listener.accept().unwrap().0;
            let shaken = session.complete_io(&mut stream);
            shaken.map(|_| served_over(rustls::StreamOwned::new(session, stream), &answer("200 OK", "", b""))).is_ok()
        });
        let delivery = delivered_to(&destination);
        assert_eq!(
            (receiver.join().unwrap(), delivery == Delivery::Done { notes: Vec::new() }),
            (is_trusted, is_trusted)
        );
    }
}
