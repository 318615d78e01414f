//! Rules and slash commands of a project: what the model is told of them, when, and that it is no more than was agreed to.

use crate::harness::{Stage, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const INNER: &str = "Tabs in this folder.";

fn read(path: &str) -> Turn {
    Turn::calls().call("read_file", json!({ "path": path }))
}

/// The messages of each request so far.
fn requests(stage: &Stage) -> Vec<Vec<Value>> {
    let all = stage.model.requests();
    all.iter().filter_map(|request| request.json["messages"].as_array().cloned()).collect()
}

fn with_inner_rules(turns: Vec<Turn>) -> Stage {
    let stage = Stage::untrusted(Script::new(turns), &Value::Null);
    stage.write("AGENTS.md", "Root rule. See @docs/style.md.\n");
    stage.write("docs/style.md", "Style rule.\n");
    stage.write(".github/copilot-instructions.md", "Copilot rule.\n");
    stage.write("sub/AGENTS.md", INNER);
    stage.write("sub/a.txt", "a\n");
    stage.write("sub/b.txt", "b\n");
    stage
}

#[test]
fn rules_of_a_folder_come_in_once_at_the_end_and_stay() {
    let stage = with_inner_rules(vec![read("sub/a.txt"), read("sub/b.txt"), Turn::text("ok"), Turn::text("ok")]);
    std::fs::write(stage.home.config_dir().join("AGENTS.md"), "The user's rule.\n").unwrap();
    stage.trust();
    stage.exec(&["look"]).exits(0);
    let system = stage.system_prompt();
    let places =
        ["The user's rule.", "Root rule.", "Style rule.", "Copilot rule."].map(|rule| system.find(rule).unwrap());
    assert!(places.is_sorted() && !system.contains(INNER), "{system}");
    stage.exec(&["--continue", "more"]).exits(0);
    let requests = requests(&stage);
    let count = |messages: &Vec<Value>| json!(messages).to_string().matches(INNER).count();
    assert_eq!(requests.iter().map(count).collect::<Vec<_>>(), [0, 1, 1, 1]);
    for pair in requests.windows(2) {
        assert_eq!(pair[1][1..pair[0].len()], pair[0][1..], "requests grow at their end only");
    }
    let added = payloads(&stage.log(), "context.added");
    assert_eq!(added.len(), 1, "{added:?}");
    assert_eq!((text(&added[0]["part"]), text(&added[0]["origin"])), ("rule".to_owned(), "sub/AGENTS.md".to_owned()));
}

#[test]
fn rules_that_nobody_agreed_to_are_not_told() {
    let stage = with_inner_rules(vec![read("sub/a.txt"), Turn::text("ok")]);
    stage.exec(&["look"]).exits(0);
    let told = |stage: &Stage| json!(requests(stage)).to_string();
    assert!(!told(&stage).contains("Root rule") && !told(&stage).contains(INNER), "untrusted");
    let shown = stage.arki(&["trust"]).exits(0).stdout;
    for path in ["docs/style.md", ".github/copilot-instructions.md", "sub/AGENTS.md"] {
        assert!(shown.contains(path), "{shown}");
    }
    let stage = with_inner_rules(vec![read("sub/a.txt"), Turn::text("ok")]);
    stage.trust();
    stage.write("sub/AGENTS.md", "Other tabs.");
    stage.write("docs/style.md", "Other style.");
    stage.exec(&["look"]).exits(0);
    let told = told(&stage);
    assert!(told.contains("Root rule") && !told.contains("Other tabs") && !told.contains("Other style"), "{told}");
    let warned = stage.arki(&["context"]).exits(0).stderr;
    assert!(warned.contains("docs/style.md, which has changed since you approved it"), "{warned}");
}

#[test]
fn the_rules_of_hundreds_of_folders_do_not_fill_the_window() {
    let read_all = (0..150)
        .fold(Turn::calls(), |calls, number| calls.call("read_file", json!({"path": format!("{number}/a.txt")})));
    let stage = Stage::untrusted(Script::new(vec![read_all, Turn::text("ok"), Turn::text("ok")]), &Value::Null);
    for number in 0..150 {
        stage.write(&format!("{number}/AGENTS.md"), format!("Rule {number}.\n").repeat(600));
        stage.write(&format!("{number}/a.txt"), "a\n");
    }
    stage.trust();
    stage.exec(&["look"]).exits(0);
    stage.exec(&["--continue", "more"]).exits(0);
    let added = payloads(&stage.log(), "context.added");
    let bytes: usize = added.iter().map(|added| text(&added["text"]).len()).sum();
    assert!(bytes > 100_000 && bytes <= 128 * 1024, "{bytes} bytes in {}", added.len());
    let shortened: Vec<&Value> = added.iter().filter(|added| added["leftOutBytes"].as_u64() > Some(0)).collect();
    assert!(text(&shortened[0]["text"]).contains("[Cut here: "), "{:?}", shortened[0]);
    assert!(text(&shortened[1]["text"]).contains("is left out, since"), "{:?}", shortened[1]);
    let last = json!(requests(&stage).last().unwrap()).to_string();
    assert!(last.contains(&format!("Read {} before you go on.", text(&shortened[1]["origin"]))));
}

#[test]
fn an_imported_file_is_protected_like_the_rule_itself() {
    let write = Turn::calls().call("write_file", json!({"path": "docs/style.md", "content": "Mine.\n"}));
    let stage = with_inner_rules(vec![write, Turn::text("ok")]);
    stage.trust();
    stage.exec(&["--approve", "edits", "write"]).exits(3);
    assert_eq!(stage.read("docs/style.md"), "Style rule.\n");
}

#[test]
fn a_rule_that_is_far_too_long_is_cut_and_that_is_said() {
    let stage = Stage::untrusted(Script::new(vec![Turn::text("ok")]), &Value::Null);
    stage.write("AGENTS.md", "Line of a rule.\n".repeat(330_000));
    stage.trust();
    stage.exec(&["look"]).exits(0);
    let system = stage.system_prompt();
    assert!(system.contains("[Cut here: ") && system.len() < 100_000, "{}", system.len());
    for command in ["context", "doctor"] {
        let told = stage.arki(&[command]);
        assert!(format!("{}{}", told.stdout, told.stderr).contains("are left out"), "{command}: {told:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_rule_that_is_a_link_out_of_the_project_is_not_used() {
    let stage = Stage::untrusted(Script::new(vec![Turn::text("ok")]), &Value::Null);
    let outside = stage.home.config_dir().join("outside.md");
    std::fs::write(&outside, "Outside rule.\n").unwrap();
    std::os::unix::fs::symlink(&outside, stage.path("AGENTS.md")).unwrap();
    stage.write("CLAUDE.md", "See @linked.md and @../up.md.\n");
    std::os::unix::fs::symlink(&outside, stage.path("linked.md")).unwrap();
    stage.trust();
    stage.exec(&["look"]).exits(0);
    assert!(!stage.system_prompt().contains("Outside rule"));
    let warned = stage.arki(&["context"]).exits(0).stderr;
    for words in ["AGENTS.md: it is a link that leads out", "linked.md, which leads out", "../up.md, which is outside"]
    {
        assert!(warned.contains(words), "{warned}");
    }
}

#[test]
fn a_slash_command_of_the_projects_is_its_prompt() {
    let stage = Stage::untrusted(Script::new(vec![Turn::text("ok")]), &Value::Null);
    let command = "---\ndescription: Deploy\nallowed-tools: Read\n---\nDeploy $1 as $ARGUMENTS says.\n";
    stage.write(".arki/commands/ops/deploy.md", command);
    let refused = stage.exec(&["/ops:deploy web now"]).fails(2, "COMMAND_UNKNOWN");
    assert!(refused.hint.contains("/help"), "untrusted: {refused:?}");
    stage.trust();
    let refused = stage.exec(&["/ops:deplo web"]).fails(2, "COMMAND_UNKNOWN");
    assert!(refused.hint.contains("/ops:deploy"), "{refused:?}");
    assert!(stage.exec(&["/compact"]).fails(2, "USAGE").hint.contains("arki sessions compact"));
    assert_eq!(stage.sessions(), Vec::<Value>::new(), "nothing has happened");
    let events = stage.exec(&["/ops:deploy web now"]).exits(0).lines();
    assert_eq!(payloads(&events, "run.started")[0]["prompt"], "Deploy web as web now says.");
    assert_eq!(payloads(&events, "session.created")[0]["title"], "Deploy web as web now says");
    let tools = stage.model.requests().last().unwrap().json["tools"].to_string();
    assert!(tools.contains("read_file") && !tools.contains("write_file"), "{tools}");
    stage.exec(&["/usr/bin/env is missing"]).exits(0);
    stage.exec(&["/review"]).exits(0);
    let said = json!(stage.messages()).to_string();
    assert!(said.contains("git diff"), "{said}");
}

#[test]
fn a_skill_comes_in_when_its_word_is_said_or_its_files_are_touched() {
    let stage = Stage::untrusted(Script::new(vec![read("form.pdf"), Turn::text("ok"), Turn::text("ok")]), &Value::Null);
    let head = "---\ndescription: Fills forms.\nkeywords: [invoice]\npaths: \"*.pdf\"\nallowed-tools: Read\n---\n";
    stage.write(".claude/skills/pdf/SKILL.md", format!("{head}Count the fields first.\n"));
    stage.write("form.pdf", "x\n");
    stage.trust();
    let skills = stage.arki(&["skills", "--json"]).exits(0).lines();
    assert_eq!(skills[0]["triggers"], json!({"keywords": ["invoice"], "paths": ["**/*.pdf"]}));
    let warned = stage.arki(&["skills"]).exits(0).stderr;
    assert!(warned.contains(".claude/skills/pdf/SKILL.md: it has no name"), "{warned}");
    stage.exec(&["look at the form"]).exits(0);
    let has = |messages: &Vec<Value>| json!(messages).to_string().contains("Count the fields first.");
    assert_eq!(requests(&stage).iter().map(has).collect::<Vec<_>>(), [false, true]);
    stage.exec(&["an invoice"]).exits(0);
    assert!(has(requests(&stage).last().unwrap()));
    let tools = |stage: &Stage| stage.model.requests().last().unwrap().json["tools"].to_string();
    assert!(tools(&stage).contains("write_file"), "what comes in by itself takes nothing away");
    let events = stage.exec(&["/skill pdf fill it"]).exits(0).lines();
    assert!(stage.system_prompt().contains("Count the fields first.") && !tools(&stage).contains("write_file"));
    assert_eq!(payloads(&events, "run.started")[0]["prompt"], "fill it");
    assert!(payloads(&events, "context.added").is_empty(), "it is there already");
}

#[test]
fn prompts_have_fragments_and_variables() {
    let config = json!({"prompts": {"fragments": {"tone": "Be brief in {{system}}.", "round": "{{fragment:round}}"}}});
    let stage = Stage::configured(Script::new(vec![Turn::text("ok")]), &config);
    let refused = stage.exec(&["--system", "{{fragment:tune}}", "go"]).fails(2, "PROMPT_FRAGMENT_NOT_FOUND");
    assert!(refused.hint.contains("tone"), "{refused:?}");
    stage.exec(&["--system", "{{fragment:round}}", "go"]).fails(2, "PROMPT_VALIDATION_FAILED");
    assert_eq!(stage.sessions(), Vec::<Value>::new(), "nothing has happened");
    let done = stage.exec(&["--system", "{{fragment:tone}} Ask {{nobody}}.", "go"]).exits(0);
    let prompt = stage.system_prompt();
    let system = prompt.split_once("System: ").and_then(|(_, rest)| rest.split_once(". Today")).unwrap().0;
    assert!(prompt.contains(&format!("Be brief in {system}. Ask {{{{nobody}}}}.")), "{prompt}");
    assert!(done.stderr.contains("unknown variables: {{nobody}}"), "{}", done.stderr);
}
