//! `arki rewind`, killed while it writes: nothing is half written or left lying about, what it did is in the log as soon
//! as anybody goes on, and it can be done to its end or taken back.
#![cfg(unix)]

use crate::harness::{Stage, payloads};
use crate::tree::{Tree, go, go_on, last_seq, playing, rewind, tree};
use arki_testkit::Turn;
use serde_json::json;
use std::fmt::Write;
use std::os::unix::fs::symlink;
use std::process::Child;

const FILES: usize = 40;
const LINKS: usize = 20;

/// How far the rewind has come when it is killed.
#[derive(Debug, Clone, Copy)]
enum Kill {
    /// So many new files and links lie beside the old ones.
    Staged(usize),
    /// So many files and links are what they were.
    Restored(usize),
}

const KILLS: [Kill; 8] = [
    Kill::Staged(1),
    Kill::Staged(FILES / 2),
    Kill::Staged(FILES + LINKS / 2),
    Kill::Staged(FILES + LINKS),
    Kill::Restored(1),
    Kill::Restored(LINKS + 1),
    Kill::Restored(FILES),
    Kill::Restored(FILES + LINKS - 1),
];

/// To kill it in the middle; the first one mostly does.
const ATTEMPTS: usize = 24;

fn file(number: usize) -> String {
    format!("file-{number:02}")
}

fn link(number: usize) -> String {
    format!("link-{number:02}")
}

/// In the order in which they are written.
fn is_restored(stage: &Stage, place: usize) -> bool {
    match place.checked_sub(FILES) {
        None => stage.read(&file(place)) == "before\n",
        Some(place) => stage.path(&link(place)).is_symlink(),
    }
}

fn restored(stage: &Stage) -> usize {
    (0..FILES + LINKS).filter(|place| is_restored(stage, *place)).count()
}

/// What the program puts beside what it replaces, until it does.
fn temporaries(stage: &Stage) -> Vec<String> {
    let names = stage.home.project_dir().read_dir().unwrap().flatten();
    names.map(|entry| entry.file_name().into_string().unwrap()).filter(|name| name.contains(".arki-tmp-")).collect()
}

impl Kill {
    fn is_due(self, stage: &Stage) -> bool {
        match self {
            Self::Staged(count) => temporaries(stage).len() >= count,
            Self::Restored(count) => is_restored(stage, count - 1),
        }
    }
}

/// A project in which one patch has changed all files and removed all links: as it was before and after, the session,
/// and its last event.
struct Changed {
    stage: Stage,
    before: Tree,
    after: Tree,
    session: String,
    end: u64,
}

impl Changed {
    fn new() -> Self {
        let mut patch = String::from("*** Begin Patch\n");
        for number in 0..FILES {
            writeln!(patch, "*** Update File: {}\n@@\n-before\n+after", file(number)).unwrap();
        }
        (0..LINKS).for_each(|number| writeln!(patch, "*** Delete File: {}", link(number)).unwrap());
        patch.push_str("*** End Patch\n");
        let calls = Turn::calls().call("apply_patch", json!({ "patch": patch }));
        let stage = playing(vec![calls, Turn::text("Done."), Turn::text("Nothing else.")]);
        (0..FILES).for_each(|number| drop(stage.write(&file(number), "before\n")));
        (0..LINKS).for_each(|number| symlink(file(number), stage.path(&link(number))).unwrap());
        let before = tree(&stage);
        let session = go(&stage);
        let (after, end) = (tree(&stage), last_seq(&stage, &session));
        assert_eq!(restored(&stage), 0);
        Self { stage, before, after, session, end }
    }

    /// Whether something was left undone, or lying about.
    fn rewind_and(&self, kill: Kill) -> bool {
        let mut child: Child = self.stage.command(&["rewind", &self.session, "--to", "1", "--files"]).spawn().unwrap();
        let mut has_ended = false;
        while !has_ended && !kill.is_due(&self.stage) {
            has_ended = child.try_wait().unwrap().is_some();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        self.is_restored_in_part() || !temporaries(&self.stage).is_empty()
    }

    fn is_restored_in_part(&self) -> bool {
        (1..FILES + LINKS).contains(&restored(&self.stage))
    }

    #[track_caller]
    fn is(&self, tree_then: &Tree, links: usize) {
        assert_eq!(temporaries(&self.stage), [""; 0]);
        assert_eq!(tree(&self.stage), *tree_then);
        assert_eq!((0..LINKS).filter(|number| self.stage.path(&link(*number)).is_symlink()).count(), links);
        self.stage.verifies();
    }
}

#[test]
fn a_rewind_that_was_killed_is_done_to_its_end_or_taken_back() {
    let mut hits = 0;
    for kill in KILLS {
        let changed = Changed::new();
        hits += usize::from(changed.rewind_and(kill));
        rewind(&changed.stage, &changed.session, 1, &["--files"]).exits(0);
        changed.is(&changed.before, LINKS);
        rewind(&changed.stage, &changed.session, changed.end, &["--files"]).exits(0);
        changed.is(&changed.after, 0);
    }
    assert!(hits > 0, "it was too quick for all of {KILLS:?}");
}

#[test]
fn what_a_killed_rewind_wrote_is_told_and_tidied_when_the_session_goes_on() {
    let killed = |kill: &Kill| {
        let changed = Changed::new();
        (changed.rewind_and(*kill) && changed.is_restored_in_part()).then_some(changed)
    };
    let changed = KILLS.iter().rev().cycle().take(ATTEMPTS).find_map(killed);
    let changed = changed.unwrap_or_else(|| panic!("it was too quick for all of {KILLS:?}"));
    let restored = restored(&changed.stage);
    go_on(&changed.stage, &changed.session);
    let told = payloads(&changed.stage.events(&changed.session), "session.rewound");
    let told: usize = told.iter().map(|rewound| rewound["changes"].as_array().unwrap().len()).sum();
    assert_eq!(told, restored);
    assert_eq!(temporaries(&changed.stage), [""; 0]);
    rewind(&changed.stage, &changed.session, changed.end, &["--files"]).exits(0);
    changed.is(&changed.after, 0);
}
