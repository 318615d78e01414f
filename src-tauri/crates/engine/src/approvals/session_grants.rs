//! Permissions of one session: recorded in its log, and known to the policy as long as the session goes on here.
//!
//! A fork begins without them, going back to before they were given ends them, and those that came with an export are
//! nobody's here.

use crate::{History, Records, SessionReader, blocking_for};
use arki_domain::{Error, SessionGranted, SessionId};
use arki_policy::{PolicyRule, RuleDefinition};
use serde_json::Value;
use std::sync::Arc;

/// More are a mistake; a rule in the configuration says more than many of them.
const MAX_SESSION_GRANTS: usize = 100;

/// The permissions of sessions.
pub struct SessionGrants {
    pub(super) records: Arc<Records>,
    pub(super) reader: Arc<SessionReader>,
}

impl SessionGrants {
    /// Returns what is allowed in a session, in the order in which it was.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the database cannot be read.
    pub fn session_grants(&self, session_id: &SessionId) -> Result<Vec<RuleDefinition>, Error> {
        self.reader.session(session_id)?;
        Ok(definitions(&self.grants_of(session_id, &self.reader.history(session_id)?)?))
    }

    /// Ends all of them; what was done by them stays. A run that works goes on with them to its next stop.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the database cannot be used.
    pub async fn withdraw_session_grants(
        self: &Arc<Self>,
        session_id: &SessionId,
    ) -> Result<Vec<RuleDefinition>, Error> {
        let withdrawn = blocking_for(self, session_id, move |grants, session| grants.session_grants(session)).await?;
        if !withdrawn.is_empty() {
            self.records.note(session_id, SessionGranted { rules: Vec::new() }).await?;
        }
        Ok(withdrawn)
    }

    /// The log's word for more of them.
    pub(crate) fn granting(&self, session_id: &SessionId, more: &[RuleDefinition]) -> Result<SessionGranted, Error> {
        let mut rules = self.grants_of(session_id, &self.reader.history(session_id)?)?;
        if rules.len() + more.len() > MAX_SESSION_GRANTS {
            let message = format!("A session can have at most {MAX_SESSION_GRANTS} permissions.");
            let hint = format!("`arki approvals withdraw {session_id}` ends them all.");
            return Err(Error::new(arki_domain::Code::USAGE, message, hint));
        }
        for rule in more {
            rules.push(serde_json::to_value(rule).map_err(Error::internal)?);
        }
        Ok(SessionGranted { rules })
    }

    /// Returns the rules as the policy knows them: `session:rules[1]` and so on.
    pub(crate) fn granted_rules(&self, session_id: &SessionId, history: &History) -> Result<Vec<PolicyRule>, Error> {
        let definitions = definitions(&self.grants_of(session_id, history)?);
        let rules = definitions.into_iter().enumerate();
        Ok(rules.filter_map(|(at, definition)| PolicyRule::new(definition, "session", at + 1).ok()).collect())
    }

    /// Returns the session's grants. None were given here in a session that came from elsewhere.
    fn grants_of(&self, session_id: &SessionId, history: &History) -> Result<Vec<Value>, Error> {
        let is_own = history.grants_seq > self.records.reader().imported_to(session_id)?;
        Ok(if is_own { history.grants.clone() } else { Vec::new() })
    }
}

/// One that this version cannot read allows nothing.
fn definitions(rules: &[Value]) -> Vec<RuleDefinition> {
    rules.iter().filter_map(|rule| serde_json::from_value(rule.clone()).ok()).collect()
}
