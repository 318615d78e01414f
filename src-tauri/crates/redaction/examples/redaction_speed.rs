//! How fast secrets are found, for `cargo xtask bench secrets`: prints `name value` lines. With files or folders as
//! arguments it names every place in them that would be replaced, to see what is mangled that should not be.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use arki_redaction::{Redactor, StreamingRedactor};
use std::path::Path;
use std::time::Instant;

const TEXT_BYTES: usize = 1 << 20;
const ROUNDS: usize = 40;
/// As many as a large `.env` has.
const VALUES: usize = 100;
/// What a provider sends at once.
const PIECE_BYTES: usize = 16;

fn main() {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if paths.is_empty() {
        measure();
    }
    for path in &paths {
        look_through(Path::new(path));
    }
}

fn measure() {
    let redactor = Redactor::default();
    for number in 0..VALUES {
        redactor.add("bench", &format!("value-{number:04}-of-the-measurement"));
    }
    let source = include_str!("../src/redactor.rs");
    let ordinary: String = source.chars().cycle().take(TEXT_BYTES).collect();
    let lines: Vec<String> = (0..TEXT_BYTES / 64)
        .map(|number| format!("{number:06} key=value-{:04}-of-the-measurement and more of it\n", number % VALUES))
        .collect();
    let began = Instant::now();
    let found: usize = (0..ROUNDS).map(|_| std::hint::black_box(ordinary.as_str()).matches("zeroize").count()).sum();
    assert!(found > 0);
    println!("searching_one_word_mb_per_s {:.1}", megabytes(ROUNDS * ordinary.len()) / began.elapsed().as_secs_f64());
    report("ordinary", &redactor, &ordinary);
    report("secrets_in_every_line", &redactor, &lines.concat());
    let began = Instant::now();
    let mut stream = StreamingRedactor::new(redactor.clone());
    let mut shown = 0;
    for piece in ordinary.as_bytes().chunks(PIECE_BYTES) {
        shown += stream.push(&String::from_utf8_lossy(piece)).len();
    }
    shown += stream.finish().len();
    assert_eq!(shown, ordinary.len());
    println!("in_pieces_mb_per_s {:.1}", megabytes(ordinary.len()) / began.elapsed().as_secs_f64());
}

fn report(name: &str, redactor: &Redactor, text: &str) {
    let _ = redactor.redact(text);
    let began = Instant::now();
    let bytes: usize = (0..ROUNDS).map(|_| redactor.redact(std::hint::black_box(text)).len().min(text.len())).sum();
    println!("{name}_mb_per_s {:.1}", megabytes(bytes) / began.elapsed().as_secs_f64());
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn look_through(path: &Path) {
    if let Ok(entries) = std::fs::read_dir(path) {
        entries.flatten().filter(|entry| !entry.path().is_symlink()).for_each(|entry| look_through(&entry.path()));
        return;
    }
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(text) = String::from_utf8(bytes) else { return };
    let redactor = Redactor::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| redactor.redact(line) != *line) {
        let shown: String = line.chars().take(160).collect();
        println!("{}:{}: {}", path.display(), number + 1, shown.trim());
    }
}
