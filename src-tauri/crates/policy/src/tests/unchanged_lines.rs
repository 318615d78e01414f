//! The lines that [`super`] runs: made of every table, and at random of what programs take for their languages.

use crate::read_only::tables;

/// Made up for each language.
const MADE_UP: usize = 60_000;

/// Values that would show where an option names a file to write, or something to run.
const VALUES: &[&str] = &["out", "3"];

/// Every command with every letter and what other programs call such options, before and after files.
pub(super) fn of_tables() -> Vec<String> {
    const LONG: &[&str] =
        &["--cache", "--exec", "--file=out", "--log=out", "--out=out", "--output=out", "--save", "--write"];
    let mut lines = Vec::new();
    for (name, forbidden) in tables() {
        let letters = ('a'..='z').chain('A'..='Z');
        let with_values = letters.clone().map(|letter| format!("-{letter} {}", VALUES[usize::from(letter > 'm')]));
        let options: Vec<String> = std::iter::once(String::new())
            .chain(letters.map(|letter| format!("-{letter}")))
            .chain(with_values)
            .chain(LONG.iter().chain(forbidden).map(|option| (*option).to_owned()))
            .collect();
        // One after another, or all of them, and slow programs once with each option.
        let is_slow = ["npm", "pip", "pip3", "rpm", "apt", "last", "lsof"].contains(&name.split(' ').next().unwrap());
        let operands = if is_slow { &[""][..] } else { &["", " file", " file out", " sub", " -- a x"] };
        for (number, option) in options.iter().enumerate() {
            let operands = if runs_all() { operands } else { &operands[number % operands.len()..][..1] };
            lines.extend(operands.iter().map(|rest| format!("{name} {option}{rest}")));
        }
    }
    lines
}

/// A small generator of numbers, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

fn made_up(seed: u64, pieces: &[&str], most: usize, around: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let one = |_| {
        let count = 1 + numbers.below(most);
        let text: String = (0..count).map(|_| pieces[numbers.below(pieces.len())]).collect();
        around(&text)
    };
    (0..MADE_UP).flat_map(one).collect()
}

const BRACKETS: &[&str] = &[
    "[x]",
    "[]x]",
    "[^]x]",
    "[]/]",
    "[^]/]",
    "[/]",
    "[[:alpha:]x]",
    "[[:alpha:]/]",
    "[[.x.]y]",
    "[[./.]y]",
    "[[.].]/]",
    "[[=x=]y]",
    "[[=]=]/]",
    "[^[:space:]]",
    "[a\\]",
    "[\\]/]",
    "[\\/]",
    "[\\n]",
    "[[]",
    "[]]",
    "[^]]",
    "[][]",
    "[[:x]",
    "[:]",
];

pub(super) fn scripts_of_sed() -> Vec<String> {
    let tails =
        ["w out", "e touch out", "e", "r out", "W out", "R out", "p", "d", "", "s/x/touch out/e", "s/x/y/w out"];
    let mut scripts: Vec<String> = Vec::new();
    for bracket in BRACKETS {
        for tail in tails {
            for second in [";", "/;", "]/;", "/]/;", "x/;", "\\]/;", "\n", "/p;"] {
                scripts.push(format!("/{bracket}/{second}{tail}"));
                scripts.push(format!("/{bracket}{second}{tail};/x/p"));
                scripts.push(format!("s/{bracket}/x/{second}{tail}"));
                scripts.push(format!("s/{bracket}{second}{tail}/x/"));
                scripts.push(format!("s|{bracket}|touch out{second}|{tail}"));
                scripts.push(format!("s/x/{bracket}{second}{tail}"));
                scripts.push(format!("y/{bracket}/abc/{second}{tail}"));
                scripts.push(format!("/{bracket}/,/{bracket}{second}/{tail}"));
                scripts.push(format!("/{bracket}/{{{tail}{second}}}"));
            }
        }
    }
    let pieces = [
        "[",
        "]",
        "^",
        "[:alpha:]",
        "[.x.]",
        "[=x=]",
        "\\",
        "\\\\",
        "/",
        "/",
        "/",
        "e touch out",
        "w out",
        ";",
        "s/",
        "y/",
        "p",
        "\n",
        "x",
        "|",
        "&",
        "{",
        "}",
        "!",
        "$",
        "1",
        ",",
        "g",
        "e",
        "w",
        "s|",
        "s,",
        "#",
        "*",
        "\\(",
        "\\{",
        "I",
        "M",
        "0~2",
    ];
    let quoted = |script: &str| vec![format!("sed '{script}' notes.txt")];
    let mut lines: Vec<String> = scripts.iter().flat_map(|script| quoted(script)).collect();
    lines.extend(made_up(1, &pieces, 9, quoted));
    lines
}

pub(super) fn words_of_find() -> Vec<String> {
    let pieces = [
        " -exec",
        " -execdir",
        " -ok",
        " +",
        " {}",
        " \\;",
        " ';'",
        " echo",
        " sort",
        " -o",
        " out",
        " file",
        " -name",
        " -path",
        " -print",
        " -printf",
        " -fprint",
        " -fls",
        " -delete",
        " (",
        " \\(",
        " \\)",
        " !",
        " cat",
        " touch",
        " -a",
        " ,",
        " -newer",
        " x",
        " -L",
        " -regex",
        " -maxdepth",
        " 1",
        " -size",
        " uniq",
        " '*'",
    ];
    let wholes = [
        "find . -exec sort + -o -name ';'",
        "find . -exec sort + -o -name \\;",
        "find . -exec uniq + out ';' -name x",
        "find . -name -exec -exec sort -o out ';'",
        "find . -maxdepth 1 -exec echo {} + -print",
    ];
    let mut lines = made_up(2, &pieces, 8, |words| vec![format!("find .{words}"), format!("find . -exec{words}")]);
    lines.extend(wholes.map(str::to_owned));
    lines
}

