//! Redirections that write nothing, variables that are only said, and loops: what is seen of them, and what is refused.

use crate::policy::{CommandLine, Shell};

fn seen(line: &str) -> Option<Vec<String>> {
    let parsed = CommandLine::parse_as(Shell::Bash, line);
    let text = |command: &crate::policy::SimpleCommand| {
        let words = command.words.iter().chain(&command.inputs).map(|word| word.text.as_str());
        words.collect::<Vec<_>>().join(" ")
    };
    Some(parsed.commands()?.iter().map(text).collect())
}

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    assert_eq!(
        seen(line).as_deref(),
        Some(expected.iter().map(|&line| line.to_owned()).collect::<Vec<_>>().as_slice()),
        "{line}"
    );
}

#[test]
fn what_writes_nothing_is_left_out() {
    for line in [
        "ls 2>&1",
        "ls 1>&2",
        "ls >&2",
        "ls 2>/dev/null",
        "ls 2> /dev/null",
        "ls >/dev/null",
        "ls > /dev/null",
        "ls 1>/dev/null",
        "ls &>/dev/null",
        "ls &> /dev/null",
        "ls >/dev/null 2>&1",
        "ls > /dev/null 2>&1",
        "ls </dev/null",
        "ls < /dev/null",
        "ls 2>>/dev/null",
        "ls >>/dev/null",
        "ls &>>/dev/null",
        "ls 2>&1;",
        "ls 2>/dev/null # x",
    ] {
        check(line, &["ls"]);
    }
    check("cargo test 2>&1 | tail -50", &["cargo test", "tail -50"]);
    check("cargo test |& tail -50", &["cargo test", "tail -50"]);
    check("ls a 2>/dev/null && cat b 2>&1 || echo c >&2; pwd", &["ls a", "cat b", "echo c", "pwd"]);
    check("wc -l < a.txt", &["wc -l a.txt"]);
    check("cat <a.txt | sort", &["cat a.txt", "sort"]);
    check("ls 2>/dev/null\npwd >/dev/null", &["ls", "pwd"]);
    check("echo 2 >/dev/null", &["echo 2"]);
    check("echo a2>/dev/null", &["echo a2"]);
    check("[ -f a ] 2>/dev/null && cat a", &["[ -f a ]", "cat a"]);
}

#[test]
fn what_may_write_is_refused_however_it_looks() {
    for line in [
        "ls > /dev/nul",
        "ls >/dev/null/../x",
        "ls > /dev/null2",
        "ls >/dev/nullx",
        "ls >\"/dev/null\"x",
        "ls >/dev/{null,x}",
        "ls >/dev/nul?",
        "ls >'/dev/null'",
        "ls >&file",
        "ls 2>&1file",
        "ls >&1x",
        "ls >& file",
        "ls >&-",
        "ls 2>&-",
        "ls 3>&1",
        "ls 1>&3",
        "ls 12>&1",
        "ls >a",
        "ls > a 2>&1",
        "ls 2>&1 > a",
        "ls >>a",
        "ls >|/dev/null",
        "ls <>/dev/null",
        "ls >/dev/stderr",
        "ls &>a",
        "ls &>>a",
        "ls >&/dev/null",
        "ls &>&1",
        "ls {x}>/dev/null",
        "ls {x}>&1",
        "> /dev/null",
        "2>/dev/null",
        "ls; >/dev/null",
        "ls <<<x",
        "ls <<x\nx",
        "ls <(x)",
        "ls >(x)",
        "ls >$x",
        "ls < $x",
        "ls < *.txt",
        "ls < \"$x\"",
        "ls >",
        "ls 2>",
        "ls 2>&",
        "ls <",
        "ls > ; x",
        "ls > | x",
        "ls 2>&1&",
        "ls 2>/dev/null&",
        "ls >/dev/null>a",
        "ls >/dev/null a>b",
        "ls 2>&1>a",
        "ls <&3",
        "ls <&-",
        "ls 0<&1",
        "ls >/dev/tcp/h/1",
        "ls 1 2>a",
        "ls \\>/dev/null >a",
        "ls >/dev/null\\\n/../x",
        "ls >/dev//null",
        "ls >~/x",
        "ls >/dev/null$x",
        "ls >/dev/null`x`",
        "ls 2\\>&1 >x",
    ] {
        assert_eq!(seen(line), None, "{line}");
    }
    check("ls 2\\>/dev/null", &["ls 2>/dev/null"]);
    check("ls '2>&1'", &["ls 2>&1"]);
}

