//! The verdicts on single calls, as `arki policy check` and a run ask for them: tables of lines with the files of a project
//! around them. Nothing is executed.

#![allow(clippy::unwrap_used, clippy::panic)]

use arki_engine::{Directories, Engine, EngineOptions, EnvironmentKeys};
use arki_testkit::TestHome;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

struct Stage {
    home: TestHome,
    engine: Arc<Engine>,
}

impl Stage {
    /// `config` goes over the configuration's top level.
    async fn new(config: &Value) -> Self {
        let mut config = config.clone();
        // Commands are asked about rather than tried first, so that what is asked about shows.
        if config["policy"]["categories"]["exec"].is_null() {
            config["policy"]["categories"]["exec"] = json!("approval");
        }
        let home = TestHome::new("http://127.0.0.1:9/v1", &config).unwrap();
        let directories = Directories { config: home.config_dir(), data: home.data_dir() };
        let environment_keys = EnvironmentKeys::default();
        let engine = Engine::open(EngineOptions { directories, ephemeral: false, environment_keys }).unwrap();
        engine.folder_trust().trust(&home.project_dir(), Vec::new()).await.unwrap();
        Self { home, engine }
    }

    async fn with_rules(rules: &Value) -> Self {
        Self::new(&json!({"policy": {"rules": rules}})).await
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.project_dir().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        self.home.write(path, text).unwrap();
    }

    fn judged(&self, tool: &str, args: &str) -> Value {
        let args: Value = serde_json::from_str(args).unwrap();
        let judgement = self.engine.approvals().policy().judge(&self.home.project_dir(), tool, &args).unwrap();
        serde_json::to_value(judgement).unwrap()
    }

    fn line(&self, line: &str) -> Value {
        self.judged("run_command", &json!({"command": line}).to_string())
    }

    fn verdict(&self, line: &str) -> (String, String) {
        let judged = self.line(line);
        (judged["decision"].as_str().unwrap().to_owned(), judged["rule"].as_str().unwrap().to_owned())
    }

    #[track_caller]
    fn decides(&self, tool: &str, args: &str, decision: &str, rule: &str) {
        let judged = self.judged(tool, args);
        assert_eq!((&judged["decision"], &judged["rule"]), (&json!(decision), &json!(rule)), "{args}: {judged}");
    }

    #[track_caller]
    fn decides_line(&self, line: &str, decision: &str, rule: &str) {
        self.decides("run_command", &json!({"command": line}).to_string(), decision, rule);
    }

