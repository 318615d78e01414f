//! Whole runs of the real program with the protocol's reference servers, in the sandbox.

use crate::packages::{arki, installed};
use arki_testkit::{Finished, Script, ScriptedServer, TestHome, Turn, json_lines};
use serde_json::{Value, json};

struct Arki {
    home: TestHome,
    _model: ScriptedServer,
}

impl Arki {
    /// In a trusted folder, with both servers; the model makes these calls one after the other.
    fn calling(calls: &[(&str, Value)]) -> Self {
        let mut turns: Vec<Turn> = calls.iter().map(|(tool, args)| Turn::calls().call(tool, args.clone())).collect();
        turns.push(Turn::text("Done."));
        let model = Script::new(turns).sequential().start().unwrap();
        let package = |name: &str| installed(&format!("node_modules/@modelcontextprotocol/{name}/dist/index.js"));
        let servers = json!({
            "everything": { "command": "node", "args": [package("server-everything"), "stdio"] },
            // The folder it may show and write: the one it is started in, which is the project's.
            "files": { "command": "node", "args": [package("server-filesystem"), "."], "writable": ["."] },
        });
        let home = TestHome::new(&model.url(), &json!({ "mcpServers": servers })).unwrap();
        let arki = Self { home, _model: model };
        arki.run(&["trust"]);
        arki
    }

    fn run(&self, args: &[&str]) -> Finished {
        let done = self.home.run_arki(&arki(), args).unwrap();
        assert_eq!(done.code, Some(0), "{args:?}: {}\n{}", done.stdout, done.stderr);
        done
    }

    /// The results of the calls, each of which was approved.
    fn results(&self) -> Vec<Value> {
        let events = json_lines(&self.run(&["exec", "--json", "--approve", "all", "go"]).stdout).unwrap();
        self.run(&["verify"]);
        events
            .into_iter()
            .filter(|event| event["type"] == "tool.result")
            .map(|mut event| event["payload"].take())
            .collect()
    }
}

#[test]
fn a_run_uses_both_servers() {
    let arki = Arki::calling(&[
        ("mcp__everything__echo", json!({ "message": "Grüße" })),
        ("mcp__everything__get-sum", json!({ "a": 20, "b": 22 })),
        ("mcp__everything__get-tiny-image", json!({})),
        ("mcp__everything__get-structured-content", json!({ "location": "Chicago" })),
        ("mcp__everything__trigger-long-running-operation", json!({ "duration": 0.2, "steps": 2 })),
        ("mcp__everything__get-sum", json!({ "a": "many", "b": 2 })),
        ("mcp__everything__list_resources", json!({})),
        ("mcp__everything__get-env", json!({})),
        ("mcp__files__read_text_file", json!({ "path": "a.txt" })),
        ("mcp__files__write_file", json!({ "path": "b.txt", "content": "from the server" })),
        ("mcp__files__read_text_file", json!({ "path": "/etc/passwd" })),
    ]);
    arki.home.write("a.txt", "of the project\n").unwrap();
    let results = arki.results();
    let told = |index: usize| results[index]["result"].as_str().unwrap();
    assert_eq!(told(0), "Echo: Grüße");
    assert!(told(1).contains("42"), "{}", told(1));
    assert!(told(2).contains("[left out a picture: image/png"), "{}", told(2));
    assert!(told(3).contains("temperature"), "{}", told(3));
    assert!(told(4).contains("completed"), "{}", told(4));
    assert_eq!(results[5]["code"], "ARGUMENTS_INVALID", "{}", results[5]);
    assert!(told(6).contains("://"), "{}", told(6));
    assert!(!told(7).contains("MOCK_KEY") && told(7).contains("PATH"), "{}", told(7));
    assert!(told(8).contains("of the project"), "{}", told(8));
    assert_eq!(std::fs::read_to_string(arki.home.project_dir().join("b.txt")).unwrap(), "from the server");
    assert_eq!(results[10]["code"], "MCP_CALL_REFUSED", "{}", results[10]);
}

#[test]
fn the_command_line_knows_them() {
    let arki = Arki::calling(&[]);
    for (name, tools) in [("everything", 10), ("files", 10)] {
        let steps = json_lines(&arki.run(&["mcp", "test", name, "--json"]).stdout).unwrap();
        assert_eq!(steps.len(), 3, "{steps:?}");
        let listed = json_lines(&arki.run(&["mcp", "list", "--json"]).stdout).unwrap();
        let entry = listed.iter().find(|entry| entry["name"] == name).unwrap();
        assert!(entry["tools"].as_array().unwrap().len() >= tools, "{entry}");
        assert_eq!(entry["refused"], json!([]), "{entry}");
    }
    let prompts = arki.run(&["mcp", "prompts", "everything"]).stdout;
    assert!(prompts.lines().count() > 1, "{prompts}");
    let name = prompts.lines().find(|line| !line.contains('{')).and_then(|line| line.split("  ").next()).unwrap();
    assert!(!arki.run(&["mcp", "prompts", "everything", name]).stdout.trim().is_empty());
}
