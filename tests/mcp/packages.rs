//! Where the packages are, and the programs under test.

use std::path::{Path, PathBuf};

/// A file of the packages that `cargo xtask test-servers` installs.
pub(crate) fn installed(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.test-tools/mcp-servers").join(name);
    assert!(path.exists(), "{} is missing: `cargo xtask test-servers` installs it", path.display());
    path
}

/// The program under test.
pub(crate) fn arki() -> PathBuf {
    std::env::var_os("ARKI_BIN").map_or_else(|| built("arki", "cargo build -p arki-cli"), PathBuf::from)
}

/// Arki's own connection, made to do what a scenario of the suite asks for.
pub(crate) fn conformance_client() -> PathBuf {
    built("examples/conformance_client", "cargo build -p arki-mcp --example conformance_client")
}

fn built(name: &str, how: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let folder = this.parent().and_then(Path::parent).unwrap();
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: `{how}` makes it", program.display());
    program
}
