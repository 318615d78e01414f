use super::*;
use std::io::Write;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Answers every request with what `answer` makes of its path; sends until nobody listens any more.
async fn serve(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read_exact(&mut byte).await.is_err() {
                    break;
                }
                request.push(byte[0]);
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let answer = answer(request.split(' ').nth(1).unwrap_or_default());
            assert!(!request.to_lowercase().contains("cookie:") && !request.to_lowercase().contains("authorization:"));
            let head = format!("HTTP/1.1 {}\r\nconnection: close\r\n\r\n", answer.head);
            let mut times = answer.times;
            let mut is_open = stream.write_all(head.as_bytes()).await.is_ok();
            while is_open && times > 0 {
                is_open = stream.write_all(&answer.body).await.is_ok();
                times -= 1;
            }
        }
    });
    host
}

struct Answer {
    head: String,
    body: Vec<u8>,
    times: u64,
}

fn answer(head: impl Into<String>, body: impl Into<Vec<u8>>) -> Answer {
    Answer { head: head.into(), body: body.into(), times: 1 }
}

fn text(body: &str) -> Answer {
    answer("200 OK\r\ncontent-type: text/plain", body)
}

async fn get(host: &str, path: &str) -> Result<String, Error> {
    fetch(&format!("http://{host}{path}"), &PrivateHosts::new(&[host.to_owned()]).unwrap()).await
}

#[tokio::test]
async fn a_page_is_told_with_where_it_came_from() {
    let host = serve(|_| answer("404 Not Found\r\ncontent-type: text/html", "<h1>No</h1>")).await;
    let told = get(&host, "/a?b=c#d").await.unwrap();
    assert!(
        told.starts_with(&format!("URL: http://{host}/a?b=c#d\nStatus: 404 Not Found\nType: text/html\nBytes: 11\n\n"))
    );
    assert!(told.ends_with("# No\n"), "{told}");
}

#[tokio::test]
async fn redirects_are_followed_within_the_host_and_told_of_beyond_it() {
    let host = serve(|path| match path {
        "/a" => answer("302 Found\r\nlocation: /b", ""),
        "/b" => text("here"),
        "/meta" => answer("307 Temporary Redirect\r\nlocation: http://169.254.169.254/latest", ""),
        "/port" => answer("302 Found\r\nlocation: http://127.0.0.1:1/", ""),
        "/file" => answer("302 Found\r\nlocation: file:///etc/passwd", ""),
        _ => answer("301 Moved Permanently\r\nlocation: /again", ""),
    })
    .await;
    let told = get(&host, "/a").await.unwrap();
    assert!(told.starts_with(&format!("URL: http://{host}/b\n")) && told.ends_with("here"), "{told}");
    let told = get(&host, "/meta").await.unwrap();
    assert!(told.contains("redirects to another host: http://169.254.169.254/latest"), "{told}");
    assert_eq!(get(&host, "/port").await.unwrap_err().code, "ADDRESS_REFUSED");
    assert_eq!(get(&host, "/file").await.unwrap_err().code, "URL_INVALID");
    let endless = get(&host, "/endless").await.unwrap_err();
    assert!(endless.is(Code::FETCH_FAILED) && endless.message.contains("more than 5 times"), "{endless}");
}

#[tokio::test]
async fn no_body_is_longer_than_the_bound_also_when_it_is_unpacked() {
    let host = serve(|path| match path {
        "/long" => Answer { times: 1 << 20, ..answer("200 OK\r\ncontent-type: text/plain", vec![b'x'; 10_000]) },
        _ => {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            (0..200).for_each(|_| packed.write_all(&vec![b'x'; 1 << 20]).unwrap());
            answer("200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip", packed.finish().unwrap())
        }
    })
    .await;
    for path in ["/long", "/bomb"] {
        let told = get(&host, path).await.unwrap();
        assert!(told.contains(&format!("Bytes: {MAX_BODY_BYTES}, and more that wasn't read")), "{path}");
        assert!(told.len() < MAX_BODY_BYTES + 1000);
    }
}

#[tokio::test]
async fn a_page_that_is_packed_in_a_way_nobody_asked_for_is_an_error() {
    let host = serve(|path| {
        let encoding = path.trim_start_matches('/');
        answer(format!("200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: {encoding}"), "plain words")
    })
    .await;
    for encoding in ["br", "zstd", "nonsense", "gzip,br"] {
        let refused = get(&host, &format!("/{encoding}")).await.unwrap_err();
        assert!(refused.is(Code::FETCH_FAILED) && refused.message.contains(encoding), "{refused}");
    }
    assert!(get(&host, "/identity").await.unwrap().ends_with("plain words"));
}

#[tokio::test]
async fn what_is_no_text_and_what_does_not_answer_is_said_in_words() {
    let host = serve(|path| match path {
        "/picture" => answer("200 OK\r\ncontent-type: image/png", "\u{89}PNG"),
        _ => answer("200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100", "cut"),
    })
    .await;
    assert_eq!(get(&host, "/picture").await.unwrap_err().code, "FILE_NOT_TEXT");
    let cut = get(&host, "/cut").await.unwrap_err();
    assert!(cut.is(Code::HOST_UNREACHABLE) && cut.message.contains("127.0.0.1"), "{cut}");
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    let closed = get(&closed, "/").await.unwrap_err();
    assert!(closed.message.contains("can't be reached"), "{closed}");
}
