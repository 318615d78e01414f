//! `{{name}}` in prompt texts.

use std::collections::BTreeSet;

/// A text with its values, and the names that have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) unknown: BTreeSet<String>,
}

/// Replaces every `{{name}}` that has a value; others stay as they are, so that a typing error shows in the prompt.
#[must_use]
pub fn render(template: &str, values: &[(&str, &str)]) -> String {
    let mut value_of = |name: &str| values.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    render_with(template, &mut value_of).text
}

/// The same with values that are looked up, each where it stands. A value isn't looked into.
pub(crate) fn render_with(template: &str, value_of: &mut dyn FnMut(&str) -> Option<String>) -> Rendered {
    let mut text = String::with_capacity(template.len());
    let mut unknown = BTreeSet::new();
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start..].find("}}") else { break };
        let name = rest[start + 2..start + length].trim();
        text.push_str(&rest[..start]);
        match value_of(name) {
            Some(value) => text.push_str(&value),
            None => {
                unknown.insert(name.to_owned());
                text.push_str(&rest[start..start + length + 2]);
            }
        }
        rest = &rest[start + length + 2..];
    }
    text.push_str(rest);
    Rendered { text, unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_replaced_and_unknown_ones_stay() {
        assert_eq!(render("in {{ dir }}, {{who}} {{", &[("dir", "/x {{who}}")]), "in /x {{who}}, {{who}} {{");
    }

    #[test]
    fn names_without_a_value_are_told() {
        let rendered = render_with("{{a}} {{b}} {{a}}", &mut |name| (name == "b").then(String::new));
        assert_eq!(rendered.unknown, BTreeSet::from(["a".to_owned()]));
    }
}
