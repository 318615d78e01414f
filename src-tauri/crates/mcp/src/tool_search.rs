//! Finding a tool by words, for servers with too many to show. Pure.

use crate::listed_tool::ListedTool;

/// Tools told for one search.
const MAX_FOUND: usize = 10;
/// A word in the name counts as so many in the description.
const NAME_WEIGHT: usize = 4;

/// The tools that fit best, the best first; those that fit alike stay in their order.
pub(crate) fn search<'a>(tools: &'a [ListedTool], query: &str) -> Vec<&'a ListedTool> {
    let words: Vec<String> = words(query).collect();
    let mut found: Vec<(usize, &ListedTool)> = tools
        .iter()
        .map(|tool| (score(tool, &words), tool))
        .filter(|(score, _)| *score > 0 || words.is_empty())
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(MAX_FOUND).map(|(_, tool)| tool).collect()
}

fn score(tool: &ListedTool, words: &[String]) -> usize {
    let (name, description) = (tool.name.to_lowercase(), tool.description.to_lowercase());
    let weigh = |word: &String| {
        NAME_WEIGHT * usize::from(name.contains(word.as_str())) + usize::from(description.contains(word.as_str()))
    };
    words.iter().map(weigh).sum()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_name_counts_more_than_the_description() {
        let tool = |name: &str, description: &str| {
            let entry = json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
            ListedTool::parse(&entry).unwrap()
        };
        let tools = [tool("list", "Lists issues."), tool("create_issue", "Opens one."), tool("star", "Stars.")];
        let found: Vec<&str> = search(&tools, "Issue").iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(found, ["create_issue", "list"]);
        assert_eq!(search(&tools, "").len(), 3);
        assert!(search(&tools, "weather").is_empty());
    }
}
