//! Commands that run another command: what is inside counts, not the wrapper.
//!
//! A wrapper's options are read exactly or not at all; one that can't be unwrapped with certainty is never allowed
//! silently. Some wrappers add something that is worth a question whatever is inside (`sudo`, a detached process, a
//! loop): their inside is only looked at to forbid and to warn.

use super::command_line::{CommandLine, SimpleCommand};
use super::compound::InnerCommands;
use super::flags::{self, Flag};
use super::plain_shell::{Word, is_assignment};
use super::read_only;
use super::word_list::is_in;

/// The commands that a command runs in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inside {
    /// It is no wrapper.
    Nothing,
    /// It is one, but what it runs can't be told.
    Unknown,
    Commands(WrappedCommands),
    /// It is a compound command: a subshell, branches, a loop.
    Compound(InnerCommands<SimpleCommand>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrappedCommands {
    /// The word at which the inside begins.
    pub starts_at: usize,
    pub commands: Vec<SimpleCommand>,
    /// Nothing is added to what is inside, so that what allows the inside allows the whole.
    pub is_transparent: bool,
}

struct Wrapper {
    name: &'static str,
    /// The short options as `getopts` writes them: `a` alone, `a:` with a value, `a?` with one that is attached or
    /// absent.
    short: &'static str,
    /// `name` alone, `name=` with a value, `name?` with one after `=` or none.
    long: &'static str,
    /// Words before the command, such as a duration.
    operands: usize,
    is_transparent: bool,
}

const fn transparent(name: &'static str, short: &'static str, long: &'static str, operands: usize) -> Wrapper {
    Wrapper { name, short, long, operands, is_transparent: true }
}

const fn guarded(name: &'static str, short: &'static str, long: &'static str, operands: usize) -> Wrapper {
    Wrapper { name, short, long, operands, is_transparent: false }
}

const WRAPPERS: &[Wrapper] = &[
    transparent("builtin", "", "", 0),
    transparent("command", "p", "", 0),
    transparent("ionice", "c:n:t", "class= classdata= ignore", 0),
    transparent("nice", "n:#", "adjustment=", 0),
    transparent("stdbuf", "i:o:e:", "input= output= error=", 0),
    transparent("time", "p", "", 0),
    transparent("timeout", "k:s:vf", "kill-after= signal= preserve-status foreground verbose", 1),
    guarded("caffeinate", "dimsut:w:", "", 0),
    guarded("chroot", "", "userspec= groups= skip-chdir", 1),
    guarded("chrt", "bfiormadvT:P:D:p", "", 1),
    guarded("doas", "Lnsu:C:", "", 0),
    guarded("exec", "cla:", "", 0),
    guarded("flock", "seunxow:E:Fv", "shared exclusive nonblock wait= timeout= close verbose no-fork", 1),
    guarded("ltrace", "fcSr:o:p:e:", "", 0),
    // It writes what it runs says into a file, where there is a terminal.
    guarded("nohup", "", "", 0),
    guarded("pkexec", "", "user= disable-internal-agent keep-cwd", 0),
    guarded("setsid", "cfw", "ctty fork wait", 0),
    guarded("strace", "fqvtTrcCyYo:e:p:s:", "", 0),
    guarded(
        "sudo",
        "AbBEHknNPSu:g:h:p:C:r:t:T:U:D:R:",
        "askpass background bell chdir= chroot= close-from= group= host= login non-interactive preserve-env? preserve-groups \
         prompt= reset-timestamp set-home shell stdin user= command-timeout=",
        0,
    ),
    guarded("taskset", "apc", "", 1),
    guarded("unshare", "imnpuUCTrfc", "mount uts ipc net pid user fork map-root-user", 0),
];

/// Shells whose `-c` takes a line; the second says whether it means there what it means in bash.
const SHELLS: &[(&str, bool)] = &[("ash bash dash sh", true), ("csh fish ksh mksh rbash tcsh zsh", false)];

/// Commands that run what is named somewhere in their arguments, in ways too many to be read exactly. An allowing rule
/// can name them like any other program; to a forbidding one, what they name counts.
const RUNNERS: &str = ". alias at awk bat batch bind bunx chronic cmd complete concurrently conda cross-env \
    dbus-run-session declare devbox direnv distrobox dotenv eatmydata emacs entr ex expect fakeroot faketime \
    firejail gawk gdb hash hyperfine let lldb lua mapfile mawk mise nawk nix nix-shell node nodemon npx nsenter \
    osascript parallel perf perl php pipenv pipx poetry powershell proot pwsh python python2 python3 readarray ruby \
    runuser rustup screen script sed socat source ssh start-stop-daemon su systemd-run tclsh tmux toolbox trap \
    typeset unbuffer uv uvx vagrant valgrind vi vim watchexec winpty wsl xvfb-run";
/// The same, but only with these subcommands.
const SUBCOMMANDS_THAT_RUN: &[(&str, &[&str])] = &[
    ("bundle", &["exec"]),
    ("docker", &["exec", "run"]),
    ("docker-compose", &["exec", "run"]),
    ("git", &["-c", "-x", "--exec", "bisect", "config", "filter-branch", "foreach"]),
    ("kubectl", &["debug", "exec", "run"]),
    ("make", &["--eval"]),
    ("nerdctl", &["exec", "run"]),
    ("npm", &["exec", "x"]),
    ("pnpm", &["dlx", "exec"]),
    ("podman", &["exec", "run"]),
    ("yarn", &["dlx", "exec"]),
    // Their operands may be evaluated.
    ("[", &["-v"]),
    ("[[", &["-eq", "-ge", "-gt", "-le", "-lt", "-ne", "-v"]),
    ("test", &["-v"]),
];

pub(super) fn is_runner(command: &SimpleCommand) -> bool {
    let program = command.program();
    let runs = |(name, subcommands): &(&str, &[&str])| {
        *name == program
            && command
                .arguments()
                .iter()
                .any(|word| subcommands.contains(&word.text.split('=').next().unwrap_or_default()))
    };
    is_in(RUNNERS, program) || SUBCOMMANDS_THAT_RUN.iter().any(runs)
}

pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.iter().any(|(names, _)| is_in(names, program))
}

