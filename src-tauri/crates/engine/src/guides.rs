//! The skills and procedures of a folder: the project's, as far as it is trusted and they are as they were agreed to;
//! then the user's own; then those that come with Arki. Of several with one name the first counts.
//!
//! A skill is one piece with all its files: its text sends the model to them, so that a script that was exchanged turns
//! the whole skill off.

use crate::Engine;
use crate::config::Config;
use crate::projects::{OpenProject, kind_word};
use arki_context::{ChosenSkill, IndexEntry};
use arki_domain::{Fault, TrustPin};
use arki_tools::{Guide, GuideFiles, Guides, SKILL_FILE, find_guide};
use arki_workspace::{EntryKind, PinKind, Project, ProjectPath, list};
use globset::GlobSet;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Where a project keeps its skills, in the order of their precedence.
const PROJECT_SKILLS: [&str; 4] = [".agent/skills", ".agents/skills", ".skills", ".claude/skills"];
const PROJECT_PROCEDURES: &str = ".arki/procedures";
/// In the configuration folder.
const OWN_SKILLS: &str = "skills";
const OWN_PROCEDURES: &str = "procedures";
const BUILT_IN_PROCEDURES: [&str; 1] = [include_str!("guides/understand_project.md")];

/// A longer text is no guide.
const MAX_GUIDE_BYTES: u64 = 256 * 1024;
/// Guides of one kind.
const MAX_GUIDES: usize = 200;
/// Below a folder of the user's own, and how deep.
const MAX_OWN_FILES: usize = 2000;
const MAX_OWN_DEPTH: usize = 8;

/// What was found, and what looks like a guide but is none.
#[derive(Default)]
pub struct FoundGuides {
    pub guides: Guides,
    pub faults: Vec<Fault>,
}

impl Engine {
    /// The skills and procedures that a run in this folder would have, and why others are left out.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn guides(&self, folder: &Path) -> Result<FoundGuides, Fault> {
        let open = self.load_project(folder)?;
        let config = self.config_of(&open)?;
        Ok(self.guides_of(&open, &config))
    }

    pub(crate) fn guides_of(&self, open: &OpenProject, config: &Config) -> FoundGuides {
        let own = &self.directories.config;
        let mut found = FoundGuides::default();
        if config.skills_enabled {
            let project = PROJECT_SKILLS.iter().flat_map(|folder| open.skills(folder, &config.secret_files.set));
            found.take_skills(project.chain(own_skills(&own.join(OWN_SKILLS), &config.secret_files.set)));
        }
        let built_in = BUILT_IN_PROCEDURES.iter().map(|text| Guide::procedure(text, "built in"));
        found.take_procedures(
            open.procedures().into_iter().chain(own_procedures(&own.join(OWN_PROCEDURES))).chain(built_in),
        );
        found
    }
}

impl FoundGuides {
    fn take_skills(&mut self, found: impl Iterator<Item = Result<Guide, Fault>>) {
        take(&mut self.guides.skills, &mut self.faults, found);
    }

    fn take_procedures(&mut self, found: impl Iterator<Item = Result<Guide, Fault>>) {
        take(&mut self.guides.procedures, &mut self.faults, found);
    }

    /// The skills of these names, whose texts the prompt shall have.
    ///
    /// # Errors
    /// `GUIDE_UNKNOWN`.
    pub(crate) fn chosen(&self, names: &[String]) -> Result<Vec<ChosenSkill>, Fault> {
        let skill = |name: &String| find_guide(&self.guides.skills, "skill", name);
        let chosen = |guide: &Guide| ChosenSkill {
            name: guide.name.clone(),
            origin: guide.origin.clone(),
            text: guide.text.to_string(),
        };
        names.iter().map(|name| skill(name).map(chosen)).collect()
    }
}

pub(crate) fn index(guides: &[Guide]) -> Vec<IndexEntry> {
    let entry = |guide: &Guide| IndexEntry { name: guide.name.clone(), description: guide.description.clone() };
    guides.iter().map(entry).collect()
}

/// The first of each name.
fn take(guides: &mut Vec<Guide>, faults: &mut Vec<Fault>, found: impl Iterator<Item = Result<Guide, Fault>>) {
    for found in found.take(MAX_GUIDES) {
        match found {
            Ok(guide) if guides.iter().all(|known| known.name != guide.name) => guides.push(guide),
            Ok(_) => {}
            Err(fault) => faults.push(fault),
        }
    }
}

impl OpenProject {
    /// The skills in one of the project's folders for them.
    fn skills(&self, folder: &str, secrets: &GlobSet) -> Vec<Result<Guide, Fault>> {
        let below = |path: &str| Some(path.strip_prefix(folder)?.strip_prefix('/')?.split_once('/')?.0.to_owned());
        let names: BTreeSet<String> = self.pinned(PinKind::Skill).filter_map(|pin| below(&pin.path)).collect();
        let skill = |name: &String| self.skill(&format!("{folder}/{name}"), name, secrets);
        names.iter().filter_map(skill).collect()
    }