    async fn has_sandbox(&self) -> bool {
        let checks = serde_json::to_value(self.engine.doctor().look(&self.home.project_dir()).await).unwrap();
        let is_there =
            checks.as_array().unwrap().iter().any(|check| check["name"] == "sandbox" && check["state"] == "ok");
        arki_testkit::required("sandbox", is_there, "see docs/sandbox.md, or leave `sandbox` out of ARKI_REQUIRE")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn known_read_only_commands_are_allowed() {
    let stage = Stage::new(&Value::Null).await;
    for line in ["ls -la", "cat a.txt | grep x | wc -l", "pwd && ls", "head -n 3 README.md"] {
        stage.decides_line(line, "allow", "builtin:read-only");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_fully_understood_is_never_allowed_silently() {
    let stage = Stage::with_rules(&json!([{"decision": "allow", "tool": "run_command", "command": ["echo"]}])).await;
    stage.decides_line("echo hello", "allow", "config:rules[1]");
    for line in [
        "echo $(rm -rf .)",
        "echo `rm -rf .`",
        "echo hello > a.txt",
        "eval 'echo hello'",
        "$EDITOR a.txt",
        "echo hello & rm -rf .",
        "echo <(ls)",
        "if touch x; then echo hello; fi",
        "f() { rm -rf .; }; f",
        "X=1 echo hello",
        "echo 'unclosed",
    ] {
        assert_eq!(stage.line(line)["decision"], "approval", "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_of_a_line_that_is_not_understood_is_not_called_a_command() {
    let stage = Stage::new(&Value::Null).await;
    let judged = stage.line("python3 - <<'EOF'\nprint('a skill')\nEOF");
    assert_eq!((&judged["decision"], &judged["risk"]), (&json!("approval"), &json!("high")));
    assert!(
        judged["reason"].as_str().unwrap().starts_with("It contains `skill`, a program that ends processes."),
        "{judged}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allowing_rule_needs_every_command_of_the_line_and_a_denying_one_needs_one() {
    let stage = Stage::with_rules(&json!([
        {"decision": "allow", "tool": "run_command", "command": ["mytool", "check"]},
        {"decision": "deny", "tool": "run_command", "command": ["git", "push"]},
    ]))
    .await;
    stage.decides_line("mytool check --all", "allow", "config:rules[1]");
    stage.decides_line("mytool check && mytool check -v", "allow", "config:rules[1]");
    assert_eq!(stage.line("mytool check; rm -rf .")["decision"], "approval");
    assert_eq!(stage.line("mytool")["decision"], "approval");
    stage.decides_line("mytool check && git push", "deny", "config:rules[2]");
    stage.decides_line("git push --force", "deny", "config:rules[2]");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_rules_the_strictest_wins() {
    let stage = Stage::with_rules(&json!([
        {"decision": "allow", "tool": "write_file", "path": "**"},
        {"decision": "approval", "path": "src/**"},
        {"decision": "deny", "path": "src/generated/**"},
    ]))
    .await;
    let write = |path: &str| format!(r#"{{"path": "{path}", "content": "x"}}"#);
    for (path, decision) in [("docs/a.md", "allow"), ("src/a.rs", "approval"), ("src/generated/a.rs", "deny")] {
        let judged = stage.judged("write_file", &write(path));
        assert_eq!(judged["decision"], decision, "{path}: {judged}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_paths_and_secret_files_ask_even_where_a_rule_allows() {
    let stage =
        Stage::with_rules(&json!([{"decision": "allow", "path": "**"}, {"decision": "allow", "tool": "run_command"}]))
            .await;
    for path in [".git/config", ".arki/config.json", "AGENTS.md", "docs/CLAUDE.md"] {
        let args = format!(r#"{{"path": "{path}", "content": "x"}}"#);
        stage.decides("write_file", &args, "approval", "builtin:protected-path");
        let args = format!(r#"{{"path": "{path}"}}"#);
        assert_eq!(stage.judged("read_file", &args)["decision"], "allow");
    }
    for (tool, args) in [("read_file", r#"{"path": ".env"}"#), ("run_command", r#"{"command": "cat .env"}"#)] {
        stage.decides(tool, args, "approval", "builtin:secret-file");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_defaults_of_the_categories_come_last() {
    let stage = Stage::new(&Value::Null).await;
    stage.decides("write_file", r#"{"path": "a.txt", "content": "x"}"#, "preview", "category:write");
    stage.decides("read_file", r#"{"path": "a.txt"}"#, "allow", "category:read");
    stage.decides_line("frobnicate --all", "approval", "category:exec");
    assert_eq!(stage.line("rm -rf .")["risk"], "high");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_category_that_denies_denies() {
    let stage = Stage::new(&json!({"policy": {"categories": {"exec": "deny"}}})).await;
    stage.decides_line("ls", "deny", "category:exec");
}

#[tokio::test(flavor = "multi_thread")]
async fn building_and_testing_need_no_question_in_a_sandbox_only() {
    let stage = Stage::new(&Value::Null).await;
    let (decision, rule) =
        if stage.has_sandbox().await { ("allow", "builtin:build") } else { ("approval", "category:exec") };
    for line in ["cargo test -p x", "npm run build", "make -j4 test && cargo clippy", "timeout 60 pytest -q"] {
        stage.decides_line(line, decision, rule);
    }
    stage.decides_line("cargo test; rm -rf .", "approval", "category:exec");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_below_a_folder_needs_no_question_where_a_sandbox_hides_secret_files() {
    let stage = Stage::new(&Value::Null).await;
    if !stage.has_sandbox().await {
        return;
    }
    stage.write("src/a.rs", "x");
    stage.write(".env", "KEY=1");
    stage.decides_line("grep -rn x src", "allow", "builtin:read-only");
    stage.decides_line("rg x", "allow", "builtin:read-only");
    stage.decides_line("cat src/*.rs", "allow", "builtin:read-only");
    stage.decides_line("grep -rn x .", "allow", "builtin:read-only");
    stage.decides_line("cd src && grep -rn x .", "allow", "builtin:read-only");
    stage.write("src/tls.key", "x");
    stage.decides_line("grep -rn x src", "allow", "builtin:read-only");
    stage.decides_line("cat src/*", "allow", "builtin:read-only");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compound_command_is_judged_by_what_is_in_it() {
    let stage = Stage::new(&Value::Null).await;
    stage.write("src/a.rs", "x");
    stage.write("list", "src/a.rs\n");
    for line in [
        "(cd src && ls) && cat list",
        "{ ls; pwd; } | head",
        "if [ -f list ]; then cat list; else ls; fi",
        "while read -r f; do wc -l \"$f\"; done < list",
        "ls src/*.rs | while read -r f; do head -3 \"$f\"; done",
        "[ -z \"$CI\" ] && basename \"$PWD\"",
        "! grep -q y list && echo none",
    ] {
        stage.decides_line(line, "allow", "builtin:read-only");
    }
    for line in [
        "(cd / && ls -R)",
        "(cd .. && cargo test)",
        "if rm -rf src; then ls; fi",
        "while read x; do $x; done < list",
        "x=rm; $x list",
        "{ cat list; } | sh",
    ] {
        stage.decides_line(line, "approval", "category:exec");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_searched_for_is_no_file_of_secrets() {
    let stage = Stage::new(&Value::Null).await;
    stage.write("f.json", "{}");
    for line in ["jq '.a.key' f.json", "grep -n '\\.env' f.json | head", "find . -name '*.pem'"] {
        stage.decides_line(line, "allow", "builtin:read-only");
    }
    for line in ["jq . a.key", "grep -n x .env", "jq .key f.json | xargs cat"] {
        stage.decides_line(line, "approval", "builtin:secret-file");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_build_that_is_told_where_to_write_is_asked_about() {
    let stage = Stage::new(&Value::Null).await;
    if !stage.has_sandbox().await {
        return;
    }
    for file in ["src/main.go", "README.md", "c.out", "dist/report.xml"] {
        stage.write(file, "x");
    }
    for line in ["go test ./...", "go build ./cmd/app", "npx vitest run", "pytest -q"] {
        stage.decides_line(line, "allow", "builtin:build");
    }
    for line in [
        "go test -coverprofile=new.out ./...",
        "npx vitest run --outputFile=dist/report.xml",
        "go test -coverprofile=src/main.go ./...",
        "cd src && go test -coverprofile ../README.md",
        "go build -o src/main.go .",
        "npx vitest run --outputFile=README.md",
        "npx vitest run -u",
        "npx jest --updateSnapshot",
        "npm test -- -u",
        "pytest --junitxml=src/main.go",
        "go test -coverprofile=.github/workflows/ci.yml ./...",
    ] {
        stage.decides_line(line, "approval", "category:exec");
    }
    stage.decides_line("go test -coverprofile=AGENTS.md ./...", "approval", "builtin:protected-path");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rules_command_runs_only_in_folders_of_the_project_that_git_keeps() {
    let stage = Stage::with_rules(&json!([{"decision": "allow", "tool": "run_command", "command": ["mytool"]}])).await;
    for file in ["sub/deep/x", "ignored/x", "other/x", "other/.git/HEAD"] {
        stage.write(file, "");
    }
    stage.write(".gitignore", "ignored/\n");
    for line in ["cd sub && mytool", "cd sub/deep && mytool; ls", "(cd sub && mytool) | tail -1"] {
        stage.decides_line(line, "allow", "config:rules[1]");
    }
    for line in
        ["cd ignored && mytool", "cd other && mytool", "cd .. && mytool", "cd /tmp && mytool", "cd gone; mytool"]
    {
        assert_eq!(stage.line(line)["decision"], "approval", "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn quotes_and_a_change_of_folder_hide_no_secret_file() {
    let stage = Stage::new(&Value::Null).await;
    stage.write(".env", "KEY=abc\n");
    stage.write("keys/tls.pem", "x\n");
    for line in [
        "cat .e\"nv\"",
        "cat '.e'nv",
        "rev .e''nv",
        "od -c ./\".\"env",
        "git show HEAD:.e\"nv\"",
        "cat prod.\"pem\"",
        "sh -c 'cat .e\"nv\"'",
        "cd .docker && cat config.json",
        "cd keys && cat tls.pem",
    ] {
        assert_eq!(stage.verdict(line), ("approval".into(), "builtin:secret-file".into()), "{line}");
    }
    assert_eq!(stage.line("cat src/\"a\".rs")["decision"], "allow");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_git_shows_of_secret_files_is_asked_about_where_git_keeps_one() {
    let stage = Stage::new(&Value::Null).await;
    if !stage.has_sandbox().await {
        return;
    }
    std::fs::create_dir_all(stage.path(".git")).unwrap();
    stage.write("a.txt", "a\n");
    let shown = [
        "git grep foo",
        "git log -p",
        "git log --check",
        "git show HEAD",
        "git show :/first",
        "git show 'HEAD^{/first:}'",
        "git diff",
        "git diff --check",
        "git stash show -p",
        "git stash list -p",
        "git cat-file -p HEAD",
        "git status -v",
    ];
    for line in shown {
        assert_eq!(stage.line(line)["decision"], "allow", "{line}");
    }
    // Git shows it only once it was added, and the sandbox hides the file itself.
    stage.write("deploy/tls.key", "x\n");
    for line in shown {
        assert_eq!(stage.line(line)["decision"], "allow", "{line}");
    }
    for line in ["git diff --stat", "git log --oneline", "git show --name-only HEAD", "git show HEAD:a.txt"] {
        assert_eq!(stage.line(line)["decision"], "allow", "{line}");
    }
    stage.write(".gitignore", "deploy/\n");
    assert_eq!(stage.line("git diff")["decision"], "allow", "git does not keep it");
    for line in ["git diff --no-index a.txt deploy", "git diff /tmp deploy", "git blame d*/*.key"] {
        assert_eq!(stage.line(line)["decision"], "approval", "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_pattern_and_no_option_hides_a_secret_file() {
    let stage = Stage::new(&Value::Null).await;
    if !stage.has_sandbox().await {
        return;
    }
    for file in ["id_rsa", "deploy.pem", ".env", "keys/tls.key", "keys/k.json", "src/a.rs", "src/k.json", "notes.txt"] {
        stage.write(file, "x\n");
    }
    for line in [
        "cat d[a-z]ploy.pem",
        "cat ./{.,x}env",
        "cat d{eploy,x}.pem",
        "xargs -aid_rsa echo",
        "xargs -a.env echo",
        "cd -P keys && cat tls.key",
        "cd -- keys && cat tls.key",
        "jq -n 'import \"./secrets\" as $d; $d'",
    ] {
        assert_eq!(stage.line(line)["decision"], "approval", "{line}");
    }
    // The sandbox hides what they come by.
    for line in [
        "cat n*.txt",
        "grep -r x sr*",
        "cat s{rc,ub}/*",
        "diff src/a.rs notes.txt",
        "cat [mn]otes.txt",
        "cat [[:alpha:]]d_rsa",
        "cat d?ploy.p[[:lower:]]m",
        "cat de*[[:punct:]]pem",
        "cat .e[[:alpha:]]v",
        "head k[[:alpha:]]ys/*",
        "grep -r x k*",
        "rg x k[e]ys",
        "diff src keys",
        "diff src/k.json keys",
        "ls | xargs -I% cat %",
        "ls -A | xargs -i% cat %",
        "echo rsa | xargs -I@ cat id_@",
    ] {
        assert_eq!(stage.line(line)["decision"], "allow", "{line}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_folder_hides_no_secret_file() {
    use std::os::unix::fs::symlink;
    let stage = Stage::new(&json!({"policy": {"secretFiles": ["keys/"]}})).await;
    if !stage.has_sandbox().await {
        return;
    }
    stage.write("keys/k.txt", "x\n");
    stage.write("sub/x.txt", "x\n");
    let project = stage.path("").canonicalize().unwrap();
    let name = project.file_name().unwrap().to_str().unwrap();
    symlink("..", stage.path("sub/up")).unwrap();
    symlink("../..", stage.path("sub/upup")).unwrap();
    symlink("../keys", stage.path("sub/opaque")).unwrap();
    for line in [
        "cat sub/up/keys/*",
        "cat sub/opaque/*",
        "cat sub/opaque/k.txt",
        "rg -L x sub",
        "cd sub/opaque && cat k.txt",
        "cd sub/opaque && cat *",
        &format!("cat sub/upup/{name}/keys/k.txt"),
        &format!("cd sub/upup && cat {name}/keys/k.txt"),
        "cat sub/opaque/../keys/k.txt",
    ] {
        assert_eq!(stage.line(line)["decision"], "approval", "{line}");
    }
    // The sandbox hides what they come by.
    for line in [
        "cat sub/up/sub/x.txt",
        "cat sub/*.txt",
        "cat sub/up/sub/*.txt",
        "grep -r x sub",
        "cat sub/up/k*/*",
        "grep -r x sub/opaque",
        "find -L sub -type f -exec cat {} +",
    ] {
        assert_eq!(stage.line(line)["decision"], "allow", "{line}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_rule_about_a_path_holds_for_every_link_to_it() {
    let policy = json!({"policy": {"rules": [
        {"decision": "deny", "path": "priv/**"},
        {"decision": "allow", "tool": "write_file", "path": "docs/**"},
    ]}});
    let stage = Stage::new(&policy).await;
    stage.write("priv/w.txt", "hidden\n");
    stage.write("src/a.rs", "a\n");
    stage.write("docs/x.md", "x\n");
    stage.write("sub/x", "x\n");
    for (target, link) in [("../priv", "sub/pl"), ("..", "sub/up"), ("../src", "docs/s")] {
        std::os::unix::fs::symlink(target, stage.path(link)).unwrap();
    }
    let decided = |tool: &str, args: Value| {
        let judged = stage.judged(tool, &args.to_string());
        judged["decision"].as_str().unwrap().to_owned()
    };
    for path in ["priv/w.txt", "sub/pl/w.txt", "sub/up/priv/w.txt", "sub/pl/new.txt"] {
        assert_eq!(decided("read_file", json!({"path": path})), "deny", "{path}");
        assert_eq!(decided("write_file", json!({"path": path, "content": "x"})), "deny", "{path}");
        assert_eq!(decided("delete_file", json!({"path": path})), "deny", "{path}");
    }
    for line in ["cat sub/pl/w.txt", "cat sub/up/priv/w.txt", "cd sub/pl && cat w.txt", "rg hidden sub/pl"] {
        assert_eq!(stage.line(line)["decision"], "deny", "{line}");
    }
    assert_eq!(decided("write_file", json!({"path": "docs/x.md", "content": "x"})), "allow");
    assert_ne!(decided("write_file", json!({"path": "docs/s/a.rs", "content": "x"})), "allow");
    assert_eq!(decided("read_file", json!({"path": "sub/up/src/a.rs"})), "allow");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_understood_is_asked_about_though_all_commands_are_allowed() {
    let policy = json!({"policy": {"categories": {"exec": "allow"}}});
    let stage = Stage::new(&policy).await;
    assert_eq!(stage.line("touch x")["decision"], "allow");
    assert_eq!(stage.verdict("echo $(touch x)"), ("approval".into(), "builtin:not-understood".into()));
}
