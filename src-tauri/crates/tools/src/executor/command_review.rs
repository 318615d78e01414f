//! Decisions about commands: what is shown of one, and whether it is still what was shown.

use super::ExecutorSettings;
use super::command::AsDecided;
use super::command_sandbox::{CommandRooms, Purpose};
use super::host_access::{WayOut, registries};
use super::judging::{Judge, permitted};
use super::path::{CallDecision, CallWork};
use super::question;
use super::record::Record;
use super::signing::CommitSigner;
use crate::builtin::run_command;
use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    ApprovalMode, CallOutcome, CommandConfinement, CommandPreview, CommandTrial, Decision, EffectsLanding, Error,
    ReasonCode, ToolCall,
};
use arki_policy::{Impact, Verdict};
use arki_sandbox::Sandbox;
use std::sync::Arc;

/// Decides on a run's commands, and makes their previews.
pub(super) struct CommandReview {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) judge: Arc<Judge>,
    pub(super) rooms: Arc<CommandRooms>,
    pub(super) signer: CommitSigner,
}

impl CommandReview {
    pub(super) async fn decided(
        &self,
        call: &ToolCall,
        verdict: Verdict,
        approve: ApprovalMode,
    ) -> CallDecision<'static> {
        if verdict.decision.is_unasked() {
            return CallDecision::Perform(verdict, CallWork::Command(AsDecided::shown(call)));
        }
        match self.preview(call, approve).await {
            Ok(preview) => CallDecision::ask(question::of_command(call, &verdict, preview)),
            Err(fault) => CallDecision::Fail(fault),
        }
    }

    /// Asks about a command that first ran with the project read-only and failed.
    pub(super) async fn ask_after_trial(
        &self,
        call: &ToolCall,
        tried: CommandTrial,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let preview = match self.preview(call, record.approve()).await {
            Ok(preview) => CommandPreview { tried: Some(tried), ..preview },
            Err(fault) => return record.fail(call, &fault).await,
        };
        let mut subject = self.judge.subject_of(self.judge.toolbox.tool(&call.tool_id), &call.args);
        subject.subject.tried_first = false;
        let verdict = self.judge.decide(&call.tool_id, &subject, record.approve(), Impact::default());
        record.ask(question::of_command(call, &verdict, preview)).await
    }

    /// Decides on a command that the user has edited: it is the user's own, but what is denied stays denied.
    pub(super) async fn approved(
        &self,
        call: &ToolCall,
        approval: &ResolvedApproval,
        approve: ApprovalMode,
    ) -> CallDecision<'static> {
        let preview = match self.preview(call, approve).await {
            Ok(preview) => preview,
            Err(fault) => return CallDecision::Fail(fault),
        };
        if preview.preview_hash != approval.requested.shown_hash() {
            let ask = |verdict: &Verdict| question::of_command(call, verdict, preview);
            return CallDecision::ask(question::anew(approval, (Decision::Approval, ReasonCode::STALE_COMMAND), ask));
        }
        let decided = AsDecided::of(call, Some(approval));
        if decided.by_user {
            let call = &decided.call;
            let subject = self.judge.subject_of(self.judge.toolbox.tool(&call.tool_id), &call.args);
            let verdict = self.judge.decide(&call.tool_id, &subject, approve, Impact::default());
            if verdict.decision == Decision::Deny {
                return CallDecision::deny(verdict);
            }
        }
        CallDecision::Perform(permitted(&approval.requested), CallWork::Command(decided))
    }

    async fn preview(&self, call: &ToolCall, approve: ApprovalMode) -> Result<CommandPreview, Error> {
        let arguments = run_command::parse(&call.args)?;
        let room = self.rooms.room().await?;
        let directory = self.settings.project.root().display().to_string();
        let private = self.needs_private(call, &arguments);
        let purpose = Purpose { only_reads: self.rooms.only_reads(&arguments), agreed: true, private, tried: false };
        let sandbox = room.sandbox_for(&arguments, purpose)?;
        let signing = self.signer.signing(&arguments).await?.map(|signing| signing.note());
        let registries = self.note_of_registries(&arguments);
        let confinement = sandbox.as_ref().map(|sandbox| CommandConfinement {
            network: arguments.network,
            hosts: if arguments.network { Vec::new() } else { self.hosts_in_reach(&arguments, purpose) },
            writes_project: !purpose.only_reads,
            lands: (!purpose.only_reads && self.rooms.works_in_view(&arguments)).then(|| EffectsLanding::of(approve)),
            reads_private: private,
            notes: [
                sandbox.gaps(),
                room.note_of_outside_git(&arguments).into_iter().chain(signing).chain(registries).collect(),
            ]
            .concat(),
        });
        let sandbox = sandbox.as_ref().map_or("none", Sandbox::name).to_owned();
        let environment: Vec<String> = room.environment.iter().map(|(name, _)| name.clone()).collect();
        let mut shown = if private { format!("{sandbox}, private files") } else { sandbox.clone() };
        if !arguments.hosts.is_empty() {
            shown.push_str(&format!(", hosts {}", arguments.hosts.join(" ")));
        }
        let preview_hash = question::command_hash(&arguments.command, &directory, &shown, &environment);
        let command = arguments.command;
        Ok(CommandPreview { command, directory, environment, sandbox, confinement, tried: None, preview_hash })
    }

    /// Returns the hosts that it asks for, and those that rules grant it by name.
    fn hosts_in_reach(&self, arguments: &run_command::Arguments, purpose: Purpose) -> Vec<String> {
        let mut hosts = arguments.hosts.clone();
        if WayOut::is_open(&self.settings, arguments, purpose) {
            hosts.extend(self.judge.hosts_by_rule(&arguments.command));
        }
        hosts.sort();
        hosts.dedup();
        hosts
    }

    /// Names the hosts that would do for a line that wants the whole network to install packages.
    fn note_of_registries(&self, arguments: &run_command::Arguments) -> Option<String> {
        let could = arguments.network && arguments.background != Some(true) && self.settings.has_views();
        let registries = if could { registries(&arguments.command) } else { Vec::new() };
        let hosts = (!registries.is_empty()).then(|| registries.join(" and "))?;
        Some(format!("It asks for every host. To install packages, {hosts} would usually do."))
    }

    /// Returns whether a command that is asked about is shown as one that can open secret files, and the user's other
    /// files: not where it is a known build, test or installation, or asks for hosts, and names none.
    fn needs_private(&self, call: &ToolCall, arguments: &run_command::Arguments) -> bool {
        let subject = self.judge.subject_of(self.judge.toolbox.tool(&call.tool_id), &call.args).subject;
        subject.secrets_in_reach
            || subject.outside.is_some()
            || subject.paths.iter().any(|path| path.secret)
            || (arguments.hosts.is_empty() && arki_policy::wide_reads(&arguments.command).is_none())
    }
}
