//! The files that each program runs of those that it is given.

use super::words::{Known, known};
use super::{MAX_FOLDERS, ShellRunReader, is_steering};
use crate::command_line::SimpleCommand;
use crate::flags::{self, Flag};
use crate::plain_shell::Word;
use crate::word_list::is_in;
use crate::wrappers::{self, Inside};
use arki_domain::{RunLanguage, ShellText, UnknownRun};

/// Programs that run what files of the project say.
const BUILDS: &str = "ant bazel bun bundle bunx cargo cmake composer deno docker dotnet eslint gmake go gradle hatch husky \
     jest just lefthook lint-staged make mise mix mvn ninja nox npm npx nx pdm pipenv pnpm poetry pre-commit pytest rake \
     run-parts rye sbt swift task tox turbo unittest uv uvx vitest yarn";
/// Subcommands of these that run nothing of it.
const NO_BUILDS: &str =
    "cargo:fmt cargo:metadata cargo:tree deno:fmt deno:lint dotnet:format go:env go:fmt go:list go:vet";
/// Programs that read a script, each with its short options that stand alone.
const INTERPRETERS: &[(&str, RunLanguage, &str)] = &[
    ("python", RunLanguage::Python, "BEIOPRSbdqsuvx"),
    ("node", RunLanguage::JavaScript, ""),
    ("tsx", RunLanguage::JavaScript, ""),
    ("ts-node", RunLanguage::JavaScript, ""),
    ("ruby", RunLanguage::Other, "wWlnp"),
    ("perl", RunLanguage::Other, "wWTtlnpa0"),
    ("php", RunLanguage::Other, "nq"),
    ("lua", RunLanguage::Other, ""),
    ("pwsh", RunLanguage::Other, ""),
    ("osascript", RunLanguage::Other, ""),
    ("Rscript", RunLanguage::Other, ""),
];
/// Options of theirs that load a file, and whose value is code.
const LOADING: &[&str] = &["-File", "--import", "--loader", "--require", "-f", "-r"];
const CODE_OF_NODE: &[&str] = &["--eval", "--print", "-e", "-p", "-pe"];
const HARMLESS: &[&str] =
    &["--enable-source-maps", "--experimental-strip-types", "--no-warnings", "--version", "-NoProfile"];
/// `wrappers` knows these as runners, for what stands in the line itself.
const SAYING: &str = "[ [[ awk declare gawk let mapfile mawk readarray sed test typeset";
const FED: &str = "an interpreter in it runs what it is fed";