pub(super) fn programs_of_awk() -> Vec<String> {
    let pieces = [
        "{",
        "}",
        "print",
        "printf",
        " ",
        "\"x\"",
        "\"out\"",
        ">",
        ">>",
        "|",
        "|&",
        "system(",
        "\"touch out\"",
        ")",
        "getline",
        "<",
        "$1",
        "NR",
        "==",
        "1",
        ";",
        "BEGIN",
        "END",
        "/x/",
        "/[/]/",
        "\\",
        "\n",
        "close(",
        "fflush(",
        "-",
        "=",
        "@include ",
        "@load ",
        "ENVIRON",
        "sub(/x/,\"y\")",
        "in",
        "~",
    ];
    made_up(3, &pieces, 8, |program| vec![format!("awk '{program}' notes.txt"), format!("awk 'BEGIN{{{program}}}'")])
}

pub(super) fn compound_commands() -> Vec<String> {
    let opening = [
        "(",
        "{ ",
        "if ",
        "! ",
        "while read -r x; do ",
        "cat x | while read y; do ",
        "for f in file x; do ",
        "[[ ",
        "[ ",
    ];
    let words = [
        "cat ",
        "wc -l ",
        "ls ",
        "echo ",
        "sort ",
        "head -1 ",
        "touch ",
        "out ",
        "-o out ",
        "file ",
        "x ",
        "\"$x\" ",
        "$x ",
        "$y ",
        "\"$f\" ",
        "$f ",
        "\"$PWD/x\" ",
        "-f ",
        "-z ",
        "\"$CI\" ",
        "a ",
        "cd sub",
        "cd ..",
        "git status",
        "echo touch out",
        "bash ",
        "find . -name ",
        "grep -c o ",
        "basename ",
        "xargs ",
        "true",
        "set -e",
        "> out",
        "sub ",
        "env ",
        "eval ",
        "! ",
        "-v ",
    ];
    let joints = ["; ", " && ", " || ", " | ", "; then ", "; else ", "; do ", "\n", " ]", " ]]", ""];
    let closing =
        ["; fi", "; done", ")", "; }", "; done < x", "; done < file", " | wc -l", "; touch out", "", "; fi; cat file"];
    let mut numbers = Numbers(7);
    let mut lines = Vec::new();
    for _ in 0..MADE_UP * 4 {
        let mut line = opening[numbers.below(opening.len())].to_owned();
        for _ in 0..1 + numbers.below(4) {
            (0..1 + numbers.below(2)).for_each(|_| line.push_str(words[numbers.below(words.len())]));
            line.push_str(joints[numbers.below(joints.len())]);
        }
        line.push_str(closing[numbers.below(closing.len())]);
        lines.push(line);
    }
    lines
}

pub(super) fn other_languages() -> Vec<String> {
    let words = [
        " -o",
        " out",
        " -x",
        " -c",
        " -f",
        " -t",
        " -",
        " --",
        " file",
        " sub",
        " -b",
        " -S",
        " -D",
        " -T",
        " --output=out",
        " --files0-from=x",
        " --to-command=x",
        " -I",
        " x",
        " a",
        " -i",
        " -n",
        " -r",
        " -w",
        " -v",
        " l",
        " set",
        " show",
        " add",
        " list",
        " --compress-program=x",
        " -d",
        " HEAD",
        " --output",
        " -O",
        " --ext-diff",
        " --textconv",
        " --exec",
        " archive.tar",
        " 'b c'",
        " --checkpoint-action=exec=x",
        " diff",
        " log",
        " branch",
        " tag",
        " status",
        " config",
        " --list",
        " remote",
        " notes",
        " reflog",
        " expire",
        " -1",
    ];
    let programs = [
        "tar",
        "sort",
        "uniq",
        "env",
        "ip",
        "date",
        "git",
        "git diff",
        "git log",
        "git branch",
        "git tag",
        "git config",
        "xxd",
        "tree",
        "file",
        "hostname",
        "jq .",
        "grep",
        "rg x",
        "xargs",
        "test",
        "[ x",
        "timeout 1",
        "nice",
        "command",
        "time",
        "du",
        "diff",
        "od",
        "column",
    ];
    let mut lines = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let mut numbers = Numbers(100 + number as u64);
        for _ in 0..MADE_UP / programs.len() {
            let count = 1 + numbers.below(4);
            let rest: String = (0..count).map(|_| words[numbers.below(words.len())]).collect();
            lines.push(format!("{program}{rest}"));
            lines.push(format!("LC_ALL=C {program}{rest} | head -n 1"));
        }
    }
    lines
}

/// Returns whether all lines run, as `cargo xtask soak` asks for; that takes half an hour.
pub(super) fn runs_all() -> bool {
    std::env::var_os("ARKI_SOAK").is_some()
}
