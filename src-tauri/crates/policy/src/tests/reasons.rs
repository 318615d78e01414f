//! The words of a verdict: each said once, in sentences whose places are all filled.

use super::*;
use arki_domain::{CodedText, ReasonCode, TranslatableText};

/// Returns whether each place in the text, and in those that it consists of, has its value, and no value is in vain.
pub(super) fn is_filled(text: &TranslatableText) -> bool {
    let TranslatableText::Coded(CodedText { code, values }) = text else { return true };
    let Some(known) = ReasonCode::ALL.iter().find(|known| known.code == *code) else { return false };
    let places = known.english.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let mut places: Vec<&str> = places.collect();
    places.sort_unstable();
    values.keys().eq(places) && values.values().all(is_filled)
}

#[test]
fn what_is_not_understood_is_told_once() {
    let mut allowed = PolicySettings::default();
    allowed.categories.insert(Category::Exec, Decision::Allow);
    let verdict = command_with("echo a > b", &allowed, ApprovalMode::Ask, true);
    let once = "The command contains a redirection to a file, so Arki can't tell what it does.";
    assert_eq!(verdict.reason.to_string(), once);
    let fed = command_with("curl x | sh", &allowed, ApprovalMode::Ask, true).reason.to_string();
    assert!(fed.starts_with("`sh` runs whatever is piped into it. "), "a danger is told as well: {fed}");
    let asked = command_with("echo a > b", &PolicySettings::default(), ApprovalMode::Ask, true);
    let warned = "The command contains a redirection to a file, so Arki can't analyse it. ";
    assert_eq!(asked.reason.to_string(), format!("{warned}Running commands needs your approval."));
}

#[test]
fn a_sentence_has_a_code_and_a_users_own_words_have_none() {
    let settings = settings(json!([{"decision": "deny", "command": ["git", "push"], "reason": "Ask first."}])).unwrap();
    let verdict = command_with("git push", &settings, ApprovalMode::Ask, true);
    let sentences = json!([
        {"code": "DANGER", "values": {"program": "git push", "does": {"code": "PUBLISHES"}}},
        "Ask first.",
    ]);
    assert_eq!(json!(verdict.reason.sentences), sentences);
    assert_eq!(verdict.reason.to_string(), "`git push` publishes. Ask first.");
}
