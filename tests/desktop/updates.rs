//! Updates from a server on this machine: offered, and installed only where the right key has signed them.

use crate::harness::{Stage, wait_until};
use arki_testkit::{Script, Turn};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minisign::KeyPair;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

/// An AppImage is an ELF file: its beginning and its size are all that is looked at.
const NEW_APP: &[u8] = b"\x7fELF the new version of the app, with all that belongs to it";
const OLD_APP: &[u8] = b"\x7fELF the old version of the app, with all that belongs to it";

/// Answers `/latest` with the list of releases and `/app` with the app.
struct UpdateServer {
    address: String,
    signature: Arc<Mutex<String>>,
}

impl UpdateServer {
    fn start(signature: String) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let signature = Arc::new(Mutex::new(signature));
        let (now, base) = (signature.clone(), address.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let release = json!({
                    "version": "9.9.9", "notes": "Everything is better.", "url": format!("{base}/app"),
                    "signature": *now.lock().unwrap(),
                });
                let _ = answer(&stream, &release);
            }
        });
        Self { address, signature }
    }
}

fn answer(mut stream: &TcpStream, release: &Value) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let asked = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let body = if asked.contains("/app") { NEW_APP.to_vec() } else { release.to_string().into_bytes() };
    let length = body.len();
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n")?;
    stream.write_all(&body)
}

fn signed_by(keys: &KeyPair, version: &str) -> String {
    let comment = format!("timestamp:1\tfile:arki\tversion:{version}");
    let signature = minisign::sign(Some(&keys.pk), &keys.sk, NEW_APP, Some(&comment), None).unwrap();
    BASE64_STANDARD.encode(signature.to_string())
}

#[test]
fn an_update_is_installed_when_the_user_says_so_and_the_key_is_right() {
    let [ours, others] = [(); 2].map(|()| KeyPair::generate_unencrypted_keypair().unwrap());
    let server = UpdateServer::start(signed_by(&others, "9.9.9"));
    let folder = tempfile::tempdir().unwrap();
    let app = folder.path().join("Arki.AppImage");
    fs::write(&app, OLD_APP).unwrap();
    fs::set_permissions(&app, fs::Permissions::from_mode(0o755)).unwrap();
    let environment = [
        ("APPIMAGE", app.display().to_string()),
        ("ARKI_UPDATE_URL", format!("{}/latest", server.address)),
        ("ARKI_UPDATE_SIGNER", BASE64_STANDARD.encode(ours.pk.to_box().unwrap().to_string())),
    ];
    let script = Script::new(vec![Turn::text("Hello.")]);
    let stage = Stage::furnished(script, |_| json!({"window": {"updates": true}}), &environment);
    stage.trust();
    let window = stage.open();

    window.click("Update to 9.9.9");
    window.says("Everything is better.");
    window.pictures("update");
    window.click("Install 9.9.9");
    window.says("isn't signed as Arki's releases are");
    assert_eq!(fs::read(&app).unwrap(), OLD_APP, "another key's update was installed");

    // An old version that is given out as a new one.
    *server.signature.lock().unwrap() = signed_by(&ours, "0.0.9");
    window.click("Look for updates now");
    wait_until("the answer", || !window.text().contains("isn't signed"));
    window.click("Install 9.9.9");
    window.says("isn't signed as Arki's releases are");
    assert_eq!(fs::read(&app).unwrap(), OLD_APP, "another version was installed");

    *server.signature.lock().unwrap() = signed_by(&ours, "9.9.9");
    window.click("Look for updates now");
    window.click("Install 9.9.9");
    window.says("Version 9.9.9 is installed.");
    assert_eq!(fs::read(&app).unwrap(), NEW_APP);
    wait_until("a way to restart", || window.has("button", "Restart Arki"));
}
