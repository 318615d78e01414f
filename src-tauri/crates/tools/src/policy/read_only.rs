//! Commands that are known to only read, with the flags that keep them so.
//!
//! An allow-list twice over: of programs, and of what their arguments may not be. A program whose flags cannot be told
//! apart safely (git with its configured helpers, sed, awk, xargs) is not on it, nor is one whose plain-looking arguments
//! the shell evaluates (`test -v 'a[$(…)]'`, `[`, `printf -v`, `let`). A pattern that the shell expands could name a file of
//! secrets, and so could a recursive search, so both are asked about.

use super::SimpleCommand;

/// A program, and the arguments that would make it do more than read. A flag also stands for `--flag=…`.
struct ReadOnlyProgram {
    name: &'static str,
    forbidden: &'static [&'static str],
    /// Single letters that must not occur in a cluster of short flags.
    forbidden_letters: &'static str,
    /// More operands than this could be an output file.
    max_operands: Option<usize>,
}

const fn plain(name: &'static str) -> ReadOnlyProgram {
    ReadOnlyProgram { name, forbidden: &[], forbidden_letters: "", max_operands: None }
}

const PROGRAMS: &[ReadOnlyProgram] = &[
    plain("basename"),
    plain("cat"),
    plain("cmp"),
    plain("comm"),
    plain("cut"),
    plain("df"),
    plain("diff"),
    plain("dirname"),
    plain("du"),
    plain("echo"),
    ReadOnlyProgram {
        name: "egrep",
        forbidden: &["--recursive", "--dereference-recursive", "--directories", "--file"],
        forbidden_letters: "rRdf",
        max_operands: None,
    },
    plain("false"),
    ReadOnlyProgram {
        name: "fgrep",
        forbidden: &["--recursive", "--dereference-recursive", "--directories", "--file"],
        forbidden_letters: "rRdf",
        max_operands: None,
    },
    ReadOnlyProgram {
        name: "grep",
        forbidden: &["--recursive", "--dereference-recursive", "--directories", "--file"],
        forbidden_letters: "rRdf",
        max_operands: None,
    },
    plain("head"),
    plain("id"),
    plain("ls"),
    plain("nl"),
    plain("pwd"),
    plain("readlink"),
    plain("realpath"),
    plain("stat"),
    plain("tac"),
    ReadOnlyProgram { name: "tail", forbidden: &["--follow", "--retry"], forbidden_letters: "fF", max_operands: None },
    plain("tr"),
    plain("true"),
    plain("uname"),
    plain("wc"),
    plain("which"),
    plain("whoami"),
    ReadOnlyProgram { name: "uniq", forbidden: &[], forbidden_letters: "", max_operands: Some(1) },
    ReadOnlyProgram {
        name: "sort",
        forbidden: &["--output", "--compress-program", "--temporary-directory", "--files0-from"],
        forbidden_letters: "oT",
        max_operands: None,
    },
    ReadOnlyProgram {
        name: "rg",
        forbidden: &[
            "--pre",
            "--pre-glob",
            "--hostname-bin",
            "--search-zip",
            "--config",
            "--hidden",
            "--file",
            "--unrestricted",
        ],
        forbidden_letters: "zuf.",
        max_operands: None,
    },
    ReadOnlyProgram {
        name: "find",
        forbidden: &["-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir"],
        forbidden_letters: "",
        max_operands: None,
    },
];

/// Whether every command is known to only read. Outside a sandbox they must also stay inside the project.
pub(super) fn all_read_only(commands: &[SimpleCommand], sandboxed: bool) -> bool {
    commands.iter().all(|command| is_read_only(command) && (sandboxed || stays_inside(command)))
}

fn is_read_only(command: &SimpleCommand) -> bool {
    // A path in front could be any program of that name; a pattern could become any flag.
    let Some((name, arguments)) = command.argv.split_first() else { return false };
    let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else { return false };
    if command.has_pattern {
        return false;
    }
    let operands = arguments.iter().filter(|argument| !argument.starts_with('-')).count();
    program.max_operands.is_none_or(|limit| operands <= limit)
        && !arguments.iter().any(|argument| is_forbidden(program, argument))
}

/// Long flags may be shortened, so a forbidden one is also found by any of its beginnings.
fn is_forbidden(program: &ReadOnlyProgram, argument: &str) -> bool {
    let flag = argument.split('=').next().unwrap_or(argument);
    let long = program.forbidden.iter().any(|forbidden| {
        flag == *forbidden || (flag.len() > 2 && flag.starts_with("--") && forbidden.starts_with(flag))
    });
    let short = argument.starts_with('-')
        && !argument.starts_with("--")
        && argument.chars().any(|letter| program.forbidden_letters.contains(letter));
    long || short
}

fn stays_inside(command: &SimpleCommand) -> bool {
    command.argv.iter().skip(1).all(|argument| {
        let value = argument.rsplit('=').next().unwrap_or(argument);
        !value.starts_with(['/', '~']) && !argument.contains("..") && !argument.contains('\\')
    })
}
