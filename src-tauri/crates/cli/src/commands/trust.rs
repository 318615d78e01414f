//! `arki trust`, `arki trust --show`, `arki untrust`.

use crate::exit::Exit;
use crate::output::{Output, visible};
use arki_api::{Pin, PinChange, ProjectState, TrustState};
use arki_domain::Fault;
use arki_engine::{Engine, one_line};
use std::path::Path;

pub(crate) fn show(engine: &Engine, folder: &Path, output: &Output) -> Result<Exit, Fault> {
    let project = engine.projects().project(folder)?;
    if output.json {
        project.enables.iter().for_each(|pin| output.object(pin));
        return Ok(Exit::Done);
    }
    let state = match project.trust {
        TrustState::Trusted => "trusted",
        TrustState::Untrusted => "not trusted",
        TrustState::Undecided => "not trusted yet",
    };
    output.line(format!("{} is {state}.", visible(&project.path)));
    list(&project, "Trusting it enables", output);
    project.notices.iter().for_each(|notice| output.line(format!("\n{}", visible(notice))));
    differences(&project, ", so it is off:", output);
    Ok(Exit::Done)
}

/// A folder may try to hide in its files, and with its files' names, what it is about to be trusted with.
fn differences(project: &ProjectState, so: &str, output: &Output) {
    for changed in &project.changed {
        let change = match changed.change {
            PinChange::Added => "new",
            PinChange::Changed => "changed",
            PinChange::Removed => "gone",
        };
        output.line(format!("\n{} is {change} since you trusted the folder{so}", visible(&changed.path)));
        changed.note.iter().for_each(|note| output.line(one_line(note)));
        let diff = changed.diff.as_deref().unwrap_or("(can't show the difference)");
        diff.split('\n').for_each(|line| output.line(visible(line)));
    }
}

pub(crate) async fn trust(engine: &Engine, folder: &Path, output: &Output) -> Result<Exit, Fault> {
    let before = engine.projects().project(folder)?;
    let project = engine.projects().trust(folder).await?;
    // Trusting is done; that nothing works there yet is worth a word.
    if let Some(fault) = engine.projects().configuration_fault(folder) {
        output.aside(format!("The configuration can't be used: {} {}", visible(&fault.message), visible(&fault.hint)));
    }
    if output.json {
        project.enables.iter().for_each(|pin| output.object(pin));
        return Ok(Exit::Done);
    }
    output.line(format!("Trusted: {}", visible(&project.path)));
    list(&project, "This enables", output);
    differences(&before, ". You have just approved this:", output);
    let is_shown = |pin: &&Pin| before.changed.iter().any(|changed| changed.path == pin.path);
    let mut shown = before.enables.iter().filter(is_shown);
    if shown.any(|pin| !project.enables.contains(pin)) {
        output.line("\nSome of it changed once more at that moment: look at it, or run `arki untrust`.");
    }
    project.notices.iter().for_each(|notice| output.line(visible(notice)));
    Ok(Exit::Done)
}

pub(crate) async fn untrust(engine: &Engine, folder: &Path, output: &Output) -> Result<Exit, Fault> {
    let project = engine.projects().untrust(folder).await?;
    if !output.json {
        output.line(format!("No longer trusted: {}", project.path));
    }
    Ok(Exit::Done)
}

fn list(project: &ProjectState, heading: &str, output: &Output) {
    if project.enables.is_empty() {
        output.line(format!("{heading} changes and commands. It contains nothing to load or run."));
        return;
    }
    output.line(format!("{heading} changes and commands, and these parts of the folder:"));
    for pin in &project.enables {
        output.line(format!(
            "  {:<11} {}  {}",
            pin.kind,
            &pin.hash.chars().take(12).collect::<String>(),
            visible(&pin.path)
        ));
        pin.note.iter().for_each(|note| output.line(format!("{:28}{}", "", one_line(note))));
    }
}
