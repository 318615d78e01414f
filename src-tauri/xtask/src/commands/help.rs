//! `cargo xtask help`.

use crate::failure::Failure;

const TEXT: &str = "\
Builds, runs, tests and measures Arki. Needs Rust and Node.js; names and
installs what else is missing.

  cargo xtask run              start the app on a demo project with a model
                               that needs no key and no network
  cargo xtask run -- DIR       start it on DIR with your own configuration
  cargo xtask test             everything that must pass: formatting, lints,
                               generated files, all tests, a real window
  cargo xtask soak             the crash and fuzz tests with all of their cases, of
                               which `test` runs a part
  cargo xtask lint [--fix]     the checks that need no test run; --fix repairs
                               what can be repaired
  cargo xtask codegen          write the interface's types and the protocol's schema
  cargo xtask catalogue        make the models' catalogue (windows, prices) from
                               a pinned npm package
  cargo xtask providers-table  write docs/providers.md's table from a test run
  cargo xtask test-servers     install the model and MCP servers that tests talk to
  cargo xtask check-windows    compile-check everything for Windows, and run there
                               under Wine what speaks to the system
  cargo xtask check-macos      compile-check for macOS what speaks to the system
  cargo xtask bench builds FOLDER...
                               builds and tests of other people's projects, by Arki
                               in a view and bare; ARKI_BIN names another program
  cargo xtask bench edit       the preview of a one-line change in a long file
  cargo xtask bench http       what 200 readers get of 1,000 events a second
  cargo xtask bench memory     peak memory of a run of 3,000 turns beside one of 300
  cargo xtask bench policy     how long the policy takes to decide on a command
  cargo xtask bench providers  events a second of a streamed answer, and how long
                               its first token takes
  cargo xtask bench session    processor time of a turn in a session of 2,000
                               turns beside one in a short session
  cargo xtask bench start      time from starting `arki` to its first request
  cargo xtask bench store      speed, disk and memory of the event log
  cargo xtask bench window     how evenly the window draws while 2,000 tokens a
                               second come, how soon it starts, what a session of
                               100,000 events and a list of 10,000 cost, and its
                               memory; one of them with `start`, `large`,
                               `markdown`, `code`, `table` or `paragraph`
  cargo xtask bench turns      time and memory over a run of 100 turns
  cargo xtask bench NAME --dist
                               measures the programs as they are shipped, where
                               it measures programs; `--debug` the debug build
  cargo xtask dist             build the programs as they are shipped; standard
                               output has their paths, one a line
  cargo xtask bundle           installers for this system (deb and rpm on Linux; --appimage: an AppImage too)
  cargo xtask update-list FOLDER ADDRESS
                               latest.json for the updater, from signed packages (the release workflow uses it)
";

pub(crate) fn print() -> Result<(), Failure> {
    print!("{TEXT}");
    Ok(())
}
