//! Programs that run a project's tools: `npx TOOL`, `poetry run TOOL`, `node_modules/.bin/TOOL`; and options that say
//! in which folder, in front of everything else.

use super::super::flags::{self, Flag};
use super::super::plain_shell::Word;

const RUNNERS: &str = "bun x, bundle exec, bunx, composer exec, hatch run, npm exec --, npx, npx --no, \
    npx --no-install, npx --yes, npx -y, pdm run, pipenv run, pnpm, pnpm exec, poetry run, python -m, python3 -m, \
    rye run, uv run, uv run -m, uvx, yarn, yarn exec, yarn run";
/// The folders of a project's own tools.
const FOLDERS: &[&str] = &["node_modules/.bin/", "vendor/bin/", ".venv/bin/", "venv/bin/", "bin/"];
/// Options that name a folder to run in.
const IN_FOLDER: &[(&str, &[&str])] = &[
    ("bun", &["--cwd"]),
    ("cargo", &[]),
    ("go", &["-C"]),
    ("make", &["-C", "--directory"]),
    ("gmake", &["-C", "--directory"]),
    ("ninja", &["-C"]),
    ("npm", &["--prefix", "-C"]),
    ("pnpm", &["-C", "--dir"]),
    ("uv", &["--directory"]),
    ("yarn", &["--cwd"]),
];
/// Options that name a part of the project.
const IN_PART: &[(&str, &[&str])] =
    &[("npm", &["-w", "--workspace"]), ("pnpm", &["-F", "--filter"]), ("yarn", &["workspace"])];
/// Options in front that only change what is said, or run it in all parts.
const QUIET: &[(&str, &[&str])] = &[
    ("cargo", &["-q", "--quiet", "-v", "--offline", "--locked", "--frozen"]),
    ("make", &["-s", "--silent", "--no-print-directory"]),
    ("npm", &["-s", "--silent", "--workspaces"]),
    ("pnpm", &["-r", "-s", "--silent", "--recursive"]),
    ("yarn", &["-s", "--silent"]),
];
/// Interpreters that run a project's tool by its path or its name, with what may stand in between.
const INTERPRETERS: &[(&str, &str)] =
    &[("node", ""), ("php", "d:"), ("python", "BEIW:X:su"), ("python3", "BEIW:X:su"), ("ruby", "w")];
/// The options of `uv run` before the tool.
const OF_UV: &[&str] = &["--frozen", "--locked", "--no-sync", "--offline", "--quiet", "-q"];

/// The words without such options, and the folder.
pub(super) fn in_folder(words: &[Word]) -> (Vec<Word>, Option<String>) {
    let Some(name) = words.first() else { return (Vec::new(), None) };
    let of = |table: &[(&str, &'static [&'static str])]| {
        table.iter().find(|(program, _)| *program == name.text).map_or(&[][..], |(_, options)| options)
    };
    let (folders, parts, quiet) = (of(IN_FOLDER), of(IN_PART), of(QUIET));
    let mut folder = None;
    let mut rest = &words[1..];
    while let [option, after @ ..] = rest {
        let (written, attached) =
            option.text.split_once('=').map_or((option.text.as_str(), None), |(written, value)| (written, Some(value)));
        let value = attached.or_else(|| after.first().filter(|word| !word.expands).map(|word| word.text.as_str()));
        let taken = if attached.is_some() { after } else { after.get(1..).unwrap_or_default() };
        let is_part = |part: &str| {
            part.chars().all(|c| c.is_ascii_alphanumeric() || "@/._-".contains(c)) && !part.starts_with(['-', '/'])
        };
        rest = match value {
            _ if option.expands => break,
            _ if quiet.contains(&option.text.as_str()) => after,
            _ if name.text == "cargo" && is_toolchain(&option.text) => after,
            Some(value) if folder.is_none() && folders.contains(&written) && !value.starts_with('-') => {
                folder = Some(value.to_owned());
                taken
            }
            Some(value) if parts.contains(&written) && is_part(value) => taken,
            _ => break,
        };
    }
    (std::iter::once(name.clone()).chain(rest.iter().cloned()).collect(), folder)
}

