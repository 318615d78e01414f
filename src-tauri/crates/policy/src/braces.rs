//! Brace expansion, which a shell does before anything else: `src/{a,b}.rs` is two words, `{1..3}` three. Whoever judges a
//! line then sees the words that the program is given.
//!
//! Only what is plain: no braces within braces, no quotes, no variables, no assignments. All else stays as it is, a word of
//! which nobody knows what becomes of it.

use super::plain_shell::{LineCommand, Word, is_assignment};

/// A word that becomes more words is left as it is.
const MAX_WORDS: usize = 64;
/// Numbers of more digits are not counted through.
const MAX_DIGITS: usize = 3;

/// The commands with the words that a shell makes of theirs.
pub(super) fn expanded(commands: Vec<LineCommand>) -> Vec<LineCommand> {
    commands.into_iter().map(|command| LineCommand { words: words_of(command.words), ..command }).collect()
}

fn words_of(words: Vec<Word>) -> Vec<Word> {
    // Within it the shell expands none.
    if words.first().is_some_and(|name| name.text == "[[" && !name.quoted) {
        return words;
    }
    let name = words.iter().position(|word| !is_assignment(word)).unwrap_or(words.len());
    let each = words.into_iter().enumerate();
    each.flat_map(|(place, word)| {
        let is_given = place > name && word.expands && is_plain(&word);
        is_given.then(|| alternatives(&word.text)).flatten().unwrap_or_else(|| vec![word])
    })
    .collect()
}

/// An option's value, as in `--include=*.{ts,tsx}`, is read together with its name.
fn is_plain(word: &Word) -> bool {
    let is_plain = |next: char| next.is_ascii_alphanumeric() || "_.,-/@+*?:%^~{}".contains(next);
    !word.quoted && !word.variable && !word.text.starts_with('-') && word.text.chars().all(is_plain)
}

fn alternatives(text: &str) -> Option<Vec<Word>> {
    let texts = several(text)?;
    let is_whole = texts.len() > 1 && texts.iter().all(|text| !text.is_empty());
    let word = |text: String| Word { expands: text.contains(['*', '?']), text, ..Word::default() };
    is_whole.then(|| texts.into_iter().map(word).collect())
}

fn several(text: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = text.split_once('{') else {
        return (!text.contains('}')).then(|| vec![text.to_owned()]);
    };
    let (inner, after) = rest.split_once('}')?;
    let is_single = !before.contains('}') && !inner.contains('{');
    let inner: Vec<String> = match inner.split_once("..") {
        _ if !is_single => return None,
        _ if inner.contains(',') => inner.split(',').map(str::to_owned).collect(),
        Some((first, last)) => numbers(first, last)?,
        None => vec![format!("{{{inner}}}")],
    };
    let after = several(after)?;
    let texts = inner.iter().flat_map(|inner| after.iter().map(move |after| format!("{before}{inner}{after}")));
    Some(texts.take(MAX_WORDS + 1).collect()).filter(|texts: &Vec<String>| texts.len() <= MAX_WORDS)
}

/// Zeros in front would make all of them as long.
fn numbers(first: &str, last: &str) -> Option<Vec<String>> {
    let number = |text: &str| -> Option<usize> {
        let is_plain = text == "0" || !text.starts_with('0');
        let is_short = text.len() <= MAX_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_plain && is_short)
    };
    let (first, last) = (number(first)?, number(last)?);
    let upwards = first.min(last)..=first.max(last);
    let texts = |numbers: &mut dyn Iterator<Item = usize>| numbers.map(|number| number.to_string()).collect();
    Some(if first <= last { texts(&mut upwards.into_iter()) } else { texts(&mut upwards.rev()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn become_words(text: &str) -> Vec<String> {
        let word = Word { text: text.to_owned(), expands: true, ..Word::default() };
        let words = words_of(vec![Word::literal("ls"), word]);
        words.into_iter().skip(1).map(|word| word.text).collect()
    }

    #[test]
    fn alternatives_and_numbers_are_words() {
        assert_eq!(become_words("src/{a,b}.rs"), ["src/a.rs", "src/b.rs"]);
        assert_eq!(become_words("{a,b}/{c,d}"), ["a/c", "a/d", "b/c", "b/d"]);
        assert_eq!(become_words("a{,.bak}"), ["a", "a.bak"]);
        assert_eq!(become_words("x{2..0}"), ["x2", "x1", "x0"]);
        assert_eq!(become_words("{src,tests}/*.rs"), ["src/*.rs", "tests/*.rs"]);
    }

    #[test]
    fn what_is_not_plain_stays() {
        let many = "{1,2,3,4,5,6,7,8}".repeat(3);
        for text in
            ["{a,{b,c}}", "{,a}", "{a,b", "a,b}", "{a}", "{a..c}", "{01..10}", "{1..999}", "-{a,b}", many.as_str()]
        {
            assert_eq!(become_words(text), [text]);
        }
        let name = Word { expands: true, ..Word::literal("{ls,-la}") };
        assert_eq!(words_of(vec![name.clone()]), [name]);
    }
}
