//! The user's own redaction rules, `policy.redactionRules`.

use arki_redaction::{RedactionRule, check_redaction_rules};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// One rule: what matches its pattern is redacted like any other secret.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("examples" = [{ "name": "customer", "pattern": "CU-[0-9]{6}" }]))]
pub(crate) struct RedactionRuleKeys {
    /// The name in the placeholder: letters, digits, "-", "_" and ".".
    name: String,
    /// A regular expression (Rust's syntax), matched within each line.
    pattern: String,
    /// The text in the secret's place; if absent, `[secret:NAME#TAG]`, which tools can put back.
    replacement: Option<String>,
}

/// Checked one by one, so that an error has its place.
#[derive(Deserialize)]
#[serde(try_from = "RedactionRuleKeys")]
struct CheckedRule(RedactionRule);

impl TryFrom<RedactionRuleKeys> for CheckedRule {
    type Error = String;

    fn try_from(keys: RedactionRuleKeys) -> Result<Self, String> {
        let RedactionRuleKeys { name, pattern, replacement } = keys;
        let rule = RedactionRule { name, pattern, replacement };
        rule.check().map(|()| Self(rule))
    }
}

pub(crate) fn checked_rules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RedactionRule>, D::Error> {
    let checked = Vec::<CheckedRule>::deserialize(deserializer)?;
    let rules: Vec<RedactionRule> = checked.into_iter().map(|CheckedRule(rule)| rule).collect();
    check_redaction_rules(&rules).map_err(D::Error::custom)?;
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use crate::{Config, parse};
    use std::path::Path;

    #[test]
    fn a_rule_that_cannot_work_is_an_error_with_its_place() {
        let wrong = |rules: &str| {
            let text = format!("{{\n  \"policy\": {{\"redactionRules\": {rules}}}}}");
            parse(&text, Path::new("config.json")).unwrap_err()
        };
        for (rules, place, why) in [
            (r#"[{"name": "a", "pattern": "x"}, {"name": "b", "pattern": "("}]"#, "[1]\" (line 2", "unclosed group"),
            (r#"[{"name": "b", "pattern": "x*"}]"#, "[0]\" (line 2", "empty text"),
            (r#"[{"name": "a", "pattern": "x"}, {"name": "a", "pattern": "y"}]"#, "\" (line 2", "two rules"),
            (r#"[{"name": "a"}]"#, "[0]\" (line 2", "`pattern` is missing"),
        ] {
            let fault = wrong(rules);
            assert_eq!(fault.code, "CONFIG_INVALID");
            let says = |words: &str| fault.message.contains(words);
            assert!(says(&format!("\"policy.redactionRules{place}")) && says(why), "{fault:?}");
            assert!(!fault.hint.is_empty());
        }
        assert_eq!(wrong(r#"[{"name": "a", "patern": "x"}]"#).code, "CONFIG_UNKNOWN_KEY");
    }

    #[test]
    fn a_project_may_not_have_any() {
        let path = Path::new("config.json");
        let rules = r#"{"policy": {"redactionRules": [{"name": "a", "pattern": "x"}]}}"#;
        let (user, project) = (parse("{}", path).unwrap(), parse(rules, path).unwrap());
        let fault =
            Config::merge(crate::ReadConfig::of(&user, path), Some(crate::ReadConfig::of(&project, path))).unwrap_err();
        assert!(fault.code == "CONFIG_INVALID" && fault.message.contains("policy.redactionRules"), "{fault:?}");
        assert!(Config::merge(crate::ReadConfig::of(&project, path), None).is_ok());
    }
}
