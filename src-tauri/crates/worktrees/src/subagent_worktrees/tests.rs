use super::*;
use arki_domain::Code;
use std::fs;
use tempfile::TempDir;

struct Home {
    folder: TempDir,
    trees: Arc<SubagentWorktrees>,
}

fn home() -> Home {
    let folder = tempfile::tempdir().unwrap();
    let (trees, notes) = (folder.path().join("data-worktrees"), folder.path().join("data/worktrees"));
    fs::create_dir_all(folder.path().join("data")).unwrap();
    Home { trees: Arc::new(SubagentWorktrees::new(trees, notes)), folder }
}

impl Home {
    fn origin(&self) -> PathBuf {
        let origin = self.folder.path().join("project");
        fs::create_dir_all(&origin).unwrap();
        origin.canonicalize().unwrap()
    }

    /// A worktree as it is once it was made, with `files` of which each holds `was`, and now holds `is`.
    fn made(&self, call_id: &str, files: &[(&str, &str, &str)]) -> SessionId {
        let session_id = SessionId::new();
        let (tree, base) = (self.trees.trees.join(session_id.as_str()), self.trees.base_of(&session_id));
        fs::create_dir_all(&tree).unwrap();
        fs::create_dir_all(&base).unwrap();
        for (path, was, is) in files {
            fs::write(base.join(path), was).unwrap();
            fs::write(tree.join(path), is).unwrap();
        }
        let parent = ParentCall { session_id: "above".into(), run_id: "run".into(), call_id: call_id.into() };
        let files = Some(files.iter().map(|(path, ..)| (*path).to_owned()).collect());
        let note = SubagentNote { session_id: session_id.clone(), origin: self.origin(), parent, files, changed: None };
        self.trees.notes.write(&note).unwrap();
        session_id
    }
}

#[test]
fn a_worktree_is_of_its_project_and_nothing_beside_it_is() {
    let home = home();
    let session_id = home.made("call", &[("a", "1", "2")]);
    let tree = home.trees.place_of(&session_id);
    assert_eq!(home.trees.origin_of(&tree), Some(home.origin()));
    assert_eq!(home.trees.origin_of(&tree.join(".")), Some(home.origin()));
    let elsewhere = home.folder.path().join(session_id.as_str());
    fs::create_dir(&elsewhere).unwrap();
    assert_eq!(home.trees.origin_of(&elsewhere), None, "only its name is the same");
    fs::create_dir(tree.join("below")).unwrap();
    assert_eq!(home.trees.origin_of(&tree.join("below")), None);
    home.trees.remove(&session_id);
    fs::create_dir(&tree).unwrap();
    assert_eq!(home.trees.origin_of(&tree), None, "its note is gone");
}

#[test]
fn changes_are_told_once_it_has_ended() {
    let home = home();
    let (changed, same) = (home.made("c1", &[("a", "1", "2"), ("b", "1", "1")]), home.made("c2", &[("a", "1", "1")]));
    assert_eq!(home.trees.changes_at_end(&changed).unwrap(), ["a"]);
    assert_eq!(home.trees.changes_at_end(&same).unwrap(), Vec::<String>::new());
    // What comes later, from what it left running, was not told and is not taken.
    fs::write(home.trees.place_of(&changed).join("b"), "late").unwrap();
    fs::write(home.trees.place_of(&same).join("a"), "late").unwrap();
    assert_eq!(home.trees.changes_at_end(&changed).unwrap(), ["a"]);
    assert_eq!(home.trees.changes_at_end(&same).unwrap(), Vec::<String>::new());
}

#[test]
fn only_what_was_changed_can_be_taken_and_only_into_its_project() {
    let home = home();
    fs::write(home.origin().join("a"), "1").unwrap();
    let session_id = home.made("call", &[("a", "1", "2"), ("b", "1", "1")]);
    let project = Project::open(&home.origin()).unwrap();
    let plan = |project: &Project, only: Option<&[String]>| home.trees.plan_changes(project, &session_id, only);
    let code = |planned: Result<arki_files::ChangeSet, Error>| planned.unwrap_err().code;
    assert_eq!(code(plan(&project, None)), "WORKTREE_GONE", "the sub-agent still works");
    home.trees.changes_at_end(&session_id).unwrap();
    assert_eq!(plan(&project, None).unwrap().files().len(), 1);
    assert_eq!(code(plan(&project, Some(&["b".to_owned()]))), "ARGUMENTS_INVALID");
    assert_eq!(code(plan(&project, Some(&["../a".to_owned()]))), "PATH_OUTSIDE_PROJECT");
    let elsewhere = Project::open(home.folder.path()).unwrap();
    assert_eq!(code(plan(&elsewhere, None)), "WORKTREE_GONE");
}

