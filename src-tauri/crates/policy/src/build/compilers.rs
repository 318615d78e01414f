//! Compilers that make programs or objects of the project's sources.

use super::super::plain_shell::Word;
use super::super::wide_read::WideRead;
use super::{names_inside, values};

const C_COMPILERS: &[&str] = &["c++", "cc", "clang", "clang++", "g++", "gcc"];
const C_FILES: &[&str] = &["a", "c", "c++", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm", "o", "so"];
/// Options of C compilers that take what is attached to them.
const C_ATTACHED: &[&str] =
    &["-D", "-I", "-L", "-O", "-U", "-W", "-fno-", "-fsanitize=", "-g", "-l", "-m", "-pedantic", "-std="];
const C_PLAIN: &[&str] = &["-c", "-fPIC", "-fopenmp", "-fpic", "-fsyntax-only", "-pthread", "-shared", "-static", "-v"];
const JAVA_VALUES: &[&str] =
    &["--class-path", "--release", "-classpath", "-cp", "-d", "-encoding", "-source", "-target"];
const JAVA_PLAIN: &[&str] = &["-Werror", "-g", "-nowarn", "-parameters", "-verbose"];
/// Names without an ending that a compiled program does not have.
const NO_PROGRAMS: &[&str] = &["configure", "gradlew", "license", "makefile", "mvnw", "readme"];

/// A compiler that turns sources of the project into programs or objects, or only checks them. What it writes has a
/// program's name: with `-E` or from a pipe it would write any text into any file.
pub(super) fn compiles(words: &[Word], wide: &mut Vec<WideRead>) -> bool {
    let Some((name, arguments)) = words.split_first().filter(|(name, _)| !name.expands) else { return false };
    let is_known = match name.text.as_str() {
        "javac" => java_argument,
        other if C_COMPILERS.contains(&other) => c_argument,
        _ => return false,
    };
    let mut rest = arguments;
    let mut has_source = false;
    while let [word, after @ ..] = rest {
        let Some(kind) = is_known(&word.text) else { return false };
        rest = after;
        match kind {
            Argument::Option(path) if word.expands || !path.is_empty() => {
                if !names_inside(&Word { text: path.to_owned(), ..word.clone() }, wide) {
                    return false;
                }
            }
            Argument::Option(_) => {}
            Argument::Source => {
                has_source = true;
                if !names_inside(word, wide) {
                    return false;
                }
            }
            Argument::Value | Argument::Output => {
                let Some((value, after)) = rest.split_first() else { return false };
                rest = after;
                let is_fine = match kind {
                    Argument::Output => !value.expands && is_program(&value.text) && values::writes(&value.text, wide),
                    _ => names_inside(value, wide),
                };
                if !is_fine {
                    return false;
                }
            }
        }
    }
    has_source
}

enum Argument<'a> {
    Source,
    /// An option with what is attached to it, which may be a path.
    Option(&'a str),
    /// The next word is its value.
    Value,
    /// The next word is what is written.
    Output,
}

fn c_argument(text: &str) -> Option<Argument<'_>> {
    match text {
        "-o" => Some(Argument::Output),
        "-I" | "-L" | "-D" | "-U" | "-l" => Some(Argument::Value),
        _ if C_PLAIN.contains(&text) => Some(Argument::Option("")),
        // `-Wl,…` and its like are options of other programs.
        _ if text.starts_with('-') => {
            let attached = C_ATTACHED.iter().find_map(|option| text.strip_prefix(option));
            attached.filter(|value| !value.contains([',', '@'])).map(Argument::Option)
        }
        _ => has_ending(text, C_FILES).then_some(Argument::Source),
    }
}

fn java_argument(text: &str) -> Option<Argument<'_>> {
    match text {
        _ if JAVA_VALUES.contains(&text) => Some(Argument::Value),
        _ if JAVA_PLAIN.contains(&text) || text.starts_with("-Xlint") => Some(Argument::Option("")),
        _ => has_ending(text, &["java"]).then_some(Argument::Source),
    }
}

fn has_ending(text: &str, endings: &[&str]) -> bool {
    !text.starts_with(['-', '@']) && text.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// `main`, `build/app`, `x.o`: what a compiler writes, and nothing that a person does.
fn is_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, ending)) => ["a", "dll", "exe", "o", "obj", "out", "so"].contains(&ending),
        None => {
            name.chars().all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || "_-".contains(next))
                && !NO_PROGRAMS.contains(&name)
        }
    }
}
