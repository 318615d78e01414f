//! The commands about sessions, runs and approvals: thin delegates to the engine.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{
    ApprovalSummary, ExplainedDecision, HeldConversation, MentionEntry, MentionSize, OpenedConversation,
    QuestionSummary, Resolution, ReviewContext, ReviewFile, ReviewPage, RunCommands, RunningCommand, SendOptions, Sent,
    SessionPage, SessionSummary, Shown, SlashCommandEntry,
};
use arki_domain::{ApprovalId, CallId, QuestionId, QueueMode, SessionId};
use arki_engine::{hold_conversation, open_conversation, rule_text, running_commands, stop_command};

impl<S: Surroundings> RunCommands for Asker<S> {
    async fn list_sessions(self) -> CommandAnswer<Vec<SessionSummary>> {
        self.reading(|engine| engine.worktrees().listed_sessions(LISTED_SESSIONS)).await
    }

    async fn session_page(
        self,
        session_id: String,
        before_seq: Option<u64>,
        limit: usize,
    ) -> CommandAnswer<SessionPage> {
        let limit = limit.min(LARGEST_PAGE);
        self.reading(move |engine| {
            engine.session_reader().session_page(&SessionId::from(session_id), before_seq, limit)
        })
        .await
    }

    async fn open_conversation(self, session_id: String, limit: usize) -> CommandAnswer<OpenedConversation> {
        let held = self.page.listening.held();
        self.reading(move |engine| {
            open_conversation(engine.session_reader(), &held, &SessionId::from(session_id), limit)
        })
        .await
    }

    async fn hold_conversation(
        self,
        session_id: String,
        from_seq: u64,
        to_seq: Option<u64>,
    ) -> CommandAnswer<HeldConversation> {
        let held = self.page.listening.held();
        self.reading(move |engine| {
            hold_conversation(engine.session_reader(), &held, &SessionId::from(session_id), from_seq, to_seq)
        })
        .await
    }

    async fn list_commands(self) -> CommandAnswer<Vec<SlashCommandEntry>> {
        let folder = self.client.folder();
        self.reading(move |engine| engine.projects().slash_commands(folder.as_deref())).await
    }

    async fn list_mentions(self, typed: String) -> CommandAnswer<Vec<MentionEntry>> {
        let Some(folder) = self.client.folder() else { return Ok(Vec::new()) };
        self.reading(move |engine| engine.mentionables().mentionable(&folder, &typed)).await
    }

    async fn mentions_in(self, text: String) -> CommandAnswer<Vec<MentionSize>> {
        let Some(folder) = self.client.folder() else { return Ok(Vec::new()) };
        Ok(self.engine().draft_mentions().mentions_in(folder, text).await?)
    }

    async fn send_message(
        self,
        to: Shown,
        text: String,
        pictures: Option<Vec<String>>,
        options: SendOptions,
        mode: Option<QueueMode>,
    ) -> CommandAnswer<Sent> {
        Ok(self.client.say(to, text, pictures.unwrap_or_default(), options, mode).await?)
    }

    async fn stop_run(self, session_id: String) -> CommandAnswer<()> {
        Ok(self.client.stop_session(&SessionId::from(session_id)).await?)
    }

    async fn retry_now(self, session_id: String) -> CommandAnswer<()> {
        self.engine().runs().retry_now(&SessionId::from(session_id));
        Ok(())
    }

    async fn list_processes(self) -> CommandAnswer<Vec<RunningCommand>> {
        self.reading(|_| Ok(running_commands())).await
    }

    async fn stop_process(self, id: u64) -> CommandAnswer<()> {
        stop_command(id);
        Ok(())
    }

    async fn resume_run(self, of: Shown) -> CommandAnswer<()> {
        let session = self.reading(move |engine| engine.session_reader().session_shown(of)).await?;
        self.client.resume_run(&session, None).await?;
        Ok(())
    }

    async fn list_approvals(self) -> CommandAnswer<Vec<ApprovalSummary>> {
        self.reading(|engine| engine.approvals().reviews().inbox()).await
    }

    async fn review_files(self, approval_id: String) -> CommandAnswer<Vec<ReviewFile>> {
        self.reading(move |engine| engine.approvals().reviews().review_files(&ApprovalId::from(approval_id))).await
    }

    async fn review_page(self, approval_id: String, file: usize, from: usize) -> CommandAnswer<ReviewPage> {
        self.reading(move |engine| engine.approvals().reviews().review_page(&ApprovalId::from(approval_id), file, from))
            .await
    }

    async fn review_context(
        self,
        approval_id: String,
        path: String,
        from: usize,
        lines: usize,
    ) -> CommandAnswer<ReviewContext> {
        let approval_id = ApprovalId::from(approval_id);
        self.reading(move |engine| engine.approvals().reviews().review_context(&approval_id, &path, from, lines)).await
    }

    async fn proposed_rule(self, approval_id: String) -> CommandAnswer<Option<String>> {
        let approval_id = ApprovalId::from(approval_id);
        let rules = self.reading(move |engine| engine.approvals().rules().proposed_rules(&approval_id)).await?;
        Ok((!rules.is_empty()).then(|| rule_text(&rules)))
    }

    async fn explain_decision(
        self,
        session_id: String,
        call_id: String,
        seq: Option<u64>,
    ) -> CommandAnswer<Option<ExplainedDecision>> {
        let (session_id, call_id) = (SessionId::from(session_id), CallId::from(call_id));
        self.reading(move |engine| engine.approvals().policy().explain_decision(&session_id, &call_id, seq)).await
    }

    async fn resolve_approval(self, approval_id: String, resolution: Resolution) -> CommandAnswer<()> {
        let decision = self.client.decide(&ApprovalId::from(approval_id), resolution).await?;
        decision.rule_not_kept.map_or(Ok(()), |fault| Err(fault.into()))
    }

    async fn list_questions(self) -> CommandAnswer<Vec<QuestionSummary>> {
        let open = self.reading(|engine| engine.open_questions().open_questions()).await?;
        Ok(open.into_iter().map(QuestionSummary::from).collect())
    }

    async fn answer_question(self, session_id: String, question_id: String, text: String) -> CommandAnswer<()> {
        let (session_id, question_id) = (SessionId::from(session_id), QuestionId::from(question_id));
        self.client.answer_question(&session_id, &question_id, &text).await?;
        Ok(())
    }
}

/// The list shows this many; older sessions are found by search.
const LISTED_SESSIONS: usize = 10_000;
const LARGEST_PAGE: usize = 1000;
