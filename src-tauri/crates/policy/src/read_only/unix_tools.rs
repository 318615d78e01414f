//! Tools of a Unix system of which more has to be known than the table says; and what is known of several at once.

use super::super::flags::{Flag, Given};
use super::programs::ReadOperands::{Any, AtMost, Checked};
use super::programs::{Below, Program, Shows};

const fn greps(name: &'static str) -> Program {
    Program {
        name,
        short: "acEFGHhIiLlnoPqsvwxyzZTbrRA:B:C:m:e:f:#",
        long: "after-context= basic-regexp before-context= binary-files= byte-offset color? colour? context= count \
               exclude= exclude-dir= extended-regexp file= files-with-matches files-without-match fixed-strings ignore-case \
               include= initial-tab invert-match line-number line-regexp max-count= no-filename no-ignore-case \
               no-messages null null-data only-matching perl-regexp quiet recursive dereference-recursive regexp= silent text \
               with-filename word-regexp line-buffered",
        operands: Any,
        shows: Shows::Below(Below { flags: Some("r R recursive dereference-recursive"), first_is_pattern: true }),
    }
}

/// Nothing they could be given makes them write, run anything, or show what a file contains.
pub(super) const TAKES_ANYTHING: &[&str] =
    &["basename", "dirname", "du", "echo", "ls", "md5sum", "realpath", "sha1sum", "sha256sum", "stat", "wc"];

/// `@FILE` among their arguments stands for options in that file.
pub(super) const READS_OPTIONS_FROM_FILES: &[&str] = &["nm", "objdump", "readelf", "size", "strings"];

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        name: "bat",
        short: "AnpPl:r:H:",
        long: "color= decorations= language= line-range= number paging= plain show-all style= theme= wrap=",
        operands: Checked(|given| {
            !given.flags.iter().any(|flag| matches!(flag, Flag::Long("paging", Some(when)) if when != "never"))
        }),
        shows: Shows::Contents,
    },
    Program {
        name: "cd",
        short: "",
        long: "",
        // Only where it is said plainly where the rest of the line reads.
        operands: Checked(|given| matches!(given.operands.as_slice(), [folder] if !folder.text.starts_with('-'))),
        shows: Shows::Names,
    },
    Program {
        name: "date",
        short: "d:I?Rur:",
        long: "date= iso-8601? reference= rfc-3339= rfc-email universal utc",
        // Anything else sets the clock.
        operands: Checked(|given| given.operands.iter().all(|operand| operand.text.starts_with('+'))),
        shows: Shows::Names,
    },
    Program {
        name: "diff",
        short: "abBcC:deEiI:nNpqrstTuU:wyW:x:Z#",
        long: "brief color? context? exclude= expand-tabs ignore-all-space ignore-blank-lines ignore-case \
               ignore-matching-lines= ignore-space-change ignore-trailing-space initial-tab label= minimal new-file \
               no-dereference recursive report-identical-files show-c-function side-by-side speed-large-files \
               strip-trailing-cr suppress-common-lines text unified? width=",
        operands: AtMost(2),
        // Of two folders it compares the files, without being told to.
        shows: Shows::Below(Below { flags: None, first_is_pattern: false }),
    },
    greps("egrep"),
    greps("fgrep"),
    Program {
        name: "getent",
        short: "s:i",
        long: "",
        operands: Checked(|given| !is_shadow(given)),
        shows: Shows::Names,
    },
    greps("grep"),
    Program {
        name: "printf",
        short: "",
        long: "",
        operands: Checked(|given| given.operands.iter().all(|operand| !operand.text.contains('['))),
        shows: Shows::Names,
    },
    Program {
        name: "rg",
        short: "0acFHhiIlnNopPqsSTuUvVwxA:B:C:d:e:E:g:j:m:M:r:t:T:",
        long: "after-context= before-context= case-sensitive color= colors= column context= context-separator= count \
               count-matches crlf encoding= files files-with-matches files-without-match fixed-strings glob= heading \
               iglob= ignore-case include-zero invert-match json line-buffered line-number line-regexp max-columns= \
               max-count= max-depth= max-filesize= multiline multiline-dotall no-filename no-heading no-line-number \
               no-messages null only-matching passthru path-separator= pcre2 pretty quiet regexp= replace= \
               smart-case sort= sortr= stats text threads= trim type= type-list type-not= vimgrep with-filename \
               word-regexp hidden no-ignore no-ignore-vcs no-config",
        operands: Any,
        shows: Shows::Below(Below { flags: None, first_is_pattern: true }),
    },
    // Others of its options have names stand for programs, or variables for others.
    Program {
        name: "set",
        short: "euxo:",
        long: "",
        operands: Checked(|given| {
            let is_known = |flag: &Flag<'_>| match flag {
                Flag::Short('o', Some(option)) => {
                    ["errexit", "nounset", "pipefail", "xtrace"].contains(&option.as_str())
                }
                Flag::Short(..) | Flag::Long(..) => true,
            };
            given.operands.is_empty() && given.flags.iter().all(is_known)
        }),
        shows: Shows::Names,
    },
];

/// The databases of hashes of passwords.
fn is_shadow(given: &Given<'_>) -> bool {
    given.operands.iter().any(|operand| operand.text.contains("shadow"))
}
