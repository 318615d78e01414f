//! Changing values of the user's `config.json` by their keys; comments and everything else stay.

use crate::Accounts;
use crate::accounts::user_config::{input, set};
use arki_api::SettingChange;
use arki_config::{Config, ConfigFile, key_path, no_key};
use arki_domain::{Code, Error};
use arki_redaction::Redactor;
use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstLeafNode, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;
use std::collections::BTreeSet;

/// One change of the file, with what the file has to have before.
struct KeyEdit {
    key: String,
    place: KeyPlace,
    /// `None` removes what is there.
    value: Option<Value>,
    was: Option<Value>,
}

/// A key's place: the names down to it, and the item where it is one of a list's.
struct KeyPlace {
    names: Vec<String>,
    item: Option<ListItem>,
}

enum ListItem {
    /// The place of an item, from 0.
    At(usize),
    /// The place after the last item.
    New,
}

impl Accounts {
    /// Sets `key`, such as `limits.maxTurns`, to `text`: JSON, or else a string as it stands. A name with a dot in it
    /// stands in double quotes; `policy.secretFiles[0]` is an item of a list, `policy.secretFiles[]` a new one.
    ///
    /// # Errors
    /// `USAGE` for a key that is none, `CONFIG_UNKNOWN_KEY` for one that there isn't, `CONFIG_INVALID` for what may not
    /// stand there, such as a model that no run could begin with; then the file is as it was.
    pub fn set_config(&self, key: &str, text: &str) -> Result<(), Error> {
        let value: Value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        let is_text = value.is_string();
        let edit = |value| KeyEdit::new(key, Some(value), None);
        let put = self.edit_values(&[edit(value)?]);
        if put.is_ok() || is_text || put.as_ref().is_err_and(|fault| fault.is(Code::CONFIG_UNKNOWN_KEY)) {
            return put;
        }
        // "5" where a string is wanted, such as a model's name that is a number.
        self.edit_values(&[edit(Value::String(text.to_owned()))?]).or(put)
    }

    /// Removes `key` from the file, so that its default holds; or an item of a list.
    ///
    /// # Errors
    /// As of [`Self::set_config`], and `CONFIG_UNKNOWN_KEY` where the file doesn't have the key.
    pub fn unset_config(&self, key: &str) -> Result<(), Error> {
        self.edit_values(&[KeyEdit::new(key, None, None)?])
    }

    /// Makes all of the changes, or none.
    ///
    /// # Errors
    /// As of [`Self::set_config`] and [`Self::unset_config`], `USAGE` where `was` isn't JSON, and `CONFIG_CHANGED` where
    /// the file has another value than `was` says; then the file is as it was.
    pub fn change_config(&self, changes: &[SettingChange]) -> Result<(), Error> {
        let edit = |SettingChange { key, text, was }: &SettingChange| {
            let no_json = |_| Error::new(Code::USAGE, format!("The former value of {key} is not JSON."), "");
            let was = was.as_deref().map(serde_json::from_str).transpose().map_err(no_json)?;
            let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
            KeyEdit::new(key, text.as_deref().map(value), was)
        };
        self.edit_values(&changes.iter().map(edit).collect::<Result<Vec<_>, _>>()?)
    }

    fn edit_values(&self, edits: &[KeyEdit]) -> Result<(), Error> {
        let make = |root: &CstRootNode| {
            if edits.iter().any(|edit| edit.key.trim_start().starts_with("policy.categories")) {
                drop_first_exec(root);
            }
            edits.iter().try_for_each(|edit| {
                edit.ensure_as_shown(root, &self.redactor)?;
                edit.make(root)
            })
        };
        self.edit_config_checked(make, |edited| self.ensure_models_known(edited))
    }

    /// Checks the models that an edited text names and the file doesn't: those that were there before are no fault of
    /// the edit. A provider may know more models than Arki does.
    fn ensure_models_known(&self, edited: &str) -> Result<(), Error> {
        let path = self.directories.config_file();
        let file = arki_config::parse(edited, &path)?;
        let providers = self.providers(&Config::merge(arki_config::ReadConfig::of(&file, &path), None)?);
        let before = self.user_file().map(|file| named_models(&file)).unwrap_or_default();
        named_models(&file).difference(&before).try_for_each(|(key, model)| match providers.model(model) {
            Ok(_) => Ok(()),
            Err(Error { message, hint, .. }) => {
                Err(Error::new(Code::CONFIG_INVALID, format!("\"{key}\": {message}"), hint))
            }
        })
    }
}

/// Removes what counts as unset, so that the same value counts when somebody sets it.
fn drop_first_exec(root: &CstRootNode) {
    let of = |object: CstObject, name: &str| object.object_value(name);
    let categories = root.object_value().and_then(|root| of(of(root, "policy")?, "categories"));
    let exec = categories.and_then(|categories| categories.get("exec"));
    if let Some(exec) = exec.filter(|_| arki_config::has_first_exec(&root.to_string())) {
        exec.remove();
    }
}

/// The models that a file names, each with its key.
fn named_models(file: &ConfigFile) -> BTreeSet<(String, String)> {
    let agents = file.agents.iter().map(|(name, agent)| (format!("agents.{name}.model"), &agent.model));
    let all = agents.chain([("compaction.model".to_owned(), &file.compaction.model)]);
    all.filter_map(|(key, model)| Some((key, model.clone()?))).collect()
}

