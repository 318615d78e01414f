//! The offer of a server to a model: its tools, or, where their definitions would take too much of every request, a
//! search and one tool to call what was found. Pure: the same agreement gives the same bytes.

use crate::agreement::Agreement;
use crate::listed_tool::ListedTool;
use crate::settings::ServerSettings;
use crate::tool_name;
use arki_domain::Category;
use serde_json::{Value, json};

/// An estimate that needs no vendor: texts and schemas have about four bytes a token.
const BYTES_PER_TOKEN: usize = 4;

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    pub name: String,
    pub description: String,
    pub category: Category,
    pub parameters: Value,
    pub target: OfferTarget,
}

/// The target of a call of an offered tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferTarget {
    /// A tool, by the server's own name.
    Tool(String),
    ListResources,
    ReadResource,
    SearchTools,
    /// The tool that the arguments name.
    CallTool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    pub tools: Vec<Offered>,
    /// The definitions took too much, so that they are searched.
    pub is_searched: bool,
    /// The tokens of a request that the definitions of all its tools would take.
    pub estimated_tokens: usize,
}

impl Offer {
    #[must_use]
    pub fn of(settings: &ServerSettings, agreement: &Agreement) -> Self {
        let server = &settings.name;
        let mut tools: Vec<Offered> = agreement.in_force().map(|tool| offered(settings, tool)).collect();
        let estimated_tokens = tools.iter().map(estimate).sum();
        let is_searched = estimated_tokens > settings.tool_token_budget;
        let taken: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
        let own = |name: &str| tool_name::own(server, name, |own| taken.iter().any(|taken| taken == own));
        if is_searched {
            tools =
                vec![search_tools(settings, own("search_tools"), taken.len()), call_tool(settings, own("call_tool"))];
        }
        if agreement.has_resources {
            tools.push(list_resources(settings, own("list_resources")));
            tools.push(read_resource(settings, own("read_resource")));
        }
        Self { tools, is_searched, estimated_tokens }
    }
}

impl OfferTarget {
    /// The name and category by which a call is judged: those of the tool that is called in the end.
    #[must_use]
    pub fn judged_as(&self, settings: &ServerSettings, args: &Value) -> Option<(String, Category)> {
        match self {
            Self::CallTool => {
                let tool = args.get("name")?.as_str()?;
                Some((tool_name::offered(&settings.name, tool), settings.category_of(tool)))
            }
            Self::Tool(_) | Self::ListResources | Self::ReadResource | Self::SearchTools => None,
        }
    }
}

/// A tool as it would be offered by a server that was never asked for its tools, for the verdict on a call of it.
pub(crate) fn unmet(settings: &ServerSettings, tool: &str) -> Offered {
    let (name, target) = (tool_name::offered(&settings.name, tool), OfferTarget::Tool(tool.to_owned()));
    let category = settings.category_of(tool);
    Offered { category, ..own(settings, name, String::new(), json!({"type": "object"}), target) }
}

fn offered(settings: &ServerSettings, tool: &ListedTool) -> Offered {
    Offered {
        name: tool_name::offered(&settings.name, &tool.name),
        description: tool.description.clone(),
        category: settings.category_of(&tool.name),
        parameters: tool.schema.clone(),
        target: OfferTarget::Tool(tool.name.clone()),
    }
}

fn estimate(tool: &Offered) -> usize {
    (tool.name.len() + tool.description.len() + tool.parameters.to_string().len()).div_ceil(BYTES_PER_TOKEN)
}

fn own(
    settings: &ServerSettings,
    name: String,
    description: String,
    parameters: Value,
    target: OfferTarget,
) -> Offered {
    Offered { name, description, category: settings.category, parameters, target }
}

fn parameters<const N: usize>(properties: &Value, required: [&str; N]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required.as_slice(), "additionalProperties": false })
}

