//! `arki skills` and `arki procedures`: what the agent could read in this project of how work is done.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::{PrintedGuide, PrintedSkill, SkillTriggers};
use arki_domain::Error;
use arki_engine::{Engine, Guide};
use std::path::Path;

pub(crate) fn skills(engine: &Engine, dir: &Path, output: &Printer) -> CommandExit {
    let found = engine.projects().guides(dir)?;
    output.aside_if_empty(&found.guides.skills, "No skills here. Write one as .agents/skills/NAME/SKILL.md.");
    for guide in &found.guides.skills {
        let Guide { name, description, origin, .. } = guide;
        let of = found.uses.get(name).cloned().unwrap_or_default();
        let paths: Vec<&str> = of.paths().collect();
        if output.json {
            let paths = paths.into_iter().map(str::to_owned).collect();
            output.object(&PrintedSkill {
                guide: printed(guide),
                triggers: SkillTriggers { keywords: of.keywords().to_vec(), paths },
                allowed_tools: of.allowed_tools().cloned(),
                warnings: of.warnings.clone(),
            });
        } else {
            output.line(visible(&format!("{name:<24} {description} ({origin})")));
            let triggers = [of.keywords().join(", "), paths.join(", ")];
            let triggers: Vec<String> = triggers.into_iter().filter(|triggers| !triggers.is_empty()).collect();
            if !triggers.is_empty() {
                output.line(visible(&format!("{:<24} used automatically for: {}", "", triggers.join("; "))));
            }
        }
        of.warnings.iter().for_each(|warning| output.aside(visible(&format!("{origin}: {warning}."))));
    }
    let exit = show(&[], &found.faults, output);
    found.notice().into_iter().for_each(|notice| output.aside(notice));
    Ok(exit)
}

pub(crate) fn procedures(engine: &Engine, dir: &Path, output: &Printer) -> CommandExit {
    let found = engine.projects().guides(dir)?;
    Ok(show(&found.guides.procedures, &found.faults, output))
}

fn show(guides: &[Guide], faults: &[Error], output: &Printer) -> Exit {
    for guide in guides {
        let Guide { name, description, origin, .. } = guide;
        output.tell(&printed(guide), || visible(&format!("{name:<24} {description} ({origin})")));
    }
    for fault in faults {
        output.aside(format!("{} {}", visible(&fault.message), fault.hint));
    }
    Exit::Done
}

fn printed(Guide { name, description, origin, .. }: &Guide) -> PrintedGuide {
    PrintedGuide { name: name.clone(), description: description.clone(), origin: origin.clone() }
}
