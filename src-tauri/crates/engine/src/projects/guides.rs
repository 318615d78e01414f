//! The skills and procedures of a folder: the project's, as far as it is trusted and they are as they were agreed to;
//! then the user's own; then those that come with Arki. Of several with one name the first counts.
//!
//! A skill is one piece with all its files: its text sends the model to them, so that a script that was exchanged turns
//! the whole skill off.

use crate::projects::open::kind_word;
use crate::projects::skills::{FoundSkill, MAX_SKILL_BYTES};
use crate::{OpenProject, Projects, SkillUse};
use arki_config::Config;
use arki_context::{ChosenSkill, IndexEntry, Triggers};
use arki_disk::EntryKind;
use arki_domain::{Error, PartKind, ToolNames, plural};
use arki_files::{ListQuery, PinKind, Project, ProjectPath, files_below, list};
use arki_tools::{Guide, GuideFiles, Guides, SKILL_FILE, find_guide};
use globset::GlobSet;
use std::collections::BTreeMap;
use std::path::Path;

/// The folders of a project's skills, in the order of their precedence.
const PROJECT_SKILLS: [&str; 4] = [".agent/skills", ".agents/skills", ".skills", ".claude/skills"];
const PROJECT_PROCEDURES: &str = ".arki/procedures";
/// The folder of the user's skills in the configuration folder.
const OWN_SKILLS: &str = "skills";
const OWN_PROCEDURES: &str = "procedures";
const BUILT_IN_PROCEDURES: [&str; 1] = [include_str!("guides/understand_project.md")];

/// A longer text is no procedure and no command.
const MAX_GUIDE_BYTES: u64 = MAX_SKILL_BYTES as u64;
/// The limit for a skill's file, the same as for trust: a longer one is reported.
const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;
/// Folders of skills, and procedures, that count. The user's own come first.
const MAX_GUIDES: usize = 1000;
/// The limits for the files below one of the user's own folders, and for their depth.
const MAX_OWN_FILES: usize = 2000;
const MAX_OWN_DEPTH: usize = 8;
/// The limit for the files below all of these folders, in one walk.
const MAX_OWN_FILES_AT_ONCE: usize = 20_000;

/// The skills or procedures found, and the files that look like one but are none.
#[derive(Default)]
pub struct FoundGuides {
    pub guides: Guides,
    /// The use of each skill, by its name.
    pub uses: BTreeMap<String, SkillUse>,
    pub faults: Vec<Error>,
    /// Folders of skills that don't count, because there are more than [`MAX_GUIDES`].
    pub skills_left_out: usize,
}

impl Projects {
    /// The skills and procedures that a run in this folder would have, and why others are left out.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn guides(&self, folder: &Path) -> Result<FoundGuides, Error> {
        let open = self.load_project(folder)?;
        let config = self.config_of(&open)?;
        Ok(self.find_guides(Some(&open), &config))
    }

    /// Looked for once for each time the folder is opened.
    pub(crate) fn guides_of<'a>(&self, open: &'a OpenProject, config: &Config) -> &'a FoundGuides {
        open.guides.get_or_init(|| self.find_guides(Some(open), config))
    }

    /// `None`: the user's own alone.
    pub(super) fn find_guides(&self, open: Option<&OpenProject>, config: &Config) -> FoundGuides {
        let own = &self.records.directories().config;
        let mut found = FoundGuides::default();
        if config.skills_enabled {
            let secrets = &config.secret_files.set;
            let skills = own.join(OWN_SKILLS);
            let (mut own_names, mut folders) =
                (own_skill_folders(&skills), open.map_or_else(Vec::new, OpenProject::skill_folders));
            found.skills_left_out = (own_names.len() + folders.len()).saturating_sub(MAX_GUIDES);
            own_names.truncate(MAX_GUIDES);
            folders.truncate(MAX_GUIDES - own_names.len());
            let project = folders.into_iter().filter_map(|folder| open?.skill(&folder, secrets));
            let listed = OwnFiles::list(&skills);
            let own = own_names.iter().filter_map(|name| own_skill(&skills.join(name), name, &listed, secrets));
            found.take_skills(project.chain(own));
        }
        let rules = open.into_iter().flat_map(|open| &self.rules_of(open).rules);
        found.take_skills(rules.filter_map(FoundSkill::of_rule).map(Ok));
        let built_in = BUILT_IN_PROCEDURES.iter().map(|text| Guide::procedure(text, "built in"));
        found.take_procedures(
            open.map_or_else(Vec::new, OpenProject::procedures)
                .into_iter()
                .chain(own_procedures(&own.join(OWN_PROCEDURES)))
                .chain(built_in),
        );
        found
    }
}