fn search_tools(settings: &ServerSettings, name: String, count: usize) -> Offered {
    let description = format!(
        "Finds tools of the MCP server \"{}\" (it has {count}) and shows their arguments. Search before calling one.",
        settings.name
    );
    let parameters = parameters(
        &json!({ "query": { "type": "string", "description": "Words that describe what the tool should do." } }),
        ["query"],
    );
    // Only what is remembered here is searched, so that nothing is sent anywhere.
    Offered { category: Category::Read, ..own(settings, name, description, parameters, OfferTarget::SearchTools) }
}

fn call_tool(settings: &ServerSettings, name: String) -> Offered {
    let description = format!("Calls a tool of the MCP server \"{}\" that you found by searching.", settings.name);
    let parameters = parameters(
        &json!({
            "name": { "type": "string", "description": "The tool's name, from the search." },
            "arguments": { "type": "object", "description": "The arguments, following the tool's schema." }
        }),
        ["name"],
    );
    own(settings, name, description, parameters, OfferTarget::CallTool)
}

fn list_resources(settings: &ServerSettings, name: String) -> Offered {
    let description = format!("Lists the resources and resource templates of the MCP server \"{}\".", settings.name);
    let parameters = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    own(settings, name, description, parameters, OfferTarget::ListResources)
}

fn read_resource(settings: &ServerSettings, name: String) -> Offered {
    let description = format!("Reads a resource of the MCP server \"{}\".", settings.name);
    let parameters = parameters(&json!({ "uri": { "type": "string" } }), ["uri"]);
    own(settings, name, description, parameters, OfferTarget::ReadResource)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Command, Transport};
    use std::collections::BTreeMap;

    fn settings() -> ServerSettings {
        let command =
            Command { command: "x".into(), args: vec![], env: BTreeMap::new(), network: false, writable: vec![] };
        ServerSettings::new("x", Transport::Stdio(command))
    }

    fn agreement(names: &[&str]) -> Agreement {
        let parse = |name: &&str| {
            let entry = json!({"name": name, "description": "Does it.", "inputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": true}});
            ListedTool::parse(&entry).unwrap()
        };
        Agreement::of_first_sight(names.iter().map(parse).collect(), vec![], false)
    }

    fn names(offer: &Offer) -> Vec<&str> {
        offer.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn tools_are_network_whatever_they_say_of_themselves_unless_the_user_says_otherwise() {
        let mut settings = settings();
        let categories = |settings: &ServerSettings| {
            Offer::of(settings, &agreement(&["a", "b"])).tools.iter().map(|tool| tool.category).collect::<Vec<_>>()
        };
        assert_eq!(categories(&settings), [Category::Network; 2]);
        settings.categories.insert("b".into(), Category::Read);
        assert_eq!(categories(&settings), [Category::Network, Category::Read]);
    }

    #[test]
    fn over_the_budget_tools_are_searched_and_judged_by_their_own_names() {
        let mut settings = settings();
        settings.tool_token_budget = 20;
        settings.categories.insert("b".into(), Category::Exec);
        let offer = Offer::of(&settings, &agreement(&["a", "b", "search_tools"]));
        assert!(offer.is_searched && offer.estimated_tokens > 20);
        assert_eq!(names(&offer), ["mcp__x__search_tools_", "mcp__x__call_tool"]);
        let judged = OfferTarget::CallTool.judged_as(&settings, &json!({"name": "b"}));
        assert_eq!(judged, Some(("mcp__x__b".to_owned(), Category::Exec)));
        assert_eq!(OfferTarget::Tool("b".into()).judged_as(&settings, &json!({"name": "c"})), None);
    }

    #[test]
    fn resources_are_two_more_tools() {
        let agreement = Agreement { has_resources: true, ..agreement(&["read_resource"]) };
        let offer = Offer::of(&settings(), &agreement);
        assert_eq!(names(&offer), ["mcp__x__read_resource", "mcp__x__list_resources", "mcp__x__read_resource_"]);
    }
}
