//! A skill beside its text: when it suggests itself, the tools it restricts a run to, and what is wrong with it. And the
//! skills of a folder as people see them: those that a run would be offered, and the project's that are off.

use crate::{FoundGuides, OpenProject, Projects};
use arki_api::{SkillEntries, SkillEntry, SkillOffReason};
use arki_context::{AllowedTools, Applies, LoadedRule, SkillText, Triggers};
use arki_domain::{Code, Error, ToolNames};
use arki_tools::{Guide, GuideFiles, MAX_GUIDE_NAME_CHARS};
use std::path::Path;

/// A longer text is no skill.
pub(super) const MAX_SKILL_BYTES: usize = 256 * 1024;

/// The use of a skill. Its name is its guide's.
#[derive(Debug, Clone, Default)]
pub struct SkillUse {
    pub(crate) triggers: Triggers,
    allowed: AllowedTools,
    /// The warnings, in words that continue after its path.
    pub warnings: Vec<String>,
}

impl SkillUse {
    /// Words of a prompt that bring its text in.
    #[must_use]
    pub fn keywords(&self) -> &[String] {
        self.triggers.keywords()
    }

    /// Patterns of paths that bring its text in when one of them is touched.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.triggers.paths()
    }

    /// The tools that a run has for which the user chose it; all where `None`.
    #[must_use]
    pub fn allowed_tools(&self) -> Option<&ToolNames> {
        self.allowed.tools.as_ref()
    }
}

pub(super) struct FoundSkill {
    pub(super) guide: Guide,
    pub(super) of: SkillUse,
}

impl FoundSkill {
    /// Reads a skill from the bytes of a `SKILL.md`. `folder_name` is the name if the file has none.
    ///
    /// # Errors
    /// `GUIDE_INVALID` when it is empty, is too long or no text.
    pub(super) fn read(source: Vec<u8>, folder_name: &str, origin: String, files: GuideFiles) -> Result<Self, Error> {
        if source.len() > MAX_SKILL_BYTES {
            return Err(invalid(&origin, &format!("it has more than {} KiB", MAX_SKILL_BYTES / 1024)));
        }
        let source = String::from_utf8(source).map_err(|_| invalid(&origin, "it isn't text"))?;
        let SkillText { name, description, text, triggers, allowed_tools, mut warnings } =
            SkillText::read(&source, folder_name).ok_or_else(|| invalid(&origin, "it is empty"))?;
        let allowed = AllowedTools::read(&allowed_tools);
        warnings.extend(allowed.warnings.clone());
        let guide = Guide { name, description, text: text.into(), origin, files: Some(files) };
        Ok(Self { guide, of: SkillUse { triggers, allowed, warnings } })
    }

    /// A rule that is there for the model to ask for.
    pub(super) fn of_rule(rule: &LoadedRule) -> Option<Self> {
        let Applies::OnRequest { description } = &rule.applies else { return None };
        let file = rule.path.rsplit_once('/').map_or(rule.path.as_str(), |(_, file)| file);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
        let guide = Guide {
            name: stem.chars().map(plain).take(MAX_GUIDE_NAME_CHARS).collect(),
            description: description.split_whitespace().collect::<Vec<_>>().join(" "),
            text: rule.text.as_str().into(),
            origin: rule.path.clone(),
            files: None,
        };
        Some(Self { guide, of: SkillUse::default() })
    }
}

fn invalid(origin: &str, why: &str) -> Error {
    let hint = "A skill begins with `---`, `name: …`, `description: …`, `---`, and then says how the work is done.";
    Error::new(Code::GUIDE_INVALID, format!("Can't use {origin}: {why}."), hint)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn read(source: &[u8]) -> Result<FoundSkill, Error> {
        let files = GuideFiles { folder: "/".into(), hashes: BTreeMap::new() };
        FoundSkill::read(source.to_vec(), "pdf", "SKILL.md".to_owned(), files)
    }

    #[test]
    fn what_is_no_skill_says_why() {
        let long = vec![b'x'; 5 * 1024 * 1024];
        for (source, why) in [(&b"---\n---\n"[..], "is empty"), (&[0xff, b'x'], "isn't text"), (&long, "more than 256")]
        {
            let fault = read(source).err().unwrap();
            assert!(fault.is(Code::GUIDE_INVALID) && fault.message.contains(why), "{fault:?}");
        }
    }

    #[test]
    fn front_matter_that_is_no_yaml_is_warned_about_and_used() {
        let found =
            read(b"---\nname: pdf\ndescription: Use when: forms\nkeywords: form\nallowed-tools: Read\n---\nText")
                .unwrap();
        assert_eq!((&*found.guide.description, &*found.guide.text), ("Use when: forms", "Text"));
        assert!(found.of.warnings.iter().any(|warning| warning.contains("not YAML")), "{:?}", found.of.warnings);
        assert_eq!(found.of.keywords(), ["form"]);
        assert!(found.of.allowed_tools().is_some_and(|tools| !tools.has("write_file")));
    }
}
