//! The context window that an error names, such as “maximum context length is 8192 tokens. However, you requested 9000”.

/// The words before the number of the limit, or right after it.
const LIMIT: &[&str] = &[
    "max",
    "limit",
    "context length",
    "context size",
    "context window",
    "allowed",
    "n_ctx",
    "at most",
    "up to",
    "should be",
    "cannot exceed",
    ">",
    "限制",
    "上限",
    "最大",
    "不能超过",
];
/// The words before the number of tokens that were sent.
const SENT: &[&str] = &["request", "result", "contain", "your", "you ", "got", "received", "used", "count", "n_prompt"];
/// Parts of a request whose names say a limit too, of the answer.
const OPTIONS: &[&str] = &["max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens"];
/// The least window that is believed; smaller numbers are codes or counts of messages.
const LEAST: u64 = 512;

/// Returns the number of tokens that an error's words give as the limit.
pub(crate) fn named_window(message: &str) -> Option<u64> {
    let (_, words) = message.split_once("It says: ")?;
    let words = OPTIONS.iter().fold(words.to_lowercase(), |words, option| words.replace(option, "the answer"));
    let numbers = numbers(&words);
    let named = numbers.iter().enumerate().filter_map(|(at, (range, number))| {
        let before = &words[at.checked_sub(1).map_or(0, |before| numbers[before].0.end)..range.start];
        let after = &words[range.end..numbers.get(at + 1).map_or(words.len(), |next| next.0.start)];
        let last = |markers: &[&str]| markers.iter().filter_map(|marker| before.rfind(marker)).max();
        let is_compared = before.trim_end().ends_with('>');
        let after = after.trim_start_matches([' ', '-']).trim_start_matches("tokens ").trim_start_matches("token ");
        let is_before = last(LIMIT).is_some_and(|limit| last(SENT).is_none_or(|sent| sent < limit));
        let is_limit = is_compared || is_before || LIMIT.iter().any(|marker| after.starts_with(marker));
        is_limit.then_some((is_compared, *number))
    });
    let named: Vec<_> = named.collect();
    named.iter().find(|(is_compared, _)| *is_compared).or(named.first()).map(|(_, number)| *number)
}

/// The numbers from `LEAST` on, also `8,192`, `8_192` and `8k`, and where they stand.
fn numbers(words: &str) -> Vec<(std::ops::Range<usize>, u64)> {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, ',' | '_');
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = words[at..].find(|c: char| c.is_ascii_digit()).map(|start| at + start) {
        let length = words[start..].find(|c| !is_of_number(c)).unwrap_or(words.len() - start);
        at = start + words[start..start + length].trim_end_matches(',').len();
        let is_name = words[..start].chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '.'));
        let digits: String = words[start..at].chars().filter(char::is_ascii_digit).collect();
        let thousands = words[at..].strip_prefix('k').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        let number =
            digits.parse::<u64>().ok().map(|number| if thousands { number.saturating_mul(1000) } else { number });
        found.extend(number.filter(|number| *number >= LEAST && !is_name).map(|number| (start..at, number)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_told_from_the_other_numbers() {
        for (words, window) in [
            (
                "This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (9000 in the messages, 1000 in the completion).",
                Some(8192),
            ),
            ("prompt is too long: 208310 tokens > 200000 maximum", Some(200_000)),
            (
                "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length",
                Some(200_000),
            ),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_048_576),
            ),
            ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", Some(131_072)),
            ("Range of input length should be [1, 30720]", Some(30_720)),
            ("Your request exceeded model token limit: 262144 (requested: 300000)", Some(262_144)),
            ("request (18000 tokens) exceeds the available context size (4096 tokens), try increasing it", Some(4096)),
            ("too long (n_prompt_tokens: 18000, n_ctx: 4096)", Some(4096)),
            (
                "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
                Some(32_768),
            ),
            ("You sent 18000 tokens, limit: 4096", Some(4096)),
            ("18000 tokens is more than the 4096 token limit", Some(4096)),
            ("prompt token count of 140000 exceeds the limit of 128000", Some(128_000)),
            ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", Some(4096)),
            (
                "Requested token count exceeds the model's maximum context length of 131,072 tokens. You requested a total of 140,000 tokens",
                Some(131_072),
            ),
            ("'max_tokens' is too large: 9000. This model's maximum context length is 8192 tokens", Some(8192)),
            ("gpt-4-1106 takes up to 128k tokens", Some(128_000)),
            ("输入超出限制 131072", Some(131_072)),
            ("context window exceeds limit (13)", None),
            ("Input is too long for requested model.", None),
            ("You sent 9000 tokens.", None),
        ] {
            let message = format!("The conversation is too long for m. It says: {words}");
            assert_eq!(named_window(&message), window, "{words}");
        }
        assert_eq!(named_window("The conversation is too long for maximum 9000."), None);
    }
}
