//! The window's folders: features don't know each other, and one door leads to the desktop.

use crate::manifests::root;
use crate::sources::{Source, collect};

fn scripts() -> Vec<Source> {
    let root = root();
    let mut files = Vec::new();
    for extension in ["ts", "tsx"] {
        collect(&root.join("ui/src"), extension, &mut files);
    }
    assert!(files.len() > 20, "only {} scripts were found", files.len());
    files.iter().map(|file| Source::read(&root, file)).collect()
}

/// What a script imports: packages as they are called, our own scripts by their path.
fn imports(source: &Source) -> Vec<String> {
    let statements = source
        .text
        .lines()
        .filter(|line| line.contains(" from ") || line.trim_start().starts_with("import ") || line.contains("import("));
    let named = statements.filter_map(|line| line.split(['"', '\'']).nth(1));
    named.map(|name| if name.starts_with('.') { resolved(&source.path, name) } else { name.to_owned() }).collect()
}

fn resolved(from: &str, import: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// What the window has to read before it shows its first content, in bytes: the page's scripts and style sheets, with
/// what they import at once. Dialogs, menus, the inspector and the syntax colours are not among them.
const FIRST_BYTES: u64 = 400_000;

#[test]
fn what_is_read_before_the_first_content_stays_small() {
    let built = root().join("ui/dist");
    let page = std::fs::read_to_string(built.join("index.html")).unwrap_or_else(|error| {
        panic!("{}: {error}; `npm run build -w ui` makes it", built.display());
    });
    let mut to_read: Vec<String> = page
        .split('"')
        .filter_map(|word| word.strip_prefix("./").or_else(|| word.strip_prefix('/')))
        .filter(|name| name.ends_with(".js") || name.ends_with(".css"))
        .map(str::to_owned)
        .collect();
    assert!(to_read.iter().any(|name| name.starts_with("assets/index-")), "no script is found in {page}");
    let (mut read, mut bytes) = (std::collections::BTreeSet::new(), 0);
    while let Some(name) = to_read.pop() {
        if !read.insert(name.clone()) {
            continue;
        }
        let text = std::fs::read_to_string(built.join(&name)).unwrap();
        bytes += text.len() as u64;
        to_read.extend(imported_at_once(&text).map(|import| format!("assets/{import}")));
    }
    assert!(bytes <= FIRST_BYTES, "{bytes} bytes before the first content, of {read:#?}");
}

/// The chunks beside it that a built chunk imports by statement, and not when they are needed.
fn imported_at_once(chunk: &str) -> impl Iterator<Item = &str> {
    let names = chunk.split("from\"./").chain(chunk.split("import\"./")).skip(1);
    names.filter_map(|rest| rest.split('"').next()).filter(|name| name.ends_with(".js") && !name.contains('/'))
}

#[test]
fn only_the_platform_door_imports_tauri() {
    let scripts = scripts();
    let of_tauri = |source: &&Source| imports(source).iter().any(|import| import.starts_with("@tauri-apps"));
    let importing: Vec<&str> = scripts.iter().filter(of_tauri).map(|source| source.path.as_str()).collect();
    assert!(!importing.is_empty(), "the door is not found");
    for path in importing {
        assert!(path.starts_with("ui/src/platform/tauri"), "{path} imports @tauri-apps");
    }
}

#[test]
fn features_import_components_platform_and_protocol_never_each_other() {
    let mut found = 0;
    for source in scripts() {
        let Some(rest) = source.path.strip_prefix("ui/src/features/") else { continue };
        let own = format!("ui/src/features/{}/", rest.split('/').next().unwrap_or_default());
        let is_test = source.path.contains(".test.");
        for import in imports(&source).into_iter().filter(|import| import.starts_with("ui/src/")) {
            let shared = ["components", "platform", "protocol"];
            let is_shared = shared.iter().any(|folder| import.starts_with(&format!("ui/src/{folder}")));
            let is_for_tests = is_test && import.starts_with("ui/src/testing/");
            assert!(is_shared || is_for_tests || import.starts_with(&own), "{} imports {import}", source.path);
            found += 1;
        }
    }
    assert!(found > 20, "only {found} imports were found");
}
