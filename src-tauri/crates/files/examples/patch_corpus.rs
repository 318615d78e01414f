//! Makes `tests/fixtures/patch_corpus.zst` anew from this repository's own history: files before and after real commits.
//! `cargo run -p arki-files --example patch_corpus`, in a clone that is not shallow. The file is kept, so that what
//! is tested does not change with every commit; make it anew only to test more.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a developer's command that asks git")]

use serde_json::json;
use std::error::Error;
use std::process::Command;

const OUTPUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/patch_corpus.zst");
const PAIRS: usize = 300;
const MAX_BYTES: usize = 32 * 1024;
const LEVEL: i32 = 19;
/// What no person edits.
const GENERATED: &[&str] = &["Cargo.lock", "package-lock.json", "/generated/", "/snapshots/", "tests/fixtures/"];

fn main() -> Result<(), Box<dyn Error>> {
    let log = git(&["log", "--no-merges", "--reverse", "--diff-filter=M", "--raw", "--no-abbrev", "--format="])?;
    let log = String::from_utf8(log)?;
    let changes: Vec<(&str, &str, &str)> = log.lines().filter_map(change).collect();
    let step = (changes.len() / PAIRS).max(1);
    let mut lines = String::new();
    let mut pairs = 0;
    for (before, after, path) in changes.iter().step_by(step) {
        let (before, after) = (text(before)?, text(after)?);
        let (Some(before), Some(after)) = (before, after) else { continue };
        lines.push_str(&json!({"path": path, "before": before, "after": after}).to_string());
        lines.push('\n');
        pairs += 1;
    }
    let packed = zstd::encode_all(lines.as_bytes(), LEVEL)?;
    std::fs::write(OUTPUT, &packed)?;
    println!("{pairs} of {} changes, {} bytes, packed {}", changes.len(), lines.len(), packed.len());
    Ok(())
}

/// `:100644 100644 BEFORE AFTER M<tab>PATH`
fn change(line: &str) -> Option<(&str, &str, &str)> {
    let (fields, path) = line.strip_prefix(':')?.split_once('\t')?;
    let mut fields = fields.split(' ').skip(2);
    let (before, after) = (fields.next()?, fields.next()?);
    (!GENERATED.iter().any(|part| path.contains(part))).then_some((before, after, path))
}

/// `None` for what is long or no text.
fn text(blob: &str) -> Result<Option<String>, Box<dyn Error>> {
    let bytes = git(&["cat-file", "blob", blob])?;
    Ok(String::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES && !text.contains('\0')))
}

fn git(arguments: &[&str]) -> Result<Vec<u8>, Box<dyn Error>> {
    let output = Command::new("git").arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments).output()?;
    if output.status.success() { Ok(output.stdout) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
}
