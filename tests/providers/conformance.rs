//! The table in `docs/providers.md`, from what really passes.

use crate::cases::{CASES, Case};
use crate::harness::model;
use crate::servers::Server;
use arki_llm::ProviderKind;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Between these two lines of the page is the table.
const BEGIN: &str = "<!-- The test run writes what follows: cargo xtask providers-table -->\n";
const END: &str = "<!-- Here the table ends. -->\n";

#[test]
fn every_wire_format_does_what_the_table_says() {
    let (server, caching) = (Server::aimock(), Server::llama());
    let mut table = String::from("| kind |");
    CASES.iter().for_each(|(name, _)| write!(table, " {name} |").unwrap());
    table.push_str("\n|---|");
    table.push_str(&"---|".repeat(CASES.len()));
    table.push('\n');
    let mut failed = Vec::new();
    // The demo's model is a part of Arki.
    for kind in ProviderKind::ALL.into_iter().filter(|kind| *kind != ProviderKind::Demo) {
        write!(table, "| {kind} |").unwrap();
        for (name, test) in CASES {
            let case = Case { kind, address: server.address(), caching: caching.address() };
            let outcome = match model(kind, server.address()) {
                Ok(_) => catch_unwind(AssertUnwindSafe(|| test(&case))),
                Err(_) => Ok(Some("not there yet")),
            };
            let cell = outcome.map(|why| why.unwrap_or("aimock")).unwrap_or_else(|_| {
                failed.push(format!("{kind}: {name}"));
                "**fails**"
            });
            write!(table, " {cell} |").unwrap();
        }
        table.push('\n');
    }
    assert!(failed.is_empty(), "{failed:?}\n{table}");
    compare(&table);
}

/// With `ARKI_WRITE_TABLES` the page is written instead.
fn compare(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/providers.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(BEGIN).unwrap();
    let (_, foot) = rest.split_once(END).unwrap();
    let made = format!("{head}{BEGIN}\n{table}\n{END}{foot}");
    if std::env::var_os("ARKI_WRITE_TABLES").is_some() {
        std::fs::write(&path, made).unwrap();
    } else {
        assert_eq!(page, made, "docs/providers.md is stale: `cargo xtask providers-table` writes it");
    }
}
