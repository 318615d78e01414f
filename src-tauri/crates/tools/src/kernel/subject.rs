//! What a call is about: the paths and the command in its arguments, in the policy's terms.

use super::Kernel;
use crate::policy::{Subject, TouchedPath};
use arki_domain::{Code, Fault};
use serde_json::Value;

/// The subject as far as it can be read off arguments that may be wrong.
pub(super) struct SubjectOf {
    pub(super) subject: Subject,
    /// Why the path cannot be used, if so.
    pub(super) path_fault: Option<Fault>,
}

impl Kernel {
    pub(super) fn subject_of(&self, args: &Value) -> SubjectOf {
        let mut subject = Subject::default();
        let mut path_fault = None;
        let path = args.get("path").and_then(Value::as_str).filter(|path| !matches!(*path, "" | "." | "./"));
        if let Some(path) = path {
            match self.touched(path) {
                Ok(touched) => subject.paths.push(touched),
                Err(fault) => path_fault = Some(fault),
            }
        }
        if let Some(command) = args.get("command").and_then(Value::as_str) {
            subject.paths.extend(self.sensitive_in(command));
            subject.command = Some(command.to_owned());
        }
        SubjectOf { subject, path_fault }
    }

    fn touched(&self, path: &str) -> Result<TouchedPath, Fault> {
        let project = &self.settings.project;
        let path = project.resolve(path)?;
        let real = project.root().join(project.canonical(&path).unwrap_or_else(|_| path.clone()).as_str());
        if self.settings.own_folders.iter().any(|folder| real.starts_with(folder)) {
            return Err(Fault::new(
                Code::POLICY_DENIED,
                format!("{path} belongs to Arki itself."),
                "Arki's configuration and data are the user's alone to change.",
            ));
        }
        Ok(TouchedPath {
            path: path.as_str().to_owned(),
            protected: project.is_protected(&path),
            secret: project.is_secret(&path, &self.settings.secrets),
        })
    }

    /// Every word of a shell line that names a secret file or a protected path, however it is quoted. Rather one too many.
    fn sensitive_in(&self, command: &str) -> Vec<TouchedPath> {
        let is_separator = |c: char| c.is_whitespace() || "'\"`;|&<>()$={},:@".contains(c);
        let words = command.split(is_separator).filter(|word| !word.is_empty());
        words
            .filter_map(|word| self.touched_by_word(word))
            .filter(|touched| touched.secret || touched.protected)
            .collect()
    }

    /// Outside the project only the word's last two components can be judged.
    fn touched_by_word(&self, word: &str) -> Option<TouchedPath> {
        self.touched(word).ok().or_else(|| {
            let mut components = word.rsplit(['/', '\\']).filter(|component| !matches!(*component, "" | ".." | "~"));
            let name = components.next()?;
            let tail = components.next().map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}"));
            self.touched(&tail).ok()
        })
    }
}
