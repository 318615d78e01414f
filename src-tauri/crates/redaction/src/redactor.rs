//! The redactor: every secret that is known so far, and what replaces them.

#[cfg(test)]
mod assignment_tests;
#[cfg(test)]
mod command_tests;
mod encoded;
mod formats;
mod known;
mod placeholder;
mod rules;
mod sampled;
mod scan;
mod span;

pub(crate) use known::KnownSecrets;
use rules::RedactionRules;
use scan::{Scan, scan};
use serde_json::Value;
use span::SecretSpan;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};
use zeroize::Zeroizing;

pub use known::KnownSecret;
pub use placeholder::PlaceholderKey;
pub use rules::{RedactionRule, check_redaction_rules};
pub(crate) use scan::LOOK_BACK_BYTES;

/// Shorter values are not redacted: they would mangle ordinary text.
const SHORTEST_SECRET: usize = 8;
/// Longer ones are found by what is in them, or not at all.
const LONGEST_SECRET: usize = 16 << 10;
/// More values than these are not searched for.
const MAX_KNOWN: usize = 2000;
/// The number of recognised values kept; the rest is left for those that are known for sure.
const MAX_LEARNT: usize = MAX_KNOWN / 2;
/// More secrets than these are replaced, but cannot be put back.
const MAX_REMEMBERED: usize = 20_000;

/// Every secret that is known so far. Clones share them.
#[derive(Clone)]
pub struct Redactor {
    inner: Arc<Inner>,
}

struct Inner {
    key: PlaceholderKey,
    known: RwLock<Arc<KnownSecrets>>,
    /// The secrets by the tags of their placeholders.
    remembered: RwLock<HashMap<String, Arc<KnownSecret>>>,
}

/// A value that is a secret wherever it stands.
#[derive(Clone)]
pub struct SecretValue {
    pub name: String,
    pub value: Zeroizing<String>,
    /// Only where it is no part of a longer word: for values that are short.
    pub whole_word: bool,
}

/// A placeholder in something that is to be carried out.
#[derive(Debug, Clone)]
pub struct PlaceholderUse {
    pub text: String,
    /// Tells an exact placeholder from one that only looks like it, and was perhaps meant to be one.
    pub is_exact: bool,
    /// `None`: it stands for nothing that is known.
    pub secret: Option<Arc<KnownSecret>>,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new(PlaceholderKey::random())
    }
}

impl Redactor {
    #[must_use]
    pub fn new(key: PlaceholderKey) -> Self {
        Self { inner: Arc::new(Inner { key, known: RwLock::default(), remembered: RwLock::default() }) }
    }

    /// A key of Arki's own: from now on a placeholder with this name stands in the place of `value`, wherever it is.
    pub fn add(&self, name: &str, value: &str) {
        let value = value.trim();
        if value.len() >= SHORTEST_SECRET {
            let value = Zeroizing::new(value.to_owned());
            self.know(vec![SecretValue { name: name.to_owned(), value, whole_word: false }], true, MAX_KNOWN);
        }
    }

    /// The same for several values that are not keys of Arki's own and have been judged before.
    pub fn add_all(&self, values: Vec<SecretValue>) {
        self.know(values, false, MAX_KNOWN);
    }

    /// Adds values while fewer than `most` are known, each with its encoded forms.
    fn know(&self, values: Vec<SecretValue>, is_key: bool, most: usize) {
        let mut known = self.inner.known.write().unwrap_or_else(PoisonError::into_inner);
        let mut room = most.saturating_sub(known.len());
        let mut fresh: HashMap<String, Arc<KnownSecret>> = HashMap::new();
        for SecretValue { name, value, whole_word } in values {
            let tag = self.inner.key.tag(&value);
            let is_new = !known.has(&value) && !fresh.contains_key(&tag);
            if room == 0 || !is_new || value.is_empty() || value.len() > LONGEST_SECRET {
                continue;
            }
            room -= 1;
            let forms = encoded::forms(&value).into_iter().map(|(form, text)| (format!("{name}.{form}"), text, true));
            for (name, value, is_encoded) in std::iter::once((name.clone(), value, false)).chain(forms) {
                let tag = self.inner.key.tag(&value);
                if !known.has(&value) && !fresh.contains_key(&tag) {
                    let placeholder = placeholder::written(&name, &tag);
                    // Nothing ordinary looks like an encoded form, also within a word.
                    let whole_word = whole_word && !is_encoded;
                    let secret = KnownSecret { name, value, placeholder, whole_word, is_key, is_encoded };
                    fresh.insert(tag, Arc::new(secret));
                }
            }
        }
        if !fresh.is_empty() {
            fresh.iter().for_each(|(tag, secret)| self.remember(tag.clone(), secret.clone()));
            *known = Arc::new(known.with(fresh.into_values().collect()));
        }
    }

