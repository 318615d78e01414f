//! `run_command`: what the model says of a command; the executor runs it.

use crate::fetch;
use crate::outcome::ToolError;
use crate::tool::{Action, Tool, arguments};
use crate::touched::Touched;
use arki_domain::{Code, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) const NAME: &str = "run_command";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    pub(crate) command: String,
    #[schemars(range(min = 1, max = 3600))]
    pub(crate) timeout_seconds: Option<u64>,
    /// Needed for localhost too.
    #[serde(default)]
    pub(crate) network: bool,
    /// Such as registry.npmjs.org.
    #[serde(default)]
    pub(crate) hosts: Vec<String>,
    /// For servers; the result comes later as a message.
    pub(crate) background: Option<bool>,
    /// Asks first; for shared locks or watchers.
    #[serde(default)]
    pub(crate) on_project: bool,
    /// The output is its final screen.
    #[serde(default)]
    pub(crate) terminal: bool,
}

impl Arguments {
    /// Returns whether it asks for the network, or for hosts in it.
    pub(crate) fn wants_network(&self) -> bool {
        self.network || !self.hosts.is_empty()
    }
}

pub(crate) fn tool() -> Tool {
    let touches = |args: &Value| Touched { hosts: hosts_of(args), ..Touched::by_name(args) };
    Tool::new::<Arguments>(NAME, include_str!("run_command/manual.md"), Action::Command).touching(touches)
}

/// The most hosts that a call may ask for.
const MAX_HOSTS: usize = 20;
/// The limit for a command line. Linux gives a program no single argument of 128 KiB.
pub(crate) const MAX_COMMAND_BYTES: usize = 100_000;

pub(crate) fn parse(args: &Value) -> Result<Arguments, ToolError> {
    let mut arguments: Arguments = arguments(args)?;
    let length = arguments.command.len();
    if length > MAX_COMMAND_BYTES {
        let message = format!("The command is too long: {length} bytes, of at most {MAX_COMMAND_BYTES}.");
        let hint = "Write the long part to a file, and run a short command that uses it.";
        return Err(Error::new(Code::ARGUMENTS_INVALID, message, hint).into());
    }
    let not_named = arguments.hosts.iter().find(|host| host_name(host).is_none());
    if not_named.is_some() || arguments.hosts.len() > MAX_HOSTS {
        let message = match not_named {
            Some(host) => format!("{host:?} is not the name of a host."),
            None => format!("These are too many hosts: {}, of at most {MAX_HOSTS}.", arguments.hosts.len()),
        };
        let hint = "Give names such as registry.npmjs.org, without a scheme, a port or a path.";
        return Err(Error::new(Code::ARGUMENTS_INVALID, message, hint).into());
    }
    arguments.hosts = hosts_of(args);
    Ok(arguments)
}

/// Returns the hosts that a call asks for, in the spelling that rules have.
fn hosts_of(args: &Value) -> Vec<String> {
    let named = args.get("hosts").and_then(Value::as_array).into_iter().flatten();
    let mut hosts: Vec<String> = named.filter_map(|host| host_name(host.as_str()?)).collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

fn host_name(host: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let url = fetch::parse(&format!("https://{host}/")).ok().filter(|_| host.chars().all(is_plain))?;
    url.domain().is_some().then(|| fetch::host_of(&url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hosts_are_names_in_one_spelling() {
        let parsed = |hosts: &[&str]| parse(&json!({"command": "npm ci", "hosts": hosts})).map(|parsed| parsed.hosts);
        let hosts = parsed(&["Registry.NPMjs.org.", "pypi.org", "registry.npmjs.org"]).unwrap();
        assert_eq!(hosts, ["pypi.org", "registry.npmjs.org"]);
        for bad in
            ["https://x.org", "x.org:443", "x.org/a", "1.1.1.1", "127.1", "*.x.org", "a b", "", "[::1]", "u@x.org"]
        {
            assert!(parsed(&[bad]).is_err(), "{bad}");
        }
        assert!(parsed(&["a.example"; MAX_HOSTS]).is_ok() && parsed(&["a.example"; MAX_HOSTS + 1]).is_err());
    }
}
