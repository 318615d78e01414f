//! The skills of a folder as people see them: those that a run would be offered, and the project's that are off.

use crate::projects::Projects;
use crate::projects::guides::FoundGuides;
use crate::projects::open::OpenProject;
use arki_api::{SkillEntries, SkillEntry, SkillOffReason};
use arki_domain::Error;
use arki_tools::Guide;
use std::path::Path;

/// The skills of the user and of a folder, or of the user alone where there is none.
///
/// # Errors
/// When the folder or the configuration can't be used.
pub fn list_skills(projects: &Projects, folder: Option<&Path>) -> Result<SkillEntries, Error> {
    let (open, config) = projects.open_and_config(folder)?;
    let found = projects.find_guides(open.as_ref(), &config);
    let mut skills: Vec<SkillEntry> = found.guides.skills.iter().map(|skill| offered(skill, &found)).collect();
    if let Some(open) = open.filter(|_| config.skills_enabled) {
        skills.extend(unapproved(&open.scanned()?));
    }
    let notice = found.notice();
    let faults = found.faults.into_iter().map(Into::into).collect();
    Ok(SkillEntries { enabled: config.skills_enabled, skills, faults, notice })
}

fn offered(skill: &Guide, found: &FoundGuides) -> SkillEntry {
    let used = found.uses.get(&skill.name).cloned().unwrap_or_default();
    SkillEntry {
        name: skill.name.clone(),
        description: skill.description.clone(),
        origin: skill.origin.clone(),
        keywords: used.keywords().to_vec(),
        paths: used.paths().map(str::to_owned).collect(),
        allowed_tools: used.allowed_tools().cloned(),
        warnings: used.warnings,
        off: None,
    }
}

fn unapproved(open: &OpenProject) -> impl Iterator<Item = SkillEntry> {
    let off = if open.is_trusted() { SkillOffReason::Changed } else { SkillOffReason::Untrusted };
    open.unapproved_skills().into_iter().map(move |(name, origin)| SkillEntry {
        name,
        description: String::new(),
        origin,
        keywords: Vec::new(),
        paths: Vec::new(),
        allowed_tools: None,
        warnings: Vec::new(),
        off: Some(off),
    })
}
