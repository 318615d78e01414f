//! The subject of a call: what its arguments touch, in the policy's terms.

use super::ExecutorSettings;
use super::command_sandbox::CommandRooms;
use super::project_inspection::look;
use crate::builtin::run_command;
use crate::remote_tool::JudgedAs;
use crate::tool::{Action, Tool};
use arki_domain::{ApprovalMode, Code, Error, goes_on_in_background};
use arki_files::{Project, ProjectPath, RealPlace, UnnamedReads, is_system_secret, real_place};
use arki_policy::{ChangedGit, Impact, PolicyQuestion, PolicySettings, Subject, TouchedPath, WideRead};
use arki_sandbox::{GitSight, Sandbox};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The subject as far as it can be read off arguments that may be wrong.
pub(super) struct SubjectOf {
    pub(super) subject: Subject,
    /// Why one of the paths cannot be used, if so.
    pub(super) path_fault: Option<Error>,
    /// Another tool, to which this call is only handed on.
    pub(super) judged_as: Option<JudgedAs>,
}

/// Finds the subjects of calls.
pub(super) struct CallSubjects {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) rooms: Arc<CommandRooms>,
    pub(super) git_sight: GitSight,
}

impl CallSubjects {
    /// The subject under these settings: what is looked at depends on the rules that may allow a line.
    pub(super) fn subject_under(&self, tool: Option<&Tool>, args: &Value, policy: &PolicySettings) -> SubjectOf {
        let touched = tool.map(|tool| tool.touches(args)).unwrap_or_default();
        let mut paths = Vec::new();
        let mut path_fault = None;
        for path in touched.paths.iter().filter(|path| !matches!(path.as_str(), "" | "." | "./")) {
            match self.touched_by_tool(path) {
                Ok(touched) => paths.push(touched),
                Err(fault) => path_fault = path_fault.or(Some(fault)),
            }
        }
        let words: Vec<String> =
            touched.command.iter().chain(&touched.mentions).flat_map(|line| arki_policy::file_words(line)).collect();
        let sandboxed = self.settings.sandbox.available;
        let told = touched.command.as_deref().and_then(|line| match sandboxed {
            true => arki_policy::wide_reads(line),
            false => arki_policy::wide_reads_unconfined(line),
        });
        let background = tool
            .is_some_and(|Tool { definition, .. }| goes_on_in_background(&definition.name, definition.category, args));
        let on_project = args["on_project"] == true;
        let tried_first = tool.is_some_and(|tool| matches!(tool.action, Action::Command)) && self.is_tried_first(args);
        let in_view = self.settings.has_views() && !background && !on_project;
        let viewed = touched.command.as_deref().filter(|line| in_view && !arki_policy::writes_repository(line));
        let mut sensitive = self.sensitive_among(&words);
        if told.is_some() {
            // What of it lies outside is told, and a word alone may be read from another folder than it is looked for
            // here.
            sensitive.retain(|touched| !touched.path.starts_with('/'));
        }
        paths.extend(sensitive);
        // Only rules ask for what is neither secret nor protected.
        let has_path_rules = policy.tightens_paths();
        let named: Vec<&String> = touched.paths.iter().chain(&words).collect();
        let others = self.settings.project.other_names(&named).into_iter();
        let others = others.filter_map(|(_, name)| self.touched(name.as_str()).ok());
        paths.extend(others.filter(|other| other.secret || other.protected || has_path_rules));
        let mentioned = if has_path_rules { self.named_among(&words, &paths) } else { Vec::new() };
        let command = touched.command.clone();
        let so_far = Subject { paths: paths.clone(), command, hosts: touched.hosts.clone(), ..Subject::default() };
        let told = viewed.map(arki_policy::wide_reads_in_view).or(told);
        let mut reads = self.reads_of(tool, &so_far, policy, told.unwrap_or_default());
        // In a view it can't open what there are secrets among.
        reads.retain(|read| viewed.is_none() || !read.opens_files());
        let wide = self.looked_at(&reads, policy.tightens_unseen_paths());
        let outside = wide.iter().find_map(|read| match read {
            UnnamedReads::Outside(path) => Some(path.clone()),
            UnnamedReads::Secret(_) | UnnamedReads::NoSecret | UnnamedReads::NotSeen => None,
        });
        let is_seen = |read: &UnnamedReads| matches!(read, UnnamedReads::NoSecret | UnnamedReads::Secret(_));
        let wide_reads_checked = wide.iter().all(is_seen);
        let harmless_reads = reads.into_iter().zip(&wide).filter(|(_, seen)| is_seen(seen)).map(|(read, _)| read);
        let harmless_reads = harmless_reads.collect();
        paths.extend(wide.into_iter().filter_map(|read| match read {
            UnnamedReads::Secret(path) => Some(TouchedPath { path, real: None, protected: false, secret: true }),
            UnnamedReads::NoSecret | UnnamedReads::Outside(_) | UnnamedReads::NotSeen => None,
        }));
        let git_partly_seen = touched.command.as_deref().is_some_and(|line| self.git_is_partly_seen(line));
        let line = touched.command.as_deref().filter(|line| arki_policy::runs_git(line));
        let root = self.settings.project.root();
        let foreign = line.and_then(|_| arki_git::foreign_repository(root, root));
        let changed_git = line.map(|line| self.changed_git(line)).unwrap_or_default();
        let changed_git = ChangedGit { foreign: foreign.is_some(), ..changed_git };
        let outside = outside.or_else(|| foreign.map(|place| place.display().to_string()));
        let secrets_in_reach = touched.command.is_some()
            && !Sandbox::can_hide_secrets()
            && self.git_sight.has_secrets(self.settings.project.root());
        let subject = Subject {
            background,
            on_project,
            tried_first,
            git_partly_seen,
            secrets_in_reach,
            changed_git,
            paths,
            mentioned,
            command: touched.command,
            hosts: touched.hosts,
            wide_reads_checked,
            harmless_reads,
            outside,
            ..Subject::default()
        };
        let judged_as = tool.and_then(|tool| judged_as(tool, args));
        SubjectOf { subject, path_fault, judged_as }
    }

