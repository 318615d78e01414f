//! Characters in a shell line that are not seen, or that readers take for different things.

use super::plain_shell::Unclear;

/// Why a line with such a character is not understood.
pub(super) fn invisible_character(line: &str) -> Option<Unclear> {
    let before = [' '].into_iter().chain(line.chars());
    before.zip(line.chars()).find_map(|(before, next)| forbidden(next).filter(|_| !is_part_of_emoji(before, next)))
}

/// `♻️` is two characters: the second one, or the one that joins two, hides nothing.
fn is_part_of_emoji(before: char, next: char) -> bool {
    matches!(before, '\u{203c}' | '\u{2049}' | '\u{2122}'..='\u{3299}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
        && matches!(next, '\u{fe0f}' | '\u{200d}')
}

fn forbidden(character: char) -> Option<Unclear> {
    let plain = matches!(character, ' ' | '\t' | '\n' | '!'..='~');
    if plain {
        return None;
    }
    let invisible = character.is_whitespace()
        || character.is_control()
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffd}'
            | '\u{e0000}'..='\u{e0fff}');
    invisible.then_some(Unclear::INVISIBLE_CHARACTER)
}
