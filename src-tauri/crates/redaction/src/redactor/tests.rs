pub(crate) mod samples;

use super::*;
use proptest::prelude::*;
use samples::ORDINARY;
use serde_json::json;

fn redactor() -> Redactor {
    let redactor = Redactor::new(PlaceholderKey::new(Zeroizing::new([7; 32])));
    redactor.add("lab", "sk-secret-123\n");
    redactor.add("long", "sk-secret-123-and-more");
    redactor.add("blank", "two words of it");
    redactor
}

fn restored(redactor: &Redactor, text: &str) -> String {
    let uses = redactor.placeholders(&Value::from(text));
    text_with_secrets(text, &uses)
}

#[test]
fn a_key_is_replaced_wherever_it_turns_up() {
    let redactor = redactor();
    let key = redactor.redact("sk-secret-123").into_owned();
    assert!(key.starts_with("[secret:lab#") && key.ends_with(']'), "{key}");
    let value = redactor.redact_json(json!({"a": ["x sk-secret-123 y"], "sk-secret-123": 1}));
    assert_eq!(value, json!({"a": [format!("x {key} y")], key: 1}));
}

#[test]
fn a_placeholder_within_what_is_recognised_the_second_time_comes_back() {
    let redactor = redactor();
    let text = "db:5432:shop:key=sk-aB3dE5fG7hJ9kL1sk-sec";
    let once = redactor.redact(text).into_owned();
    let twice = redactor.redact(&once).into_owned();
    assert_eq!(restored(&redactor, &twice), text, "{once} {twice}");
}

#[test]
fn the_longer_of_two_overlapping_keys_wins() {
    let redacted = redactor().redact("sk-secret-123-and-more").into_owned();
    assert!(redacted.starts_with("[secret:long#") && redacted.ends_with(']'), "{redacted}");
}

#[test]
fn short_values_are_left_alone_and_short_words_only_taken_whole() {
    let redactor = Redactor::default();
    redactor.add("x", "abc");
    assert_eq!(redactor.redact("abc"), "abc");
    let value = Zeroizing::new("hunter2".to_owned());
    redactor.add_all(vec![SecretValue { name: "P".into(), value, whole_word: true }]);
    assert_eq!(redactor.redact("xhunter2 hunter2x hunter2_"), "xhunter2 hunter2x hunter2_");
    assert_eq!(redactor.redact("pw=hunter2;").matches("[secret:P#").count(), 1);
}

#[test]
fn every_form_is_replaced_by_the_same_placeholder_each_time_and_comes_back() {
    for sample in samples::secrets() {
        let redactor = redactor();
        let text = sample.in_context();
        let redacted = redactor.redact(&text).into_owned();
        assert!(!sample.values().iter().any(|value| redacted.contains(value)), "{redacted}");
        assert!(redacted.contains("[secret:"), "{redacted}");
        assert_eq!(redactor.redact(&text), redacted);
        assert_eq!(redactor.redact(&redacted), redacted, "twice is as once");
        assert_eq!(restored(&redactor, &redacted), text);
    }
}

#[test]
fn a_value_is_public_when_nothing_of_it_would_be_replaced() {
    let redactor = redactor();
    let texts = samples::secrets().iter().map(samples::SecretSample::in_context).collect::<Vec<_>>();
    for text in texts.iter().map(String::as_str).chain(["sk-secret-123"]).chain(ORDINARY.iter().copied()) {
        for value in [json!(text), json!([1, {"a": [null, text]}]), json!({"b": {text: true}})] {
            assert_eq!(redactor.is_public(&value), redactor.redact_json(value.clone()) == value, "{value}");
        }
    }
    assert!(!redactor.is_public(&json!("sk-secret-123")));
    assert!(redactor.is_public(&json!({"a": "b"})));
}

/// What `base64`, `xxd -p`, `rev` and their like make of a known secret, wherever it stands in what they are given.
fn encoded(text: &str) -> Vec<String> {
    use base64::Engine as _;
    use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
    vec![
        BASE64_STANDARD.encode(text),
        BASE64_STANDARD_NO_PAD.encode(text),
        BASE64_URL_SAFE.encode(text),
        BASE64_URL_SAFE_NO_PAD.encode(text),
        hex::encode(text),
        hex::encode_upper(text),
        text.chars().rev().collect(),
    ]
}

const ENCODED_KEY: &str = "Zq7~mUw??>vX0sK>2yT";

#[test]
fn the_encoded_forms_of_a_known_secret_are_replaced_and_come_back_encoded() {
    let redactor = redactor();
    redactor.add("K", ENCODED_KEY);
    for before in ["", "a", "ab", "KEY=", "x = '"] {
        for after in ["", "\n", "';", "abc"] {
            for text in encoded(&format!("{before}{ENCODED_KEY}{after}")) {
                let redacted = redactor.redact(&text).into_owned();
                assert!(redacted.contains("[secret:K."), "{before:?} {after:?} {text} {redacted}");
                assert_eq!(redactor.redact(&text), redacted, "the same each time");
                assert_eq!(redactor.redact(&redacted), redacted, "twice is as once");
                assert_eq!(restored(&redactor, &redacted), text, "never the plain value");
                let left: usize = redacted.split(['[', ']']).step_by(2).map(str::len).sum();
                let around = (before.len() + after.len()) * 2 + 6;
                assert!(left <= around, "{left} of {text}: {redacted}");
            }
        }
    }
}

