//! Repositories that a working tree uses and that lie elsewhere: its own, which then knows it, or anybody's.
//!
//! A `.git` file, a link in its place, a `commondir` and `alternates` may name any repository of this computer. Whoever
//! made the folder wrote them; the repository tells whether it belongs to it: one of linked worktrees and a superproject
//! name the working tree in turn.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config_paths::{WorkingTree, short_text};
use crate::config_text::entries;

/// The file in the folder of objects that names others of which this repository borrows.
const ALTERNATES: &str = "info/alternates";

/// Returns the repository outside the folder `project` that git would read in the working tree, where it does not name the
/// tree in turn.
#[must_use]
pub fn foreign_repository(project: &Path, tree: &Path) -> Option<PathBuf> {
    let tree = WorkingTree::at(tree)?;
    let project = project.canonicalize().ok()?;
    let outside =
        |place: PathBuf| Some(place.canonicalize().unwrap_or(place)).filter(|real| !real.starts_with(&project));
    let (git, common) = (outside(tree.git.clone()), outside(tree.common()));
    if let Some(place) = common.clone().or(git) {
        return (!links_back(&tree)).then_some(place);
    }
    let objects = tree.common().join("objects");
    if let Some(place) = outside(objects.clone()) {
        return Some(place);
    }
    let lent = short_text(&objects.join(ALTERNATES)).unwrap_or_default();
    let mut named =
        lent.lines().map(|line| line.trim_matches('"')).filter(|line| !line.is_empty() && !line.starts_with('#'));
    named.find_map(|line| outside(objects.join(line)))
}

/// Returns the git directories outside `project` that a commit there writes: of a linked worktree, the common one first, or
/// a submodule, where the repository names it in turn.
#[must_use]
pub fn outside_git_dirs(project: &Path) -> Vec<PathBuf> {
    let is_foreign = foreign_repository(project, project).is_some();
    let Some(tree) = WorkingTree::at(project).filter(|_| !is_foreign) else { return Vec::new() };
    let mut places: Vec<PathBuf> =
        [tree.common(), tree.git].iter().filter_map(|place| place.canonicalize().ok()).collect();
    places.dedup();
    places.retain(|place| place.is_dir() && !place.starts_with(project));
    places
}

fn links_back(tree: &WorkingTree) -> bool {
    let is_same = |place: PathBuf, other: &Path| {
        place.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(place, other)| place == other)
    };
    let common = tree.common();
    let worktrees = common.join("worktrees");
    let is_linked = tree.git.parent().is_some_and(|parent| is_same(parent.to_owned(), &worktrees))
        && fs::read_to_string(tree.git.join("gitdir"))
            .is_ok_and(|named| is_same(tree.git.join(named.trim()), &tree.root.join(".git")));
    let text = short_text(&common.join("config")).unwrap_or_default();
    let names_it = |value: &str| is_same(common.join(value), &tree.root);
    let is_module =
        entries(&text).iter().any(|entry| entry.section == "core" && entry.key == "worktree" && names_it(&entry.value));
    is_linked || is_module
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        for (path, text) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        (world, root)
    }

    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let (_world, root) = world(&[&[("other/.git/objects/x", ""), ("p/a", "")], files].concat());
        let found = foreign_repository(&root.join("p"), &root.join("p"));
        assert_eq!(found, expected.map(|place| root.join(place)), "{files:?}");
    }

    #[test]
    fn one_that_does_not_name_the_tree_is_foreign() {
        check(&[("p/.git", "gitdir: ../other/.git\n")], Some("other/.git"));
        check(&[("p/.git/commondir", "../../other/.git\n")], Some("other/.git"));
        check(&[("p/.git/objects/info/alternates", "# x\n../../../other/.git/objects\n")], Some("other/.git/objects"));
        let worktree =
            [("p/.git", "gitdir: ../other/.git/worktrees/w"), ("other/.git/worktrees/w/commondir", "../..\n")];
        check(
            &[&worktree[..], &[("other/.git/worktrees/w/gitdir", "../../../../q/.git\n"), ("q/.git", "")]].concat(),
            Some("other/.git"),
        );
        check(&worktree, Some("other/.git"));
    }

    #[test]
    fn a_worktree_a_submodule_and_what_lies_within_are_not() {
        check(&[("p/.git/objects/x", "")], None);
        check(&[("p/.git", "gitdir: store\n"), ("p/store/objects/x", "")], None);
        check(&[("p/.git/objects/info/alternates", "../../lib/objects\n"), ("p/lib/objects/x", "")], None);
        let worktree = [
            ("p/.git", "gitdir: ../other/.git/worktrees/w"),
            ("other/.git/worktrees/w/commondir", "../..\n"),
            ("other/.git/worktrees/w/gitdir", "../../../../p/.git\n"),
        ];
        check(&worktree, None);
        let module = "[core]\n\tworktree = ../../../../p\n";
        check(&[("p/.git", "gitdir: ../other/.git/modules/p"), ("other/.git/modules/p/config", module)], None);
    }

    #[test]
    fn a_link_in_its_place_is_foreign() {
        let (_world, root) = world(&[("other/.git/config", "[core]\n\tbare = false\n"), ("p/a", "")]);
        std::os::unix::fs::symlink("../other/.git", root.join("p/.git")).unwrap();
        assert_eq!(foreign_repository(&root.join("p"), &root.join("p")), Some(root.join("other/.git")));
    }
}
