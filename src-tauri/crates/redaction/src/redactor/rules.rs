//! Redaction rules that the user writes: regular expressions for what is secret here and has no form that Arki knows.
//!
//! A rule looks at one line at a time, so that a stream knows what is decided: everything up to the line that is still
//! being written.

use super::span::SecretSpan;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// The most rules.
const MAX_RULES: usize = 50;
const MAX_PATTERN_BYTES: usize = 1000;
const MAX_NAME_CHARS: usize = 40;
const MAX_REPLACEMENT_BYTES: usize = 200;
/// The size of one compiled pattern; `regex` refuses a larger one.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// A stream holds back this much of a line that has not ended.
const MAX_OPEN_LINE_BYTES: usize = 4096;

/// One rule as it is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionRule {
    pub name: String,
    pub pattern: String,
    /// The text that stands in the secret's place. `None`: a placeholder that stands for the secret.
    pub replacement: Option<String>,
}

impl RedactionRule {
    /// Checks one rule by itself.
    ///
    /// # Errors
    /// The fault of the rule in words, which go on a sentence that began with its place.
    pub fn check(&self) -> Result<(), String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if self.name.is_empty() || self.name.len() > MAX_NAME_CHARS || !self.name.chars().all(is_plain) {
            let most = format!("up to {MAX_NAME_CHARS} letters, digits, \"-\", \"_\" and \".\"");
            return Err(format!("the name {:?} must have {most}", self.name));
        }
        let regex = compiled(&self.pattern)?;
        let Some(replacement) = &self.replacement else { return Ok(()) };
        if replacement.len() > MAX_REPLACEMENT_BYTES || replacement.chars().any(char::is_control) {
            return Err(format!("the replacement must be one line of up to {MAX_REPLACEMENT_BYTES} bytes"));
        }
        if regex.is_match(replacement) {
            return Err(format!("the pattern matches its own replacement {replacement:?}"));
        }
        Ok(())
    }
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes"));
    }
    let regex = RegexBuilder::new(pattern).size_limit(MAX_COMPILED_BYTES).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "the pattern is too large when compiled".to_owned(),
        other => format!("the pattern isn't a regular expression: {}", reason(&other.to_string())),
    })?;
    // Anchors and word boundaries match nothing only beside something.
    match ["", "a", " a "].iter().any(|text| regex.find_iter(text).any(|found| found.is_empty())) {
        true => Err(format!("the pattern {pattern:?} matches the empty text")),
        false => Ok(regex),
    }
}

/// The last line of an error, which says what is wrong; those before draw where.
fn reason(error: &str) -> &str {
    let last = error.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).trim_end_matches('.')
}

/// The compiled rules.
#[derive(Debug, Default)]
pub(crate) struct RedactionRules {
    rules: Vec<(RedactionRule, Regex)>,
    /// All patterns at once, since most lines match none.
    any: RegexSet,
}

impl RedactionRules {
    /// # Errors
    /// As of [`RedactionRule::check`], and for too many rules.
    pub(super) fn new(rules: Vec<RedactionRule>) -> Result<Self, String> {
        if rules.len() > MAX_RULES {
            return Err(format!("there are {} rules, more than {MAX_RULES}", rules.len()));
        }
        let any = RegexSetBuilder::new(rules.iter().map(|rule| &rule.pattern))
            .size_limit(MAX_COMPILED_BYTES * MAX_RULES)
            .build()
            .map_err(|error| reason(&error.to_string()).to_owned())?;
        let compile = |rule: RedactionRule| compiled(&rule.pattern).map(|regex| (rule, regex));
        Ok(Self { rules: rules.into_iter().map(compile).collect::<Result<_, _>>()?, any })
    }

    pub(super) fn are(&self, rules: &[RedactionRule]) -> bool {
        self.rules.iter().map(|(rule, _)| rule).eq(rules)
    }

    pub(super) fn rule(&self, index: usize) -> &RedactionRule {
        &self.rules[index].0
    }

    /// Every place, from `from` on, and the start of the line that may go on.
    pub(super) fn find(&self, text: &str, from: usize, is_end: bool) -> (Vec<SecretSpan>, Option<usize>) {
        let mut spans = Vec::new();
        if self.rules.is_empty() {
            return (spans, None);
        }
        let mut at = text[..from].rfind('\n').map_or(0, |before| before + 1);
        for line in text[at..].split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']);
            for index in self.any.matches(content) {
                let places = self.rules[index].1.find_iter(content).filter(|found| !found.is_empty());
                let places = places.map(|found| at + found.start()..at + found.end());
                let span = |place| SecretSpan { rule: Some(index), ..SecretSpan::of_form(place, "") };
                spans.extend(places.filter(|place| place.start >= from).map(span));
            }
            at += line.len();
        }
        let line = text[from..].rfind('\n').map_or(from, |before| from + before + 1);
        let open = line.max(text.floor_char_boundary(text.len().saturating_sub(MAX_OPEN_LINE_BYTES)));
        (spans, (!is_end && open < text.len()).then_some(open))
    }
}

