//! Calls that a model writes as text: they are never carried out, and the model is told so.

use crate::answer::AnswerSoFar;
use arki_domain::ToolDefinition;

pub(crate) const REMINDER: &str = "[You wrote a tool call as text, so it was not made. To call a tool, use the API's tool \
     calls, not the text of your answer. If no tool is needed, answer in words.]";

/// The forms that models were trained on, as they begin.
const TAGS: [&str; 6] = ["<tool_call", "<function=", "<function_call", "<invoke", "<|tool_call", "[TOOL_CALLS]"];

/// Returns whether the answer ends with a call to a tool that there is, and makes none.
pub(crate) fn is_call(answer: &AnswerSoFar, definitions: &[ToolDefinition]) -> bool {
    answer.calls.is_empty() && is_call_text(&answer.text, definitions)
}

fn is_call_text(text: &str, definitions: &[ToolDefinition]) -> bool {
    let text = text.trim_end();
    if !text.ends_with(['>', '`', '}', ']']) {
        return false;
    }
    let names = |part: &str| definitions.iter().any(|tool| part.contains(&*tool.name));
    let tag = TAGS.iter().filter_map(|tag| text.find(tag)).min();
    let object = || {
        let at = text.find("{\"name\"").or_else(|| text.find("{ \"name\"")).or_else(|| text.find("{\n"))?;
        let is_call = |part: &str| part.contains("\"arguments\"") || part.contains("\"parameters\"");
        let quotes = |part: &str| definitions.iter().any(|tool| part.contains(&format!("\"{}\"", tool.name)));
        Some(&text[at..]).filter(|part| part.contains("\"name\"") && is_call(part) && quotes(part)).map(|_| ())
    };
    tag.is_some_and(|at| names(&text[at..])) || object().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Category;

    #[test]
    fn a_call_in_any_of_the_known_forms_is_recognised_and_words_about_one_are_not() {
        let tool = |name: &str| ToolDefinition {
            name: name.into(),
            description: "".into(),
            parameters: serde_json::json!({}),
            category: Category::Read,
        };
        let tools = [tool("read_file"), tool("run_command")];
        for text in [
            "I look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
            "```json\n{\"name\": \"run_command\", \"arguments\": {\"command\": \"ls\"}}\n```",
            "{\n  \"name\": \"run_command\",\n  \"parameters\": {\"command\": \"ls\"}\n}",
            "<function=read_file><parameter=path>a</parameter></function>",
            "[TOOL_CALLS][{\"name\": \"read_file\", \"arguments\": {}}]",
        ] {
            assert!(is_call_text(text, &tools), "{text}");
        }
        for text in [
            "Done.",
            "Use `read_file`",
            "```json\n{\"name\": \"arki\", \"version\": \"1\"}\n```",
            "<tool_call>{\"name\": \"other\"}</tool_call>",
            "The form is {\"name\": \"read_file\", \"arguments\": {}} and so on.",
        ] {
            assert!(!is_call_text(text, &tools), "{text}");
        }
    }
}
