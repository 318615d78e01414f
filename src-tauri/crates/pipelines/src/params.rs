//! Parameters: values that a run is started with. They reach commands as environment variables only, never as a part of
//! the line; so their names are bounded to those that steer nothing.

use crate::problem::did_you_mean;
use arki_domain::{Code, Error, steers_programs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

const MAX_NAME_BYTES: usize = 64;
const MAX_VALUE_BYTES: usize = 32 << 10;
const MAX_PARAMS: usize = 100;
const MAX_TOTAL_BYTES: usize = 128 << 10;

/// A parameter, as a definition declares it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ParamFile {
    #[serde(rename = "type")]
    pub(crate) kind: ParamKind,
    /// The default; without one, a value has to be given.
    pub(crate) default: Option<Value>,
    pub(crate) description: String,
    /// The values that it can have.
    pub(crate) choices: Vec<Value>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParamKind {
    #[default]
    String,
    Integer,
    Number,
    /// `true` or `false`.
    Boolean,
}

impl ParamKind {
    /// The word of definitions.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    fn fits(self, value: &str) -> bool {
        match self {
            Self::String => true,
            Self::Integer => value.parse::<i64>().is_ok(),
            Self::Number => value.parse::<f64>().is_ok_and(f64::is_finite),
            Self::Boolean => matches!(value, "true" | "false"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub kind: ParamKind,
    pub default: Option<String>,
    pub description: String,
    pub choices: Vec<String>,
}

impl Param {
    /// # Errors
    /// `PIPELINE_INVALID`, where the name could steer a program or the default doesn't fit.
    pub(crate) fn read(name: &str, file: ParamFile) -> Result<Self, Error> {
        let ParamFile { kind, default, description, choices } = file;
        ensure_usable_name(name)?;
        let choices: Vec<String> = choices.iter().map(as_text).collect();
        let param = Self { name: name.to_owned(), kind, default: default.as_ref().map(as_text), description, choices };
        if let Some(default) = &param.default {
            param.ensure_fits(default)?;
        }
        Ok(param)
    }

    fn ensure_fits(&self, value: &str) -> Result<(), Error> {
        let name = &self.name;
        if !self.kind.fits(value) {
            let hint = format!("Its type is {}.", self.kind.as_str());
            return Err(invalid(format!("The parameter `{name}` can't be {value:?}."), hint));
        }
        if !self.choices.is_empty() && !self.choices.iter().any(|choice| choice == value) {
            let hint = format!("Use one of: {}.", self.choices.join(", "));
            return Err(invalid(format!("The parameter `{name}` can't be {value:?}."), hint));
        }
        Ok(())
    }
}

/// Returns the values that a run begins with. Where the definition declares no parameters, any are taken, as texts.
///
/// # Errors
/// `USAGE` for a value that is missing, unknown, doesn't fit, or could steer a program.
pub fn values(declared: &[Param], given: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Error> {
    let as_usage = |fault: Error| Error { code: Code::USAGE.0.to_owned(), ..fault };
    for (name, value) in given {
        ensure_usable_name(name).map_err(as_usage)?;
        ensure_usable_value(name, value)?;
        match declared.iter().find(|param| param.name == *name) {
            Some(param) => param.ensure_fits(value).map_err(as_usage)?,
            None if declared.is_empty() => {}
            None => {
                let hint = did_you_mean(name, declared.iter().map(|param| param.name.as_str()));
                return Err(usage(format!("The pipeline has no parameter `{name}`."), hint));
            }
        }
    }
    let mut values = given.clone();
    for param in declared.iter().filter(|param| !given.contains_key(&param.name)) {
        let Some(default) = &param.default else {
            let hint = format!("Give it with `--param {}=VALUE`.", param.name);
            return Err(usage(format!("The parameter `{}` has no value.", param.name), hint));
        };
        values.insert(param.name.clone(), default.clone());
    }
    let total: usize = values.iter().map(|(name, value)| name.len() + value.len()).sum();
    if values.len() > MAX_PARAMS || total > MAX_TOTAL_BYTES {
        let words = format!(
            "There are more than {MAX_PARAMS} parameters, or they are longer than {} KiB.",
            MAX_TOTAL_BYTES >> 10
        );
        return Err(usage(words, "Pass long texts with `--input`."));
    }
    Ok(values)
}

/// # Errors
/// `PIPELINE_INVALID`, for what is no name and for one that steers programs.
pub(crate) fn ensure_usable_name(name: &str) -> Result<(), Error> {
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_later = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let has_form = name.bytes().next().is_some_and(is_first) && name.bytes().all(is_later);
    if !has_form || name.len() > MAX_NAME_BYTES {
        let words = format!("{name:?} can't be the name of a parameter.");
        return Err(invalid(words, format!("Use up to {MAX_NAME_BYTES} letters, digits and `_`, no digit first.")));
    }
    if steers_programs(name) {
        let words = format!("A parameter can't be called {name:?}: a variable of this name changes what programs do.");
        return Err(invalid(words, "Choose another name."));
    }
    Ok(())
}

fn ensure_usable_value(name: &str, value: &str) -> Result<(), Error> {
    if value.contains('\0') {
        return Err(usage(format!("The parameter `{name}` contains a null character."), "Leave it out."));
    }
    if value.len() > MAX_VALUE_BYTES {
        let words = format!("The parameter `{name}` is longer than {} KiB.", MAX_VALUE_BYTES >> 10);
        return Err(usage(words, "Pass long texts with `--input`."));
    }
    Ok(())
}

/// A value of YAML as the text that a command gets.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn invalid(message: String, hint: impl Into<String>) -> Error {
    Error::new(Code::PIPELINE_INVALID, message, hint)
}

fn usage(message: String, hint: impl Into<String>) -> Error {
    Error::new(Code::USAGE, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(kind: ParamKind, default: Option<&str>, choices: &[&str]) -> Param {
        let choices = choices.iter().map(|&choice| choice.to_owned()).collect();
        Param { name: "p".into(), kind, default: default.map(str::to_owned), description: String::new(), choices }
    }

    fn given(name: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn values_fit_their_types_and_defaults_fill_in() {
        for (kind, good, bad) in
            [(ParamKind::Integer, "-3", "3.5"), (ParamKind::Number, "3.5", "NaN"), (ParamKind::Boolean, "true", "yes")]
        {
            assert_eq!(values(&[param(kind, None, &[])], &given("p", good)).unwrap()["p"], good);
            assert!(values(&[param(kind, None, &[])], &given("p", bad)).unwrap_err().is(Code::USAGE), "{bad}");
        }
        assert_eq!(values(&[param(ParamKind::String, Some("en"), &[])], &BTreeMap::new()).unwrap()["p"], "en");
        let choice = [param(ParamKind::String, None, &["a", "b"])];
        assert!(values(&choice, &given("p", "c")).unwrap_err().hint.contains("a, b"));
        assert!(values(&choice, &BTreeMap::new()).unwrap_err().hint.contains("--param p=VALUE"));
        assert!(values(&choice, &given("other", "a")).unwrap_err().hint.contains("Use one of: p"));
    }

    #[test]
    fn where_none_are_declared_any_are_taken() {
        assert_eq!(values(&[], &given("WHO", "world; rm -rf /")).unwrap()["WHO"], "world; rm -rf /");
    }

    #[test]
    fn a_name_that_steers_programs_is_refused() {
        for name in ["PATH", "http_proxy", "GIT_DIR", "RUSTC_WORKSPACE_WRAPPER", "SSH_AUTH_SOCK", "LESSOPEN"] {
            let fault = values(&[], &given(name, "x")).unwrap_err();
            assert!(fault.message.contains(name) && fault.hint == "Choose another name.", "{fault:?}");
        }
        for name in ["", "1a", "a-b", "a=b", "ä"] {
            assert!(values(&[], &given(name, "x")).is_err(), "{name:?}");
        }
        assert!(values(&[], &given("a", "x\0y")).is_err());
        assert!(values(&[], &given("a", &"x".repeat(MAX_VALUE_BYTES + 1))).is_err());
    }
}
