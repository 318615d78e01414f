//! An MCP server that wants to be signed in to, and the authorization server in front of it, on one loopback port.
//!
//! What a client sends is checked as the protocol demands it: registration, PKCE, the resource, rotated refresh tokens.

use arki_domain::sha256_hex;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub(crate) const HOUR: u64 = 3600;
pub(crate) const CODE: &str = "the-code-of-this-sign-in";

pub(crate) struct SignInServer {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// It lets everybody in.
    is_open: bool,
    /// Seconds that the first tokens hold.
    first_hold: u64,
    registered: Vec<Value>,
    /// The page's parameters, as the user's browser was shown it.
    shown: Option<BTreeMap<String, String>>,
    /// What was asked of the token endpoint, in order.
    grants: Vec<BTreeMap<String, String>>,
    /// The number of the last tokens, and whether they hold.
    issued: usize,
    is_revoked: bool,
    called_with: Vec<String>,
}

impl SignInServer {
    /// Its first tokens hold for so many seconds, later ones for an hour.
    pub(crate) fn start(first_hold: u64) -> Self {
        Self::serving(State { first_hold, ..State::default() })
    }

    /// One that asks nobody to sign in.
    pub(crate) fn open() -> Self {
        Self::serving(State { is_open: true, ..State::default() })
    }

    fn serving(state: State) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = shared.clone();
                std::thread::spawn(move || serve(&stream, port, &shared));
            }
        });
        Self { port, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// What the user's browser would do with the page: it is shown, the user agrees or not, and the browser is sent
    /// back, with the state of the page unless the answer brings another. Gives the address it is sent to.
    pub(crate) fn visit(&self, page: &str, answer: &str) -> String {
        let start = format!("http://127.0.0.1:{}/authorize?", self.port);
        let shown = form(page.strip_prefix(&start).unwrap_or_else(|| panic!("not the page to sign in on: {page}")));
        let state = match answer.contains("state=") {
            true => String::new(),
            false => format!("&state={}", encoded(&shown["state"])),
        };
        let back = format!("{}?{answer}{state}", shown["redirect_uri"]);
        self.state.lock().unwrap().shown = Some(shown);
        back
    }

    pub(crate) fn revoke(&self) {
        self.state.lock().unwrap().is_revoked = true;
    }

    /// The kinds of grants that were asked for, in order.
    pub(crate) fn grants(&self) -> Vec<String> {
        self.state.lock().unwrap().grants.iter().map(|grant| grant["grant_type"].clone()).collect()
    }

    pub(crate) fn registered(&self) -> Vec<Value> {
        self.state.lock().unwrap().registered.clone()
    }

    /// The tokens that tools were called with.
    pub(crate) fn called_with(&self) -> Vec<String> {
        self.state.lock().unwrap().called_with.clone()
    }
}

struct Request {
    method: String,
    path: String,
    bearer: Option<String>,
    body: String,
}

struct Response {
    status: &'static str,
    challenge: bool,
    body: Option<Value>,
}

impl Response {
    fn ok(body: Value) -> Self {
        Self { status: "200 OK", challenge: false, body: Some(body) }
    }

    fn empty(status: &'static str) -> Self {
        Self { status, challenge: false, body: None }
    }

    fn refused(error: &str) -> Self {
        Self { status: "400 Bad Request", challenge: false, body: Some(json!({ "error": error })) }
    }
}

fn serve(mut stream: &TcpStream, port: u16, state: &Mutex<State>) {
    let Some(request) = read(stream) else { return };
    let Response { status, challenge, body } = answer(&request, port, &mut state.lock().unwrap());
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let challenge = match challenge {
        true => format!(
            "WWW-Authenticate: Bearer resource_metadata=\"http://127.0.0.1:{port}/.well-known/oauth-protected-resource/mcp\"\r\n"
        ),
        false => String::new(),
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\n{challenge}Content-Type: application/json\r\nContent-Length: {length}\r\n");
    // A client that has gone already wants no answer.
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let (mut length, mut bearer) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => bearer = value.strip_prefix("Bearer ").map(str::to_owned),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, bearer, body: String::from_utf8(body).ok()? })
}

