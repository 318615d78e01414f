//! The plain tools of a Unix system.

use super::super::flags::{Flag, Given};
use super::Operands::{Any, AtMost, Checked, OneAtTheEnd};
use super::{Below, Program, Shows};

const fn names(name: &'static str, short: &'static str, long: &'static str) -> Program {
    Program { name, short, long, operands: Any, shows: Shows::Names }
}

const fn shows(name: &'static str, short: &'static str, long: &'static str) -> Program {
    Program { name, short, long, operands: Any, shows: Shows::Contents }
}

const fn greps(name: &'static str) -> Program {
    Program {
        name,
        short: "acEFGHhIiLlnoPqsvwxyzZTbrRA:B:C:m:e:#",
        long: "after-context= basic-regexp before-context= binary-files= byte-offset color? colour? context= count \
               exclude= exclude-dir= extended-regexp files-with-matches files-without-match fixed-strings ignore-case \
               include= initial-tab invert-match line-number line-regexp max-count= no-filename no-ignore-case \
               no-messages null null-data only-matching perl-regexp quiet recursive dereference-recursive regexp= silent text \
               with-filename word-regexp line-buffered",
        operands: Any,
        shows: Shows::Below(Below {
            flags: Some("r R recursive dereference-recursive"),
            follows: Some("R dereference-recursive"),
            first_is_pattern: true,
            ..Below::ALL
        }),
    }
}

/// Of compressed files as of others.
const fn shows_found(name: &'static str) -> Program {
    let grep = greps(name);
    Program { short: "aEFGHhIilLnoPqsvwxA:B:C:m:ce:#", shows: Shows::Contents, ..grep }
}

const fn sums(name: &'static str) -> Program {
    names(name, "bctwz", "binary check ignore-missing quiet status strict tag text warn zero")
}

/// Nothing they could be given makes them write, run anything, or show what a file contains.
pub(super) const TAKES_ANYTHING: &[&str] =
    &["basename", "dirname", "du", "echo", "ls", "md5sum", "realpath", "sha1sum", "sha256sum", "stat", "wc"];

/// `@FILE` among their arguments stands for options in that file.
pub(super) const READS_OPTIONS_FROM_FILES: &[&str] = &["nm", "objdump", "readelf", "size", "strings"];

/// Tools of developers whose `--version` says just that.
pub(super) const SAYS_ITS_VERSION: &[&str] = &[
    "ansible",
    "autoconf",
    "automake",
    "aws",
    "bash",
    "bazel",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "cc",
    "clang",
    "cmake",
    "composer",
    "conda",
    "crystal",
    "curl",
    "deno",
    "docker",
    "dotnet",
    "elixir",
    "eslint",
    "fd",
    "ffmpeg",
    "flutter",
    "g++",
    "gcc",
    "gem",
    "gh",
    "ghc",
    "git",
    "go",
    "gradle",
    "grep",
    "helm",
    "java",
    "javac",
    "jest",
    "jq",
    "julia",
    "just",
    "kotlin",
    "ld",
    "lua",
    "make",
    "meson",
    "mvn",
    "mypy",
    "nasm",
    "nginx",
    "ninja",
    "nix",
    "node",
    "npm",
    "npx",
    "nvcc",
    "ocaml",
    "perl",
    "php",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "prettier",
    "protoc",
    "psql",
    "pytest",
    "python",
    "python2",
    "python3",
    "R",
    "rg",
    "ruby",
    "ruff",
    "rustc",
    "rustfmt",
    "rustup",
    "sed",
    "sqlite3",
    "swift",
    "tar",
    "terraform",
    "tsc",
    "uv",
    "valgrind",
    "vim",
    "wget",
    "yarn",
    "zig",
    "zsh",
];

