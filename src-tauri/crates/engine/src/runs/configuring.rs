//! Changes to a session's settings: its model, effort, core and prompt, its tools, and the parts that its requests go
//! without.
//!
//! A run reads them once, when it starts; `run.started` keeps those that it needs to resume. Parts that are off are left
//! out as a request is assembled. An old result that is off becomes a note when the transcript folds `run.started`, and
//! late context that is off is left out then. So what was sent changes only there and at a compaction.

use crate::session_names::{ambiguous, shown};
use crate::session_tools::switched;
use crate::{Accounts, ExecutorFactory, NextRequests, Projects, Records, SessionReader, SessionSettings, blocking_for};
use arki_api::SessionChanges;
use arki_config::{Config, known_effort};
use arki_domain::projection::{MAX_PARTS_OFF, MAX_SESSION_PROMPT_BYTES};
use arki_domain::{Code, Error, SessionConfigured, SessionId};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The prefix of a tool's name in the parts that can be switched.
const TOOL: &str = "tool:";

/// Changes the settings that sessions' next runs begin with.
pub struct SessionConfiguring {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) executors: Arc<ExecutorFactory>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) next_requests: Arc<NextRequests>,
}

impl SessionConfiguring {
    /// Changes what the session's next run begins with.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER`, `PART_UNKNOWN`, `TOOL_UNKNOWN`, `PROMPT_VALIDATION_FAILED` and others; then nothing is
    /// changed.
    pub async fn configure(self: &Arc<Self>, session_id: &SessionId, changes: SessionChanges) -> Result<(), Error> {
        let configured = blocking_for(self, session_id, move |it, session| {
            it.reader.ensure_whole(session)?;
            it.configured(session, &changes)
        });
        let configured = configured.await?;
        if configured != SessionConfigured::default() {
            self.records.note(session_id, configured).await?;
        }
        Ok(())
    }

    fn configured(&self, session_id: &SessionId, changes: &SessionChanges) -> Result<SessionConfigured, Error> {
        let before = SessionSettings::in_overview(&self.reader.overview(session_id)?);
        let open = self.projects.load_project(Path::new(&self.reader.session(session_id)?.project))?;
        let config = self.projects.config_of(&open)?;
        self.ensure_usable(&config, changes)?;
        let (off_tools, off) = split(&changes.off);
        let (on_tools, on) = split(&changes.on);
        for tools in [&off_tools, &on_tools] {
            self.executors.ensure_known_tools(&open, &config, tools)?;
        }
        let parts = match off.is_empty() && on.is_empty() {
            true => before.off.clone(),
            false => self.parts_off(session_id, &before, (&off, &on))?,
        };
        let tools = switched(&before.disabled_tools, &off_tools, &on_tools);
        let changed = |new: &Option<String>, old: &Option<String>| {
            new.clone().filter(|new| new.as_str() != old.as_deref().unwrap_or_default())
        };
        Ok(SessionConfigured {
            model: changed(&changes.model, &before.model),
            effort: changed(&changes.effort, &before.effort),
            core: changed(&changes.core, &before.core),
            system: changed(&changes.system, &before.system),
            off: (parts != before.off).then_some(parts),
            disabled_tools: (tools != before.disabled_tools).then_some(tools),
            ..SessionConfigured::default()
        })
    }

    fn ensure_usable(&self, config: &Config, changes: &SessionChanges) -> Result<(), Error> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        if let Some(model) = given(&changes.model) {
            self.accounts.providers(config).model(&model)?;
        }
        if let Some(effort) = given(&changes.effort) {
            known_effort(&effort)?;
        }
        if let Some(core) = given(&changes.core) {
            arki_agent::core(&core)?;
        }
        let Some(system) = given(&changes.system) else { return Ok(()) };
        let wrong = match system.len() {
            bytes if bytes > MAX_SESSION_PROMPT_BYTES => {
                format!("The prompt has {bytes} bytes, and the limit is {MAX_SESSION_PROMPT_BYTES}.")
            }
            _ if system.contains('\0') => "The prompt has a null character.".to_owned(),
            _ if system.trim().is_empty() => "The prompt is empty.".to_owned(),
            _ => return Ok(()),
        };
        Err(Error::new(Code::PROMPT_VALIDATION_FAILED, wrong, "Write another prompt."))
    }

    /// The ids of the parts that are off then.
    fn parts_off(
        &self,
        session_id: &SessionId,
        before: &SessionSettings,
        (off, on): (&[String], &[String]),
    ) -> Result<Vec<String>, Error> {
        let next = self.next_requests.next_request(Path::new(""), Some(session_id))?;
        let mut known: BTreeSet<String> = next.parts.into_iter().filter_map(|part| part.id).collect();
        known.extend(before.off.iter().cloned());
        let named = |names: &[String]| -> Result<Vec<String>, Error> {
            names.iter().map(|name| part_named(&known, name, session_id)).collect()
        };
        let parts = switched(&before.off, &named(off)?, &named(on)?);
        if parts.len() > MAX_PARTS_OFF {
            let hint = format!("Switch off up to {MAX_PARTS_OFF}, or compact the session.");
            return Err(Error::new(Code::USAGE, "Too many parts are switched off.", hint));
        }
        Ok(parts)
    }
}

fn split(names: &[String]) -> (Vec<String>, Vec<String>) {
    let (tools, parts): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.starts_with(TOOL));
    let tools = tools.into_iter().map(|name| name[TOOL.len()..].to_owned()).collect();
    (tools, parts.into_iter().cloned().collect())
}

/// The part of that id, or the only one whose id begins so.
fn part_named(known: &BTreeSet<String>, name: &str, session_id: &SessionId) -> Result<String, Error> {
    if known.contains(name) {
        return Ok(name.to_owned());
    }
    let begins: Vec<String> = known.iter().filter(|id| !name.is_empty() && id.starts_with(name)).cloned().collect();
    match begins.as_slice() {
        [one] => Ok(one.clone()),
        [] => {
            let nearest = known.iter().min_by_key(|id| strsim::damerau_levenshtein(id, name));
            let nearest = nearest.map_or_else(String::new, |id| format!("The nearest is {}. ", shown(id)));
            let hint = format!("{nearest}`arki context {session_id}` shows them all.");
            let message = format!("The next request has no part {} that can be switched.", shown(name));
            Err(Error::new(Code::PART_UNKNOWN, message, hint))
        }
        _ => Err(ambiguous(&format!("\"{}\" fits", shown(name)), "parts", begins)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_named_by_its_id_or_the_only_beginning_that_fits() {
        let known: BTreeSet<String> =
            ["memory", "result:call_1", "result:call_22", "rule:AGENTS.md"].map(str::to_owned).into();
        let session = SessionId::from("s");
        let named = |name: &str| part_named(&known, name, &session);
        assert_eq!(named("rule:A").unwrap(), "rule:AGENTS.md");
        assert_eq!(named("result:call_1").unwrap(), "result:call_1");
        assert!(named("result:").unwrap_err().is(Code::ID_AMBIGUOUS));
        let unknown = named("rule:CLAUDE.md").unwrap_err();
        assert!(unknown.is(Code::PART_UNKNOWN) && unknown.hint.contains("AGENTS.md"), "{unknown:?}");
        assert!(named("").unwrap_err().is(Code::PART_UNKNOWN));
    }

    #[test]
    fn switching_on_wins_and_nothing_is_named_twice() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(switched(&names(&["b", "a"]), &names(&["c", "a"]), &names(&["b"])), names(&["a", "c"]));
    }
}
