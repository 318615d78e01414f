//! Plain `for` loops as the commands that they run: the body once for each word of the list.
//!
//! Of a literal list it is known what the variable stands for, so that the body can be written out. Where the list has a
//! pattern, the variable's place is taken by that pattern: whatever the body then does to one name at a time is judged as
//! being done to all that the pattern stands for. Whatever else a variable could be (a substitution, another variable, a
//! program's name, a loop within a loop) is not understood.

use super::plain_shell::{BARE, Command, Each, IN_QUOTES, Joint, Unclear, VARIABLE_END, Word, begins_plainly};

/// They only say what they are given.
const SAYING: &[&str] = &["echo", "printf"];
const NOT_PLAIN: Unclear = "a loop that is not plain";

/// All commands with their loops written out, and no variable left but where it is only said.
pub(super) fn unroll(commands: Vec<Command>, max_commands: usize) -> Result<Vec<Command>, Unclear> {
    let mut unrolled = Vec::new();
    let mut rest = commands.into_iter();
    while let Some(command) = rest.next() {
        if is_reserved(&command.words, "for") {
            let mut body = Vec::new();
            loop {
                match rest.next().ok_or(NOT_PLAIN)? {
                    end if is_reserved(&end.words, "done") => {
                        let is_plain = end.words.len() == 1 && end.inputs.is_empty() && end.joint == Joint::Then;
                        is_plain.then_some(()).ok_or(NOT_PLAIN)?;
                        break;
                    }
                    command => body.push(command),
                }
            }
            unrolled.extend(Loop::new(&command, body)?.written_out()?);
        } else {
            unrolled.push(command);
        }
        if unrolled.len() > max_commands {
            return Err("too much in it");
        }
    }
    unrolled.into_iter().map(finished).collect()
}

fn is_reserved(words: &[Word], name: &str) -> bool {
    words.first().is_some_and(|word| word.text == name && !word.quoted)
}

struct Loop<'a> {
    variable: &'a str,
    list: &'a [Word],
    body: Vec<Command>,
}

impl<'a> Loop<'a> {
    fn new(head: &'a Command, mut body: Vec<Command>) -> Result<Self, Unclear> {
        let [_, variable, within, list @ ..] = head.words.as_slice() else { return Err(NOT_PLAIN) };
        // In capitals it may be one that says what runs, such as `PATH`; so may some that tools have in their environment.
        let is_name = |word: &Word| {
            let is_plain = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit();
            word.text.starts_with(|first: char| first.is_ascii_lowercase())
                && word.text.chars().all(is_plain)
                && !word.quoted
        };
        let first = body.first_mut().filter(|first| is_reserved(&first.words, "do") && first.words.len() > 1);
        let first = first.ok_or(NOT_PLAIN)?;
        first.words.remove(0);
        let is_plain = is_name(variable)
            && is_reserved(std::slice::from_ref(within), "in")
            && !list.is_empty()
            && list.iter().all(|word| !word.variable && !word.text.is_empty())
            && head.inputs.is_empty()
            && first.joint == Joint::Then;
        is_plain.then_some(Self { variable: &variable.text, list, body }).ok_or(NOT_PLAIN)
    }

    fn written_out(&self) -> Result<Vec<Command>, Unclear> {
        let mut commands = Vec::new();
        for value in self.list {
            for (place, command) in self.body.iter().enumerate() {
                let says = command.words.first().is_some_and(|name| SAYING.contains(&name.text.as_str()));
                // Never the program.
                begins_plainly(&command.words)?;
                let with = |word: &Word| self.with(word, value, says);
                commands.push(Command {
                    words: command.words.iter().map(with).collect::<Result<_, _>>()?,
                    inputs: command.inputs.clone(),
                    joint: if place == 0 { Joint::Perhaps } else { command.joint },
                });
            }
        }
        Ok(commands)
    }

    /// The word with the value in the variable's places.
    fn with(&self, word: &Word, value: &Word, says: bool) -> Result<Word, Unclear> {
        if !word.variable || (value.expands && says) {
            return Ok(word.clone());
        }
        let mut filled = Word { text: String::new(), variable: false, ..word.clone() };
        let mut rest = word.text.as_str();
        while let Some(begin) = rest.find([IN_QUOTES, BARE]) {
            let (before, from) = rest.split_at(begin);
            let (name, after) = from[1..].split_once(VARIABLE_END).ok_or(NOT_PLAIN)?;
            let splits = from.starts_with(BARE);
            filled.text.push_str(before);
            rest = after;
            if name != self.variable {
                filled.text.push_str(&from[..from.len() - after.len()]);
                filled.variable = true;
                continue;
            }
            let is_home_within = value.text.starts_with('~') && (value.quoted || !filled.text.is_empty());
            if is_home_within {
                return Err(NOT_PLAIN);
            }
            filled.text.push_str(&value.text);
            if value.expands {
                let is_once = filled.each.replace(Each { pattern: value.text.clone(), splits }).is_none();
                is_once.then_some(()).ok_or(NOT_PLAIN)?;
                filled.expands = true;
            } else if splits && !value.text.chars().all(is_one_word) {
                return Err(NOT_PLAIN);
            }
        }
        filled.text.push_str(rest);
        let is_path = |next: char| next.is_ascii_alphanumeric() || "_./-*?[]!^{},+".contains(next);
        let is_known = filled.each.is_none() || (!filled.variable && filled.text.chars().all(is_path));
        is_known.then_some(filled).ok_or(NOT_PLAIN)
    }
}

/// Neither split nor taken for a pattern.
fn is_one_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_./-+@%:,=~".contains(character) || !character.is_ascii()
}

/// Begins plainly, and says its variables at most.
fn finished(mut command: Command) -> Result<Command, Unclear> {
    begins_plainly(&command.words)?;
    let says = command.words.first().is_some_and(|name| SAYING.contains(&name.text.as_str()));
    // What comes first could be an option: `printf -v NAME`.
    let has_format = command.words.get(1).is_some_and(|format| !format.variable && !format.text.starts_with('-'));
    let is_said = |place: usize| says && (command.words[0].text == "echo" || (place > 1 && has_format));
    if command.words.iter().enumerate().any(|(place, word)| word.variable && !is_said(place)) {
        return Err("a variable or a substitution");
    }
    for word in &mut command.words {
        word.expands |= word.variable;
        word.text = word.text.replace([IN_QUOTES, BARE], "${").replace(VARIABLE_END, "}");
    }
    Ok(command)
}