/// Returns what these words run in turn. `open_ended`: more arguments follow.
pub(super) fn inside(words: &[Word], open_ended: bool, depth: usize) -> Inside {
    let Some((name, arguments)) = words.split_first() else { return Inside::Unknown };
    let program = name.text.rsplit('/').next().unwrap_or_default();
    let found = match program {
        // Then it prints the environment.
        "env" if arguments.is_empty() => return Inside::Nothing,
        "env" => environment(arguments, depth),
        "find" | "gfind" => return find(arguments, depth),
        "xargs" | "gxargs" => xargs(arguments, depth),
        "watch" => {
            joined(arguments, "dgtcxbepn:q:", "differences? interval= no-title exec errexit beep chgexit", depth)
        }
        "eval" => joined(arguments, "", "", depth),
        "busybox" | "toybox" => rest(arguments, 0, open_ended, depth).map(|found| found.guarded()),
        // To ask where a command is.
        "command" if queries(arguments) => return Inside::Nothing,
        _ => match (SHELLS.iter().find(|(shells, _)| is_in(shells, program)), wrapper(program)) {
            (Some((_, speaks_bash)), _) => return shell(arguments, *speaks_bash, depth),
            (None, Some(wrapper)) => wrapped(wrapper, arguments, open_ended, depth),
            (None, None) => return Inside::Nothing,
        },
    };
    match found {
        // A path could lead to another program of that name.
        Some(found) if name.text != program => Inside::Commands(found.guarded()),
        Some(found) => Inside::Commands(found),
        None => Inside::Unknown,
    }
}

impl WrappedCommands {
    fn guarded(self) -> Self {
        Self { is_transparent: false, ..self }
    }
}

fn wrapper(program: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == program)
}

fn queries(arguments: &[Word]) -> bool {
    arguments.first().is_some_and(|first| matches!(first.text.as_str(), "-v" | "-V"))
}

fn wrapped(wrapper: &Wrapper, arguments: &[Word], open_ended: bool, depth: usize) -> Option<WrappedCommands> {
    let options = flags::leading(wrapper.short, wrapper.long, arguments)?.end;
    let operands = arguments.get(options..options + wrapper.operands)?;
    if operands.iter().any(|operand| operand.expands) {
        return None;
    }
    let found = rest(arguments, options + wrapper.operands, open_ended, depth)?;
    Some(WrappedCommands { is_transparent: wrapper.is_transparent, ..found })
}

/// The arguments from there on are a command.
fn rest(arguments: &[Word], start: usize, open_ended: bool, depth: usize) -> Option<WrappedCommands> {
    let words = arguments.get(start..)?;
    let first = words.first()?;
    // A pattern in its place could be any program.
    if first.expands || first.text.starts_with('-') || first.text.contains('=') {
        return None;
    }
    let command = SimpleCommand::of_argv(words.to_vec(), open_ended, depth + 1);
    Some(WrappedCommands { starts_at: start + 1, commands: vec![command], is_transparent: true })
}

fn environment(arguments: &[Word], depth: usize) -> Option<WrappedCommands> {
    let flags = flags::leading("i0u:", "ignore-environment null unset=", arguments)?;
    // What Arki has set holds git back.
    let keeps = |flag: &Flag<'_>| match flag {
        Flag::Short('i', _) | Flag::Long("ignore-environment", _) => false,
        Flag::Short('u', name) | Flag::Long("unset", name) => {
            name.as_deref().is_some_and(|name| !name.starts_with("GIT_"))
        }

        _ => true,
    };
    let options = flags.end;
    let assignments =
        arguments[options..].iter().take_while(|word| is_assignment(word) || word.text.contains('=')).count();
    let start = options + assignments;
    let found = rest(arguments, start, false, depth)?;
    let harmless =
        flags.found.iter().all(keeps) && arguments[options..start].iter().all(super::command_line::is_harmless);
    Some(WrappedCommands { is_transparent: harmless, ..found })
}

