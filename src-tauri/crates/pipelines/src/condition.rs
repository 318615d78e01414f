//! `when`: whether a step runs. Data, no expressions: what it looks at and what that has to be.

use crate::params::{Param, as_text};
use crate::problem::did_you_mean;
use crate::template::Values;
use arki_domain::{Code, Error};
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const MAX_DEPTH: usize = 8;
/// The largest size of a compiled pattern, in bytes, so that none takes the machine's memory.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// A condition, as a definition has it: what it looks at, and one test.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ConditionFile {
    /// Looks at a parameter.
    param: Option<String>,
    /// Looks at the output of a step that this one needs. Without `param` and `step` it looks at the input.
    step: Option<String>,
    /// JSON Pointer (`/a/0`) into what it looks at, which is then read as JSON.
    pointer: Option<String>,
    /// Holds if it is this text; spaces and newlines around it don't count.
    equals: Option<Value>,
    not_equals: Option<Value>,
    contains: Option<String>,
    /// Regular expression that has to match somewhere.
    matches: Option<String>,
    /// Holds if there is nothing but spaces and newlines; `false`: if there is more.
    empty: Option<bool>,
    /// Holds if all of them do.
    all: Option<Vec<ConditionFile>>,
    /// Holds if one of them does.
    any: Option<Vec<ConditionFile>>,
    not: Option<Box<ConditionFile>>,
}

#[derive(Debug, Clone)]
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Test { subject: ConditionSubject, pointer: Option<String>, test: Test },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionSubject {
    Input,
    Param(String),
    Step(String),
}

#[derive(Debug, Clone)]
pub enum Test {
    Equals(String),
    Contains(String),
    Matches(Regex),
    Empty,
}

impl Condition {
    /// # Errors
    /// `PIPELINE_INVALID`, where it tests nothing, too much, or something that isn't there.
    pub(crate) fn read(file: ConditionFile, needs: &[&str], params: &[Param]) -> Result<Self, Error> {
        read(file, needs, params, MAX_DEPTH)
    }

    pub(crate) fn holds(&self, values: &Values<'_>) -> bool {
        match self {
            Self::All(all) => all.iter().all(|one| one.holds(values)),
            Self::Any(any) => any.iter().any(|one| one.holds(values)),
            Self::Not(one) => !one.holds(values),
            Self::Test { subject, pointer, test } => {
                let seen = match subject {
                    ConditionSubject::Input => values.input,
                    ConditionSubject::Param(name) => values.params.get(name).map_or("", String::as_str),
                    ConditionSubject::Step(name) => {
                        values.needed.iter().find(|(known, _)| known == name).map_or("", |(_, output)| output)
                    }
                };
                match pointer {
                    Some(pointer) => test.holds(&at(seen, pointer)),
                    None => test.holds(seen),
                }
            }
        }
    }
}

/// Returns the value at a JSON pointer as text; empty if there is none.
fn at(text: &str, pointer: &str) -> String {
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    json.pointer(pointer).map(as_text).unwrap_or_default()
}

impl Test {
    fn holds(&self, seen: &str) -> bool {
        match self {
            Self::Equals(text) => seen.trim() == text.trim(),
            Self::Contains(text) => seen.contains(text.as_str()),
            Self::Matches(pattern) => pattern.is_match(seen.trim_end()),
            Self::Empty => seen.trim().is_empty(),
        }
    }
}

fn read(file: ConditionFile, needs: &[&str], params: &[Param], depth: usize) -> Result<Condition, Error> {
    let Some(depth) = depth.checked_sub(1) else { return Err(invalid("`when` is nested too deeply.")) };
    let ConditionFile { param, step, pointer, equals, not_equals, contains, matches, empty, all, any, not } = file;
    let below = |files: Vec<ConditionFile>| {
        files.into_iter().map(|file| read(file, needs, params, depth)).collect::<Result<Vec<_>, _>>()
    };
    let looks = param.is_some() || step.is_some() || pointer.is_some();
    let mut found = Vec::new();
    found.extend(all.map(below).transpose()?.map(Condition::All));
    found.extend(any.map(below).transpose()?.map(Condition::Any));
    found.extend(not.map(|one| read(*one, needs, params, depth)).transpose()?.map(|one| Condition::Not(Box::new(one))));
    if looks && !found.is_empty() {
        return Err(invalid("`when` either tests one thing, or joins conditions with `all`, `any` or `not`."));
    }
    let subject = subject(param, step, needs, params)?;
    let pattern = matches.map(|text| pattern(&text)).transpose()?;
    let holds = |test| Condition::Test { subject: subject.clone(), pointer: pointer.clone(), test };
    let otherwise = |test| Condition::Not(Box::new(holds(test)));
    let tests = [
        equals.map(|value| holds(Test::Equals(as_text(&value)))),
        not_equals.map(|value| otherwise(Test::Equals(as_text(&value)))),
        contains.map(|text| holds(Test::Contains(text))),
        pattern.map(|pattern| holds(Test::Matches(pattern))),
        empty.map(|is_empty| if is_empty { holds(Test::Empty) } else { otherwise(Test::Empty) }),
    ];
    found.extend(tests.into_iter().flatten());
    match found.pop() {
        Some(one) if found.is_empty() => Ok(one),
        Some(_) => Err(invalid("`when` takes one test; join several with `all` or `any`.")),
        None => Err(invalid("`when` tests nothing.")),
    }
}

