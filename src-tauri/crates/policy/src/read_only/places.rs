//! Finds the words of a command that only reads that name files and folders. All do, but for what is listed here as
//! text: what is searched for, what is said, how something is formatted.

use super::super::SimpleCommand;
use super::super::flags::{self, Flag, Given};
use super::super::plain_shell::Word;
use super::{WideRead, program_of};

/// Programs that take their operands for text.
const SAYING: &[&str] = &[
    ":", "basename", "cal", "date", "df", "dirname", "echo", "expr", "factor", "false", "groups", "id", "kubectl",
    "npm", "numfmt", "pgrep", "poetry", "printenv", "printf", "seq", "sleep", "tr", "true",
];
/// Programs whose first operand is what they look for, unless an option says it.
const SEEKING: &[&str] =
    &["egrep", "fd", "fgrep", "git grep", "grep", "jq", "rg", "yq", "yq e", "yq eval", "zegrep", "zfgrep", "zgrep"];
/// Options whose values are text.
const TEXTS: &[(&str, &str)] = &[
    ("cut", "d output-delimiter"),
    ("column", "o s output-separator"),
    ("date", "d date I"),
    ("egrep", "e regexp include exclude exclude-dir"),
    ("fd", "e E exclude extension"),
    ("fgrep", "e regexp include exclude exclude-dir"),
    ("git blame", "L date since"),
    ("git diff", "S G I L format pretty src-prefix dst-prefix"),
    ("git grep", "e"),
    ("git log", "S G I L author committer format grep pretty since until after before date"),
    ("git show", "S G I L format pretty"),
    ("grep", "e regexp include exclude exclude-dir"),
    ("join", "t"),
    ("jq", "arg argjson"),
    ("nl", "d s"),
    ("paste", "d delimiters"),
    ("rg", "e g r E regexp glob iglob replace context-separator path-separator"),
    ("sort", "t field-separator"),
    ("stat", "c format printf"),
    ("tree", "I P"),
    ("zegrep", "e regexp include exclude exclude-dir"),
    ("zfgrep", "e regexp include exclude exclude-dir"),
    ("zgrep", "e regexp include exclude exclude-dir"),
];
/// Predicates of `find` that name a file.
const FIND_NAMES: &[&str] = &["-anewer", "-cnewer", "-newer", "-samefile"];

/// Predicates of `find` that say how a name looks.
const FIND_TEXTS: &[&str] = &["-iname", "-ipath", "-iregex", "-iwholename", "-name", "-path", "-regex", "-wholename"];

/// Always true: what they name is for others to judge.
pub(super) fn named_by(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    inputs_of(command, wide);
    match command.name() {
        "awk" | "gawk" | "mawk" | "nawk" | "sed" => of_script(command.arguments(), wide),
        "find" => of_find(command.arguments(), wide),
        // What a pattern stands for is read to say it.
        "echo" | "printf" => command.arguments().iter().filter(|word| word.expands).for_each(|word| place(word, wide)),
        _ => match program_of(command) {
            Some((program, words)) => {
                let arguments = &command.words[words..];
                match flags::given(program.short, program.long, arguments) {
                    Some(given) => of_program(program.name, &given, wide),
                    None => arguments.iter().for_each(|word| loosely(word, wide)),
                }
            }
            None => command.arguments().iter().for_each(|word| loosely(word, wide)),
        },
    }
    true
}

/// Returns which of its words are text for sure, whatever they look like.
pub(in super::super) fn texts(command: &SimpleCommand) -> Vec<usize> {
    let words = &command.words;
    let after = |options: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (1..words.len().saturating_sub(1)).filter(|place| options(&words[*place].text)).map(|place| place + 1).collect()
    };
    let place_of = |wanted: &Word| words.iter().position(|word| std::ptr::eq(word, wanted));
    match command.name() {
        "awk" | "gawk" | "mawk" | "nawk" | "sed" => {
            let options = if command.name() == "sed" { "nErzusl:e:" } else { "F:v:" };
            let given = flags::given(options, "quiet silent expression= regexp-extended", command.arguments());
            let has_script = |given: &Given<'_>| given.flags.iter().any(|flag| super::is_among(flag, "e expression"));
            given
                .filter(|given| !has_script(given))
                .and_then(|given| place_of(given.operands.first()?))
                .into_iter()
                .collect()
        }
        "find" => after(&|text| FIND_TEXTS.contains(&text)),
        _ => {
            let Some((program, name)) = program_of(command) else { return Vec::new() };
            let Some(given) = flags::given(program.short, program.long, &words[name..]) else { return Vec::new() };
            let texts = TEXTS.iter().find(|(known, _)| *known == program.name).map_or("", |(_, texts)| texts);
            let is_text = |text: &str| match text.strip_prefix("--") {
                Some(long) => texts.split(' ').any(|known| known.len() > 1 && known == long),
                None => text
                    .strip_prefix('-')
                    .is_some_and(|short| short.len() == 1 && texts.split(' ').any(|known| known == short)),
            };
            let is_seeking = SEEKING.contains(&program.name) && !super::has_pattern_flag(&given);
            let says = SAYING.contains(&program.name);
            let operands = given
                .operands
                .iter()
                .enumerate()
                .filter(|(number, word)| (says && !word.expands) || (is_seeking && *number == 0));
            operands.filter_map(|(_, word)| place_of(word)).chain(after(&is_text)).collect()
        }
    }
}