    /// Returns whether the user has rules of their own.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        !self.known().rules.are(&[])
    }

    /// Looks for what these rules match, and for nothing that earlier ones did. Rules that were not checked are ignored.
    pub fn set_rules(&self, rules: Vec<RedactionRule>) {
        if self.known().rules.are(&rules) {
            return;
        }
        if let Ok(rules) = RedactionRules::new(rules) {
            let mut known = self.inner.known.write().unwrap_or_else(PoisonError::into_inner);
            *known = Arc::new(known.with_rules(rules));
        }
    }

    /// Hides secrets wherever they are from now on, also within a word.
    pub fn hide_everywhere(&self, secrets: Vec<Arc<KnownSecret>>) {
        let mut known = self.inner.known.write().unwrap_or_else(PoisonError::into_inner);
        let anywhere =
            |secret: Arc<KnownSecret>| Arc::new(KnownSecret { whole_word: false, ..KnownSecret::clone(&secret) });
        if !secrets.is_empty() {
            *known = Arc::new(known.with(secrets.into_iter().map(anywhere).collect()));
        }
    }

    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known();
        let found = self.scan(text, &known);
        if found.spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let redacted = self.replaced(text, 0..text.len(), &found.spans, &known);
        self.learn(text, &found.spans);
        Cow::Owned(redacted)
    }

    /// The same with every line where it was, also behind a secret of several lines. `None`: there is no secret.
    #[must_use]
    pub fn redact_in_lines(&self, text: &str) -> Option<String> {
        let known = self.known();
        let found = self.scan(text, &known);
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        for span in &found.spans {
            redacted.push_str(&self.replaced(text, at..span.end, std::slice::from_ref(span), &known));
            redacted.extend(text[span.place()].matches('\n'));
            at = span.end;
        }
        redacted.push_str(&text[at..]);
        self.learn(text, &found.spans);
        (!found.spans.is_empty()).then_some(redacted)
    }

    /// The places of the secrets in bytes, in order, each with its placeholder.
    #[must_use]
    pub fn replacements(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let known = self.known();
        let found = self.scan(text, &known);
        let replacement =
            |span: &SecretSpan| (span.place(), self.replaced(text, span.place(), std::slice::from_ref(span), &known));
        let replacements = found.spans.iter().map(replacement).collect();
        self.learn(text, &found.spans);
        replacements
    }

    /// Every string of the value, keys of objects included.
    #[must_use]
    pub fn redact_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) if is_reference(&text) => Value::String(self.redact_name(text)),
            Value::String(text) => match self.redact(&text) {
                Cow::Borrowed(_) => Value::String(text),
                Cow::Owned(redacted) => Value::String(redacted),
            },
            Value::Array(items) => items.into_iter().map(|item| self.redact_json(item)).collect(),
            Value::Object(map) => {
                map.into_iter().map(|(key, item)| (self.redact_name(key), self.redact_json(item))).collect()
            }
            other => other,
        }
    }

    /// The key of an object, or a reference: the user's rules leave it, since the log is read by it.
    fn redact_name(&self, name: String) -> String {
        let known = self.known();
        let mut spans = self.scan(&name, &known).spans;
        spans.retain(|span| span.rule.is_none());
        if spans.is_empty() { name } else { self.replaced(&name, 0..name.len(), &spans, &known) }
    }

    /// Returns whether [`Redactor::redact_json`] would leave the value as it is.
    #[must_use]
    pub fn is_public(&self, value: &Value) -> bool {
        // Looked up once: threads that look at many short strings at the same time would contend for it.
        let known = self.known();
        let mut is_public = true;
        each_string(value, &mut |text| {
            is_public = is_public && self.scan(text, &known).spans.is_empty();
        });
        is_public
    }

    /// Gets to know the secrets in a text that is going to be used, so that their placeholders can be put back.
    pub fn look_through(&self, text: &str) {
        let known = self.known();
        let found = self.scan(text, &known);
        for span in found.spans.iter().filter(|span| span.known.is_none()) {
            self.secret_at(text, span, &known);
        }
        self.learn(text, &found.spans);
    }

    /// The secrets in a text, each once; remembered from now on.
    #[must_use]
    pub fn secrets_in(&self, text: &str) -> Vec<Arc<KnownSecret>> {
        let known = self.known();
        let mut secrets: Vec<Arc<KnownSecret>> = Vec::new();
        for span in self.scan(text, &known).spans {
            let secret =
                span.known.map_or_else(|| self.secret_at(text, &span, &known), |index| known.secret(index).clone());
            if !secrets.iter().any(|found| found.value == secret.value) {
                secrets.push(secret);
            }
        }
        secrets
    }

    /// Each placeholder in the strings of the value, and what it stands for; each once.
    #[must_use]
    pub fn placeholders(&self, value: &Value) -> Vec<PlaceholderUse> {
        let mut uses = Vec::new();
        each_string(value, &mut |text| {
            let mut from = 0;
            while let Some(found) = placeholder::find(text, from) {
                from = found.start + found.text.len();
                if !uses.iter().any(|used: &PlaceholderUse| used.text == found.text) {
                    let secret = found.tag.and_then(|tag| self.remembered(tag));
                    uses.push(PlaceholderUse { text: found.text.to_owned(), is_exact: found.tag.is_some(), secret });
                }
            }
        });
        uses
    }

    /// All that is in a whole text.
    fn scan(&self, text: &str, known: &KnownSecrets) -> Scan {
        scan(text, 0, known, |placeholder| self.is_ours(placeholder), true)
    }

    pub(crate) fn known(&self) -> Arc<KnownSecrets> {
        self.inner.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what of `text`, from `from` on, is decided whatever follows, and where that ends.
    pub(crate) fn redact_decided(
        &self,
        text: &str,
        from: usize,
        known: &KnownSecrets,
        is_end: bool,
    ) -> (String, usize) {
        let found = scan(text, from, known, |placeholder| self.is_ours(placeholder), is_end);
        (self.replaced(text, from..found.undecided_from, &found.spans, known), found.undecided_from)
    }

    fn replaced(&self, text: &str, range: Range<usize>, spans: &[SecretSpan], known: &KnownSecrets) -> String {
        let mut redacted = String::with_capacity(range.len());
        let mut at = range.start;
        for span in spans {
            redacted.push_str(&text[at..span.start]);
            match span.known {
                Some(index) => redacted.push_str(&known.secret(index).placeholder),
                None => match span.rule.and_then(|rule| known.rules.rule(rule).replacement.as_deref()) {
                    Some(replacement) => redacted.push_str(replacement),
                    None => redacted.push_str(&self.secret_at(text, span, known).placeholder),
                },
            }
            at = span.end;
        }
        redacted.push_str(&text[at..range.end]);
        redacted
    }

    /// The secret that was recognised by its form; remembered from now on.
    fn secret_at(&self, text: &str, span: &SecretSpan, known: &KnownSecrets) -> Arc<KnownSecret> {
        let value = &text[span.place()];
        let tag = self.inner.key.tag(value);
        if let Some(secret) = self.remembered(&tag) {
            return secret;
        }
        let secret = Arc::new(KnownSecret {
            name: span.name(known).to_owned(),
            value: Zeroizing::new(value.to_owned()),
            placeholder: placeholder::written(span.name(known), &tag),
            whole_word: false,
            is_key: false,
            is_encoded: false,
        });
        self.remember(tag, secret.clone());
        secret
    }

    /// Adds a recognised value, to be searched for from now on, also where nothing stands beside it, and in other
    /// forms.
    fn learn(&self, text: &str, spans: &[SecretSpan]) {
        // What a rule matches is found by the rule, as long as there is one.
        let is_new = |span: &SecretSpan| span.known.is_none() && span.rule.is_none();
        let is_learnt = |span: &&SecretSpan| is_new(span) && span.end - span.start >= MIN_LEARNT_BYTES;
        let value = |span: &SecretSpan| SecretValue {
            name: span.name.to_owned(),
            value: Zeroizing::new(text[span.place()].to_owned()),
            whole_word: false,
        };
        let learnt: Vec<SecretValue> = spans.iter().filter(is_learnt).map(value).collect();
        if !learnt.is_empty() {
            self.know(learnt, false, MAX_LEARNT);
        }
    }

    fn is_ours(&self, placeholder: &str) -> bool {
        let tag = placeholder::at(placeholder, 0).and_then(|found| found.tag);
        tag.and_then(|tag| self.remembered(tag)).is_some_and(|secret| secret.placeholder == placeholder)
    }

    fn remember(&self, tag: String, secret: Arc<KnownSecret>) {
        let mut remembered = self.inner.remembered.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() < MAX_REMEMBERED {
            remembered.entry(tag).or_insert(secret);
        }
    }

    fn remembered(&self, tag: &str) -> Option<Arc<KnownSecret>> {
        self.inner.remembered.read().unwrap_or_else(PoisonError::into_inner).get(tag).cloned()
    }
}