fn answer(request: &Request, port: u16, state: &mut State) -> Response {
    let here = format!("http://127.0.0.1:{port}");
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/.well-known/oauth-protected-resource/mcp") => Response::ok(json!({
            "resource": format!("{here}/mcp"),
            "authorization_servers": [here],
        })),
        ("GET", "/.well-known/oauth-authorization-server") => Response::ok(json!({
            "issuer": here,
            "authorization_endpoint": format!("{here}/authorize"),
            "token_endpoint": format!("{here}/token"),
            "registration_endpoint": format!("{here}/register"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        })),
        ("POST", "/register") => {
            let mut client: Value = serde_json::from_str(&request.body).unwrap();
            state.registered.push(client.clone());
            client["client_id"] = json!("client-of-the-test");
            Response { status: "201 Created", ..Response::ok(client) }
        }
        ("POST", "/token") => token(&form(&request.body), &here, state),
        ("POST", "/mcp") => mcp(request, state),
        _ => Response::empty("404 Not Found"),
    }
}

fn token(grant: &BTreeMap<String, String>, here: &str, state: &mut State) -> Response {
    let given = |name: &str| grant.get(name).map(String::as_str).unwrap_or_default();
    let is_good = match given("grant_type") {
        "authorization_code" => state.shown.as_ref().is_some_and(|shown| {
            let challenge = URL_SAFE_NO_PAD.encode(sha256(given("code_verifier")));
            given("code") == CODE
                && shown["response_type"] == "code"
                && shown["code_challenge_method"] == "S256"
                && shown["code_challenge"] == challenge
                && shown["client_id"] == given("client_id")
                && shown["redirect_uri"] == given("redirect_uri")
                && shown["resource"] == format!("{here}/mcp")
        }),
        "refresh_token" => !state.is_revoked && given("refresh_token") == refresh(state.issued),
        _ => false,
    };
    state.grants.push(grant.clone());
    if !is_good {
        return Response::refused("invalid_grant");
    }
    state.issued += 1;
    state.is_revoked = false;
    Response::ok(json!({
        "access_token": access(state.issued),
        "refresh_token": refresh(state.issued),
        "token_type": "Bearer",
        "expires_in": if state.issued == 1 { state.first_hold } else { HOUR },
    }))
}

/// Of the tokens that were issued as the nth.
pub(crate) fn access(nth: usize) -> String {
    format!("access-token-{nth}-0a1b2c3d4e5f")
}

pub(crate) fn refresh(nth: usize) -> String {
    format!("refresh-token-{nth}-5f4e3d2c1b0a")
}

fn mcp(request: &Request, state: &mut State) -> Response {
    let is_signed_in = state.issued > 0 && !state.is_revoked && request.bearer == Some(access(state.issued));
    if !is_signed_in && !state.is_open {
        return Response { challenge: true, ..Response::empty("401 Unauthorized") };
    }
    let message: Value = serde_json::from_str(&request.body).unwrap();
    let id = &message["id"];
    if id.is_null() {
        return Response::empty("202 Accepted");
    }
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "guarded", "version": "1"},
        }),
        Some("tools/list") => {
            let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
            json!({"tools": [{"name": "echo", "description": "Says it back.", "inputSchema": schema}]})
        }
        Some("tools/call") => {
            state.called_with.extend(request.bearer.clone());
            json!({"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]})
        }
        _ => {
            let error = json!({"code": -32601, "message": "There is no such method."});
            return Response::ok(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Response::ok(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn sha256(text: &str) -> Vec<u8> {
    let hex = sha256_hex(text.as_bytes());
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn form(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            other => other,
        });
    }
    String::from_utf8(bytes).unwrap()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
