//! The names that other agents have for tools and their arguments, so that hooks written for those work here.
//!
//! The arguments are ours with theirs beside them; back come those that the hook changed, under whichever name.

use super::occasion::HookedCall;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Other agents' names by ours, the most fitting first. A guard of edits and writes is meant for everything that
/// changes files.
const NAMES: &[(&str, &[&str])] = &[
    ("apply_patch", &["Edit", "Write", "MultiEdit"]),
    ("ask_user", &["AskUserQuestion"]),
    ("delegate", &["Task", "Agent"]),
    ("delete_file", &["Edit", "Write"]),
    ("edit_file", &["Edit", "MultiEdit"]),
    ("fetch_url", &["WebFetch"]),
    ("find_files", &["Glob"]),
    ("list_directory", &["LS"]),
    ("read_file", &["Read"]),
    ("read_skill", &["Skill"]),
    ("run_command", &["Bash"]),
    ("search_files", &["Grep"]),
    ("update_plan", &["TodoWrite"]),
    ("write_file", &["Write"]),
];

/// Names by ours that models use which were trained on other tools, besides [`NAMES`]: small letters and digits alone.
const MEANINGS: &[(&str, &str)] = &[
    ("apply_patch", "applydiff patch"),
    ("ask_user", "ask askfollowupquestion question requestuserinput"),
    ("calculate", "calc calculator"),
    ("delegate", "dispatchagent spawnagent subagent"),
    ("delete_file", "delete remove removefile rm"),
    (
        "edit_file",
        "edit multiedit replace replaceinfile searchreplace strreplace strreplaceeditor \
        strreplacebasededittool updatefile",
    ),
    ("fetch_url", "browse curl fetch openurl urlfetch webfetch wget"),
    ("find_files", "filesearch find findfile globfilesearch globsearch"),
    ("list_directory", "dir listdir listfiles listfolder tree"),
    ("read_file", "cat head open openfile readmanyfiles view viewfile"),
    ("read_skill", "activateskill useskill"),
    (
        "run_command",
        "command containerexec cmd exec execcommand execute executecommand localshell powershell \
        runinterminal runshellcommand runterminalcmd runterminalcommand sh shell shellcommand terminal \
        unifiedexec zsh",
    ),
    ("search_files", "codesearch grepsearch rg ripgrep search searchfilecontent searchtext"),
    ("search_project", "codebasesearch semanticsearch"),
    ("update_plan", "managetodolist plan todo updatetodos writetodos"),
    ("write_file", "create createfile newfile savefile write writetofile"),
];

/// Arguments that differ only in their name: the tool, ours, theirs.
const RENAMED: &[(&str, &str, &str)] = &[
    ("delegate", "agent", "subagent_type"),
    ("delegate", "task", "prompt"),
    ("find_files", "glob", "pattern"),
    ("read_skill", "name", "skill"),
    ("run_command", "background", "run_in_background"),
    ("update_plan", "steps", "todos"),
];

/// Tools whose argument `path` is their `file_path`, which is absolute.
const WITH_FILE: &[&str] = &["delete_file", "edit_file", "read_file", "write_file"];

/// The names of one of our tools.
pub(crate) fn names(tool: &str) -> &'static [&'static str] {
    NAMES.iter().find(|(ours, _)| *ours == tool).map_or(&[], |(_, theirs)| theirs)
}

/// Our tools that other agents know under a name.
pub fn tools_named(theirs: &str) -> impl Iterator<Item = &'static str> {
    NAMES.iter().filter(move |(_, names)| names.contains(&theirs)).map(|(ours, _)| *ours)
}

/// The tool among `known` that a model means by another's name, if it is one.
pub(crate) fn meant<'a>(known: &[&'a str], name: &str) -> Option<&'a str> {
    let namespaced = name.rsplit(['.', ':', '/']).next().unwrap_or(name);
    [name, namespaced].into_iter().find_map(|name| {
        let is_it = |theirs: &str| plain_name(theirs) == plain_name(name);
        let by_meaning = MEANINGS.iter().filter(|(_, theirs)| theirs.split(' ').any(is_it)).map(|(ours, _)| ours);
        let by_name = NAMES.iter().filter(|(_, theirs)| theirs.iter().copied().any(is_it)).map(|(ours, _)| ours);
        by_meaning.chain(by_name).find_map(|ours| known.iter().find(|known| *known == ours).copied())
    })
}

/// A name however it is written: `ReadFile`, `read-file` and `read_file` are the same.
pub(crate) fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a pattern of names is one of theirs.
pub(crate) fn is_theirs(name: &str) -> bool {
    NAMES.iter().any(|(_, theirs)| theirs.contains(&name))
}

