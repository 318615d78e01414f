use super::*;
use tokio::io::{DuplexStream, duplex};

/// The other end: what a server hears, and says.
struct Server(Wire);

impl Server {
    async fn hears(&mut self, method: &str) -> Value {
        let message = self.reads().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    async fn reads(&mut self) -> Value {
        serde_json::from_slice(&self.0.receive().await.unwrap()).unwrap()
    }

    async fn says(&mut self, method: &str, params: Value) {
        self.0.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await.unwrap();
    }

    async fn publishes(&mut self, uri: &Value, version: Option<i64>, diagnostics: Value) {
        self.says(
            "textDocument/publishDiagnostics",
            json!({"uri": uri, "version": version, "diagnostics": diagnostics}),
        )
        .await;
    }

    /// As servers do at the beginning: they ask for their configuration.
    async fn begins(&mut self) {
        let id = self.hears("initialize").await["id"].clone();
        self.0
            .send(&json!({"id": "c", "method": "workspace/configuration", "params": {"items": [1, 2]}}))
            .await
            .unwrap();
        assert_eq!(self.reads().await["result"], json!([null, null]));
        self.0.send(&json!({"id": id, "result": {"capabilities": {}}})).await.unwrap();
        self.hears("initialized").await;
    }
}

fn pair() -> (DuplexStream, DuplexStream, Server) {
    let (to, theirs) = duplex(256);
    let (ours, from) = duplex(256);
    (to, from, Server(Wire::new(ours, theirs)))
}

fn folder() -> &'static Path {
    if cfg!(windows) { Path::new(r"C:\a project") } else { Path::new("/a project") }
}

fn document(path: &str, text: &str) -> EditedDocument {
    EditedDocument { path: path.to_owned(), text: Some(text.to_owned()) }
}

fn fault(line: u64, severity: u64, message: &str) -> Value {
    json!({"range": {"start": {"line": line, "character": 4}}, "severity": severity, "code": 7, "message": message})
}

fn words(found: &[ReportedProblem]) -> Vec<String> {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    found.iter().map(|one| format!("{}:{}:{} {}", name(&one.path), one.line, one.column, one.message)).collect()
}

#[tokio::test(start_paused = true)]
async fn what_it_says_of_the_last_version_counts() {
    let (to, from, mut server) = pair();
    let theirs = tokio::spawn(async move {
        server.begins().await;
        let opened = server.hears("textDocument/didOpen").await["params"]["textDocument"].clone();
        assert_eq!((&opened["languageId"], &opened["text"]), (&json!("typescript"), &json!("one")));
        assert!(opened["uri"].as_str().unwrap().ends_with("/a%20project/src/a.ts"), "{opened}");
        server.publishes(&opened["uri"], Some(1), json!([fault(0, 1, "old")])).await;
        let changed = server.hears("textDocument/didChange").await["params"].clone();
        assert_eq!(changed["contentChanges"], json!([{"text": "two"}]));
        server.hears("textDocument/didSave").await;
        server.publishes(&opened["uri"], Some(1), json!([fault(8, 1, "late")])).await;
        server.publishes(&opened["uri"], Some(2), json!([fault(1, 1, "new"), fault(2, 3, "a note")])).await;
        std::future::pending::<()>().await;
    });
    let mut client = LanguageServer::greet(to, from, folder()).await.unwrap();
    assert_eq!(words(&client.check(vec![document("src/a.ts", "one")]).await.unwrap().0), ["a.ts:1:5 old"]);
    assert_eq!(client.paths().collect::<Vec<_>>(), ["src/a.ts"]);
    assert_eq!(words(&client.check(vec![document("src/a.ts", "two")]).await.unwrap().0), ["a.ts:2:5 new"]);
    theirs.abort();
}

#[tokio::test(start_paused = true)]
async fn work_under_way_is_waited_for_and_a_file_without_faults_is_not() {
    let (to, from, mut server) = pair();
    let theirs = tokio::spawn(async move {
        server.begins().await;
        let opened = server.hears("textDocument/didOpen").await["params"]["textDocument"].clone();
        server.says("$/progress", json!({"token": 1, "value": {"kind": "begin"}})).await;
        tokio::time::sleep(Duration::from_secs(20)).await;
        server.publishes(&opened["uri"], None, json!([fault(0, 2, "found late")])).await;
        server.says("$/progress", json!({"token": 1, "value": {"kind": "end"}})).await;
        server.hears("textDocument/didOpen").await;
        server.hears("textDocument/didClose").await;
        std::future::pending::<()>().await;
    });
    let mut client = LanguageServer::greet(to, from, folder()).await.unwrap();
    assert_eq!(words(&client.check(vec![document("a.py", "x")]).await.unwrap().0), ["a.py:1:5 found late"]);
    let begun = tokio::time::Instant::now();
    let gone = EditedDocument { path: "a.py".to_owned(), text: None };
    let (found, unheard) = client.check(vec![document("b.py", "x"), gone]).await.unwrap();
    assert!(found.is_empty() && unheard == 1, "of a.py nothing is left, of b.py it has said nothing");
    assert!(begun.elapsed() < Duration::from_secs(5));
    theirs.abort();
}