#[test]
fn a_file_that_is_too_large_keeps_no_other_from_being_taken() {
    let home = home();
    let session_id = home.made("call", &[("a", "1", "2")]);
    fs::File::create(home.trees.place_of(&session_id).join("large")).unwrap().set_len((64 << 20) + 1).unwrap();
    assert_eq!(home.trees.changes_at_end(&session_id).unwrap(), ["a", "large"]);
    let project = Project::open(&home.origin()).unwrap();
    fs::write(home.origin().join("a"), "1").unwrap();
    let fault = home.trees.plan_changes(&project, &session_id, None).unwrap_err();
    assert!(fault.is(Code::FILE_TOO_LARGE) && fault.hint.contains("Take the other files"), "{fault:?}");
    assert_eq!(home.trees.plan_changes(&project, &session_id, Some(&["a".to_owned()])).unwrap().files().len(), 1);
}

#[test]
fn only_those_that_are_meant_are_discarded_and_their_changes_told() {
    let home = home();
    let session_id = home.made("call", &[("a", "1", "2")]);
    assert!(home.trees.those(|_, parent| parent.session_id.as_str() == "another").is_empty());
    let meant = home.trees.those(|origin, parent| origin == home.origin() && parent.session_id.as_str() == "above");
    assert_eq!(meant, std::slice::from_ref(&session_id));
    let told = home.trees.discard(session_id.clone()).unwrap().told();
    assert!(told.contains(session_id.as_str()) && told.contains("not taken: a."), "{told}");
    assert!(!home.trees.is_made(&session_id) && home.trees.note(&session_id).is_none());
    let untouched = home.made("call", &[("a", "1", "1")]);
    assert!(home.trees.discard(untouched.clone()).is_none() && !home.trees.is_made(&untouched));
}

#[test]
fn where_its_changes_can_not_be_read_that_is_told() {
    let home = home();
    let session_id = home.made("call", &[("a", "1", "2")]);
    fs::remove_dir_all(home.trees.base_of(&session_id)).unwrap();
    let told = home.trees.discard(session_id.clone()).unwrap().told();
    assert!(told.contains(session_id.as_str()) && told.contains("can't be read"), "{told}");
}

#[test]
fn what_could_not_be_removed_is_told_once_it_is() {
    let home = home();
    let session_id = home.made("call", &[("a", "1", "2")]);
    let in_the_way = home.trees.base_of(&session_id);
    home.trees.changes_at_end(&session_id).unwrap();
    fs::remove_dir_all(&in_the_way).unwrap();
    fs::write(&in_the_way, "no folder").unwrap();
    assert!(home.trees.discard(session_id.clone()).is_none() && home.trees.note(&session_id).is_some());
    fs::remove_file(&in_the_way).unwrap();
    let told = home.trees.discard(session_id.clone()).unwrap().told();
    assert!(told.contains("not taken: a."), "{told}");
    assert!(home.trees.discard(session_id).is_none());
}

#[test]
fn an_id_that_leads_to_another_folder_is_none() {
    let home = home();
    let session_id = home.made("call", &[("a", "1", "2")]);
    let note = home.trees.note(&session_id).unwrap();
    let elsewhere = SessionId::from("../evil");
    home.trees.notes.write(&SubagentNote { session_id: elsewhere.clone(), ..note }).unwrap();
    assert!(home.trees.notes.folder().join("../evil.json").exists() && home.trees.note(&elsewhere).is_none());
}

#[test]
fn only_its_own_folder_is_taken_out_of_the_repository() {
    let home = home();
    let session_id = home.made("call", &[]);
    let all = home.origin().join(".git/worktrees");
    for (name, leads_to) in [(session_id.as_str(), "/elsewhere/.git"), ("mine", "/mine/.git")] {
        fs::create_dir_all(all.join(name)).unwrap();
        fs::write(all.join(name).join("gitdir"), leads_to).unwrap();
    }
    home.trees.remove(&session_id);
    assert!(all.join(session_id.as_str()).exists(), "it leads to another's");
    let session_id = home.made("call", &[]);
    let tree = home.trees.place_of(&session_id);
    fs::create_dir_all(all.join(session_id.as_str())).unwrap();
    fs::write(all.join(session_id.as_str()).join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    home.trees.remove(&session_id);
    assert!(!all.join(session_id.as_str()).exists() && all.join("mine").exists() && !tree.exists());
}
