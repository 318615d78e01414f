//! The configuration that the first start writes, and what of an earlier one nobody chose.

use std::borrow::Cow;

pub const USER_TEMPLATE: &str = include_str!("template.jsonc");

/// The categories as templates wrote them before there was `review`.
const FIRST_CATEGORIES: &str =
    r#""categories": { "read": "allow", "write": "preview", "exec": "approval", "network": "approval" }"#;
const FIRST_EXEC: &str = r#""exec": "approval", "#;

/// Returns whether the decision on commands stands as the first template wrote it.
#[must_use]
pub fn has_first_exec(text: &str) -> bool {
    text.contains(FIRST_CATEGORIES)
}

/// The text of the user's configuration with spaces for that decision: nobody chose it, so it counts as unset.
#[must_use]
pub fn without_first_exec(text: &str) -> Cow<'_, str> {
    if !has_first_exec(text) {
        return Cow::Borrowed(text);
    }
    let blank = " ".repeat(FIRST_EXEC.len());
    Cow::Owned(text.replace(FIRST_CATEGORIES, &FIRST_CATEGORIES.replace(FIRST_EXEC, &blank)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, ReadConfig, parse, shown};
    use arki_domain::{Category, Decision};
    use std::path::Path;

    fn exec_of(text: &str) -> Decision {
        let path = Path::new("config.json");
        let file = parse(&without_first_exec(text), path).unwrap();
        Config::merge(ReadConfig::of(&file, path), None).unwrap().policy.categories[&Category::Exec]
    }

    #[test]
    fn what_the_first_template_said_of_commands_counts_as_unset_as_long_as_it_stands_so() {
        let first = format!("{{ // mine\n \"policy\": {{ {FIRST_CATEGORIES}, \"rules\": [] }} }}");
        assert_eq!(exec_of(&first), Decision::Review);
        assert_eq!(exec_of(USER_TEMPLATE), Decision::Review);
        assert_eq!(without_first_exec(&first).len(), first.len(), "places in errors stay");
        let text = without_first_exec(&first);
        let shown = shown(&[("user".to_owned(), &text)]).unwrap();
        let origin = |key: &str| shown.values.iter().find(|value| value.key == key).unwrap().origin.clone();
        assert_eq!(
            (origin("policy.categories.exec").as_str(), &*origin("policy.categories.read")),
            ("default", "user")
        );
    }

    #[test]
    fn what_the_user_wrote_counts() {
        for categories in [
            r#""categories": { "exec": "approval" }"#,
            r#""categories": { "read": "allow", "write": "preview", "network": "approval", "exec": "approval" }"#,
            r#""categories": { "read": "allow", "write": "allow", "exec": "approval", "network": "approval" }"#,
            &format!("// {FIRST_CATEGORIES}\n\"categories\": {{\"exec\": \"approval\"}}"),
        ] {
            assert_eq!(exec_of(&format!("{{\"policy\": {{ {categories} }}}}")), Decision::Approval, "{categories}");
        }
    }
}
