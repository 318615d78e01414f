//! Lines that run what they are given are told from those that only hand it on.

use crate::is_understood;

#[test]
fn a_line_that_runs_what_a_variable_says_is_not_understood() {
    for line in [
        "sh -c \"$command\"",
        "sh -c \"$command\" >log 2>&1",
        "bash -lc \"$check\" | tail -n 200",
        "eval $x",
        "$x a",
        "\"$x\"",
        "env $x",
        "xargs $x",
        "printf '%s' \"$x\" | sh",
        "python3 -c \"$x\"",
        ". ./$x",
    ] {
        assert!(!is_understood(line), "{line}");
    }
    for line in ["printf '%s' \"$who\"", "echo $who", "wc -w", "cat; echo ' (sent)'"] {
        assert!(is_understood(line), "{line}");
    }
}