pub(super) const PROGRAMS: &[Program] = &[
    names(":", "", ""),
    names("arch", "", ""),
    names("basename", "as:z", "multiple suffix= zero"),
    shows("base64", "w:", "wrap="),
    names("netstat", "alnptuW46r", "all listening numeric programs tcp udp"),
    // It reads the script and says what is wrong with it.
    shows("bash -n", "", ""),
    shows("sh -n", "", ""),
    shows("b2sum", "bctwzl:", "binary check length= quiet status tag text zero"),
    Program {
        name: "bat",
        short: "AnpPl:r:H:",
        long: "color= decorations= language= line-range= number paging= plain show-all style= theme= wrap=",
        operands: Checked(|given| {
            !given.flags.iter().any(|flag| matches!(flag, Flag::Long("paging", Some(when)) if when != "never"))
        }),
        shows: Shows::Contents,
    },
    Program { name: "cal", short: "13jmy", long: "", operands: AtMost(2), shows: Shows::Names },
    shows("cat", "AbeEnstTuv", "number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank"),
    Program {
        name: "cd",
        short: "",
        long: "",
        // Only where it is said plainly where the rest of the line reads.
        operands: Checked(|given| matches!(given.operands.as_slice(), [folder] if !folder.text.starts_with('-'))),
        shows: Shows::Names,
    },
    names("cksum", "a:z", "algorithm= tag untagged zero"),
    shows("cmp", "bi:ln:s", "bytes= ignore-initial= print-bytes quiet silent verbose"),
    shows("column", "c:enNo:s:tx", "columns= output-separator= separator= table"),
    shows("comm", "123z", "check-order nocheck-order output-delimiter= total zero-terminated"),
    names("command", "vV", ""),
    shows(
        "cut",
        "b:c:d:f:nsz",
        "bytes= characters= complement delimiter= fields= only-delimited output-delimiter= zero-terminated",
    ),
    Program {
        name: "date",
        short: "d:I?Rur:",
        long: "date= iso-8601? reference= rfc-3339= rfc-email universal utc",
        // Anything else sets the clock.
        operands: Checked(|given| given.operands.iter().all(|operand| operand.text.starts_with('+'))),
        shows: Shows::Names,
    },
    names(
        "df",
        "aB:hHiklmPt:Tx:",
        "all block-size= human-readable inodes local output? portability print-type si total type=",
    ),
    Program {
        name: "diff",
        short: "abBcC:deEiI:nNpqrstTuU:wyW:x:Z#",
        long: "brief color? context? exclude= expand-tabs ignore-all-space ignore-blank-lines ignore-case \
               ignore-matching-lines= ignore-space-change ignore-trailing-space initial-tab label= minimal new-file \
               no-dereference recursive report-identical-files show-c-function side-by-side speed-large-files \
               strip-trailing-cr suppress-common-lines text unified? width=",
        operands: AtMost(2),
        // Of two folders it compares the files, without being told to.
        shows: Shows::Below(Below::THROUGH_LINKS),
    },
    shows("diff3", "aAeEimTxX3L:", "merge text"),
    names("dirname", "z", "zero"),
    names("dpkg", "lLsS", "list listfiles print-architecture search status"),
    names(
        "du",
        "0aB:bcd:DhHklLmsSx",
        "all apparent-size block-size= bytes count-links dereference exclude= human-readable inodes max-depth= null one-file-system separate-dirs si summarize threshold= time? total",
    ),
    names("echo", "enE", ""),
    greps("egrep"),
    Program { name: "exit", short: "", long: "", operands: AtMost(1), shows: Shows::Names },
    Program { name: "env", short: "", long: "", operands: AtMost(0), shows: Shows::Names },
    shows("expand", "it:", "initial tabs="),
    names("expr", "", ""),
    names(
        "eza",
        "1aabBdDfFghHiIlLmrRsStTuUxL:s:",
        "all binary bytes classify color= colour= dereference git group group-directories-first header icons? inode level= links long oneline recurse reverse sort= time= tree",
    ),
    names("factor", "", ""),
    names("false", "", ""),
    names(
        "fd",
        "0aDE:FgHIiLlpst:e:d:uU1",
        "absolute-path base-directory= case-sensitive color= exact-depth= exclude= extension= fixed-strings follow full-path glob hidden ignore-case list-details max-depth= max-results= min-depth= no-ignore no-ignore-vcs owner= print0 regex size= strip-cwd-prefix type= changed-within= changed-before=",
    ),
    greps("fgrep"),
    names(
        "file",
        "0bEhiIkLNprsz",
        "brief dereference extension keep-going mime mime-encoding mime-type no-dereference raw",
    ),
    shows("fmt", "cstug:w:p:", "crown-margin split-only tagged-paragraph uniform-spacing width= goal="),
    shows("fold", "bsw:", "bytes spaces width="),
    names("free", "bghkmtw", "bytes gibi giga human kibi kilo mebi mega si total wide"),
    names("getconf", "a", ""),
    Program {
        name: "getent",
        short: "s:i",
        long: "",
        operands: Checked(|given| !is_shadow(given)),
        shows: Shows::Names,
    },
    shows("gofmt", "dels", ""),
    greps("grep"),
    names("groups", "", ""),
    shows("head", "c:n:qvz#", "bytes= lines= quiet silent verbose zero-terminated"),
    shows("hexdump", "bcCdn:os:vx", "canonical length= skip="),
    Program {
        name: "hostname",
        short: "AdfiIsy",
        long: "all-fqdns all-ip-addresses domain fqdn ip-address long short",
        operands: AtMost(0),
        shows: Shows::Names,
    },
    names("id", "agGnruzZ", "group groups name real user zero"),
    shows("join", "1:2:a:e:ij:o:t:v:z", "check-order header ignore-case nocheck-order zero-terminated"),
    shows(
        "jq",
        "acCeMnrRsSj",
        "ascii-output color-output compact-output exit-status join-output monochrome-output null-input raw-input raw-output seq slurp sort-keys tab indent= arg= argjson=",
    ),
    Program { name: "last", short: "n:#", long: "", operands: AtMost(1), shows: Shows::Names },
    names("locale", "ackm", "all-locales charmaps"),
    Program { name: "locate", short: "icl:r:", long: "", operands: Any, shows: Shows::Names },
    Program { name: "logname", short: "", long: "", operands: AtMost(0), shows: Shows::Names },
    names(
        "ls",
        "#1aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ",
        "all almost-all author block-size= classify? color? dereference directory escape file-type format= full-time group-directories-first hide= human-readable hyperlink? ignore= ignore-backups indicator-style= inode kibibytes literal no-group numeric-uid-gid quote-name quoting-style= recursive reverse si size sort= time= time-style= width= zero",
    ),
    names("lsb_release", "acdirs", "all codename description id release short"),
    names("lsblk", "abdfiJlmno:OpPrStx:", "all fs json list output= paths"),
    names("lscpu", "aebcJpsxy", "all extended? json parse?"),
    names("lsof", "i?nPp:u:tlac:", ""),
    sums("md5sum"),
    shows("nl", "b:d:f:h:i:l:n:ps:v:w:", "body-numbering= number-format= number-width="),
    shows(
        "nm",
        "aACDgnoprsuU",
        "defined-only demangle? dynamic extern-only no-demangle numeric-sort print-size size-sort undefined-only",
    ),
    Program { name: "nproc", short: "", long: "all ignore=", operands: AtMost(0), shows: Shows::Names },
    names(
        "numfmt",
        "",
        "field= format= from= from-unit= grouping header? invalid= padding= round= suffix= to= to-unit=",
    ),
    shows(
        "objdump",
        "aCdDfghprRsStTxMj:",
        "all-headers archive-headers demangle? disassemble disassemble-all dynamic-reloc dynamic-syms file-headers full-contents private-headers reloc section-headers section= syms",
    ),
    shows("od", "aA:bcdDfhiIj:lLN:oOsS:t:vw?xX", "address-radix= format= read-bytes= skip-bytes= strings? width?"),
    shows("paste", "d:sz", "delimiters= serial zero-terminated"),
    names("pgrep", "acfiLlnovxu:U:P:g:", "count full list-full list-name newest oldest exact"),
    names("pidof", "scqx", ""),
    Program { name: "printenv", short: "0", long: "null", operands: Any, shows: Shows::Names },
    Program {
        name: "printf",
        short: "",
        long: "",
        operands: Checked(|given| given.operands.iter().all(|operand| !operand.text.contains('['))),
        shows: Shows::Names,
    },
    names(
        "ps",
        "aAcdefFHjlLmMNTuUvwxyZC:g:G:o:O:p:s:t:",
        "cols= columns= cumulative deselect forest format= headers no-headers pid= ppid= rows= sort= User= user= width=",
    ),
    names("pstree", "aAcglnpsTuU", "arguments show-pids"),
    names("pwd", "LP", "logical physical"),
    shows(
        "readelf",
        "adehilnrsSVuAwxWp:",
        "all arch-specific dynamic dyn-syms file-header headers notes program-headers relocs section-headers sections segments symbols syms wide",
    ),
    names(
        "readlink",
        "efmnqsvz",
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
    ),
    names(
        "realpath",
        "eELmPqsz",
        "canonicalize-existing canonicalize-missing logical no-symlinks physical quiet relative-base= relative-to= strip zero",
    ),
    shows("rev", "", ""),
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
        shows: Shows::Below(Below { first_is_pattern: true, ..Below::SHOWN }),
    },
    names("seq", "f:s:w#", "equal-width format= separator="),
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
    sums("sha1sum"),
    sums("sha224sum"),
    sums("sha256sum"),
    sums("sha384sum"),
    sums("sha512sum"),
    names("size", "ABdotx", "format= totals"),
    Program { name: "sleep", short: "", long: "", operands: AtMost(1), shows: Shows::Names },
    shows(
        "sort",
        "bcCdfghik:mMnrRsS:t:uVz",
        "check? dictionary-order field-separator= general-numeric-sort human-numeric-sort ignore-case ignore-leading-blanks ignore-nonprinting key= merge month-sort numeric-sort parallel= random-sort reverse sort= stable unique version-sort zero-terminated",
    ),
    names(
        "ss",
        "46aehilmnoprstuwxzHO",
        "all extended info ipv4 ipv6 listening memory no-header numeric oneline options processes resolve summary tcp udp unix",
    ),
    names("stat", "c:fLt", "cached= dereference file-system format= printf= terse"),
    shows("strings", "an:ot:e:", "all bytes= encoding= radix="),
    shows("tac", "brs:", "before regex separator="),
    shows("tail", "c:n:qvz#", "bytes= lines= quiet silent verbose zero-terminated"),
    shows("tokei", "e:fs:t:o:", "exclude= files hidden languages no-ignore output= sort= type="),
    names("tr", "cCdst", "complement delete squeeze-repeats truncate-set1"),
    names(
        "tree",
        "aAdDfFghiIlL:nNpP:I:qrsStuvxJC",
        "dirsfirst du filelimit= gitignore inodes noreport prune sort= charset= matchdirs",
    ),
    names("true", "", ""),
    shows("tsort", "", ""),
    names("tty", "s", "quiet silent"),
    names("type", "afptP", ""),
    Program { name: "ulimit", short: "aHnSs", long: "", operands: AtMost(0), shows: Shows::Names },
    Program { name: "umask", short: "S", long: "", operands: AtMost(0), shows: Shows::Names },
    names(
        "uname",
        "aimnoprsv",
        "all hardware-platform kernel-name kernel-release kernel-version machine nodename operating-system processor",
    ),
    shows("unexpand", "at:", "all first-only tabs="),
    Program {
        name: "uniq",
        short: "cdDf:is:uw:z",
        long: "all-repeated? check-chars= count group? ignore-case repeated skip-chars= skip-fields= unique zero-terminated",
        operands: AtMost(1),
        shows: Shows::Contents,
    },
    names("uptime", "ps", "pretty since"),
    names("vmstat", "adfmstwS:", ""),
    names("w", "fhisu", ""),
    names("wc", "clLmw", "bytes chars lines max-line-length words total="),
    names("whereis", "bmsu", ""),
    names("which", "as", "all"),
    names("who", "abdHlmpqrstTuw", "all boot count heading"),
    Program { name: "whoami", short: "", long: "", operands: AtMost(0), shows: Shows::Names },
    Program { name: "xxd", short: "abc:eg:iEl:o:ps:uC", long: "", operands: OneAtTheEnd, shows: Shows::Contents },
    shows("bzcat", "", ""),
    shows("gunzip -c", "", ""),
    shows("xzcat", "", ""),
    shows("zcat", "f", ""),
    shows_found("zegrep"),
    shows_found("zfgrep"),
    shows_found("zgrep"),
    shows("unzip -p", "", ""),
    names("unzip -l", "v", ""),
    names("unzip -Z1", "", ""),
    names("zipinfo", "12lmstvhzT", ""),
    names("gzip -l", "v", ""),
    names("apt list", "a", "installed upgradable all-versions"),
    names("apt show", "a", ""),
    names("apt search", "n", "names-only"),
    names("apt-cache policy", "", ""),
    names("apt-cache search", "n", "names-only"),
    names("apt-cache show", "", ""),
    names("brew info", "", "json? formula cask"),
    names("brew list", "1", "formula cask versions"),
    names("rpm -qa", "", ""),
    names("rpm -qi", "", ""),
    names("rpm -ql", "", ""),
    names("systemctl is-active", "q", "quiet user"),
    names("systemctl is-enabled", "q", "quiet user"),
    names("systemctl list-units", "at:", "all no-pager state= type= user"),
    names("systemctl status", "ln:", "full lines= no-pager user"),
];

/// The databases of hashes of passwords.
fn is_shadow(given: &Given<'_>) -> bool {
    given.operands.iter().any(|operand| operand.text.contains("shadow"))
}
