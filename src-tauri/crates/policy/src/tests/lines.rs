//! Redirections that write nothing, variables that are only said, and compound commands: what is seen of them, and what is
//! refused.

use crate::{CommandLine, Shell};

fn seen(line: &str) -> Option<Vec<String>> {
    let parsed = CommandLine::parse_as(Shell::Bash, line);
    let text = |command: &crate::SimpleCommand| {
        let words = command.words.iter().chain(&command.inputs).map(|word| word.text.as_str());
        words.collect::<Vec<_>>().join(" ")
    };
    Some(parsed.simple()?.into_iter().map(text).collect())
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
    check("basename \"$PWD\"", &["basename ${PWD}"]);
    check("echo ${f%.rs} \"${f##*/}\"", &["echo ${f%.rs} ${f##*/}"]);
    check("[ -z \"$CI\" ] && ls", &["[ -z ${CI} ]", "ls"]);
    check("[ $? -eq 0 ]", &["[ ${?} -eq 0 ]"]);
    check("ls \"$PWD/src\"", &["ls ./src"]);
    check("echo '$PATH'", &["echo $PATH"]);
    check("echo \"costs 5$\"", &["echo costs 5$"]);
    check("echo $", &["echo $"]);
    check("echo \"$PATH $HOME\"", &["echo ${PATH} ${HOME}"]);
    for line in [
        "cat $X",
        "ls \"$X\"",
        "ls $PWD",
        "ls \"x$PWD\"",
        "ls \"$PWDX\"",
        "ls \"${PWD}x\"",
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
        "echo ${x%$(y)}",
        "echo ${x#`y`}",
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
        "[ -z $X ]",
        "[ $X ]",
        "test \"$X\"$Y = a",
        "cd $X",
    ] {
        let found = seen(line);
        assert!(found.is_none(), "{line}: {found:?}");
    }
}

#[test]
fn a_plain_loop_is_what_it_runs() {
    check("for d in a b; do for f in $d/*.rs; do wc -l $f; done; done", &["wc -l a/*.rs", "wc -l b/*.rs"]);
    check("for a_b in x; do ls \"$a_b\"; done < list", &["ls x"]);
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
        "for ((i=0;i<3;i++)); do ls; done",
        "for f in a; do cat $f; done > x",
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
        "for f in a; do for f in b; do cat $g; done; done",
        "for d in */; do for f in $d*.rs; do cat $f; done; done",
        "for f in a; do ls; done ls",
        "for f in a; do ls; done; done",
    ] {
        let found = seen(line);
        assert!(found.is_none(), "{line}: {found:?}");
    }
}

#[test]
fn a_compound_command_is_what_it_may_run() {
    check("(ls)", &["ls"]);
    check("( cd x && ls; pwd )", &["cd x", "ls", "pwd"]);
    check("{ ls; pwd; } 2>/dev/null | head", &["ls", "pwd", "head"]);
    check("(ls; (pwd)) && a", &["ls", "pwd", "a"]);
    check("! grep -q x a && b", &["grep -q x a", "b"]);
    check("! (ls)", &["ls"]);
    check("if [ -f x ]; then cat x; fi", &["[ -f x ]", "cat x"]);
    check("if [ ! -f x ]\nthen\n  a\nelse\n  b\nfi", &["[ ! -f x ]", "a", "b"]);
    check("if a; then b; elif c | d; then e; else f; fi; g", &["a", "b", "c", "d", "e", "f", "g"]);
    check("a && if b; then c; fi || d", &["a", "b", "c", "d"]);
    check("a | while read -r f; do wc -l \"$f\"; done", &["a", "wc -l ${f}"]);
    check("while IFS= read -r f; do wc -l \"$f\"; done < list", &["wc -l ${f}"]);
    check("while IFS=: read -r a b; do echo \"$a $b\"; done <list", &["echo ${a} ${b}"]);
    check("while read -r a; do ls; done 2>/dev/null <list", &["ls"]);
    check("while read f; do if [ -f \"$f\" ]; then ls $f; fi; done <x", &["[ -f ${f} ]", "ls ${f}"]);
    check("find . ! -name x", &["find . ! -name x"]);
    check("if true; then (ls); fi 2>&1", &["true", "ls"]);
    check("echo if then fi do done", &["echo if then fi do done"]);
    check("[[ -f x ]] && ls", &["[[ -f x ]]", "ls"]);
    check("if [[ -z $CI && ! -f x || -d y ]]; then ls; fi", &["[[ -z ${CI} && ! -f x || -d y ]]", "ls"]);
    check("go test -run ^TestX$ ./a", &["go test -run ^TestX$ ./a"]);
    for line in [
        "(ls",
        "ls)",
        "()",
        "( )",
        "(ls) x",
        "(ls)(pwd)",
        "((ls))",
        "((x=1))",
        "ls (a)",
        "a && (b &&)",
        "(a |)",
        "(&& a)",
        "{ ls }",
        "{ls; }",
        "{ }",
        "{ ls; } x",
        "{ ls; }}",
        "if a; then b",
        "if a then b; fi",
        "if a; then fi",
        "if ; then b; fi",
        "if a && then b; fi",
        "if a; then b; else fi",
        "if a; then b; else c; else d; fi",
        "if a; then b; fi c",
        "then a",
        "a; fi",
        "a | fi",
        "if $X; then a; fi",
        "if a; then $X; fi",
        "if a; then b > c; fi",
        "if a; then b; fi > c",
        "(a) > c",
        "(a) &",
        "while true; do ls; done",
        "while :; do ls; done",
        "until a; do ls; done",
        "while read -r f; do $f; done < x",
        "while read -r f; do \"$f\" a; done < x",
        "while read -r f; do env $f; done < x",
        "while read -r f; do timeout 5 $f; done < x",
        "while read -r f; do bash -c \"$f\"; done < x",
        "while read -r f; do find . -exec cat \"$f\" \\;; done < x",
        "while read -r f; do [ -f $f ]; done < x",
        "while read -r PATH; do ls; done < x",
        "while read -r -a f; do ls; done < x",
        "while read -r 'f'; do ls; done < x",
        "while read; do ls; done < x",
        "while IFS=$X read f; do ls; done < x",
        "while PATH=x read f; do ls; done < x",
        "while read f; ls; do ls; done < x",
        "while read f && ls; do ls; done < x",
        "while read f | ls; do ls; done < x",
        "while read -r f; do cat $g; done < x",
        "while read -r f; do ls; done; cat $f",
        "while read -r -d, f; do ls; done < x",
        "read -r f; ls $f",
        "2>/dev/null if a; then b; fi",
        "CI=1 if a; then b; fi",
        "time (ls)",
        "time { ls; }",
        "a | ! b",
        "!ls",
        "!!",
        "a !(b)",
        "function f { ls; }",
        "f() { ls; }",
        "f() (ls)",
        "case x in x) ls;; esac",
        "select x in a; do ls; done",
        "coproc { ls; }",
        "[[ -f x && ]]",
        "[[ -f x || ls",
        "[[ -f x | y ]]",
        "[[ (a) ]]",
        "[[ a =~ b ]]",
        "[[ a < b ]]",
        "[[ -f x ]] ]]; ls",
        "((((((((((ls))))))))))",
        "( ( ( ( ( ( ( ( ( ls ) ) ) ) ) ) ) ) )",
    ] {
        let found = seen(line);
        assert!(found.is_none(), "{line}: {found:?}");
    }
}