    /// `None` where the folder is no skill, or not as it was agreed to.
    fn skill(&self, folder: &str, name: &str, secrets: &GlobSet) -> Option<Result<Guide, Fault>> {
        let inside = |path: &str| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
        let kind = kind_word(PinKind::Skill);
        let agreed: Vec<TrustPin> = self.pins().into_iter().filter(|pin| pin.kind == kind).collect();
        let agreed: BTreeMap<String, String> =
            agreed.into_iter().filter_map(|pin| Some((inside(&pin.path)?, pin.hash))).collect();
        let current: BTreeMap<String, String> =
            self.pinned(PinKind::Skill).filter_map(|pin| Some((inside(&pin.path)?, pin.hash.clone()))).collect();
        if agreed != current {
            return None;
        }
        let file = current.keys().find(|path| path.eq_ignore_ascii_case(SKILL_FILE))?;
        let text = self.agreed_text(PinKind::Skill, &format!("{folder}/{file}"))?;
        let own = Arc::new(Project::open(&self.project.root().join(folder)).ok()?);
        let others = current
            .iter()
            .filter(|(path, _)| *path != file && !is_secret(&self.project, &format!("{folder}/{path}"), secrets));
        let hashes = others.map(|(path, hash)| (path.clone(), Some(hash.clone()))).collect();
        let files = GuideFiles { folder: own, hashes };
        Some(Guide::skill(&text, name, &format!("{folder}/{file}"), files))
    }

    fn procedures(&self) -> Vec<Result<Guide, Fault>> {
        let paths = self.pinned(PinKind::Procedure).map(|pin| pin.path.clone());
        let paths = paths.filter(|path| path.starts_with(PROJECT_PROCEDURES) && is_markdown(path));
        let text = |path: String| Some((self.agreed_text(PinKind::Procedure, &path)?, path));
        paths.filter_map(text).map(|(text, path)| Guide::procedure(&text, &path)).collect()
    }

    fn pinned(&self, kind: PinKind) -> impl Iterator<Item = &arki_workspace::Pin> {
        self.current.iter().filter(move |pin| pin.kind == kind)
    }
}

/// A skill of the user's own may be a link to a folder elsewhere.
fn own_skills(folder: &Path, secrets: &GlobSet) -> Vec<Result<Guide, Fault>> {
    let skills = entries(folder, 1).into_iter().filter(|(_, kind)| matches!(kind, EntryKind::Folder | EntryKind::Link));
    skills.filter_map(|(name, _)| own_skill(&folder.join(&name), &name, secrets)).collect()
}

fn own_skill(folder: &Path, name: &str, secrets: &GlobSet) -> Option<Result<Guide, Fault>> {
    let files = entries(folder, MAX_OWN_DEPTH).into_iter().filter(|(_, kind)| *kind == EntryKind::File);
    let files: Vec<String> = files.map(|(path, _)| path).collect();
    let file = files.iter().find(|path| path.eq_ignore_ascii_case(SKILL_FILE))?;
    let own = Arc::new(Project::open(folder).ok()?);
    let text = text_of(&own, file)?;
    let others = files.iter().filter(|path| *path != file && !is_secret(&own, path, secrets));
    let hashes = others.map(|path| (path.clone(), None)).collect();
    Some(Guide::skill(&text, name, &folder.join(file).display().to_string(), GuideFiles { folder: own, hashes }))
}

fn own_procedures(folder: &Path) -> Vec<Result<Guide, Fault>> {
    let Ok(own) = Project::open(folder) else { return Vec::new() };
    let files =
        entries(folder, MAX_OWN_DEPTH).into_iter().filter(|(path, kind)| *kind == EntryKind::File && is_markdown(path));
    let texts = files.filter_map(|(path, _)| Some((text_of(&own, &path)?, path)));
    texts.map(|(text, path)| Guide::procedure(&text, &folder.join(path).display().to_string())).collect()
}

/// Sorted paths below a folder; none where there is no folder.
fn entries(folder: &Path, depth: usize) -> Vec<(String, EntryKind)> {
    let Ok(own) = Project::open(folder) else { return Vec::new() };
    let listed = list(&own, &ProjectPath::root(), depth, MAX_OWN_FILES).unwrap_or_default();
    listed.entries.into_iter().map(|entry| (entry.path, entry.kind)).collect()
}

fn text_of(folder: &Project, path: &str) -> Option<String> {
    let file = folder.read(&folder.resolve(path).ok()?, MAX_GUIDE_BYTES).ok()?;
    String::from_utf8(file.bytes).ok()
}

fn is_secret(folder: &Project, path: &str, secrets: &GlobSet) -> bool {
    folder.resolve(path).map_or(true, |path| folder.is_secret(&path, secrets))
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}