/// The arguments of a call under both names.
pub(crate) fn args(call: &HookedCall, root: &Path) -> Value {
    let Value::Object(mut args) = call.args.clone() else { return call.args.clone() };
    for (_, ours, theirs) in RENAMED.iter().filter(|(tool, ..)| *tool == call.tool) {
        if let Some(value) = args.get(*ours).cloned() {
            args.entry(*theirs).or_insert(value);
        }
    }
    let named = args.get("path").and_then(Value::as_str).filter(|_| WITH_FILE.contains(&call.tool.as_str()));
    let patched = call.paths.first().map(String::as_str).filter(|_| call.tool == "apply_patch");
    if let Some(path) = named.or(patched) {
        let absolute = root.join(path).display().to_string();
        args.entry("file_path").or_insert(absolute.into());
    }
    match call.tool.as_str() {
        "edit_file" => add_edits(&mut args),
        "apply_patch" => {
            let patch = args.get("patch").cloned().unwrap_or_default();
            args.entry("new_string").or_insert(patch);
        }
        "run_command" => {
            if let Some(seconds) = args.get("timeout_seconds").and_then(Value::as_u64) {
                args.entry("timeout").or_insert(seconds.saturating_mul(1000).into());
            }
        }
        _ => {}
    }
    Value::Object(args)
}

/// Each edit under both names, and all of them as one: a hook that looks at `new_string` must not miss any.
fn add_edits(args: &mut Map<String, Value>) {
    let Some(Value::Array(edits)) = args.get_mut("edits") else { return };
    let (mut old, mut new, mut everywhere) = (Vec::new(), Vec::new(), false);
    for edit in edits.iter_mut().filter_map(Value::as_object_mut) {
        for (ours, theirs, all) in [("old_text", "old_string", &mut old), ("new_text", "new_string", &mut new)] {
            let text = edit.get(ours).and_then(Value::as_str).unwrap_or_default().to_owned();
            edit.insert(theirs.to_owned(), text.clone().into());
            all.push(text);
        }
        everywhere |= edit.get("replace_all").and_then(Value::as_bool).unwrap_or(false);
    }
    args.insert("old_string".to_owned(), old.join("\n").into());
    args.insert("new_string".to_owned(), new.join("\n").into());
    args.insert("replace_all".to_owned(), everywhere.into());
}

/// The call's arguments with what the hook changed of those it was sent, under our names. What it left out stays as it
/// was; the tool's schema decides whether the rest fits.
pub(crate) fn updated(call: &HookedCall, sent: &Value, wanted: &Value, root: &Path) -> Value {
    let (Value::Object(original), Value::Object(wanted)) = (&call.args, wanted) else { return call.args.clone() };
    let mut args = original.clone();
    for (name, value) in wanted.iter().filter(|(name, value)| sent.get(name.as_str()) != Some(value)) {
        if original.contains_key(name) || ours_of(&call.tool, name).is_none() {
            args.insert(name.clone(), as_ours(name, value));
        }
    }
    for (name, value) in wanted.iter().filter(|(name, value)| sent.get(name.as_str()) != Some(value)) {
        match ours_of(&call.tool, name) {
            Some("path") => {
                let path = value.as_str().map(Path::new).unwrap_or(Path::new(""));
                let path = path.strip_prefix(root).unwrap_or(path).display().to_string();
                args.insert("path".to_owned(), path.into());
            }
            Some("timeout_seconds") => {
                let seconds = value.as_u64().unwrap_or_default().div_ceil(1000).max(1);
                args.insert("timeout_seconds".to_owned(), seconds.into());
            }
            Some("edits") => set_edit(&mut args, name, value),
            Some(ours) if !original.contains_key(name) => {
                args.insert(ours.to_owned(), value.clone());
            }
            Some(_) | None => {}
        }
    }
    Value::Object(args)
}

/// Our argument that one of theirs stands for.
fn ours_of(tool: &str, theirs: &str) -> Option<&'static str> {
    let renamed = RENAMED.iter().find(|(known, _, name)| *known == tool && *name == theirs);
    match (tool, theirs) {
        (tool, "file_path") if WITH_FILE.contains(&tool) => Some("path"),
        ("run_command", "timeout") => Some("timeout_seconds"),
        ("edit_file", "old_string" | "new_string" | "replace_all") => Some("edits"),
        _ => renamed.map(|(_, ours, _)| *ours),
    }
}

/// Edits without the names that were put beside ours.
fn as_ours(name: &str, value: &Value) -> Value {
    let Value::Array(edits) = value else { return value.clone() };
    if name != "edits" {
        return value.clone();
    }
    let edit = |edit: &Value| {
        let text = |ours: &str, theirs: &str| edit.get(ours).or_else(|| edit.get(theirs)).cloned().unwrap_or_default();
        let mut one = json!({"old_text": text("old_text", "old_string"), "new_text": text("new_text", "new_string")});
        if let Some(everywhere) = edit.get("replace_all") {
            one["replace_all"] = everywhere.clone();
        }
        one
    };
    Value::Array(edits.iter().map(edit).collect())
}

