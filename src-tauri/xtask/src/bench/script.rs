//! The scripted model's answers: those of an OpenAI-compatible server, as the bytes of an event stream.

/// A line of plain text that ends the run.
pub(crate) fn text(words: &str) -> Vec<u8> {
    stream(&[format!(r#"{{"role":"assistant","content":{}}}"#, quoted(words))], "stop")
}

/// An answer of this many pieces of text, an event each, the first of which says something.
pub(crate) fn words(pieces: usize) -> Vec<u8> {
    let piece = |number: usize| format!(r#"{{"role":"assistant","content":"word{} "}}"#, number % 1000);
    stream(&(0..pieces).map(piece).collect::<Vec<_>>(), "stop")
}

/// One call of a tool; `arguments` is JSON.
pub(crate) fn call(turn: usize, tool: &str, arguments: &str) -> Vec<u8> {
    let delta = format!(
        r#"{{"role":"assistant","tool_calls":[{{"index":0,"id":"call_{turn}","type":"function","function":{{"name":"{tool}","arguments":{}}}}}]}}"#,
        quoted(arguments)
    );
    stream(&[delta], "tool_calls")
}

/// The same answer of a server that doesn't count tokens, so that Arki's estimate holds.
pub(crate) fn without_usage(answer: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(answer);
    let events = text.split_inclusive("\n\n").filter(|event| !event.contains("\"usage\""));
    events.collect::<String>().into_bytes()
}

fn stream(deltas: &[String], finish: &str) -> Vec<u8> {
    let mut body = String::new();
    for delta in deltas {
        body.push_str(&event(&format!(r#"[{{"index":0,"delta":{delta},"finish_reason":null}}]"#), ""));
    }
    body.push_str(&event(&format!(r#"[{{"index":0,"delta":{{}},"finish_reason":"{finish}"}}]"#), ""));
    let usage = r#","usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}"#;
    body.push_str(&event("[]", usage));
    body.push_str("data: [DONE]\n\n");
    body.into_bytes()
}

fn event(choices: &str, rest: &str) -> String {
    format!(
        "data: {{\"id\":\"bench\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"mock\",\"choices\":{choices}{rest}}}\n\n"
    )
}

/// Quotes the text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            control if control < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_usage_is_whole_otherwise() {
        let answer = String::from_utf8(without_usage(&text("ok"))).unwrap();
        assert!(!answer.contains("usage") && answer.contains("\"ok\"") && answer.ends_with("data: [DONE]\n\n"));
    }

    #[test]
    fn strings_are_quoted_as_json_asks() {
        assert_eq!(quoted("a \"b\"\\\n\u{1}ü"), r#""a \"b\"\\\n\u0001ü""#);
    }
}