/// Returns the notice for folders whose skills don't count.
pub(crate) fn left_out_words(left_out: usize) -> Option<String> {
    (left_out > 0).then(|| {
        let (skills, are) = (plural(left_out as u64, "skill"), if left_out == 1 { "is" } else { "are" });
        format!("{skills} {are} left out: only {MAX_GUIDES} count, your own first, then the project's in order of their names.")
    })
}

impl FoundGuides {
    /// Returns the skills and procedures that the session hasn't switched off.
    pub(crate) fn without(&self, off: &[String]) -> Guides {
        let mut guides = self.guides.clone();
        guides.skills.retain(|skill| !PartKind::Skill.is_off(&skill.name, off));
        guides.procedures.retain(|procedure| !PartKind::Procedure.is_off(&procedure.name, off));
        guides
    }

    /// Returns the notice for the user about skills that are left out.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        left_out_words(self.skills_left_out)
    }

    fn take_skills(&mut self, found: impl Iterator<Item = Result<FoundSkill, Error>>) {
        for found in found {
            match found {
                Ok(FoundSkill { guide, .. }) if self.uses.contains_key(&guide.name) => {}
                Ok(FoundSkill { guide, of }) => {
                    self.uses.insert(guide.name.clone(), of);
                    self.guides.skills.push(guide);
                }
                Err(fault) => self.faults.push(fault),
            }
        }
    }

    /// The skills that come in by themselves, but for those that are off, and those that were chosen: they are there.
    pub(crate) fn with_triggers(&self, chosen: &[String], off: &[String]) -> Vec<(Guide, Triggers)> {
        let is_off = |skill: &Guide| PartKind::Skill.is_off(&skill.name, off);
        let skills = self.guides.skills.iter().filter(|skill| !chosen.contains(&skill.name) && !is_off(skill));
        let with = skills.filter_map(|skill| Some((skill.clone(), self.uses.get(&skill.name)?.triggers.clone())));
        with.filter(|(_, triggers)| !triggers.is_empty()).collect()
    }

    /// The tools that a run with these skills is restricted to; `None` where it isn't.
    pub(crate) fn allowed_tools(&self, chosen: &[String]) -> Option<ToolNames> {
        let allowed = chosen.iter().filter_map(|name| self.uses.get(name)?.allowed_tools());
        allowed.cloned().reduce(|all, one| all.narrowed_to(&one))
    }

    fn take_procedures(&mut self, found: impl Iterator<Item = Result<Guide, Error>>) {
        take(&mut self.guides.procedures, &mut self.faults, found);
    }

    /// The skills of these names, whose texts the prompt shall have.
    ///
    /// # Errors
    /// `GUIDE_UNKNOWN`.
    pub(crate) fn chosen(&self, names: &[String]) -> Result<Vec<ChosenSkill>, Error> {
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
fn take(guides: &mut Vec<Guide>, faults: &mut Vec<Error>, found: impl Iterator<Item = Result<Guide, Error>>) {
    for found in found {
        match found {
            Ok(guide) if guides.iter().all(|known| known.name != guide.name) => guides.push(guide),
            Ok(_) => {}
            Err(fault) => faults.push(fault),
        }
    }
}

impl OpenProject {
    /// The folders of the project's skills, in the order of their precedence and names, whether they are as they were
    /// agreed to or not.
    fn skill_folders(&self) -> Vec<SkillFolder> {
        let current = self.pinned(PinKind::Skill).map(|pin| (pin.path.as_str(), pin.hash.as_str()));
        let mut folders: BTreeMap<(usize, &str), SkillFolder> = BTreeMap::new();
        for (path, hash) in current {
            if let Some((at, name, inside)) = place_of_skill(path) {
                let new = || SkillFolder::new(at, name);
                folders.entry((at, name)).or_insert_with(new).current.insert(inside.to_owned(), hash.to_owned());
            }
        }
        let kind = kind_word(PinKind::Skill);
        let records = self.trust.iter().filter(|trust| trust.trusted).flat_map(|trust| &trust.pins);
        for pin in records.map(|record| &record.pin).filter(|pin| pin.kind == kind) {
            if let Some((at, name, inside)) = place_of_skill(&pin.path)
                && let Some(folder) = folders.get_mut(&(at, name))
            {
                folder.agreed.insert(inside.to_owned(), pin.hash.clone());
            }
        }
        // A folder without the text of a skill is none.
        folders.into_values().filter(|folder| folder.file().is_some()).collect()
    }

    /// Returns how many of the skills here would not count.
    pub(crate) fn skills_left_out(&self, config_folder: &Path) -> usize {
        let own = own_skill_folders(&config_folder.join(OWN_SKILLS)).len();
        (own + self.skill_folders().len()).saturating_sub(MAX_GUIDES)
    }

    /// The skills that aren't as they were agreed to: the name of the folder, and the file with the text.
    pub(super) fn unapproved_skills(&self) -> Vec<(String, String)> {
        let folders = self.skill_folders().into_iter().filter(|skill| skill.agreed != skill.current);
        folders.filter_map(|skill| Some((skill.name.clone(), format!("{}/{}", skill.folder, skill.file()?)))).collect()
    }

    /// `None` where the folder is not as it was agreed to.
    fn skill(&self, skill: &SkillFolder, secrets: &GlobSet) -> Option<Result<FoundSkill, Error>> {
        if skill.agreed != skill.current {
            return None;
        }
        let SkillFolder { folder, name, current, .. } = skill;
        let file = skill.file()?;
        let text = self.agreed_bytes_up_to(PinKind::Skill, &format!("{folder}/{file}"), MAX_FILE_BYTES)?;
        let others = current
            .iter()
            .filter(|(path, _)| *path != file && !is_secret(&self.project, &format!("{folder}/{path}"), secrets));
        let hashes = others.map(|(path, hash)| (path.clone(), Some(hash.clone()))).collect();
        let files = GuideFiles { folder: self.project.root().join(folder), hashes };
        Some(FoundSkill::read(text, name, format!("{folder}/{file}"), files))
    }

    fn procedures(&self) -> Vec<Result<Guide, Error>> {
        let paths = self.pinned(PinKind::Procedure).map(|pin| pin.path.clone());
        let paths = paths.filter(|path| path.starts_with(PROJECT_PROCEDURES) && is_markdown(path));
        let text = |path: String| Some((self.agreed_text(PinKind::Procedure, &path)?, path));
        paths.filter_map(text).map(|(text, path)| Guide::procedure(&text, &path)).collect()
    }

    pub(super) fn pinned(&self, kind: PinKind) -> impl Iterator<Item = &arki_files::Pin> {
        self.current.iter().filter(move |pin| pin.kind == kind)
    }
}

/// A folder of the project with the text of a skill.
struct SkillFolder {
    folder: String,
    name: String,
    /// The SHA-256 of each file's content, by path below the folder; then of the approved content.
    current: BTreeMap<String, String>,
    agreed: BTreeMap<String, String>,
}

impl SkillFolder {
    fn new(at: usize, name: &str) -> Self {
        let folder = format!("{}/{name}", PROJECT_SKILLS[at]);
        Self { folder, name: name.to_owned(), current: BTreeMap::new(), agreed: BTreeMap::new() }
    }

    /// The file with the skill's text.
    fn file(&self) -> Option<&String> {
        self.current.keys().find(|path| path.eq_ignore_ascii_case(SKILL_FILE))
    }
}

/// Returns which of the project's folders a skill's file is in, the skill's folder there, and the path below that.
fn place_of_skill(path: &str) -> Option<(usize, &str, &str)> {
    PROJECT_SKILLS.iter().enumerate().find_map(|(at, folder)| {
        let (name, inside) = path.strip_prefix(folder)?.strip_prefix('/')?.split_once('/')?;
        Some((at, name, inside))
    })
}

/// The names of folders of skills of the user's own; one may be a link to a folder elsewhere.
fn own_skill_folders(folder: &Path) -> Vec<String> {
    let list = |own: Project| list(&own, &ProjectPath::root(), own_files(1)).ok();
    let entries = Project::open(folder).ok().and_then(list).unwrap_or_default().entries;
    let skills = entries.into_iter().filter(|entry| matches!(entry.kind, EntryKind::Folder | EntryKind::Link));
    skills.map(|entry| entry.path).collect()
}

/// The files of all skills of the user's own by one walk, so that what git ignores above them is read once.
struct OwnFiles(Option<BTreeMap<String, Vec<String>>>);

impl OwnFiles {
    fn list(skills: &Path) -> Self {
        let depth = MAX_OWN_DEPTH + 1;
        let below = |own: Project| files_below(&own, &ProjectPath::root(), depth, MAX_OWN_FILES_AT_ONCE).ok()?;
        Self(Project::open(skills).ok().and_then(below).map(|files| {
            let mut by_skill: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (skill, path) in files.iter().filter_map(|file| file.split_once('/')) {
                by_skill.entry(skill.to_owned()).or_default().push(path.to_owned());
            }
            by_skill
        }))
    }

    /// Returns the files of one skill. If the walk found more than it takes, or the skill lies behind a link, they come
    /// from a walk of its own.
    fn of(&self, own: &Project, name: &str) -> Vec<String> {
        match self.0.as_ref().and_then(|by_skill| by_skill.get(name)) {
            Some(files) if files.len() <= MAX_OWN_FILES => files.clone(),
            _ => files_of(own),
        }
    }
}

fn own_skill(folder: &Path, name: &str, listed: &OwnFiles, secrets: &GlobSet) -> Option<Result<FoundSkill, Error>> {
    let own = Project::open(folder).ok()?;
    let files = listed.of(&own, name);
    let file = files.iter().find(|path| path.eq_ignore_ascii_case(SKILL_FILE))?;
    let text = own.read(&own.resolve(file).ok()?, MAX_FILE_BYTES).ok()?.bytes;
    let others = files.iter().filter(|path| *path != file && !is_secret(&own, path, secrets));
    let hashes = others.map(|path| (path.clone(), None)).collect();
    let files = GuideFiles { folder: folder.to_owned(), hashes };
    Some(FoundSkill::read(text, name, folder.join(file).display().to_string(), files))
}

fn own_procedures(folder: &Path) -> Vec<Result<Guide, Error>> {
    let Ok(own) = Project::open(folder) else { return Vec::new() };
    let texts = files_of(&own).into_iter().filter(|path| is_markdown(path));
    let texts = texts.filter_map(|path| Some((text_of(&own, &path)?, path)));
    texts.map(|(text, path)| Guide::procedure(&text, &folder.join(path).display().to_string())).collect()
}

/// The sorted paths of the files below a folder.
pub(super) fn files_of(folder: &Project) -> Vec<String> {
    let entries = list(folder, &ProjectPath::root(), own_files(MAX_OWN_DEPTH)).unwrap_or_default().entries;
    entries.into_iter().filter(|entry| entry.kind == EntryKind::File).map(|entry| entry.path).collect()
}

pub(super) fn text_of(folder: &Project, path: &str) -> Option<String> {
    let file = folder.read(&folder.resolve(path).ok()?, MAX_GUIDE_BYTES).ok()?;
    String::from_utf8(file.bytes).ok()
}

fn own_files(depth: usize) -> ListQuery {
    ListQuery { depth, max_entries: MAX_OWN_FILES, include_ignored: false }
}

fn is_secret(folder: &Project, path: &str, secrets: &GlobSet) -> bool {
    folder.resolve(path).map_or(true, |path| folder.is_secret(&path, secrets))
}

pub(super) fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}
