use super::*;

fn changed(by: &str) -> FileChanged {
    FileChanged {
        path: "a.txt".to_owned(),
        before_hash: None,
        after_hash: Some("1".to_owned()),
        before_unknown: false,
        after_unknown: false,
        before_link: false,
        after_link: false,
        before_permissions: Default::default(),
        call_id: by.into(),
        hunks: Vec::new(),
        by_session: None,
        by_hook: None,
    }
}

fn above(tree: Option<&str>) -> Vec<FileChanged> {
    let started = SubagentStarted {
        call_id: "delegated".into(),
        agent: "arki".to_owned(),
        session_id: "beneath".into(),
        run_id: "run".into(),
        max_cost_usd: None,
        tree: tree.map(str::to_owned),
    };
    changes_above(vec![changed("command")], &started, &HashMap::new())
}

#[test]
fn changes_in_a_worktree_are_not_the_projects() {
    assert_eq!(above(Some("/data-worktrees/beneath")), Vec::new());
    assert_eq!(above(None), [FileChanged { by_session: Some("beneath".into()), ..changed("delegated") }]);
}
