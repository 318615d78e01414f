//! Signing in with the user's own browser, which is sent back to a port of this computer.

use arki_domain::{Code, Error};
use arki_mcp::SignIn;
use async_trait::async_trait;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The time the user may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// The first line of the browser's request has all there is to know.
const MAX_REQUEST_BYTES: usize = 16 * 1024;
const REQUEST_PATIENCE: Duration = Duration::from_secs(5);

const PAGE: &str =
    "<!doctype html><meta charset=utf-8><title>Arki</title><p>You can close this page and go back to Arki.";

pub(super) struct Loopback {
    listener: TcpListener,
    port: u16,
    show: Box<dyn Fn(&str) + Send + Sync>,
}

impl Loopback {
    pub(super) async fn open(show: Box<dyn Fn(&str) + Send + Sync>) -> Result<Self, Error> {
        let failed = |error: std::io::Error| {
            let message = format!("No port could be opened for the browser: {}.", arki_domain::io_words(error.kind()));
            Error::new(Code::IO_FAILED, message, "Try again.")
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port, show })
    }

    /// The address that the browser was sent back to. Whatever else asks is told that there is nothing.
    async fn come_back(&self) -> String {
        loop {
            let Ok((mut stream, _)) = self.listener.accept().await else { continue };
            let Ok(Some(target)) = tokio::time::timeout(REQUEST_PATIENCE, target(&mut stream)).await else { continue };
            let is_ours = target.starts_with("/callback?");
            let (status, body) = if is_ours { ("200 OK", PAGE) } else { ("404 Not Found", "") };
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            // A browser that has gone already has been told by its address.
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
            if is_ours {
                return format!("http://127.0.0.1:{}{target}", self.port);
            }
        }
    }
}

#[async_trait]
impl SignIn for Loopback {
    fn redirect_uri(&self) -> String {
        format!("http://127.0.0.1:{}/callback", self.port)
    }

    async fn visit(&self, url: &str) -> Result<String, Error> {
        (self.show)(url);
        tokio::time::timeout(PATIENCE, self.come_back()).await.map_err(|_| {
            let message = format!("Nobody signed in within {} minutes.", PATIENCE.as_secs() / 60);
            Error::new(Code::MCP_AUTHORIZATION_NEEDED, message, "Try again, and sign in on the page that opens.")
        })
    }
}

/// Returns what a `GET` asks for.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.contains(&b'\n') && request.len() < MAX_REQUEST_BYTES {
        let length = stream.read(&mut buffer).await.ok().filter(|length| *length > 0)?;
        request.extend_from_slice(&buffer[..length]);
    }
    let request = String::from_utf8_lossy(&request);
    let target = request.lines().next()?.strip_prefix("GET ")?.split(' ').next()?;
    Some(target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    async fn get(port: u16, target: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn the_browser_is_waited_for_and_others_are_sent_away() {
        let (sender, shown) = mpsc::channel();
        let page = Loopback::open(Box::new(move |url| sender.send(url.to_owned()).unwrap())).await.unwrap();
        let port = page.port;
        let visiting = page.visit("https://login.example/?x=1");
        let browsing = async {
            assert!(get(port, "/favicon.ico").await.starts_with("HTTP/1.1 404"));
            get(port, "/callback?code=a&state=b").await
        };
        let (sent_back, answer) = tokio::join!(visiting, browsing);
        assert_eq!(sent_back.unwrap(), format!("http://127.0.0.1:{port}/callback?code=a&state=b"));
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("go back to Arki"));
        assert_eq!(shown.recv().unwrap(), "https://login.example/?x=1");
    }
}