/// `+stable`, `+nightly-2026-01-31`, `+1.85`: any other name is the user's own.
fn is_toolchain(option: &str) -> bool {
    let Some(name) = option.strip_prefix('+') else { return false };
    let dated = ["beta", "nightly", "stable"].iter().find_map(|channel| name.strip_prefix(channel));
    let is_version = |text: &str| text.chars().all(|next| next.is_ascii_digit() || ".-".contains(next));
    is_version(dated.unwrap_or(name)) && (dated.is_some() || !name.is_empty())
}

/// `php -d memory_limit=-1 vendor/bin/phpunit` as `vendor/bin/phpunit`, `python -B -m pytest` as `python -m pytest`.
fn without_options(words: &[Word]) -> Vec<Word> {
    if let [uv, run, rest @ ..] = words
        && (uv.text.as_str(), run.text.as_str()) == ("uv", "run")
    {
        let rest = rest.iter().skip_while(|word| OF_UV.contains(&word.text.as_str()));
        return [uv, run].into_iter().chain(rest).cloned().collect();
    }
    let Some((name, arguments)) = words.split_first() else { return Vec::new() };
    let Some((_, options)) = INTERPRETERS.iter().find(|(program, _)| *program == name.text) else {
        return words.to_vec();
    };
    let begin = arguments.iter().position(|word| word.text == "-m" || !word.text.starts_with('-'));
    let values = |flag: &Flag<'_>| match flag {
        Flag::Short('d', Some(setting)) => {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            let is_plain = value.chars().all(|next| next.is_ascii_alphanumeric() || "-_,".contains(next));
            ["display_errors", "error_reporting", "memory_limit", "xdebug.mode"].contains(&name) && is_plain
        }
        Flag::Short(..) | Flag::Long(..) => true,
    };
    // A value may stand before the word that was found.
    for end in begin.into_iter().flat_map(|begin| begin..arguments.len().min(begin + 4)) {
        let Some(given) = flags::leading(options, "", &arguments[..end]) else { continue };
        let rest = &arguments[end..];
        let is_whole = given.end == end && given.found.iter().all(values);
        match rest.first() {
            Some(module) if is_whole && module.text == "-m" => return [std::slice::from_ref(name), rest].concat(),
            Some(tool) if is_whole && is_tool(&tool.text) => return rest.to_vec(),
            _ => {}
        }
    }
    words.to_vec()
}

fn is_tool(path: &str) -> bool {
    let plain = path.strip_prefix("./").unwrap_or(path);
    FOLDERS.iter().any(|folder| *folder != "bin/" && plain.starts_with(folder))
}

/// The tool with its arguments, where something only runs it.
pub(super) fn of_tool(words: &[Word]) -> Option<Vec<Word>> {
    let words = &without_options(words)[..];
    let name = &words.first()?.text;
    let plain = name.strip_prefix("./").unwrap_or(name);
    if let Some(tool) = FOLDERS.iter().find_map(|folder| plain.strip_prefix(folder)) {
        let tool: Vec<Word> = std::iter::once(Word::literal(tool)).chain(words[1..].iter().cloned()).collect();
        // Another one within, such as `.venv/bin/python -m pytest`.
        return Some(of_tool(&tool).unwrap_or(tool));
    }
    let is_one = |runner: &&str| {
        let mut given = words.iter();
        runner.split(' ').all(|part| given.next().is_some_and(|word| word.text == part && !word.expands))
    };
    let length = RUNNERS.split(", ").filter(is_one).map(|runner| runner.split(' ').count()).max()?;
    let tool = words.get(length..).filter(|tool| !tool.is_empty())?;
    // Another one within, such as `uv run python -m pytest`.
    Some(of_tool(tool).filter(|_| length < words.len()).unwrap_or_else(|| tool.to_vec()))
}