fn subject(
    param: Option<String>,
    step: Option<String>,
    needs: &[&str],
    params: &[Param],
) -> Result<ConditionSubject, Error> {
    match (param, step) {
        (Some(_), Some(_)) => Err(invalid("`when` looks at a parameter or at a step, not at both.")),
        (Some(name), None) if params.iter().any(|param| param.name == name) => Ok(ConditionSubject::Param(name)),
        (Some(name), None) => {
            let hint = did_you_mean(&name, params.iter().map(|param| param.name.as_str()));
            Err(Error::new(Code::PIPELINE_INVALID, format!("There is no parameter {name:?}."), hint))
        }
        (None, Some(name)) if needs.contains(&name.as_str()) => Ok(ConditionSubject::Step(name)),
        (None, Some(name)) => {
            let words = format!("`when` looks at {name:?}, which this step doesn't need.");
            Err(Error::new(Code::PIPELINE_INVALID, words, "Add it to `needs`."))
        }
        (None, None) => Ok(ConditionSubject::Input),
    }
}

fn pattern(text: &str) -> Result<Regex, Error> {
    let built = regex::RegexBuilder::new(text).size_limit(MAX_PATTERN_BYTES).build();
    built.map_err(|_| invalid(&format!("`matches` isn't a valid regular expression: {text:?}.")))
}

fn invalid(message: &str) -> Error {
    Error::new(Code::PIPELINE_INVALID, message, "For example: `when: {param: publish, equals: true}`.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn read_json(json: Value) -> Result<Condition, Error> {
        let param = Param {
            name: "lang".into(),
            kind: crate::params::ParamKind::String,
            default: None,
            description: String::new(),
            choices: Vec::new(),
        };
        Condition::read(serde_json::from_value(json).unwrap(), &["count"], &[param])
    }

    #[track_caller]
    fn check(json: &Value, holds: bool) {
        let values = Values {
            input: "{\"ok\": true, \"list\": [3]}\n",
            params: &BTreeMap::from([("lang".to_owned(), "de".to_owned())]),
            needed: &[("count".to_owned(), Arc::from("12\n"))],
        };
        assert_eq!(read_json(json.clone()).unwrap().holds(&values), holds, "{json}");
    }

    #[test]
    fn each_test_sees_what_it_is_told_to() {
        check(&json!({"param": "lang", "equals": "de"}), true);
        check(&json!({"param": "lang", "not_equals": "de"}), false);
        check(&json!({"step": "count", "equals": 12}), true);
        check(&json!({"step": "count", "matches": "^[0-9]+$"}), true);
        check(&json!({"contains": "list"}), true);
        check(&json!({"empty": true}), false);
        check(&json!({"empty": false}), true);
        check(&json!({"pointer": "/ok", "equals": true}), true);
        check(&json!({"pointer": "/list/0", "equals": 3}), true);
        check(&json!({"pointer": "/none", "empty": true}), true);
        check(&json!({"all": [{"empty": false}, {"not": {"step": "count", "equals": "0"}}]}), true);
        check(&json!({"any": [{"empty": true}, {"param": "lang", "equals": "en"}]}), false);
    }

    #[test]
    fn what_tests_nothing_or_something_unknown_is_an_error() {
        for json in [
            json!({}),
            json!({"param": "lang"}),
            json!({"param": "lnag", "equals": "de"}),
            json!({"step": "other", "empty": true}),
            json!({"equals": "a", "contains": "b"}),
            json!({"param": "lang", "step": "count", "equals": "x"}),
            json!({"matches": "("}),
            json!({"param": "lang", "all": []}),
        ] {
            assert!(read_json(json.clone()).is_err(), "{json}");
        }
    }
}