#[test]
fn a_variable_may_be_said_and_nothing_else() {
    check("echo $PATH", &["echo ${PATH}"]);
    check("echo \"exit $?\"", &["echo exit ${?}"]);
    check("echo \"a ${HOME} b $USER\"", &["echo a ${HOME} b ${USER}"]);
    check("cargo test; echo \"exit=$?\"", &["cargo test", "echo exit=${?}"]);
    check("make | tail; echo ${PIPESTATUS[0]}", &["make", "tail", "echo ${PIPESTATUS[0]}"]);
    check("echo \"${CI:-no}\"", &["echo ${CI:-no}"]);
    check("printf '%s\\n' \"$PATH\"", &["printf %s\\n ${PATH}"]);
    check("echo '$PATH'", &["echo $PATH"]);
    check("echo \"costs 5$\"", &["echo costs 5$"]);
    for line in [
        "cat $X",
        "ls \"$X\"",
        "$X",
        "\"$X\" a",
        "echo $(x)",
        "echo `x`",
        "echo \"$(x)\"",
        "echo ${x:=y}",
        "echo ${x=y}",
        "echo ${x:?y}",
        "echo ${!x}",
        "echo ${x:-$(y)}",
        "echo ${x:-`y`}",
        "echo ${x[$(y)]}",
        "echo ${x[i++]}",
        "echo ${x@P}",
        "echo ${x//a/b}",
        "echo ${#x}",
        "echo ${x:0:1}",
        "echo ${x^^}",
        "echo $((x++))",
        "echo $((a[$(y)]))",
        "echo $[1]",
        "echo $'x'",
        "echo $\"x\"",
        "printf $X",
        "printf -v \"$X\" y",
        "printf \"$X\" y",
        "timeout 5 echo $X",
        "X=$Y echo a",
        "echo $X > a",
        "xargs echo $X",
        "bash -c \"echo $X\"",
        "echo $",
        "echo $-",
        "echo $!",
        "echo $1",
        "echo $@",
        "echo ${",
        "echo ${}",
        "echo ${x",
        "/bin/echo $X",
        "command echo $X",
        "grep $X a",
        "LC_ALL=$X ls",
        "echo a > $X",
        "test $X = a",
        "[ $X = a ]",
        "cd $X",
    ] {
        let found = seen(line);
        assert!(found.is_none(), "{line}: {found:?}");
    }
}

#[test]
fn a_plain_loop_is_what_it_runs() {
    check("for f in a b; do wc -l $f; done", &["wc -l a", "wc -l b"]);
    check("for f in *.rs; do wc -l \"$f\"; done", &["wc -l *.rs"]);
    check("for f in a b\ndo\n  wc -l \"$f\"\ndone", &["wc -l a", "wc -l b"]);
    check(
        "for d in src tests; do echo \"== $d\"; ls $d/*.rs 2>/dev/null | head; done | sort",
        &["echo == src", "ls src/*.rs", "head", "echo == tests", "ls tests/*.rs", "head", "sort"],
    );
    check("for d in */; do cat \"$d/x\" && echo $d; done 2>/dev/null", &["cat *//x", "echo ${d}"]);
    check("for i in 1 2; do cargo test; done; pwd", &["cargo test", "cargo test", "pwd"]);
    check("pwd && for f in a; do cat ${f}.rs; done && ls", &["pwd", "cat a.rs", "ls"]);
    check("for f in -rf x; do rm $f; done", &["rm -rf", "rm x"]);
    for line in [
        "for f in $(ls); do cat $f; done",
        "for f in `ls`; do cat $f; done",
        "for f in $X; do cat $f; done",
        "for f in a; do $f; done",
        "for f in ls; do $f; done",
        "for f in ls; do CI=1 $f; done",
        "for f in a; do \"$f\" x; done",
        "for f; do cat $f; done",
        "for f in a; do; done",
        "for f in a; do cat $f",
        "for f in a; cat $f; done",
        "for f in a do cat $f; done",
        "for f in 'a b'; do cat $f; done",
        "for f in '*'; do cat $f; done",
        "for f in a; do cat $g; done",
        "for f in a; do cat $f > x; done",
        "for f in a; do cat $f & done",
        "for f in a; do for g in b; do cat $g; done; done",
        "for ((i=0;i<3;i++)); do ls; done",
        "for f in a; do cat $f; done > x",
        "for f in a; do cat $f; done < x",
        "for f in *; do cat HEAD:$f; done",
        "for f in *; do cat --x=$f; done",
        "for f in a; { cat $f; }",
        "for 'f' in a; do cat $f; done",
        "for f in a; do f=b; cat $f; done",
        "for PATH in a; do ls; done; $PATH",
        "for PATH in .; do ls; done",
        "for LD_PRELOAD in ./x.so; do ls; done",
        "for npm_config_script_shell in ./x; do npm test; done",
        "done",
        "do ls",
        "for f in a; do ls; done done",
        "for f in ''; do ls $f; done",
        "for f in a; do printf -v PATH $f; cat $PATH; done",
        "for f in a; do bash -c \"$(cat $f)\"; done",
        "'for' f in a; do ls; done",
    ] {
        let found = seen(line);
        assert!(found.is_none(), "{line}: {found:?}");
    }
}