#[test]
fn a_secret_that_was_recognised_by_its_form_is_known_in_other_forms_too() {
    for sample in samples::secrets().iter().filter(|sample| sample.value.len() >= MIN_LEARNT_BYTES) {
        let (redactor, text) = (Redactor::default(), sample.in_context());
        if redactor.redact(&text) != text {
            for encoded in encoded(&text) {
                assert!(redactor.redact(&encoded).contains("[secret:"), "{text} {encoded}");
            }
        }
    }
}

#[test]
fn encoded_forms_of_short_values_are_left_alone() {
    let redactor = Redactor::default();
    let known =
        |value: &str| SecretValue { name: "P".to_owned(), value: Zeroizing::new(value.to_owned()), whole_word: true };
    redactor.add_all(vec![known("hunter2"), known("hunter22")]);
    for text in encoded("pw=hunter2") {
        assert_eq!(redactor.redact(&text), text);
    }
    for text in encoded("pw=hunter22") {
        assert_ne!(redactor.redact(&text), text);
    }
}

#[test]
fn ordinary_text_is_not_mangled() {
    for text in ORDINARY {
        assert_eq!(redactor().redact(text), *text);
    }
}

#[test]
fn a_private_key_is_found_with_line_numbers_as_a_diff_and_within_json() {
    let lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "NMoSfm76oqFvAp8Gy0iz5sxj"];
    let [first, last] = lines;
    for text in [
        format!("1\t-----BEGIN PRIVATE KEY-----\n2\t{first}\n3\t{last}\n4\t-----END PRIVATE KEY-----\n"),
        format!("+-----BEGIN EC PRIVATE KEY-----\n+{first}\n+{last}\n+-----END EC PRIVATE KEY-----\n"),
        format!("{{\"k\": \"-----BEGIN PRIVATE KEY-----\\n{first}\\n{last}\\n-----END PRIVATE KEY-----\\n\"}}"),
    ] {
        let redactor = redactor();
        let redacted = redactor.redact(&text).into_owned();
        assert!(!lines.iter().any(|line| redacted.contains(line)), "{redacted}");
        assert_eq!(restored(&redactor, &redacted), text);
        assert_ne!(redactor.redact(first), first, "known from now on, also alone");
    }
}

#[test]
fn a_private_key_that_is_cut_off_is_one_as_far_as_it_goes() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let text = format!("1\t-----BEGIN RSA PRIVATE KEY-----\n2\t{line}\n3\t{line}\n");
    let redactor = redactor();
    let redacted = redactor.redact(&text).into_owned();
    assert!(!redacted.contains(line) && redacted.starts_with("1\t-----BEGIN RSA"), "{redacted}");
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let mention = format!("starts with -----BEGIN PRIVATE KEY-----\n{}\n{hash}\n", "words ".repeat(40));
    assert_eq!(redactor.redact(&mention), mention);
}

#[test]
fn a_key_within_a_word_or_a_placeholder_is_seen_for_what_it_is() {
    let redactor = redactor();
    redactor.add("name", "OPENAI_API_KEY");
    redactor.add("OPENAI_API_KEY", "the-value-of-it");
    let redacted = redactor.redact("the-value-of-it").into_owned();
    assert_eq!(redactor.redact(&redacted), redacted, "a placeholder's own name is no secret");
    let made_up = "[secret:OPENAI_API_KEY#0123456789ab]";
    assert_ne!(redactor.redact(made_up), made_up, "what only looks like one hides nothing");
}

#[test]
fn a_placeholder_that_stands_for_nothing_is_told() {
    let redactor = redactor();
    let uses = redactor.placeholders(&json!({"a": "[secret:x#0123456789ab] [secret:y]", "[secret:z]": 1}));
    let mut told: Vec<_> = uses.iter().map(|used| (used.text.as_str(), used.is_exact, used.secret.is_some())).collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [("[secret:x#0123456789ab]", true, false), ("[secret:y]", false, false), ("[secret:z]", false, false)]
    );
}

#[test]
fn debug_shows_no_secret() {
    let redactor = redactor();
    let redacted = redactor.redact("sk-secret-123").into_owned();
    let uses = redactor.placeholders(&Value::from(redacted));
    assert!(!format!("{uses:?}").contains("sk-secret"));
}

proptest! {
    #[test]
    fn what_is_redacted_comes_back_as_it_was(parts in prop::collection::vec(samples::any_part(), 0..12)) {
        let (redactor, text) = (redactor(), parts.concat());
        let redacted = redactor.redact(&text).into_owned();
        prop_assert_eq!(&restored(&redactor, &redacted), &text);
        let again = redactor.redact(&redacted).into_owned();
        prop_assert_eq!(restored(&redactor, &again), text, "also where more was recognised the second time");
    }

    #[test]
    fn json_comes_back_as_it_was(text in samples::any_part(), key in samples::any_part()) {
        let redactor = redactor();
        let value = json!({key: [text, 1, null]});
        let redacted = redactor.redact_json(value.clone());
        let uses = redactor.placeholders(&redacted);
        prop_assert_eq!(with_secrets(&redacted, &uses), value);
    }
}
