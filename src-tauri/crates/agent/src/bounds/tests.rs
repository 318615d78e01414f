use super::*;
use arki_domain::json_text_bytes;

fn call(arguments: String) -> ToolRequest {
    ToolRequest { call_id: CallId::from("c"), tool_id: "write_file".into(), arguments }
}

#[test]
fn an_answer_is_cut_where_its_json_would_be_too_long_and_nothing_follows() {
    let mut room = AnswerRoom::new();
    let most = "\u{1}".repeat(MAX_ANSWER_BYTES / 6);
    assert_eq!((room.take(most.clone()), room.is_full()), (most, false));
    assert_eq!((room.take("ä".to_owned()), room.is_full()), (String::new(), true));
    assert_eq!(room.take("a".to_owned()), "");

    let mut room = AnswerRoom::new();
    let kept = room.take("a\"ä".repeat(MAX_ANSWER_BYTES));
    assert!(room.is_full() && (MAX_ANSWER_BYTES - 1..=MAX_ANSWER_BYTES).contains(&json_text_bytes(&kept)));
}

#[test]
fn arguments_are_stored_up_to_their_limits_and_not_beyond() {
    let of_length = |bytes: usize| call(format!("\"{}\"", "x".repeat(bytes - 2)));
    let of_depth = |levels: usize| call(format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    for fits in [of_length(MAX_ARGUMENT_BYTES), of_depth(MAX_ARGUMENT_DEPTH)] {
        let (args, fault) = arguments(&fits, FinishReason::Stop);
        let whole: Value = serde_json::from_str(&fits.arguments).unwrap();
        assert!(args == whole && fault.is_none());
    }
    for large in [of_length(MAX_ARGUMENT_BYTES + 1), of_depth(MAX_ARGUMENT_DEPTH + 1), of_depth(1_000_000)] {
        let (args, fault) = arguments(&large, FinishReason::Stop);
        assert!(large.arguments.starts_with(args.as_str().unwrap()) && args.as_str().unwrap().len() <= 1 << 10);
        assert!(fault.unwrap().is(Code::ARGUMENTS_INVALID));
    }
}

#[test]
fn brackets_in_strings_are_no_nesting() {
    for (json, levels) in [(r#"{"a": "[[[\"[[", "b": [1, {}]}"#, 3), ("]]][", 1), ("7", 0), (r#""\\" [[]"#, 2)] {
        assert_eq!(depth(json), levels, "{json}");
    }
}

#[test]
fn null_stands_for_no_arguments() {
    assert_eq!(arguments(&call(" null ".into()), FinishReason::Stop), (serde_json::json!({}), None));
}

#[test]
fn what_is_no_json_is_stored_as_it_came() {
    assert_eq!(arguments(&call("{\"path\": ".into()), FinishReason::Stop), (Value::from("{\"path\": "), None));
}

#[test]
fn names_that_no_one_gives_are_cut() {
    let long = ToolRequest { call_id: CallId::from("i".repeat(257)), ..call("{}".into()) };
    let cut = named(ToolRequest { tool_id: "ä".repeat(1000), ..long });
    assert_eq!((cut.call_id.as_str(), cut.tool_id.len()), ("", MAX_NAME_BYTES));
    let usual = call("{}".into());
    assert_eq!(named(usual.clone()), usual);
}

#[test]
fn a_call_that_the_output_limit_cut_says_so_to_the_model() {
    let (_, fault) = arguments(&call("{\"path\": ".into()), FinishReason::Length);
    assert!(fault.unwrap().message.contains("output limit"));
    assert_eq!(arguments(&call("{}".into()), FinishReason::Length), (serde_json::json!({}), None));
}
