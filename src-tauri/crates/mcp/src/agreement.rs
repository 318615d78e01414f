//! The agreement on a server: its tools as the user agreed to them, and how they differ now.
//!
//! The tools that a server shows first are agreed to with the server itself. From then on a tool that is new or says
//! something else is off until the user has seen the difference, whenever it was changed: before a run, or within one.

use crate::listed_tool::{ListedTool, Refused};
use arki_domain::{Code, Error, sha256_hex};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// Tools that are named where some are left out.
const MAX_TOLD: usize = 5;

/// Kept for each server between starts; with it a run needs no server until it calls one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The tools that the user agreed to.
    pub agreed: Vec<ListedTool>,
    /// The tools that the server listed last.
    pub latest: Vec<ListedTool>,
    /// The listed tools that cannot be offered.
    pub refused: Vec<Refused>,
    pub has_resources: bool,
}

/// The store of agreements.
#[async_trait]
pub trait AgreementStore: Send + Sync {
    fn load(&self, key: &str) -> Result<Option<Agreement>, Error>;

    async fn save(&self, key: &str, agreement: &Agreement) -> Result<(), Error>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Added,
    Changed,
    Removed,
}

/// The difference between a tool and the one that was agreed to.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolChange {
    pub change: Change,
    pub before: Option<ListedTool>,
    pub now: Option<ListedTool>,
}

impl ToolChange {
    #[must_use]
    pub fn name(&self) -> &str {
        self.now.as_ref().or(self.before.as_ref()).map_or("", |tool| &tool.name)
    }
}

impl Agreement {
    /// Returns the agreement on a server that is met first.
    pub(crate) fn of_first_sight(tools: Vec<ListedTool>, refused: Vec<Refused>, has_resources: bool) -> Self {
        Self { agreed: tools.clone(), latest: tools, refused, has_resources }
    }

    /// The tools that may be used: agreed to, and still what they were.
    pub fn in_force(&self) -> impl Iterator<Item = &ListedTool> {
        self.agreed.iter().filter(|tool| self.is_in_force(&tool.name))
    }

    #[must_use]
    pub fn is_in_force(&self, name: &str) -> bool {
        let hash = |tools: &[ListedTool]| tools.iter().find(|tool| tool.name == name).map(|tool| tool.hash.clone());
        let agreed = hash(&self.agreed);
        agreed.is_some() && agreed == hash(&self.latest)
    }

    /// Says which tools of `server` are left out, and why; `None` where all that it listed can be used.
    #[must_use]
    pub fn left_out(&self, server: &str) -> Option<Error> {
        let told = |tool: &Refused| format!("\"{}\" ({})", tool.name, tool.reason);
        let tools = self.refused.iter().take(MAX_TOLD).map(told).collect::<Vec<_>>().join(", ");
        let more = if self.refused.len() > MAX_TOLD { ", …" } else { "" };
        let message = format!("Tools of the MCP server \"{server}\" are left out: {tools}{more}.");
        let hint = format!("Its other tools work. `arki mcp test {server}` lists them.");
        (!tools.is_empty()).then(|| Error::new(Code::TOOL_UNUSABLE, message, hint))
    }

    /// Lists, by name, the tools that are off, and those that are gone.
    #[must_use]
    pub fn changes(&self) -> Vec<ToolChange> {
        let find = |tools: &[ListedTool], name: &str| tools.iter().find(|tool| tool.name == name).cloned();
        let mut names: Vec<&String> = self.agreed.iter().chain(&self.latest).map(|tool| &tool.name).collect();
        names.sort();
        names.dedup();
        names
            .into_iter()
            .filter_map(|name| {
                let (before, now) = (find(&self.agreed, name), find(&self.latest, name));
                let change = match (&before, &now) {
                    (None, _) => Change::Added,
                    (_, None) => Change::Removed,
                    (Some(before), Some(now)) if before.hash == now.hash => return None,
                    (Some(_), Some(_)) => Change::Changed,
                };
                Some(ToolChange { change, before, now })
            })
            .collect()
    }

    /// The same for the same tools as the server listed last, whatever their order.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut tools: Vec<&str> = self.latest.iter().map(|tool| tool.hash.as_str()).collect();
        tools.sort_unstable();
        sha256_hex(tools.join(" ").as_bytes())
    }

    /// The user agrees to what the server listed last.
    pub fn agree(&mut self) {
        self.agreed.clone_from(&self.latest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools(entries: &[(&str, &str)]) -> Vec<ListedTool> {
        let parse = |(name, description): &(&str, &str)| {
            let entry = json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
            ListedTool::parse(&entry).unwrap()
        };
        entries.iter().map(parse).collect()
    }

    #[test]
    fn what_is_renamed_or_redefined_is_off_until_agreed_again() {
        let mut agreement = Agreement::of_first_sight(tools(&[("a", "1"), ("b", "1"), ("c", "1")]), vec![], false);
        assert_eq!(agreement.in_force().count(), 3);
        agreement.latest = tools(&[("a", "1"), ("b", "2"), ("d", "1")]);
        let names: Vec<&str> = agreement.in_force().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["a"]);
        let changes: Vec<(String, Change)> =
            agreement.changes().iter().map(|change| (change.name().to_owned(), change.change)).collect();
        let expected = [("b", Change::Changed), ("c", Change::Removed), ("d", Change::Added)];
        assert_eq!(changes, expected.map(|(name, change)| (name.to_owned(), change)));
        let shown = agreement.digest();
        agreement.latest.reverse();
        assert_eq!(agreement.digest(), shown);
        agreement.latest.pop();
        assert_ne!(agreement.digest(), shown);
        agreement.latest = tools(&[("a", "1"), ("b", "2"), ("d", "1")]);
        agreement.agree();
        assert!(agreement.changes().is_empty() && agreement.is_in_force("d") && !agreement.is_in_force("c"));
    }
}