impl ShellRunReader<'_> {
    /// `more`: further words follow that nobody knows.
    pub(super) fn run(&mut self, words: &[Word], more: bool) {
        let Some(first) = words.first() else { return };
        let name = match known(first) {
            Ok(name) => name,
            Err(why) => return self.unknown(why),
        };
        let program = name.rsplit('/').next().unwrap_or_default().to_owned();
        if name.contains('/') {
            self.file(Ok(name.clone()), RunLanguage::Program);
        }
        let binds = matches!(program.as_str(), "export" | "printf" | "read");
        for word in words {
            let set = word.text.split_once('=').map_or(binds.then_some(&*word.text), |(name, _)| Some(name));
            set.filter(|name| is_steering(name)).into_iter().for_each(|name| self.unknown(format!("it sets {name}")));
        }
        match program.as_str() {
            "cd" | "pushd" => self.change_folder(words),
            "." | "source" => self.script(words.get(1), RunLanguage::Shell),
            "eval" => self.unknown("it runs text that it builds, with `eval`"),
            "alias" | "enable" | "hash" => self.unknown(format!("`{program}` changes what a name stands for")),
            "trap" if words.len() > 2 && words[1].text != "-" => self.line(known(&words[1])),
            shell if wrappers::is_shell(shell) => self.shell(words),
            "awk" | "gawk" | "mawk" | "sed" if words.iter().any(names_script) => {
                self.unknown(format!("`{program}` runs a file of commands"));
            }
            _ if is_build(&program, words) => self.build(&program),
            _ => match INTERPRETERS.iter().find(|known| is_called(&program, known.0)) {
                Some((_, language, short)) => self.interpreter(words, *language, short),
                None if runs_arguments(words) => {
                    self.unknown(format!("`{program}` runs what its arguments say, in ways that Arki can't read"));
                }
                None => self.handed_on(words, more),
            },
        }
    }

    fn build(&mut self, program: &str) {
        let why = format!("`{program}` runs what files of the project say");
        self.runs.unknown.insert(UnknownRun { why, is_build: true });
    }

    /// Reads the commands that other programs are told to run, by a table of them.
    fn handed_on(&mut self, words: &[Word], more: bool) {
        match wrappers::inside(words, more, 0) {
            Inside::Commands(wrapped) => {
                wrapped.commands.iter().for_each(|command| self.run(&command.words, command.open_ended));
            }
            Inside::Unknown if words.len() > 1 => {
                let why = words.iter().find_map(|word| known(word).err());
                let in_some_way = || format!("`{}` runs something in a way that Arki can't read", words[0].text);
                self.unknown(why.unwrap_or_else(in_some_way));
            }
            Inside::Unknown | Inside::Nothing | Inside::Compound(_) => {}
        }
    }

    fn change_folder(&mut self, words: &[Word]) {
        let folder = match words.iter().skip(1).find(|word| !word.text.starts_with('-')).map(known) {
            Some(Ok(folder)) => folder,
            // Back to where it was before.
            None if words.len() > 1 => return,
            Some(Err(_)) | None => return self.unknown("it changes to a folder whose name it builds"),
        };
        self.here.extend(self.absolute(&folder));
        self.runs.folders.extend(self.here.iter().cloned());
        if (self.repeats && !folder.starts_with('/')) || self.here.len() > MAX_FOLDERS {
            self.unknown("it changes folders in a function or a loop");
        }
    }

    /// A text that the shell reads as a line.
    fn line(&mut self, text: Known) {
        match text {
            Err(why) => self.unknown(why),
            Ok(text) => {
                let here = self.here.clone();
                let text = ShellText { text: &text, place: None, folders: &here, ..*self.text };
                let runs = super::shell_runs(&text);
                self.runs.files.extend(runs.files);
                self.runs.unknown.extend(runs.unknown);
                self.runs.folders.extend(runs.folders);
            }
        }
    }

    fn script(&mut self, word: Option<&Word>, language: RunLanguage) {
        match word {
            Some(word) => self.file(known(word), language),
            None => self.unknown(FED),
        }
    }

    fn shell(&mut self, words: &[Word]) {
        let arguments = &words[1..];
        let Some(flags) = flags::leading("celuxvo:", "norc noprofile posix login", arguments) else {
            return self.unknown(format!("`{}` has options that Arki can't read", words[0].text));
        };
        let script = arguments.get(flags.end);
        match script.filter(|_| flags.found.iter().any(|flag| matches!(flag, Flag::Short('c', _)))) {
            Some(line) => self.line(known(line)),
            None => self.script(script, RunLanguage::Shell),
        }
    }

    fn interpreter(&mut self, words: &[Word], language: RunLanguage, short: &str) {
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            let option = word.text.split('=').next().unwrap_or_default();
            let is_alone = |letters: &str| letters.chars().all(|next| short.contains(next));
            let letters = option.strip_prefix('-').unwrap_or_default();
            let is_code = match language {
                RunLanguage::Python => option == "-c",
                RunLanguage::JavaScript => CODE_OF_NODE.contains(&option),
                _ => letters.strip_suffix('e').is_some_and(is_alone),
            };
            if is_code {
                return rest.next().map_or((), |code| known(code).err().into_iter().for_each(|why| self.unknown(why)));
            } else if option == "-m" && language == RunLanguage::Python {
                return self.module(rest.next());
            } else if LOADING.contains(&option) && option.len() < word.text.len() {
                let value = |text: String| text[option.len() + 1..].to_owned();
                self.file(known(word).map(value), language);
            } else if LOADING.contains(&option) {
                self.script(rest.next(), language);
            } else if !option.starts_with('-') || option == "-" {
                return self.script(Some(word).filter(|_| option != "-"), language);
            } else if !is_alone(letters) && !HARMLESS.contains(&option) {
                return self.unknown(format!("`{}` has the option {option}, which Arki doesn't know", words[0].text));
            }
        }
        if !words[1..].iter().any(|word| word.text == "--version" || LOADING.contains(&word.text.as_str())) {
            self.unknown(FED);
        }
    }

    /// `python -m package.module`, which is looked for in the folder first.
    fn module(&mut self, word: Option<&Word>) {
        let name = match word.map(known) {
            Some(Ok(name)) => name,
            Some(Err(why)) => return self.unknown(why),
            None => return,
        };
        if is_in(BUILDS, &name) {
            self.build(&name);
        }
        let path = name.replace('.', "/");
        for end in path.match_indices('/').map(|(end, _)| end).chain([path.len()]) {
            for ending in [".py", "/__init__.py", "/__main__.py"] {
                self.file(Ok(format!("{}{ending}", &path[..end])), RunLanguage::Python);
            }
        }
    }
}

/// `python3.12` is a `python`.
fn is_called(program: &str, known: &str) -> bool {
    let version = program.strip_prefix(known);
    version.is_some_and(|version| version.chars().all(|next| next.is_ascii_digit() || next == '.'))
}

fn is_build(program: &str, words: &[Word]) -> bool {
    let first = words[1..].iter().find(|word| !word.text.starts_with(['-', '+'])).map_or("", |word| &word.text);
    let runs_none = NO_BUILDS.split(' ').any(|other| other.split_once(':') == Some((program, first)));
    let asks = words.len() == 2 && matches!(words[1].text.as_str(), "--version" | "-V");
    is_in(BUILDS, program) && !runs_none && !asks
}

/// `-f FILE`, also behind other letters.
fn names_script(word: &Word) -> bool {
    word.text.starts_with("--f")
        || (word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('f'))
}

fn runs_arguments(words: &[Word]) -> bool {
    let command = SimpleCommand::plain(words.to_vec());
    !is_in(SAYING, command.program()) && command.program() != "trap" && wrappers::is_runner(&command)
}
