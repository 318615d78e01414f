//! `arki trust`, `arki trust --show`, `arki trust --list`, `arki untrust`.

use crate::arguments::folder_at;
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, time, visible};
use arki_api::{Pin, PinChange, PrintedTrustedFolder, ProjectState, TrustState};
use arki_engine::{Engine, TrustedFolder, one_line};
use clap::Args;
use std::path::{Path, PathBuf};

/// Trust a folder: load its rules and configuration, and let Arki change files and run commands in it
#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    /// The folder, relative to -C; default: -C itself
    folder: Option<PathBuf>,
    /// Only show what trusting the folder would enable
    #[arg(long)]
    pub(super) show: bool,
    /// Also turn on the hooks and checkers of which Arki can't pin all that they run, as --show lists them
    #[arg(long, conflicts_with = "show")]
    with_unpinned: bool,
    /// List the trusted folders, the last one first
    #[arg(long, conflicts_with_all = ["show", "folder", "with_unpinned"])]
    pub(super) list: bool,
}

pub(crate) async fn run(engine: &Engine, dir: &Path, arguments: TrustArguments, output: &Printer) -> CommandExit {
    let folder = folder_at(dir, arguments.folder.as_deref());
    match (arguments.list, arguments.show) {
        (true, _) => list(engine, output),
        (false, true) => show(engine, &folder, output),
        (false, false) => trust(engine, &folder, arguments.with_unpinned, output).await,
    }
}

fn show(engine: &Engine, folder: &Path, output: &Printer) -> CommandExit {
    let project = engine.projects().project(folder)?;
    if output.json {
        project.enables.iter().chain(&project.unpinned).for_each(|pin| output.object(pin));
        return Ok(Exit::Done);
    }
    let state = match project.trust {
        TrustState::Trusted => "trusted",
        TrustState::Untrusted => "not trusted",
        TrustState::Undecided => "not trusted yet",
    };
    output.line(format!("{} is {state}.", visible(&project.path)));
    enabled(&project, "Trusting it enables", output);
    left_off(&project, output);
    project.notices.iter().for_each(|notice| output.line(format!("\n{}", visible(notice))));
    differences(&project, ", so it is off:", output);
    Ok(Exit::Done)
}

/// A folder may try to hide in its files, and with its files' names, what it is about to be trusted with.
fn differences(project: &ProjectState, so: &str, output: &Printer) {
    for changed in &project.changed {
        let change = match changed.change {
            PinChange::Added => "new",
            PinChange::Changed => "changed",
            PinChange::Removed => "gone",
        };
        output.line(format!("\n{} is {change} since you trusted the folder{so}", visible(&changed.path)));
        changed.note.iter().for_each(|note| output.line(one_line(note)));
        let diff = changed.diff.as_deref().unwrap_or("No difference can be shown.");
        diff.split('\n').for_each(|line| output.line(visible(line)));
    }
}

async fn trust(engine: &Engine, folder: &Path, with_unpinned: bool, output: &Printer) -> CommandExit {
    let before = engine.projects().project(folder)?;
    let unpinned = before.unpinned.iter().filter(|_| with_unpinned).map(|pin| pin.hash.clone()).collect();
    let project = engine.folder_trust().trust(folder, unpinned).await?;
    // Trusting is done; that nothing works there yet is worth a word.
    if let Some(fault) = engine.projects().configuration_fault(folder) {
        output.aside(format!("The configuration can't be used: {} {}", visible(&fault.message), visible(&fault.hint)));
    }
    if output.json {
        project.enables.iter().chain(&project.unpinned).for_each(|pin| output.object(pin));
        return Ok(Exit::Done);
    }
    output.line(format!("Trusted: {}", visible(&project.path)));
    enabled(&project, "This enables", output);
    left_off(&project, output);
    differences(&before, ". You have just approved this:", output);
    let is_shown = |pin: &&Pin| before.changed.iter().any(|changed| changed.path == pin.path);
    let mut shown = before.enables.iter().filter(is_shown);
    if shown.any(|pin| !project.enables.contains(pin)) {
        output.line("\nSome of it changed once more at that moment: look at it, or run `arki untrust`.");
    }
    project.notices.iter().for_each(|notice| output.line(visible(notice)));
    Ok(Exit::Done)
}

pub(crate) async fn untrust(engine: &Engine, dir: &Path, folder: Option<&Path>, output: &Printer) -> CommandExit {
    let path = engine.folder_trust().withdraw_trust(&folder_at(dir, folder)).await?;
    if !output.json {
        output.line(format!("No longer trusted: {}", visible(&path)));
    }
    Ok(Exit::Done)
}

fn list(engine: &Engine, output: &Printer) -> CommandExit {
    let folders = engine.folder_trust().trusted_folders()?;
    for TrustedFolder { path, trusted_at, is_there } in &folders {
        let object = PrintedTrustedFolder { project: path.clone(), trusted_at: *trusted_at, is_there: *is_there };
        output.tell(&object, || {
            let gone = if *is_there { "" } else { "  (gone; `arki untrust` with this path withdraws it)" };
            format!("{}  {}{gone}", time(*trusted_at), visible(path))
        });
    }
    if folders.is_empty() {
        output.aside("No folder is trusted.");
    }
    Ok(Exit::Done)
}

/// The hooks and checkers that stay off until the user agrees to them.
fn left_off(project: &ProjectState, output: &Printer) {
    if project.unpinned.is_empty() {
        return;
    }
    output.line("\nThese stay off. Arki can't pin all that they run, so it could change unseen:");
    for pin in &project.unpinned {
        let (file, line) = pin.path.split_once('#').unwrap_or((&pin.path, ""));
        output.line(format!("  {}  ({file})", visible(&one_line(line))));
        pin.note.iter().for_each(|note| output.line(format!("      {}", one_line(note))));
    }
    output.line("`arki trust --with-unpinned` turns them on, each as it stands here.");
}

fn enabled(project: &ProjectState, heading: &str, output: &Printer) {
    if project.enables.is_empty() {
        output.line(format!("{heading} changes and commands. It contains nothing to load or run."));
        return;
    }
    output.line(format!("{heading} changes and commands, and these parts of the folder:"));
    for pin in &project.enables {
        output.line(format!(
            "  {:<13} {}  {}",
            pin.kind,
            &pin.hash.chars().take(12).collect::<String>(),
            visible(&pin.path)
        ));
        pin.note.iter().for_each(|note| output.line(format!("{:30}{}", "", one_line(note))));
    }
}
