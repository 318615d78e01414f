//! Texts with `{{input}}`, `{{params.NAME}}` and `{{steps.NAME}}`. Filled in once: what is filled in is not read again.

use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Variable(Variable),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Variable {
    Input,
    Param(String),
    Step(String),
}

/// The values that a template is filled in with.
pub(crate) struct Values<'a> {
    pub(crate) input: &'a str,
    pub(crate) params: &'a BTreeMap<String, String>,
    /// The names and outputs of the steps that this one needs.
    pub(crate) needed: &'a [(String, Arc<str>)],
}

impl Template {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(begin) = rest.find("{{") {
            let (before, after) = (&rest[..begin], &rest[begin + 2..]);
            let end = after.find("}}").ok_or("`{{` has no `}}`.")?;
            parts.push(TemplatePart::Text(before.to_owned()));
            parts.push(TemplatePart::Variable(variable(after[..end].trim())?));
            rest = &after[end + 2..];
        }
        parts.push(TemplatePart::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.0.iter().filter_map(|part| match part {
            TemplatePart::Variable(variable) => Some(variable),
            TemplatePart::Text(_) => None,
        })
    }

    pub(crate) fn names_input(&self) -> bool {
        self.variables().any(|variable| matches!(variable, Variable::Input | Variable::Step(_)))
    }

    pub(crate) fn fill(&self, values: &Values<'_>) -> String {
        let mut text = String::new();
        for part in &self.0 {
            text.push_str(match part {
                TemplatePart::Text(text) => text,
                TemplatePart::Variable(Variable::Input) => values.input,
                TemplatePart::Variable(Variable::Param(name)) => values.params.get(name).map_or("", String::as_str),
                TemplatePart::Variable(Variable::Step(name)) => {
                    values.needed.iter().find(|(known, _)| known == name).map_or("", |(_, output)| output)
                }
            });
        }
        text
    }
}

fn variable(name: &str) -> Result<Variable, String> {
    match name.split_once('.') {
        None if name == "input" => Ok(Variable::Input),
        Some(("params", param)) if !param.is_empty() => Ok(Variable::Param(param.to_owned())),
        Some(("steps", step)) if !step.is_empty() => Ok(Variable::Step(step.to_owned())),
        _ => Err(format!("Unknown variable `{{{{{name}}}}}`.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let values = Values {
            input: "{{params.lang}}",
            params: &BTreeMap::from([("lang".to_owned(), "en".to_owned())]),
            needed: &[("count".to_owned(), Arc::from("7"))],
        };
        assert_eq!(Template::parse(text).unwrap().fill(&values), expected);
    }

    #[test]
    fn what_is_filled_in_is_not_read_again() {
        check("In {{ params.lang }}: {{input}} ({{steps.count}})", "In en: {{params.lang}} (7)");
        check("no braces } { at all", "no braces } { at all");
    }

    #[test]
    fn what_is_unknown_is_an_error() {
        for text in ["{{input", "{{inputs}}", "{{params.}}", "{{env.PATH}}", "{{}}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
