//! What `cargo xtask bench store` runs: the parts of it that need SQL, and so stand in this crate. Prints one
//! `name value` a line.
//!
//! `append FOLDER [NAME]`, all or the one of that name · `fill FILE` · `open FILE` · `sizes FILE`
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::panic, reason = "a measurement")]

mod append;
mod bare;
mod open;
mod pairs;
mod turns;

use arki_domain::SystemClock;
use arki_redaction::Redactor;
use arki_store::{Store, StoreOptions};
use std::path::Path;
use std::sync::Arc;

/// That of the programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["append", folder] => append::measure(Path::new(folder), None),
        ["append", folder, name] => append::measure(Path::new(folder), Some(name)),
        ["fill", file] => open::fill(Path::new(file)),
        ["open", file] => open::measure(Path::new(file)),
        ["sizes", file] => sizes(Path::new(file)),
        _ => panic!("append FOLDER [NAME], fill FILE, open FILE or sizes FILE"),
    }
}

/// As a program opens it: a key to look for in whatever is stored included.
fn open_store(path: &Path) -> Store {
    let redactor = Redactor::default();
    redactor.add("lab", "key-of-the-measurement");
    Store::open(path, StoreOptions { clock: Arc::new(SystemClock), redactor }).unwrap()
}

/// Bytes of each table and index that has more than its first page, and of all pages that are in use.
fn sizes(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let used = "SELECT (page_count - freelist_count) * page_size \
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    println!("used_bytes {}", connection.query_row(used, [], |row| row.get::<_, i64>(0)).unwrap());
    let sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name HAVING count(*) > 1";
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        println!("size_{} {}", row.get::<_, String>(0).unwrap(), row.get::<_, i64>(1).unwrap());
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}