/// Only where there is one edit is it clear which is meant.
fn set_edit(args: &mut Map<String, Value>, name: &str, value: &Value) {
    let ours = match name {
        "old_string" => "old_text",
        "new_string" => "new_text",
        other => other,
    };
    if let Some([Value::Object(edit)]) = args.get_mut("edits").and_then(Value::as_array_mut).map(Vec::as_mut_slice) {
        edit.insert(ours.to_owned(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::BUILT_IN_TOOLS;

    fn call(tool: &str, args: Value, paths: &[&str]) -> HookedCall {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        HookedCall { call_id: "c".into(), tool: tool.into(), args, paths, command: None }
    }

    #[test]
    fn only_tools_that_there_are_have_names() {
        let tools = NAMES.iter().map(|(ours, _)| *ours).chain(MEANINGS.iter().map(|(ours, _)| *ours));
        for ours in tools.filter(|ours| *ours != "search_project") {
            assert!(BUILT_IN_TOOLS.contains(&ours), "{ours}");
        }
    }

    #[test]
    fn a_name_from_elsewhere_leads_to_the_tool_of_that_meaning() {
        for (theirs, ours) in [
            ("bash", "run_command"),
            ("Shell", "run_command"),
            ("local_shell", "run_command"),
            ("container.exec", "run_command"),
            ("functions.exec_command", "run_command"),
            ("glob", "find_files"),
            ("Grep", "search_files"),
            ("LS", "list_directory"),
            ("Task", "delegate"),
            ("str_replace", "edit_file"),
            ("str_replace_based_edit_tool", "edit_file"),
            ("view", "read_file"),
            ("create_file", "write_file"),
            ("web_fetch", "fetch_url"),
            ("TodoWrite", "update_plan"),
        ] {
            assert_eq!(meant(BUILT_IN_TOOLS, theirs), Some(ours), "{theirs}");
        }
        assert_eq!(meant(&["apply_patch", "read_file"], "Edit"), Some("apply_patch"), "only what the run has");
        assert_eq!((meant(&["read_file"], "bash"), meant(BUILT_IN_TOOLS, "frobnicate")), (None, None));
    }

    #[test]
    fn arguments_are_told_under_both_names() {
        let root = Path::new("/p");
        let edit = call(
            "edit_file",
            json!({"path": "a.rs", "edits": [{"old_text": "a", "new_text": "b"}, {"old_text": "c", "new_text": "d"}]}),
            &[],
        );
        let told = args(&edit, root);
        assert_eq!(told["file_path"], "/p/a.rs");
        assert_eq!((&told["old_string"], &told["new_string"]), (&json!("a\nc"), &json!("b\nd")));
        assert_eq!(told["edits"][1]["new_string"], "d");
        let run = args(&call("run_command", json!({"command": "ls", "timeout_seconds": 5}), &[]), root);
        assert_eq!(run, json!({"command": "ls", "timeout_seconds": 5, "timeout": 5000}));
        let patch = args(&call("apply_patch", json!({"patch": "+x"}), &["b.rs"]), root);
        assert_eq!((&patch["file_path"], &patch["new_string"]), (&json!("/p/b.rs"), &json!("+x")));
    }

    #[test]
    fn what_a_hook_changed_comes_back_under_our_names() {
        let root = Path::new("/p");
        let check = |call: &HookedCall, change: &[(&str, Value)], expected: Value| {
            let sent = args(call, root);
            let mut wanted = sent.clone();
            for (name, value) in change {
                wanted[*name] = value.clone();
            }
            assert_eq!(updated(call, &sent, &wanted, root), expected, "{change:?}");
        };
        let run = call("run_command", json!({"command": "rm x", "timeout_seconds": 5}), &[]);
        check(&run, &[], json!({"command": "rm x", "timeout_seconds": 5}));
        let wanted = json!({"command": "rm -i x", "timeout_seconds": 2});
        check(&run, &[("command", "rm -i x".into()), ("timeout", 1500.into())], wanted);
        let edit = call("edit_file", json!({"path": "a", "edits": [{"old_text": "a", "new_text": "b"}]}), &[]);
        let expected = json!({"path": "c", "edits": [{"old_text": "a", "new_text": "B"}]});
        check(&edit, &[("file_path", "/p/c".into()), ("new_string", "B".into())], expected);
        let find = call("find_files", json!({"glob": "*.rs"}), &[]);
        check(&find, &[("pattern", "*.md".into())], json!({"glob": "*.md"}));
        let alone = updated(&run, &args(&run, root), &json!({"command": "ls"}), root);
        assert_eq!(alone, json!({"command": "ls", "timeout_seconds": 5}), "the rest stays");
    }
}
