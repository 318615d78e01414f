//! The WebDriver protocol by plain HTTP: <https://www.w3.org/TR/webdriver2/>.

use crate::harness::waiting::PATIENCE;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// The name under which the protocol hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub(crate) struct Driver {
    address: SocketAddr,
}

/// What the driver answers instead of a value.
#[derive(Debug)]
#[expect(dead_code, reason = "the message is for whoever reads of a failed test")]
pub(crate) struct Refused {
    /// Such as `stale element reference`.
    pub(crate) error: String,
    message: String,
}

impl Driver {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.call("GET", "/status", None).is_ok_and(|status| status["ready"] == true)
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value, Refused> {
        self.call("GET", path, None)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Value, Refused> {
        self.call("DELETE", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, Refused> {
        self.call("POST", path, Some(body))
    }

    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Refused> {
        let answer = self
            .exchange(method, path, body)
            .map_err(|error| Refused { error: "no answer".into(), message: format!("{method} {path}: {error}") })?;
        let value = &answer["value"];
        match value["error"].as_str() {
            Some(error) if value.get("stacktrace").is_some() || value.get("message").is_some() => {
                Err(Refused { error: error.into(), message: value["message"].as_str().unwrap_or_default().into() })
            }
            _ => Ok(value.clone()),
        }
    }

    fn exchange(&self, method: &str, path: &str, body: Option<&Value>) -> io::Result<Value> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let address = self.address;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut bytes = vec![0; length];
        reader.read_exact(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

pub(crate) fn element_json(id: &str) -> Value {
    json!({ELEMENT: id})
}

pub(crate) fn element_id(value: &Value) -> Option<String> {
    value[ELEMENT].as_str().map(str::to_owned)
}
