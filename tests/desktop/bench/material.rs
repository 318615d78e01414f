//! What is streamed: made up, but always the same.

use std::fmt::Write;

pub(super) struct Material {
    pub(super) name: &'static str,
    pub(super) words: &'static str,
    pub(super) text: String,
    /// Characters a token.
    pub(super) token: usize,
}

/// How long a stream of tokens that carry four characters each is to be: 60 s.
const MARKDOWN_CHARS: usize = 4 * 2_000 * 60;
const CODE_LINES: usize = 20_000;
const TABLE_ROWS: usize = 2_000;
const PARAGRAPH_BYTES: usize = 5_000_000;

const WORDS: [&str; 24] = [
    "window", "the", "of", "a", "session", "reads", "its", "last", "page", "and", "draws", "what", "is", "new",
    "while", "older", "lines", "stay", "where", "they", "were", "until", "somebody", "scrolls",
];

pub(super) fn all() -> Vec<Material> {
    vec![
        Material { name: "markdown", words: "Markdown, 60 s", text: markdown(), token: 4 },
        Material { name: "code", words: "a code block of 20,000 lines", text: code(), token: 8 },
        Material { name: "table", words: "a table of 2,000 rows", text: table(), token: 4 },
        Material { name: "paragraph", words: "a paragraph of 5 MB", text: paragraph(), token: 48 },
    ]
}

impl Material {
    pub(super) fn tokens(&self) -> Vec<&str> {
        let mut rest = self.text.as_str();
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let end = rest.char_indices().nth(self.token).map_or(rest.len(), |(at, _)| at);
            let (token, after) = rest.split_at(end);
            tokens.push(token);
            rest = after;
        }
        tokens
    }
}

/// Numbers that only look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

fn markdown() -> String {
    let mut dice = Dice(1);
    let mut text = String::new();
    let mut section = 0;
    while text.len() < MARKDOWN_CHARS {
        section += 1;
        let (count, words) = (20 + dice.below(60), 3 + dice.below(4));
        write!(text, "## {section}. {}\n\n{}. ", dice.words(words), dice.words(count)).unwrap();
        write!(text, "**{}** and `{}()` in [the guide](https://example.org/{section}), ", dice.words(2), dice.words(1))
            .unwrap();
        write!(text, "*{}* besides.\n\n", dice.words(4)).unwrap();
        for item in 1..=3 + dice.below(4) {
            writeln!(text, "{} {}", if section % 2 == 0 { format!("{item}.") } else { "-".into() }, dice.words(9))
                .unwrap();
        }
        text.push('\n');
        match section % 3 {
            0 => {
                text.push_str("```rust\n");
                for line in 0..6 + dice.below(20) {
                    writeln!(
                        text,
                        "    let value_{line} = compute(\"{}\", {line})?; // {}",
                        dice.words(2),
                        dice.words(4)
                    )
                    .unwrap();
                }
                text.push_str("```\n\n");
            }
            1 => {
                text.push_str("| name | value | what it is |\n|---|--:|---|\n");
                for row in 0..4 + dice.below(6) {
                    writeln!(text, "| `{}` | {row} | {} |", dice.words(1), dice.words(6)).unwrap();
                }
                text.push('\n');
            }
            _ => write!(text, "> {}\n> {}\n\n", dice.words(14), dice.words(9)).unwrap(),
        }
    }
    text
}

fn code() -> String {
    let mut dice = Dice(2);
    let mut text = "Here it is:\n\n```rust\n".to_owned();
    for line in 0..CODE_LINES {
        let indent = "    ".repeat(dice.below(4));
        writeln!(text, "{indent}let line_{line} = \"{}\";", dice.words(3)).unwrap();
    }
    text + "```\n\nThat was it.\n"
}

fn table() -> String {
    let mut dice = Dice(3);
    let mut text = "Here it is:\n\n| number | name | value | remark |\n|--:|---|---|---|\n".to_owned();
    for row in 0..TABLE_ROWS {
        writeln!(text, "| {row} | `{}` | **{}** | {} |", dice.words(1), dice.words(2), dice.words(5)).unwrap();
    }
    text + "\nThat was it.\n"
}

fn paragraph() -> String {
    let mut dice = Dice(4);
    let mut text = String::new();
    while text.len() < PARAGRAPH_BYTES {
        write!(text, "{} **{}**, ", dice.words(8), dice.words(2)).unwrap();
    }
    text + "\n\nThat was it.\n"
}
