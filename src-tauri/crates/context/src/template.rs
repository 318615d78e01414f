//! `{{name}}` in prompt texts.

/// Replaces every `{{name}}` that has a value; others stay as they are, so that a typing error shows in the prompt.
#[must_use]
pub fn render(template: &str, values: &[(&str, &str)]) -> String {
    let mut rendered = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start..].find("}}") else { break };
        let name = rest[start + 2..start + length].trim();
        rendered.push_str(&rest[..start]);
        match values.iter().find(|(key, _)| *key == name) {
            Some((_, value)) => rendered.push_str(value),
            None => rendered.push_str(&rest[start..start + length + 2]),
        }
        rest = &rest[start + length + 2..];
    }
    rendered.push_str(rest);
    rendered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_replaced_and_unknown_ones_stay() {
        assert_eq!(render("in {{ dir }}, {{who}} {{", &[("dir", "/x {{who}}")]), "in /x {{who}}, {{who}} {{");
    }
}
