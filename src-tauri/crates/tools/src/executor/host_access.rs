//! The hosts that a command may reach: those that its call asked for and somebody agreed to, and those that rules grant
//! to each command of its line.

use super::ExecutorSettings;
use super::command_sandbox::Purpose;
use super::judging::Judge;
use super::project_inspection::look;
use crate::builtin::run_command::Arguments;
use crate::host_proxy::{HostGate, HostProxy, HostRefusal};
use arki_domain::{Code, Error};
use arki_files::UnnamedReads;
use arki_policy::{HostVerdict, RuleDefinition, WideRead};
use arki_sandbox::{NetworkDoor, Sandbox};
use std::sync::Arc;

/// The variables in which programs look for a proxy, in both spellings.
const PROXY_VARIABLES: [&str; 6] = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"];
const WITHOUT_PROXY_VARIABLES: [&str; 2] = ["NO_PROXY", "no_proxy"];
/// A command's own servers are in its network.
const WITHOUT_PROXY: &str = "localhost,127.0.0.1,127.0.0.0/8,::1";

/// The registries of package managers, by the words that a line installs with.
const REGISTRIES: &[(&[&str], &[&str])] = &[
    (&["npm", "npx", "pnpm", "bun"], &["registry.npmjs.org"]),
    (&["yarn"], &["registry.yarnpkg.com", "registry.npmjs.org"]),
    (&["pip", "pip3", "uv", "poetry", "pipenv", "pdm"], &["pypi.org", "files.pythonhosted.org"]),
    (&["cargo"], &["index.crates.io", "static.crates.io"]),
    (&["go"], &["proxy.golang.org", "sum.golang.org"]),
    (&["gem", "bundle", "bundler"], &["rubygems.org", "index.rubygems.org"]),
    (&["composer"], &["repo.packagist.org"]),
    (&["mvn", "gradle", "gradlew"], &["repo.maven.apache.org", "plugins.gradle.org"]),
];

