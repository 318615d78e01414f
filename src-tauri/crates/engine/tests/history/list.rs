//! What the list of sessions shows of them, and what the desktop is told of their runs.

use crate::stage::Stage;
use crate::{FILES, command, edit};
use arki_api::SessionLines;
use arki_engine::{RunEnd, RunNews, SessionMarks};
use arki_testkit::Turn;
use serde_json::json;

fn counted(session_id: &str, files: u32, added: u32, removed: u32) -> SessionLines {
    SessionLines { session_id: session_id.to_owned(), files, added: Some(added), removed: Some(removed) }
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_lines_are_counted_from_the_first_to_the_last_state_and_what_was_taken_back_counts_as_never_done() {
    let write = |path: &str, content: &str| Turn::calls().call("write_file", json!({"path": path, "content": content}));
    let turns = vec![
        edit("one", "two\nthree"),
        edit("three", "four"),
        write("new.txt", "a\nb\n"),
        command("printf 'x\\n' > made.txt"),
        Turn::text("done"),
    ];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_granted().await;
    let lines = || stage.engine.line_counts().of(std::slice::from_ref(&session)).unwrap();
    assert_eq!(lines(), [counted(session.as_str(), 3, 5, 1)]);
    stage.engine.rewinds().rewind(&session, 1, FILES).await.unwrap();
    assert_eq!(lines(), []);
    assert_eq!(stage.engine.line_counts().of(&["none".into()]).unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_moved_is_one_file_without_changed_lines() {
    let stage = Stage::new(vec![command("mv a.txt b.txt && printf 'x\\n' > c.txt"), Turn::text("done")]).await;
    let (session, _) = stage.run_granted().await;
    let lines = stage.engine.line_counts().of(std::slice::from_ref(&session)).unwrap();
    assert_eq!(lines, [counted(session.as_str(), 2, 1, 0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_whose_lines_nobody_can_count_is_counted_as_a_file() {
    let stage = Stage::new(vec![command("yes x | head -n 600000 > large.txt"), Turn::text("done")]).await;
    let (session, _) = stage.run_granted().await;
    let told = stage.engine.line_counts().of(std::slice::from_ref(&session)).unwrap();
    assert_eq!((told[0].files, told[0].added, told[0].removed), (1, None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_listens_is_told_of_runs_that_end_or_wait_with_their_sessions_title() {
    let stage = Stage::new(vec![edit("one", "two"), Turn::text("done")]).await;
    let mut notices = stage.engine.runs().notices().subscribe();
    let mut count = stage.engine.runs().active_count();
    assert_eq!(*count.borrow_and_update(), 0);
    let (session, end) = stage.run_to_end().await;
    assert!(matches!(end, RunEnd::AwaitingApproval(_)), "{end:?}");
    let told = notices.recv().await.unwrap();
    assert_eq!((told.session_id, told.title.as_str()), (session, "go"));
    assert_eq!(told.news, RunNews::Permission("edit_file".to_owned()));
    assert!(count.has_changed().unwrap());
    assert_eq!(*count.borrow_and_update(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_change_nothing_of_the_next_request_and_are_kept() {
    let stage = Stage::new(vec![Turn::text("one"), Turn::text("two")]).await;
    let (session, _) = stage.run_to_end().await;
    let marks = SessionMarks { pinned: Some(true), archived: Some(true) };
    stage.engine.sessions().mark(&session, marks).await.unwrap();
    let second = stage.second_engine();
    let listed = second.session_reader().list(10).unwrap();
    assert!(listed[0].pinned && listed[0].archived);
    stage.run_in(&session, "again").await;
    let requests = stage.requests();
    let last = requests.last().unwrap();
    assert!(last.contains("\"go\"") && last.contains("again"), "{last}");
    let listed = stage.engine.session_reader().list(10).unwrap();
    assert!(listed[0].pinned && !listed[0].archived);
}