#[tokio::test(start_paused = true)]
async fn large_texts_pass_while_it_speaks_too() {
    let (to, from, mut server) = pair();
    let large = "a long line of words\n".repeat(5000);
    let sent = large.clone();
    let theirs = tokio::spawn(async move {
        server.begins().await;
        for number in 0..50 {
            server.says("window/logMessage", json!({"message": format!("{number} {}", "x".repeat(500))})).await;
        }
        let opened = server.hears("textDocument/didOpen").await;
        assert_eq!(opened["params"]["textDocument"]["text"], sent);
        std::future::pending::<()>().await;
    });
    let mut client = LanguageServer::greet(to, from, folder()).await.unwrap();
    assert!(client.check(vec![document("a.txt", &large)]).await.unwrap().0.is_empty());
    assert!(!theirs.is_finished());
    theirs.abort();
}

#[tokio::test(start_paused = true)]
async fn only_so_much_is_kept_of_the_project_alone() {
    let (to, from, mut server) = pair();
    let theirs = tokio::spawn(async move {
        server.begins().await;
        let opened = server.hears("textDocument/didOpen").await["params"]["textDocument"].clone();
        let here = opened["uri"].as_str().unwrap().to_owned();
        let many = json!(vec![fault(1, 1, "wrong"); 700]);
        server.publishes(&opened["uri"], None, many.clone()).await;
        for file in 0..9 {
            server.publishes(&json!(here.replace("a.ts", &format!("{file}.ts"))), None, many.clone()).await;
        }
        server.publishes(&json!("file:///etc/passwd"), None, many).await;
        let odd = json!([{"message": 3}, null, {"range": {"start": {"line": 0, "character": 0}}, "message": "right"}]);
        server.publishes(&opened["uri"], None, odd).await;
        std::future::pending::<()>().await;
    });
    let mut client = LanguageServer::greet(to, from, folder()).await.unwrap();
    let (found, unheard) = client.check(vec![document("a.ts", "x")]).await.unwrap();
    assert!(found.len() <= MAX_DIAGNOSTICS && unheard == 0, "{}", found.len());
    assert!(found.iter().all(|one| !one.path.contains("passwd")));
    assert!(words(&found).contains(&"a.ts:1:1 right".to_owned()));
    theirs.abort();
}

#[tokio::test(start_paused = true)]
async fn where_nothing_is_new_to_it_nobody_waits() {
    let (to, from, mut server) = pair();
    let theirs = tokio::spawn(async move {
        server.begins().await;
        let opened = server.hears("textDocument/didOpen").await["params"]["textDocument"].clone();
        server.publishes(&opened["uri"], None, json!([])).await;
        std::future::pending::<()>().await;
    });
    let mut client = LanguageServer::greet(to, from, folder()).await.unwrap();
    client.check(vec![document("a.ts", "x")]).await.unwrap();
    let begun = tokio::time::Instant::now();
    let gone = EditedDocument { path: "new.ts".to_owned(), text: None };
    client.check(vec![document("a.ts", "x"), gone]).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    theirs.abort();
}

#[tokio::test]
async fn one_that_refuses_says_why() {
    let (to, from, mut server) = pair();
    let theirs = tokio::spawn(async move {
        let id = server.hears("initialize").await["id"].clone();
        server.0.send(&json!({"id": id, "error": {"code": -32603, "message": "no compiler"}})).await.unwrap();
        server
    });
    let refused = LanguageServer::greet(to, from, folder()).await.err().unwrap();
    assert_eq!((refused.kind(), refused.to_string().as_str()), (io::ErrorKind::ConnectionRefused, "no compiler"));
    drop(theirs.await);
}

#[tokio::test]
async fn what_is_not_the_protocol_is_an_error() {
    for said in ["hello\r\n\r\n", "Content-Length: 99999999\r\n\r\n", "Content-Length: 2\r\n\r\n{]", &"x".repeat(9000)]
    {
        let (to, from, _server) = (duplex(1 << 16).0, std::io::Cursor::new(said.as_bytes().to_vec()), ());
        assert!(LanguageServer::greet(to, from, folder()).await.is_err(), "{said:.20}");
    }
}