/// Returns the registries of the package managers that a line names.
pub(super) fn registries(command: &str) -> Vec<&'static str> {
    let words: Vec<&str> = command.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.')).collect();
    let is_named = |(programs, _): &&(&[&str], &[&'static str])| programs.iter().any(|program| words.contains(program));
    REGISTRIES.iter().filter(is_named).flat_map(|(_, hosts)| hosts.iter().copied()).collect()
}

/// Checks that hosts are only asked for where they can be told apart.
pub(super) fn ensure_told_apart(settings: &ExecutorSettings, arguments: &Arguments) -> Result<(), Error> {
    if arguments.hosts.is_empty() || arguments.network {
        return Ok(());
    }
    let message = if arguments.background == Some(true) {
        "`hosts` doesn't work with `background`: such a command has the whole network or none."
    } else if !settings.has_views() {
        "`hosts` doesn't work on this machine: commands here have the whole network or none."
    } else {
        return Ok(());
    };
    Err(Error::new(Code::ARGUMENTS_INVALID, message, "Use `network` instead, if the command needs it."))
}

impl Judge {
    /// Returns what decides on the hosts that a line asks for while it runs. What was asked for was agreed to, but a rule
    /// that denies a host wins.
    pub(super) fn host_gate(&self, command: &str, asked: &[String]) -> HostGate {
        let (policy, settings) = (self.policy(), self.subjects.settings.clone());
        let (command, asked) = (command.to_owned(), asked.to_vec());
        Box::new(move |host| {
            let is_harmless = |read: &WideRead| is_harmless(&settings, read);
            match policy.host_verdict(&command, host, &is_harmless) {
                HostVerdict::NotGranted if asked.iter().any(|asked| asked == host) => HostVerdict::Granted,
                verdict => verdict,
            }
        })
    }

    /// Returns whether rules grant a line all the hosts that its call asks for.
    pub(super) fn has_hosts_by_rule(&self, arguments: &Arguments) -> bool {
        let gate = self.host_gate(&arguments.command, &[]);
        arguments.hosts.iter().all(|host| gate(host) == HostVerdict::Granted)
    }

    /// Returns the hosts that rules grant a line, as they name them: `*.example.org` is all below it.
    pub(super) fn hosts_by_rule(&self, command: &str) -> Vec<String> {
        let (policy, gate) = (self.policy(), self.host_gate(command, &[]));
        let named = policy.rules.iter().chain(&policy.grants).filter_map(|rule| rule.definition().host.clone());
        // A name below a wildcard stands for all of them.
        named.filter(|host| gate(&host.replacen('*', "any", 1)) == HostVerdict::Granted).collect()
    }

    pub(super) fn proposed_host_rules(&self, arguments: &Arguments) -> Vec<RuleDefinition> {
        let settings = &self.subjects.settings;
        let is_harmless = |read: &WideRead| is_harmless(settings, read);
        self.policy().proposed_host_rules(&arguments.command, &arguments.hosts, &is_harmless)
    }
}

fn is_harmless(settings: &ExecutorSettings, read: &WideRead) -> bool {
    let are_hidden = Sandbox::can_hide_secrets();
    let found = look(&settings.project, &settings.secrets, are_hidden, read);
    matches!(found, UnnamedReads::NoSecret | UnnamedReads::Secret(_))
}

/// The sandbox of a command with the only way out of its network.
pub(super) struct WayOut {
    pub(super) sandbox: Sandbox,
    proxy: HostProxy,
    command: String,
}

impl WayOut {
    /// `None` for what has the whole network, for what plainly only reads, and where there is no network of its own.
    pub(super) fn open(
        judge: &Judge,
        sandbox: Option<&Sandbox>,
        arguments: &Arguments,
        purpose: Purpose,
    ) -> Result<Option<Self>, Error> {
        let settings: &Arc<ExecutorSettings> = &judge.subjects.settings;
        let Some(sandbox) = sandbox.filter(|_| Self::is_open(settings, arguments, purpose)) else { return Ok(None) };
        let (door, listener) = NetworkDoor::new().map_err(Error::internal)?;
        let gate = judge.host_gate(&arguments.command, &arguments.hosts);
        let proxy = HostProxy::start(listener.listener(), gate, settings.private_hosts.clone());
        Ok(Some(Self { sandbox: sandbox.with_door(door), proxy, command: arguments.command.clone() }))
    }

    /// Returns whether a command has one.
    pub(super) fn is_open(settings: &ExecutorSettings, arguments: &Arguments, purpose: Purpose) -> bool {
        let has_none = purpose.only_reads || arguments.network || arguments.background == Some(true);
        !has_none && settings.has_views()
    }

    /// Adds the variables by which programs find the proxy.
    pub(super) fn extend(&self, environment: &mut Vec<(String, String)>) {
        let url = NetworkDoor::url();
        let proxies = PROXY_VARIABLES.map(|name| (name.to_owned(), url.clone()));
        let without = WITHOUT_PROXY_VARIABLES.map(|name| (name.to_owned(), WITHOUT_PROXY.to_owned()));
        let is_ours = |name: &String| {
            PROXY_VARIABLES.contains(&name.as_str()) || WITHOUT_PROXY_VARIABLES.contains(&name.as_str())
        };
        environment.retain(|(name, _)| !is_ours(name));
        environment.extend(proxies.into_iter().chain(without));
    }

    /// Tells which hosts were refused, and how to ask for them; ends what was let out.
    pub(super) fn close(self) -> String {
        let refused = self.proxy.refused();
        let sentences: String = refused.iter().map(|(host, why)| format!("\n[{}]", why.sentence(host))).collect();
        let is_open = |(host, why): (&String, &HostRefusal)| (*why == HostRefusal::NotGranted).then(|| host.clone());
        let mut hosts: Vec<String> = refused.iter().filter_map(is_open).collect();
        if hosts.is_empty() {
            return sentences;
        }
        let registries = registries(&self.command);
        if hosts.iter().any(|host| registries.contains(&host.as_str())) {
            hosts.extend(registries.into_iter().map(str::to_owned));
        }
        hosts.sort();
        hosts.dedup();
        let asking = serde_json::json!(hosts);
        format!("{sentences}\n[To ask the user for network, run the same command again with \"hosts\": {asking}.]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_package_managers() {
        assert_eq!(registries("cd ui && npm ci"), ["registry.npmjs.org"]);
        assert_eq!(registries("uv pip install x"), ["pypi.org", "files.pythonhosted.org"]);
        assert_eq!(registries("echo cargo-deny; ls going"), Vec::<&str>::new());
    }
}