    /// Returns whether a command can first run with the project read-only, where it can't work on a view: not what needs
    /// more than the project, nor git, which shows what it keeps of secret files.
    fn is_tried_first(&self, args: &Value) -> bool {
        let can = self.settings.sandbox.available && !self.settings.has_views() && Sandbox::can_hide_secrets();
        can && run_command::parse(args).is_ok_and(|arguments| {
            let needs_more = arguments.background == Some(true) || arguments.on_project || arguments.wants_network();
            !needs_more && !arki_policy::runs_git(&arguments.command)
        })
    }

    /// Returns what a line reads without naming it: where it is known as a whole, and where rules may allow it.
    fn reads_of(
        &self,
        tool: Option<&Tool>,
        subject: &Subject,
        policy: &PolicySettings,
        mut reads: Vec<WideRead>,
    ) -> Vec<WideRead> {
        let Some(Tool { definition, .. }) = tool.filter(|_| subject.command.is_some()) else { return reads };
        let question = PolicyQuestion {
            tool: &definition.name,
            category: Some(definition.category),
            subject,
            trusted: self.settings.trusted,
            approve: ApprovalMode::Ask,
            sandboxed: self.settings.sandbox.available,
            has_view: self.settings.has_views(),
            impact: Impact::default(),
        };
        for read in arki_policy::reads_under_rules(&question, policy).unwrap_or_default() {
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
        reads
    }

    /// Looks whether what it names lies in the project, and whether it could come by a secret file that it doesn't name.
    /// Rules about paths are no matter of looking, unless a sandbox closes those paths.
    fn looked_at(&self, wide: &[WideRead], has_path_rules: bool) -> Vec<UnnamedReads> {
        let (project, secrets) = (&self.settings.project, &self.settings.secrets);
        let in_sandbox = self.settings.sandbox.available && Sandbox::can_hide_secrets();
        let is_needed = || wide.iter().any(|read| !read.is_named());
        let are_hidden = in_sandbox || (is_needed() && !self.git_sight.has_secrets(project.root()));
        wide.iter()
            .map(|read| match read {
                _ if read.is_named() || (in_sandbox && read.opens_files()) || !has_path_rules => {
                    self.without_own_temp(look(project, secrets, are_hidden, read))
                }
                _ => UnnamedReads::NotSeen,
            })
            .collect()
    }

    /// The run's own temporary folder lies outside, and is nobody else's.
    fn without_own_temp(&self, read: UnnamedReads) -> UnnamedReads {
        let temp_dir = self.rooms.temp_dir().and_then(|temp_dir| temp_dir.canonicalize().ok());
        let is_own = |path: &str| {
            let real = Path::new(path).canonicalize().ok();
            real.zip(temp_dir.as_ref()).is_some_and(|(real, temp_dir)| real.starts_with(temp_dir))
        };
        match read {
            UnnamedReads::Outside(path) if is_own(&path) => UnnamedReads::NoSecret,
            other => other,
        }
    }

    fn changed_git(&self, line: &str) -> ChangedGit {
        let root = self.settings.project.root();
        let is_unasked = arki_policy::needs_unasked_git(line) && arki_policy::is_read_only(line);
        let unclear = is_unasked && arki_git::unasked_environment(root).is_none();
        ChangedGit { unclear, ..self.settings.standing.changed_git() }
    }

    /// Only for what may write, and where a sandbox would hold it.
    fn git_is_partly_seen(&self, line: &str) -> bool {
        let settings = &self.settings;
        settings.trusted
            && settings.sandbox.available
            && !arki_policy::is_read_only(line)
            && self.git_sight.is_partial(settings.project.root())
    }

    fn touched(&self, path: &str) -> Result<TouchedPath, Error> {
        let project = &self.settings.project;
        let path = project.resolve(path)?;
        let place = project.root().join(project.canonical(&path).unwrap_or_else(|_| path.clone()).as_str());
        if self.settings.own_folders.iter().any(|folder| place.starts_with(folder)) {
            let hint = "Only the user can change Arki's configuration and data.";
            return Err(Error::new(Code::POLICY_DENIED, format!("{path} belongs to Arki itself."), hint));
        }
        Ok(TouchedPath {
            path: path.as_str().to_owned(),
            real: real(&self.settings.project, path.as_str()),
            protected: project.is_protected(&path) || self.is_imported(&path),
            secret: project.is_secret(&path, &self.settings.secrets),
        })
    }

    /// Returns whether it is imported, by its own path or by the one that its links lead to.
    fn is_imported(&self, path: &ProjectPath) -> bool {
        let imported = &self.settings.imported;
        let by_links = || real(&self.settings.project, path.as_str()).is_some_and(|real| imported.contains(&real));
        !imported.is_empty() && (imported.contains(path.as_str()) || by_links())
    }

    /// A word of a command may be a `HEAD` that is no file.
    pub(super) fn touched_by_tool(&self, path: &str) -> Result<TouchedPath, Error> {
        let mut touched = self.touched(path)?;
        let project = &self.settings.project;
        touched.protected |= project.is_part_of_git(&project.resolve(path)?);
        Ok(touched)
    }

    /// Returns the words that name a secret file or a protected path.
    fn sensitive_among(&self, words: &[String]) -> Vec<TouchedPath> {
        let touched = words.iter().flat_map(|word| self.touched_by_word(word));
        touched.filter(|touched| touched.secret || touched.protected).collect()
    }

    /// Returns what the words may name in the project, and what is below folders that are named.
    fn named_among(&self, words: &[String], paths: &[TouchedPath]) -> Vec<String> {
        let by_text = words.iter().filter_map(|word| self.touched(word).ok()).chain(paths.iter().cloned());
        let all = by_text.flat_map(|touched| [Some(touched.path), touched.real]);
        let by_links = words.iter().map(|word| real(&self.settings.project, word));
        all.chain(by_links).flatten().flat_map(|path| [format!("{path}/."), path]).collect()
    }

    /// Returns the paths that a word names by its text, and where the system finds them. Outside the project only the
    /// last two components of both can be judged.
    fn touched_by_word(&self, word: &str) -> Vec<TouchedPath> {
        let by_text = self.touched(word).ok().or_else(|| self.touched_by_tail(word));
        let by_links = match real_place(&self.settings.project, word) {
            RealPlace::Inside(path) => self.touched(path.as_str()).ok(),
            RealPlace::Outside(path) if is_system_secret(&self.settings.project, &path) => {
                let path = path.to_string_lossy().into_owned();
                Some(TouchedPath { path, real: None, protected: false, secret: true })
            }
            RealPlace::Outside(path) => self.touched_by_tail(&path.to_string_lossy()),
            RealPlace::Unknown => None,
        };
        by_text.into_iter().chain(by_links).collect()
    }

    fn touched_by_tail(&self, path: &str) -> Option<TouchedPath> {
        let mut components = path.rsplit(['/', '\\']).filter(|component| !matches!(*component, "" | ".." | "~"));
        let name = components.next()?;
        let tail = components.next().map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}"));
        self.touched(&tail).ok()
    }
}

pub(super) fn judged_as(tool: &Tool, args: &Value) -> Option<JudgedAs> {
    let Action::Remote(remote) = &tool.action else { return None };
    remote.judged_as(args)
}

pub(super) fn real(project: &Project, path: &str) -> Option<String> {
    let RealPlace::Inside(real) = real_place(project, path) else { return None };
    (real.as_str() != path).then(|| real.as_str().to_owned())
}