impl KeyEdit {
    fn new(key: &str, value: Option<Value>, was: Option<Value>) -> Result<Self, Error> {
        let place = KeyPlace::of(key)?;
        if let Some(value) = &value {
            let value = if place.item.is_some() { Value::Array(vec![value.clone()]) } else { value.clone() };
            arki_config::ensure_known(&place.names, &value)?;
        }
        Ok(Self { key: key.to_owned(), place, value, was })
    }

    /// # Errors
    /// `CONFIG_CHANGED`. Values are compared as they are shown, without secrets.
    fn ensure_as_shown(&self, root: &CstRootNode, redactor: &Redactor) -> Result<(), Error> {
        let Some(was) = &self.was else { return Ok(()) };
        let is = self.place.found(root).unwrap_or_default();
        if is_same(&redactor.redact_json(is), was) {
            return Ok(());
        }
        let message = format!("Your configuration was changed meanwhile: {} isn't as it was shown.", self.key);
        Err(Error::new(Code::CONFIG_CHANGED, message, "Look at it as it is now, and change it again."))
    }

    fn make(&self, root: &CstRootNode) -> Result<(), Error> {
        let KeyPlace { names, item } = &self.place;
        let Some((name, folders)) = names.split_last() else { return Ok(()) };
        let Some(value) = &self.value else { return self.remove(root) };
        let folder = |object: CstObject, name: &String| object.object_value_or_set(name);
        let object = folders.iter().fold(root.object_value_or_set(), folder);
        match (item, object.get(name)) {
            (None, _) => set(&object, name, input(value)),
            (Some(ListItem::New), _) => drop(object.array_value_or_set(name).append(input(value))),
            (Some(ListItem::At(index)), property) => {
                let list = property.and_then(|property| property.array_value());
                let node = list.and_then(|list| list.elements().into_iter().nth(*index));
                replace(node.ok_or_else(|| self.missing())?, input(value));
            }
        }
        Ok(())
    }

    fn remove(&self, root: &CstRootNode) -> Result<(), Error> {
        let KeyPlace { names, item } = &self.place;
        let property = self.place.property(root);
        match item {
            None => property.map(|property| property.remove()),
            Some(ListItem::New) => None,
            Some(ListItem::At(index)) => {
                let list = property.and_then(|property| property.array_value());
                list.and_then(|list| list.elements().into_iter().nth(*index)).map(|node| node.remove())
            }
        }
        .ok_or_else(|| match arki_config::ensure_known(names, &Value::Null) {
            Err(unknown) => unknown,
            Ok(()) => self.missing(),
        })
    }

    fn missing(&self) -> Error {
        let message = format!("Your configuration doesn't set {}.", self.key);
        Error::new(Code::CONFIG_UNKNOWN_KEY, message, "`arki config show --origin` lists what each file sets.")
    }
}

impl KeyPlace {
    fn of(key: &str) -> Result<Self, Error> {
        let key = key.trim();
        // A bracket in a name stands in quotes.
        let Some((list, index)) = key.strip_suffix(']').and_then(|key| key.rsplit_once('[')) else {
            return Ok(Self { names: key_path(key)?, item: None });
        };
        let item = match index.parse() {
            Ok(index) => ListItem::At(index),
            Err(_) if index.is_empty() => ListItem::New,
            Err(_) => return Err(no_key(key)),
        };
        Ok(Self { names: key_path(list)?, item: Some(item) })
    }

    fn property(&self, root: &CstRootNode) -> Option<CstObjectProp> {
        let (name, folders) = self.names.split_last()?;
        let parent = folders.iter().try_fold(root.object_value()?, |object, name| object.object_value(name));
        parent?.get(name)
    }

    /// The value that stands there.
    fn found(&self, root: &CstRootNode) -> Option<Value> {
        let text = self.property(root)?.value()?.to_string();
        let value: Value = jsonc_parser::parse_to_serde_value(&text, &Default::default()).ok()?;
        match self.item {
            None => Some(value),
            Some(ListItem::At(index)) => value.get(index).cloned(),
            Some(ListItem::New) => None,
        }
    }
}

fn replace(node: CstNode, value: CstInputValue) {
    match node {
        CstNode::Container(container) => match container {
            CstContainerNode::Array(array) => drop(array.replace_with(value)),
            CstContainerNode::Object(object) => drop(object.replace_with(value)),
            CstContainerNode::Root(_) | CstContainerNode::ObjectProp(_) => {}
        },
        CstNode::Leaf(leaf) => match leaf {
            CstLeafNode::BooleanLit(node) => drop(node.replace_with(value)),
            CstLeafNode::NullKeyword(node) => drop(node.replace_with(value)),
            CstLeafNode::NumberLit(node) => drop(node.replace_with(value)),
            CstLeafNode::StringLit(node) => drop(node.replace_with(value)),
            CstLeafNode::WordLit(node) => drop(node.replace_with(value)),
            CstLeafNode::Token(_) | CstLeafNode::Whitespace(_) | CstLeafNode::Newline(_) | CstLeafNode::Comment(_) => {}
        },
    }
}

/// Compares two values as JSON readers do, for whom 1 and 1.0 are equal.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_in = |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(is_in)
        }
        _ => one == other,
    }
}
