use super::*;
use crate::PlaceholderKey;
use crate::redactor::tests::samples;
use proptest::prelude::*;
use zeroize::Zeroizing;

fn redactor() -> Redactor {
    let redactor = Redactor::new(PlaceholderKey::new(Zeroizing::new([7; 32])));
    redactor.add("k", "sk-secret-123");
    redactor.add("longer", "sk-secret-123-and-more");
    redactor.add("blank", "two words of it");
    redactor
}

fn streamed(text: &str, cuts: &[usize]) -> String {
    let mut stream = StreamingRedactor::new(redactor());
    let (mut shown, mut at) = (String::new(), 0);
    for cut in cuts.iter().cycle() {
        let end = text.ceil_char_boundary((at + cut).min(text.len()));
        shown.push_str(&stream.push(&text[at..end]));
        at = end;
        if at == text.len() {
            break;
        }
    }
    shown + &stream.finish()
}

#[test]
fn text_without_a_secret_is_not_delayed() {
    let mut stream = StreamingRedactor::new(redactor());
    assert_eq!(stream.push("hello, it i"), "hello, it i");
    assert_eq!(stream.push("s s"), "s ");
    assert_eq!(stream.push("un "), "sun ");
    assert_eq!(stream.push("日本"), "日本");
    assert_eq!(stream.finish(), "");
}

#[test]
fn each_form_is_found_when_it_comes_a_byte_at_a_time() {
    for sample in samples::secrets() {
        let text = sample.in_context();
        let shown = streamed(&text, &[1]);
        assert!(!sample.values().iter().any(|value| shown.contains(value)), "{shown}");
        assert_eq!(shown, redactor().redact(&text));
    }
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_as_the_whole(
        parts in prop::collection::vec(samples::any_part(), 0..12),
        cuts in prop::collection::vec(1_usize..20, 1..8),
    ) {
        let text = parts.concat();
        prop_assert_eq!(streamed(&text, &cuts), redactor().redact(&text).into_owned());
    }
}
