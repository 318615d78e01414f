//! `arki skills` and `arki procedures`: what the agent could read in this project of how work is done.

use crate::exit::Exit;
use crate::output::{Output, visible};
use arki_domain::Fault;
use arki_engine::{Engine, Guide};
use serde_json::json;
use std::path::Path;

pub(crate) fn skills(engine: &Engine, dir: &Path, output: &Output) -> Result<Exit, Fault> {
    let found = engine.projects().guides(dir)?;
    let exit = show(&found.guides.skills, &found.faults, output);
    found.notice().into_iter().for_each(|notice| output.aside(notice));
    Ok(exit)
}

pub(crate) fn procedures(engine: &Engine, dir: &Path, output: &Output) -> Result<Exit, Fault> {
    let found = engine.projects().guides(dir)?;
    Ok(show(&found.guides.procedures, &found.faults, output))
}

fn show(guides: &[Guide], faults: &[Fault], output: &Output) -> Exit {
    for Guide { name, description, origin, .. } in guides {
        if output.json {
            output.object(&json!({ "name": name, "description": description, "origin": origin }));
        } else {
            output.line(visible(&format!("{name:<24} {description} ({origin})")));
        }
    }
    for fault in faults {
        output.aside(format!("{} {}", visible(&fault.message), fault.hint));
    }
    Exit::Done
}
