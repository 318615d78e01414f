use super::*;
use crate::{Directories, Engine, EngineOptions, EnvironmentKeys};
use arki_testkit::{Script, ScriptedServer, TestHome, Turn};

struct Stage {
    home: TestHome,
    engine: Arc<Engine>,
    _server: ScriptedServer,
}

impl Stage {
    fn new() -> Self {
        let server = Script::new(vec![Turn::text("ok")]).sequential().start().unwrap();
        let home = TestHome::new(&server.url(), &json!({})).unwrap();
        let directories = Directories { config: home.config_dir(), data: home.data_dir() };
        let environment_keys = EnvironmentKeys::default();
        let engine = Engine::open(EngineOptions { directories, ephemeral: false, environment_keys }).unwrap();
        home.write("src/a.rs", "fn one() {}\nfn two() {}\nfn three() {}\n").unwrap();
        Self { home, engine, _server: server }
    }

    fn mentioned(&self) -> Mentioned {
        let mentions = self.engine.draft_mentions();
        let executor = mentions.executors.judging_executor(&self.home.project_dir()).unwrap();
        Mentioned { is_draft: false, ..Mentioned::in_draft(executor, mentions.names.clone(), mentions.reader.clone()) }
    }

    fn only(&self, prompt: &str) -> Attachment {
        let mut found = self.mentioned().in_text(prompt);
        assert_eq!(found.len(), 1, "{prompt}: {found:?}");
        found.remove(0)
    }
}

#[tokio::test]
async fn the_lines_that_are_named_come_along_as_a_read_gives_them() {
    let stage = Stage::new();
    let found = stage.only("explain @src/a.rs:2-3, please");
    assert_eq!((found.mention.as_str(), found.origin.as_str()), ("@src/a.rs:2-3", "src/a.rs:2-3"));
    assert!(found.text.ends_with(":\n\n2\tfn two() {}\n3\tfn three() {}\n"), "{}", found.text);
    assert_eq!(found.note, None);
    assert_eq!(stage.only("@src/a.rs:1").note, None, "what follows wasn't asked for");
    assert!(stage.only("@src/a.rs @src/a.rs").text.contains("1\tfn one"));
    assert!(stage.only("@src/a.rs:90").text.contains("no lines here"));
}

#[tokio::test]
async fn a_long_file_is_cut_and_all_together_is_bounded() {
    let stage = Stage::new();
    for number in 0..40 {
        stage.home.write(&format!("long{number}.txt"), "A line that is rather long.\n".repeat(50_000)).unwrap();
    }
    let found = stage.only("@long0.txt");
    assert!(found.note.is_some() && found.text.contains("[cut after line"), "{:?}", found.note);
    let all: String = (0..40).map(|number| format!("@long{number}.txt ")).collect();
    let found = stage.mentioned().in_text(&all);
    let bytes: usize = found.iter().map(|it| it.text.len()).sum();
    assert!(found.len() == 40 && bytes < max_late_text_bytes(None) + 40 * 200, "{bytes}");
    assert!(found[39].text.contains("not attached"));
}

#[tokio::test]
async fn secret_and_binary_files_get_a_sentence() {
    let stage = Stage::new();
    stage.home.write(".env", "TOKEN=correct-horse-battery\n").unwrap();
    stage.home.write("id_rsa", "correct-horse-battery\n").unwrap();
    stage.home.write("x.bin", "a\0b").unwrap();
    for (prompt, why) in [("@.env", "secrets"), ("@id_rsa", "secrets"), ("@x.bin", "")] {
        let found = stage.only(prompt);
        assert!(found.text.contains("is not attached") && found.text.contains(why), "{found:?}");
        assert!(
            found.note.is_some() && !found.text.contains("correct-horse") && !found.text.contains('\0'),
            "{found:?}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_out_is_refused() {
    let stage = Stage::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.txt"), "of somebody else").unwrap();
    std::os::unix::fs::symlink(outside.path(), stage.home.project_dir().join("out")).unwrap();
    let found = stage.mentioned().in_text("@out/x.txt @out/x.png @../x.txt");
    assert!(found.iter().all(|it| it.note.is_some() && !it.text.contains("of somebody else")), "{found:?}");
    assert!(stage.mentioned().pictures_in("@out/x.png", 100).is_empty());
}

#[tokio::test]
async fn what_names_nothing_stays_as_it_is_typed() {
    let stage = Stage::new();
    for prompt in ["@someone", "@missing.rs", "me@src/a.rs", "`@src/a.rs`", "@session:none", "@symbol:nowhere"] {
        assert_eq!(stage.mentioned().in_text(prompt), [], "{prompt}");
    }
}

#[tokio::test]
async fn ten_thousand_files_are_listed_in_part() {
    let stage = Stage::new();
    let folder = stage.home.project_dir().join("many");
    std::fs::create_dir(&folder).unwrap();
    for number in 0..10_000 {
        std::fs::write(folder.join(format!("file{number}.txt")), "").unwrap();
    }
    let found = stage.only("what is in @many/?");
    assert!(found.note.is_some() && found.text.len() < 64 * 1024, "{}", found.text.len());
    assert!(found.text.contains("many/file0.txt") && found.text.contains("[more than"));
}

#[tokio::test]
async fn a_symbol_is_found_by_the_line_that_defines_it() {
    let stage = Stage::new();
    let found = stage.only("what does @symbol:two do?");
    assert!(found.text.contains("defined in src/a.rs:2:") && found.text.contains("2\tfn two() {}"), "{}", found.text);
}

#[tokio::test]
async fn nothing_is_run_or_fetched_in_a_folder_that_is_not_trusted() {
    let stage = Stage::new();
    let found = stage.only("see @https://example.org/x");
    assert!(found.text.starts_with("https://example.org/x is not attached: The folder is not trusted"), "{found:?}");
    std::fs::create_dir(stage.home.project_dir().join(".git")).unwrap();
    let found = stage.only("review @diff");
    assert!(found.text.contains("not trusted") && found.text.contains("`git diff"), "{found:?}");
}

#[tokio::test]
async fn pictures_are_found_and_a_draft_tells_its_tokens() {
    let stage = Stage::new();
    stage.home.write("shot.png", include_bytes!("../../../../../../tests/fixtures/pixel.png")).unwrap();
    stage.home.write("no.png", "words").unwrap();
    assert_eq!(stage.mentioned().pictures_in("look at @shot.png and @shot.png", 100).len(), 1);
    assert!(stage.mentioned().pictures_in("@shot.png", 0).is_empty());
    assert!(stage.mentioned().pictures_in("@no.png", 9).is_empty());
    assert!(stage.only("@no.png").text.contains("not attached"));
    let sizes = stage
        .engine
        .draft_mentions()
        .mentions_in(stage.home.project_dir(), "@src/a.rs and @x".to_owned())
        .await
        .unwrap();
    assert_eq!(sizes.len(), 1);
    assert!(sizes[0].tokens.unwrap() > 5 && sizes[0].mention == "@src/a.rs");
}
