use super::*;
use std::io::{Read as _, Write as _};

/// A server that answers once a connection.
fn server() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut read = [0; 4096];
            let length = stream.read(&mut read).unwrap_or_default();
            let line = String::from_utf8_lossy(&read[..length]).lines().next().unwrap_or_default().to_owned();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nserved {line}");
        }
    });
    port
}

struct World {
    proxy: HostProxy,
    address: SocketAddr,
}

impl World {
    /// Grants `localhost` and every name below `granted.example`.
    async fn new(private: &[String]) -> Self {
        let gate = |host: &str| match host {
            "denied.example" => HostVerdict::Denied("config:rules[1]".to_owned()),
            _ if host == "localhost" || host.ends_with("granted.example") => HostVerdict::Granted,
            _ => HostVerdict::NotGranted,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let private = PrivateHosts::new(private).unwrap();
        let proxy = HostProxy::start(async { Ok(listener) }, Box::new(gate), private);
        Self { proxy, address }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn answer(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        read_all(&mut stream).await
    }

    async fn asked(&self, line: &str) -> String {
        self.answer(&format!("{line} HTTP/1.1\r\n\r\n")).await
    }

    fn refused(&self) -> Vec<String> {
        self.proxy.refused().into_iter().map(|(host, refusal)| refusal.sentence(&host)).collect()
    }
}

async fn read_all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_granted_host_is_reached_by_a_tunnel_and_by_a_request() {
    let port = server();
    let world = World::new(&[format!("localhost:{port}")]).await;
    let tunnel = format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\nGET /inside HTTP/1.1\r\n\r\n");
    let answer = world.answer(&tunnel).await;
    assert!(answer.starts_with("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("served GET /inside HTTP/1.1"), "{answer}");
    let answer = world.asked(&format!("GET http://localhost:{port}/plain?x")).await;
    assert!(answer.ends_with("served GET /plain?x HTTP/1.1"), "{answer}");
    assert_eq!(world.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_not_granted_is_refused_with_words_and_remembered() {
    let world = World::new(&[]).await;
    for (line, words) in [
        ("CONNECT other.example:443", "other.example was refused: this command has no network for it."),
        ("GET http://Other.example/x", "other.example was refused: this command has no network for it."),
        ("CONNECT denied.example:443", "denied.example was refused by the rule config:rules[1]."),
        ("CONNECT 1.1.1.1:443", "1.1.1.1 was refused: hosts are reached by name, not by address."),
        (
            "CONNECT git.granted.example:22",
            "git.granted.example was refused: only ports 80 and 443 can be reached, and it asked for 22.",
        ),
        ("GET http://localhost/", "localhost was refused: localhost resolves to "),
    ] {
        let answer = world.asked(line).await;
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n") && answer.contains(words), "{line}: {answer}");
        assert!(world.refused().iter().any(|told| told.starts_with(words)), "{line}: {:?}", world.refused());
    }
    assert_eq!(world.refused().len(), 5);
    assert!(world.refused().iter().any(|told| told.ends_with("which is not on the public internet.")));
}

#[tokio::test]
async fn a_port_of_ones_own_is_for_the_host_that_names_it() {
    let port = server();
    let world = World::new(&["localhost".to_owned(), format!("other.granted.example:{port}")]).await;
    let answer = world.asked(&format!("CONNECT localhost:{port}")).await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

#[tokio::test]
async fn what_is_no_request_is_answered_so() {
    let world = World::new(&[]).await;
    let long = format!("GET http://localhost/{} HTTP/1.1", "x".repeat(MAX_HEAD_BYTES));
    for request in ["GET / HTTP/1.1\r\n\r\n", "\u{5}\u{1}\0\r\n\r\n", &long] {
        assert!(world.answer(request).await.starts_with("HTTP/1.1 400 "), "{}", &request[..5]);
    }
}

#[tokio::test]
async fn more_connections_than_there_are_places_wait_for_one() {
    let world = World::new(&[]).await;
    let mut idle = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        idle.push(world.connect().await);
    }
    let mut waiting = world.connect().await;
    waiting.write_all(b"CONNECT other.example:443 HTTP/1.1\r\n\r\n").await.unwrap();
    idle.pop();
    assert!(read_all(&mut waiting).await.starts_with("HTTP/1.1 403 "));
}

#[tokio::test]
async fn no_more_refused_hosts_are_remembered_than_anybody_reads() {
    let world = World::new(&[]).await;
    for number in 0..=MAX_REFUSED {
        world.asked(&format!("CONNECT host{number}.example:443")).await;
    }
    assert_eq!(world.refused().len(), MAX_REFUSED);
}

#[tokio::test]
async fn connections_end_with_the_proxy() {
    let port = server();
    let world = World::new(&[format!("localhost:{port}")]).await;
    let mut stream = world.connect().await;
    stream.write_all(format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    let mut established = [0; 12];
    stream.read_exact(&mut established).await.unwrap();
    drop(world);
    read_all(&mut stream).await;
}