/// Checks rules together, as [`crate::Redactor::set_rules`] would.
///
/// # Errors
/// For too many rules, and two of one name.
pub fn check_redaction_rules(rules: &[RedactionRule]) -> Result<(), String> {
    if rules.len() > MAX_RULES {
        return Err(format!("there are {} rules; at most {MAX_RULES} are possible", rules.len()));
    }
    let twice = rules.iter().enumerate().find(|(at, rule)| rules[..*at].iter().any(|other| other.name == rule.name));
    twice.map_or(Ok(()), |(_, rule)| Err(format!("two rules have the name {:?}", rule.name)))
}

#[cfg(test)]
mod tests {
    use crate::{RedactionRule, Redactor, StreamingRedactor};
    use serde_json::json;

    fn rule(name: &str, pattern: &str, replacement: Option<&str>) -> RedactionRule {
        RedactionRule { name: name.into(), pattern: pattern.into(), replacement: replacement.map(str::to_owned) }
    }

    fn redactor(rules: Vec<RedactionRule>) -> Redactor {
        let redactor = Redactor::default();
        redactor.set_rules(rules);
        redactor
    }

    #[test]
    fn a_rule_replaces_every_match_by_its_text_or_by_a_placeholder_that_can_be_put_back() {
        let redactor = redactor(vec![
            rule("customer", r"\bCU-\d{4,}\b", None),
            rule("host", r"[a-z0-9-]+\.corp\.example", Some("[internal host]")),
        ]);
        let redacted = redactor.redact("CU-12345 on db1.corp.example,\r\nCU-1 and CU-12345").into_owned();
        assert!(redacted.contains(" on [internal host],\r\nCU-1 and [secret:customer#"), "{redacted}");
        assert_eq!(redactor.redact(&redacted), redacted, "what is redacted stays");
        let uses = redactor.placeholders(&json!(redacted));
        assert_eq!(uses.len(), 1, "the same secret has one placeholder");
        assert_eq!(uses[0].secret.as_ref().unwrap().expose(), "CU-12345");
        redactor.set_rules(Vec::new());
        assert_eq!(redactor.redact("CU-7777 on db1.corp.example"), "CU-7777 on db1.corp.example");
    }

    #[test]
    fn a_stream_never_shows_a_part_of_a_match_however_it_is_cut() {
        let text = "first line\nticket CU-12345 and CU-678901\nwithout\nCU-55555";
        let redactor = redactor(vec![rule("customer", r"CU-\d{4,}", Some("<customer>"))]);
        for cut in 0..text.len() {
            let mut stream = StreamingRedactor::new(redactor.clone());
            let mut shown = stream.push(&text[..cut]);
            shown += &stream.push(&text[cut..]);
            shown += &stream.finish();
            assert_eq!(shown, "first line\nticket <customer> and <customer>\nwithout\n<customer>", "{cut}");
        }
    }

    #[test]
    fn what_the_log_is_built_from_stays() {
        let redactor = redactor(vec![rule("all", "[0-9a-z-]{4,}", Some("X"))]);
        let (id, hash) = ("0190b1a0-0000-7000-8000-000000000000", "ab".repeat(32));
        let value = json!({"sessionId": id, "hash": hash, "prompt": "some text"});
        assert_eq!(redactor.redact_json(value), json!({"sessionId": id, "hash": hash, "prompt": "X X"}));
    }

    #[test]
    fn a_rule_that_cannot_work_is_refused() {
        for (pattern, replacement, why) in [
            ("(", None, "isn't a regular expression: unclosed group"),
            ("a*", None, "matches the empty text"),
            (r"\b", None, "matches the empty text"),
            ("^|x", None, "matches the empty text"),
            ("x{1000}{1000}", None, "too large"),
            ("CU", Some("CUSTOMER"), "matches its own replacement"),
            ("x", Some("a\nb"), "one line"),
        ] {
            let refused = rule("n", pattern, replacement).check().unwrap_err();
            assert!(refused.contains(why), "{pattern}: {refused}");
        }
        assert!(rule("a b", "x", None).check().is_err());
        assert!(rule("n", &"x".repeat(1001), None).check().is_err());
        let many: Vec<_> = (0..51).map(|n| rule(&n.to_string(), "x", None)).collect();
        assert!(super::check_redaction_rules(&many).is_err() && super::check_redaction_rules(&many[..50]).is_ok());
    }
}