/// Adds the inputs of a program.
pub(super) fn inputs_of(command: &SimpleCommand, wide: &mut Vec<WideRead>) {
    command.inputs.iter().for_each(|word| place(word, wide));
}

fn of_program(name: &str, given: &Given<'_>, wide: &mut Vec<WideRead>) {
    let texts = TEXTS.iter().find(|(program, _)| *program == name).map_or("", |(_, texts)| texts);
    for flag in &given.flags {
        if let Flag::Short(_, Some(value)) | Flag::Long(_, Some(value)) = flag
            && !super::is_among(flag, texts)
        {
            place(&Word::literal(value), wide);
        }
    }
    let first = usize::from(SEEKING.contains(&name) && !super::has_pattern_flag(given));
    let says = SAYING.contains(&name.split(' ').next().unwrap_or_default());
    // What a pattern stands for is read to say it.
    given.operands.iter().skip(first).filter(|word| !says || word.expands).for_each(|word| place(word, wide));
}

/// `sed` and `awk`: the first word that is no option is the script, unless an option brings it.
fn of_script(arguments: &[Word], wide: &mut Vec<WideRead>) {
    let mut needs_script = true;
    let mut is_value = false;
    for word in arguments {
        let text = word.text.as_str();
        if std::mem::take(&mut is_value) {
            continue;
        }
        if text.starts_with('-') && text != "-" {
            needs_script &= !(text.starts_with("-e") || text.starts_with("--expression"));
            is_value = matches!(text, "-e" | "-F" | "-v" | "-l" | "--expression" | "--line-length");
        } else if !std::mem::take(&mut needs_script) {
            place(word, wide);
        }
    }
}

fn of_find(arguments: &[Word], wide: &mut Vec<WideRead>) {
    let mut words = arguments.iter().skip_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P")).peekable();
    while let Some(folder) = words.next_if(|word| !word.text.starts_with(['-', '(', '!', ','])) {
        place(folder, wide);
    }
    while let Some(word) = words.next() {
        if FIND_NAMES.contains(&word.text.as_str())
            && let Some(file) = words.next()
        {
            place(file, wide);
        }
    }
}

/// Adds every word, and what may be attached to an option, where it is not known which word is what.
fn loosely(word: &Word, wide: &mut Vec<WideRead>) {
    let with = |text: &str| Word { text: text.to_owned(), ..word.clone() };
    if !word.text.starts_with('-') {
        place(word, wide);
    } else if let Some((_, value)) = word.text.split_once('=') {
        place(&with(value), wide);
    } else if let Some(begin) = word.text.find(['/', '~', '.']) {
        place(&with(&word.text[begin..]), wide);
    }
}

fn place(word: &Word, wide: &mut Vec<WideRead>) {
    let text = &word.text;
    if word.variable {
        // What comes before a variable says where it lies.
        let known = text.split('$').next().unwrap_or_default();
        let folder = known.rsplit_once('/').map(|(folder, _)| if folder.is_empty() { "/" } else { folder });
        wide.extend(folder.map(|path| WideRead::Place { path: path.to_owned(), is_pattern: false }));
        return;
    }
    if matches!(text.as_str(), "" | "-" | "." | "./") {
        return;
    }
    let mut push = |path: String| wide.push(WideRead::Place { path, is_pattern: word.expands });
    if word.quoted && text.starts_with('~') {
        // No home, unless the quotes stand behind.
        push(format!("./{text}"));
    }
    push(text.clone());
}
