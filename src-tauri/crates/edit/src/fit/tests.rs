use super::*;

fn found(text: &str, ops: &[Op<'_>]) -> Result<Fit, PlacementError> {
    let haystack = Haystack::new(text);
    let all = 0..haystack.len();
    match find_lines(&haystack, ops, all.clone()) {
        Err(PlacementError::Nowhere) => find_alike(&haystack, ops, all),
        found => found,
    }
}

/// The text after the change, and the tier.
fn check(text: &str, ops: &[Op<'_>], expected: &str, tier: Tier) {
    let haystack = Haystack::new(text);
    let fit = found(text, ops).unwrap();
    let target = LineEndings { eol: None, final_newline: FinalNewline::AsItIs };
    let replacement = replacement(&haystack, ops, &fit, target, &Typing::default()).unwrap();
    let result = [&text[..replacement.range.start], &replacement.text, &text[replacement.range.end..]].concat();
    assert_eq!((result.as_str(), fit.tier), (expected, tier));
}

use Op::{Add, Keep, Remove};

#[test]
fn each_tier_forgives_more_and_kept_lines_stay_the_files_own() {
    check("a  \nb\nc\n", &[Keep("a"), Remove("b"), Add("B")], "a  \nB\nc\n", Tier::TrailingSpace);
    check("  a\n  b\n", &[Keep("a"), Remove("b"), Add("B")], "  a\n  B\n", Tier::Indentation);
    let curled = "say \u{201c}a\u{201d}\nb\n";
    check(curled, &[Keep("say \"a\""), Remove("b"), Add("B")], &curled.replace("\nb", "\nB"), Tier::LookAlikes);
}

#[test]
fn two_places_are_never_chosen_between() {
    let misfit = found("  x = 1\ny\n    x = 1\n", &[Remove("x = 1")]).unwrap_err();
    assert_eq!(misfit, PlacementError::Ambiguous { tier: Tier::Indentation, starts: vec![0, 2] });
}

#[test]
fn a_stricter_tier_wins_over_a_place_that_needs_more_forgiving() {
    check("  x = 1\ny\nx = 1  \n", &[Remove("x = 1"), Add("x = 2")], "  x = 1\ny\nx = 2\n", Tier::TrailingSpace);
}

#[test]
fn blank_lines_alone_say_nothing_about_a_place() {
    assert_eq!(found("a\n \nb\n", &[Remove("")]), Err(PlacementError::Nowhere));
}

#[test]
fn lines_around_a_change_may_be_remembered_wrongly() {
    let text = "fn one() {\n    let first = read(1);\n    let second = read(2);\n    first + second\n}\n\nfn two() {\n    3\n}\n";
    let ops = [
        Keep("fn one() {"),
        Keep("    let first = read(one);"),
        Remove("    let second = read(2);"),
        Add("    let second = read(22);"),
        Keep("    first + second"),
        Keep("}"),
    ];
    check(text, &ops, &text.replace("read(2)", "read(22)"), Tier::Alignment);
}

#[test]
fn a_line_that_goes_has_to_be_there() {
    let text = "fn one() {\n    let first = read(1);\n    let second = read(2);\n    first + second\n}\n";
    let ops = [
        Keep("fn one() {"),
        Keep("    let first = read(1);"),
        Remove("    let second = read(99);"),
        Keep("    first + second"),
    ];
    assert_eq!(found(text, &ops), Err(PlacementError::Nowhere));
}

#[test]
fn where_lines_come_between_others_these_have_to_lie_together() {
    let text = "one = first()\ntwo = second()\nthree = third()\nfour = fourth()\n";
    let ops = [Keep("one = first()"), Keep("two = second()"), Add("new"), Keep("four = fourth()")];
    assert_eq!(found(text, &ops), Err(PlacementError::Nowhere));
    let ops = [Keep("one = first()"), Add("new"), Keep("two = second()"), Keep("four = fourth()")];
    check(text, &ops, &text.replace("two", "new\ntwo"), Tier::Alignment);
}

#[test]
fn two_places_that_are_nearly_as_alike_are_refused() {
    let block = |name: &str| format!("fn {name}() {{\n    open();\n    let value = read();\n    close();\n}}\n");
    let text = [block("alpha"), block("gamma")].concat();
    let ops = [Keep("fn delta() {"), Keep("    open();"), Add("    check();"), Keep("    let value = read();")];
    assert!(matches!(found(&text, &ops), Err(PlacementError::Ambiguous { tier: Tier::Alignment, .. })));
}

#[test]
fn the_last_line_without_an_ending_stays_without_one() {
    check("a\nb", &[Remove("b"), Add("c")], "a\nc", Tier::Exact);
    check("a\nb", &[Keep("b"), Add("c")], "a\nb\nc", Tier::Exact);
    check("a\r\nb\r\n", &[Keep("a"), Add("x")], "a\r\nx\r\nb\r\n", Tier::Exact);
}