fn xargs(arguments: &[Word], depth: usize) -> Option<WrappedCommands> {
    let long = "null no-run-if-empty verbose exit max-args= max-procs= max-lines? max-chars= delimiter= arg-file= replace? \
                eof? show-limits";
    let flags = flags::leading("0rtxn:P:L:s:d:a:I:i?E:e?l?", long, arguments)?;
    let start = flags.end;
    // What it reads its words from could be any file.
    let reads_file = |flag: &Flag<'_>| matches!(flag, Flag::Short('a', _) | Flag::Long("arg-file", _));
    let is_transparent = !flags.found.iter().any(reads_file);
    if start == arguments.len() {
        let echo = SimpleCommand::of_argv(vec![Word::literal("echo")], true, depth + 1);
        return Some(WrappedCommands { starts_at: start + 1, commands: vec![echo], is_transparent });
    }
    let mut words = arguments[start..].to_vec();
    let replaced = flags.found.iter().find_map(|flag| match flag {
        Flag::Short('I', Some(value)) => Some(value.as_str()),
        Flag::Short('i', value) => Some(value.as_deref().unwrap_or("{}")),
        Flag::Long("replace", value) => Some(value.as_deref().unwrap_or("{}")),
        _ => None,
    });
    if let Some(mark) = replaced.filter(|mark| !mark.is_empty()) {
        words.iter_mut().filter(|word| word.text.contains(mark)).for_each(|word| {
            word.expands = true;
            word.variable = true;
        });
    }
    // What comes in place of the mark may be anything, as what is put at the end.
    let found = rest(&words, 0, true, depth)?;
    Some(WrappedCommands { starts_at: start + 1, is_transparent, ..found })
}

/// Every `-exec`, `-execdir`, `-ok` and `-okdir` of a `find`.
fn find(arguments: &[Word], depth: usize) -> Inside {
    let is_action = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let mut commands = Vec::new();
    let mut starts_at = None;
    let mut place = 0;
    while let Some(offset) = arguments[place..].iter().position(is_action) {
        let start = place + offset + 1;
        let words = &arguments[start..];
        let Some(length) = read_only::end_of_exec(words) else { return Inside::Unknown };
        let Some(found) = rest(&words[..length], 0, words[length].text == "+", depth) else { return Inside::Unknown };
        // The program itself must not be what was found.
        if words[0].text.contains("{}") {
            return Inside::Unknown;
        }
        starts_at.get_or_insert(start + 1);
        commands.extend(found.commands);
        place = start + length + 1;
    }
    match starts_at {
        None => Inside::Nothing,
        // Only `read_only` knows whether the rest of its arguments add nothing.
        Some(starts_at) => Inside::Commands(WrappedCommands { starts_at, commands, is_transparent: false }),
    }
}

/// The arguments, joined by spaces, are a shell line.
fn joined(arguments: &[Word], short: &str, long: &str, depth: usize) -> Option<WrappedCommands> {
    let start = flags::leading(short, long, arguments)?.end;
    let words = arguments.get(start..).filter(|words| !words.is_empty() && words.iter().all(|word| !word.expands))?;
    let line: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let found = line_inside(&line.join(" "), start + 1, depth)?;
    Some(found.guarded())
}

fn shell(arguments: &[Word], speaks_bash: bool, depth: usize) -> Inside {
    let Some(first) = arguments.first() else { return Inside::Nothing };
    // It only reads the script.
    if first.text == "-n"
        && arguments.len() > 1
        && arguments[1..].iter().all(|script| !script.text.starts_with(['-', '+']))
    {
        return Inside::Nothing;
    }
    if !first.text.starts_with(['-', '+']) {
        // A script, or `--help`.
        return Inside::Nothing;
    }
    let Some(flags) = flags::leading("celuxo:", "norc noprofile posix login", arguments) else {
        return Inside::Unknown;
    };
    if !flags.found.iter().any(|flag| matches!(flag, Flag::Short('c', _))) {
        return Inside::Unknown;
    }
    let Some(line) = arguments.get(flags.end).filter(|line| !line.expands) else { return Inside::Unknown };
    match line_inside(&line.text, flags.end + 1, depth) {
        Some(found) => Inside::Commands(WrappedCommands { is_transparent: speaks_bash, ..found }),
        None => Inside::Unknown,
    }
}

fn line_inside(line: &str, starts_at: usize, depth: usize) -> Option<WrappedCommands> {
    match CommandLine::parse_at(line, depth + 1) {
        CommandLine::Understood(commands) => Some(WrappedCommands { starts_at, commands, is_transparent: true }),
        CommandLine::Opaque { .. } => None,
    }
}
