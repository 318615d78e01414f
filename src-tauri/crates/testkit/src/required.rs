//! The requirements of a test on the machine. A test that can't run because one is missing fails in CI, and is counted
//! elsewhere.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;

/// Lists what must be there, separated by commas: `sandbox`, `display`, `servers`.
const REQUIRE: &str = "ARKI_REQUIRE";
/// Names the file that tests which were passed over add a line to.
const PASSED_OVER: &str = "ARKI_PASSED_OVER";

/// Returns `is_there`, and counts the test as passed over where it is not.
///
/// # Panics
/// If `ARKI_REQUIRE` names `what` and it is missing.
pub fn required(what: &str, is_there: bool, remedy: &str) -> bool {
    if is_there {
        return true;
    }
    assert!(
        !names(&env::var(REQUIRE).unwrap_or_default(), what),
        "this test needs a {what}, which {REQUIRE} says is here: {remedy}"
    );
    if let Some(path) = env::var_os(PASSED_OVER)
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        let _ = file.write_all(format!("{what}\t{test}\n").as_bytes());
    }
    false
}

fn names(list: &str, what: &str) -> bool {
    list.split(',').any(|named| named.trim() == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_each_thing_between_its_commas() {
        assert!(names("sandbox, display", "display") && names("sandbox", "sandbox"));
        assert!(!names("", "sandbox") && !names("sandboxes", "sandbox"));
        assert!(required("sandbox", true, ""));
    }
}
