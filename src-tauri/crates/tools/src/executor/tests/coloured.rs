//! What commands print in colours: plain text in the result, the colours beside it and in what is seen live.

use super::*;
use arki_domain::TextStyle;
use serde_json::json;

/// The result of a command that prints this, as `printf` reads it.
async fn printed(bench: &Bench, words: &str) -> ToolResult {
    bench.called("run_command", json!({"command": format!("printf '{words}'")})).await;
    bench.carry_on().await;
    bench.whole_result()
}

/// What its styles say of the result's parts.
fn styled(result: &ToolResult) -> Vec<(String, &str)> {
    let units: Vec<u16> = result.result.encode_utf16().collect();
    let part = |style: &TextStyle| String::from_utf16(&units[style.0 as usize..style.1 as usize]).unwrap();
    result.styles.iter().map(|style| (part(style), style.2.as_str())).collect()
}

fn parts(of: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    of.iter().map(|(words, sgr)| ((*words).to_owned(), *sgr)).collect()
}

/// What was seen live; it comes in pieces that are coloured one by one.
fn seen(bench: &Bench) -> String {
    arki_process::styled(&bench.shown.0.lock().unwrap()).to_ansi()
}

#[tokio::test]
async fn the_text_is_plain_and_its_colours_are_beside_it() {
    let bench = Bench::in_sandbox(ApprovalMode::All);
    let result = printed(&bench, r"\033]0;title\007a \033[1;31mred\033[0m\033[2J\n\033[32mgreen\033[0m").await;
    assert_eq!(result.result, "exit code 0\na red\ngreen");
    assert_eq!(styled(&result), parts(&[("red", "1;31"), ("green", "32")]));
    assert_eq!(seen(&bench), "a \x1b[1;31mred\x1b[0m\n\x1b[32mgreen\x1b[0m");
}

#[tokio::test]
async fn a_secret_with_a_colour_in_its_middle_stays_one() {
    let bench = Bench::in_sandbox(ApprovalMode::All);
    let (one, other) = ("ghp_8Kd02mZpQx7LwYt5RbN3vHc", "9sJfG6aTqE1uX");
    let words = format!(r"\033[31mred\033[0m {one}\033[31m{other}\033[0m \033[32mgreen\033[0m");
    let result = printed(&bench, &words).await;
    assert!(!result.result.contains(one) && !result.result.contains(other), "{}", result.result);
    assert_eq!(styled(&result), parts(&[("red", "31"), ("green", "32")]));
    let shown = arki_process::styled(&seen(&bench)).text;
    assert!(shown.starts_with("red ") && shown.ends_with(" green") && !shown.contains(other), "{shown}");
}

#[tokio::test]
async fn where_the_middle_is_cut_out_the_colours_stay_with_their_words() {
    let bench = Bench::in_sandbox(ApprovalMode::All);
    let lines: String = (0..100).map(|n| format!(r"{n} \033[31mhue\033[0m and more\n")).collect();
    let result = printed(&bench, &lines).await;
    assert!(result.truncated && result.result.contains("99 hue and more\n"), "{}", result.result);
    let styled = styled(&result);
    assert_eq!(styled.len(), result.result.matches("hue").count());
    assert!(styled.iter().all(|part| *part == ("hue".to_owned(), "31")), "{styled:?}");
    let kept = bench.kept.contents.lock().unwrap();
    assert!(kept[0].bytes.ends_with(b"99 hue and more\n") && !kept[0].bytes.contains(&0x1b));
}
