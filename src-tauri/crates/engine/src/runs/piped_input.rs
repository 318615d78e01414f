//! Input piped in beside a prompt: appended to it, fenced and named, and kept whole where it is long.

use arki_domain::{ArtifactEmitted, Code, Content, Error};
use arki_redaction::Redactor;
use arki_tools::{MAX_ARTIFACT_BYTES, artifact_reference, text_artifact};

/// More is refused, never dropped.
pub const MAX_PIPED_BYTES: usize = 64 << 20;
/// The size of the beginning of a long input; the prompt gets its beginning and its end.
const HEAD_BYTES: usize = 48 << 10;
const TAIL_BYTES: usize = 16 << 10;

/// A prompt with what was piped in, and what is kept beside the log for it.
pub(crate) struct PipedPrompt {
    pub(crate) prompt: String,
    pub(crate) contents: Vec<Content>,
    pub(crate) artifacts: Vec<ArtifactEmitted>,
}

/// # Errors
/// `USAGE` for more than [`MAX_PIPED_BYTES`].
pub(crate) fn appended(prompt: String, input: &[u8], redactor: &Redactor) -> Result<PipedPrompt, Error> {
    if input.len() > MAX_PIPED_BYTES {
        let message = format!("Standard input is longer than {} MiB.", MAX_PIPED_BYTES >> 20);
        let hint = "Write it into a file and name that in the prompt, or leave it alone with --no-stdin.";
        return Err(Error::new(Code::USAGE, message, hint));
    }
    let mut piped = PipedPrompt { prompt, contents: Vec::new(), artifacts: Vec::new() };
    if input.is_empty() {
        return Ok(piped);
    }
    // Before anything is cut: half a secret would not be known as one.
    let lossy = String::from_utf8_lossy(input);
    let is_text = matches!(lossy, std::borrow::Cow::Borrowed(_));
    let text = redactor.redact(&lossy);
    let mut about = format!("{} bytes", input.len());
    if !is_text {
        about.push_str(", not all of it UTF-8 text");
    }
    let shown = if text.len() <= HEAD_BYTES + TAIL_BYTES {
        text.into_owned()
    } else {
        piped.keep_whole(&text, redactor);
        let named: Vec<String> = piped.artifacts.iter().map(|kept| format!("`{}`", artifact_reference(kept))).collect();
        about.push_str(&format!(
            "; only the beginning and the end stand here, `read_file` reads all of it as {}",
            named.join(", then ")
        ));
        let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
        let tail = &text[text.ceil_char_boundary(text.len() - TAIL_BYTES)..];
        let left_out = text.len() - head.len() - tail.len();
        format!("{head}\n[… {left_out} bytes are left out here …]\n{tail}")
    };
    let fence = fence_around(&shown);
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    piped.prompt.push_str(&format!("\n\nStandard input ({about}):\n\n{fence}\n{shown}{end}{fence}\n"));
    Ok(piped)
}

impl PipedPrompt {
    /// Keeps the input as one artifact, or several where it is longer than one may be.
    fn keep_whole(&mut self, text: &str, redactor: &Redactor) {
        let mut rest = text;
        let is_one = rest.len() <= MAX_ARTIFACT_BYTES;
        for number in 1.. {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_ARTIFACT_BYTES));
            let name = if is_one { "standard-input.txt".to_owned() } else { format!("standard-input-{number}.txt") };
            let (content, emitted) = text_artifact(&name, "text/plain", piece, redactor);
            self.contents.push(content);
            self.artifacts.push(emitted);
            rest = after;
            if rest.is_empty() {
                return;
            }
        }
    }
}

/// Longer than any that the text has, so that it can't end the block.
fn fence_around(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8]) -> PipedPrompt {
        appended("Why?".to_owned(), input, &Redactor::default()).unwrap()
    }

    #[test]
    fn a_short_input_stands_in_the_prompt_as_it_is() {
        let piped = check(b"one\ntwo");
        assert_eq!(piped.prompt, "Why?\n\nStandard input (7 bytes):\n\n```\none\ntwo\n```\n");
        assert!(piped.artifacts.is_empty());
        assert_eq!(check(b"").prompt, "Why?");
        assert!(check(b"````\n").prompt.contains("\n`````\n````\n`````\n"));
        assert!(check(b"\xff\n").prompt.contains("not all of it UTF-8"));
    }

    #[test]
    fn of_a_long_input_the_ends_stand_in_the_prompt_and_all_of_it_is_kept() {
        let input: String = (0..40_000).map(|line| format!("é {line}\n")).collect();
        let piped = check(input.as_bytes());
        assert!(piped.prompt.len() < HEAD_BYTES + TAIL_BYTES + 1_000);
        assert!(piped.prompt.contains("é 0\n") && piped.prompt.contains("é 39999\n"));
        assert_eq!(piped.contents.len(), 1);
        assert_eq!(piped.contents[0].bytes, input.as_bytes());
        assert!(piped.prompt.contains(&artifact_reference(&piped.artifacts[0])));
    }

    #[test]
    fn what_is_too_long_for_one_artifact_is_kept_in_several() {
        let input = "é".repeat(MAX_ARTIFACT_BYTES / 2 + 1_000);
        let piped = check(input.as_bytes());
        let kept: Vec<u8> = piped.contents.iter().flat_map(|content| content.bytes.clone()).collect();
        assert_eq!((piped.contents.len(), kept == input.as_bytes()), (2, true));
        let refused = appended(String::new(), &vec![b'x'; MAX_PIPED_BYTES + 1], &Redactor::default());
        assert!(refused.is_err_and(|fault| fault.is(Code::USAGE)));
    }
}