/// Shorter ones might be a part of something else.
const MIN_LEARNT_BYTES: usize = 16;

/// The value with the secrets of `uses` in the place of their placeholders; what has no secret stays.
#[must_use]
pub fn with_secrets(value: &Value, uses: &[PlaceholderUse]) -> Value {
    match value {
        Value::String(text) => Value::String(text_with_secrets(text, uses)),
        Value::Array(items) => items.iter().map(|item| with_secrets(item, uses)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, item)| (text_with_secrets(key, uses), with_secrets(item, uses))).collect()
        }
        other => other.clone(),
    }
}

/// The same for one text.
#[must_use]
pub fn text_with_secrets(text: &str, uses: &[PlaceholderUse]) -> String {
    let mut restored = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = placeholder::find(text, at) {
        restored.push_str(&text[at..found.start]);
        let secret = uses.iter().find(|used| used.text == found.text).and_then(|used| used.secret.as_deref());
        restored.push_str(secret.map_or(found.text, KnownSecret::expose));
        at = found.start + found.text.len();
    }
    restored.push_str(&text[at..]);
    restored
}

/// Returns whether the text is an id or a hash by which one event names another or a content.
fn is_reference(text: &str) -> bool {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    is_hash || (text.len() == 36 && uuid::Uuid::try_parse(text).is_ok())
}

fn each_string(value: &Value, look: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => look(text),
        Value::Array(items) => items.iter().for_each(|item| each_string(item, look)),
        Value::Object(map) => map.iter().for_each(|(key, item)| {
            look(key);
            each_string(item, look);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
pub(crate) mod tests;
