//! `docs/errors.md` is the list of all codes, and only of those.

use arki_domain::Code;
use std::path::Path;

/// The codes of the table with their meanings, in its order.
fn documented() -> Vec<(String, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors.md");
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (code, meaning) = row.trim_end_matches(" |").split_once("` | ").unwrap();
        (code.to_owned(), meaning.to_owned())
    })
    .collect()
}

#[test]
fn the_list_of_codes_in_the_documentation_is_complete_and_true() {
    let known: Vec<(String, String)> =
        Code::ALL.iter().map(|(code, meaning)| (code.0.to_owned(), (*meaning).to_owned())).collect();
    assert_eq!(documented(), known);
}
