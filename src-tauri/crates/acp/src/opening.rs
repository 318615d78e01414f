//! Opening sessions: new ones, and those that were there before.

use crate::agent::{AgentReply, EditorAgent};
use crate::asking::EditorAsker;
use crate::editor_files::EditorFiles;
use crate::follower::SessionFollower;
use crate::live_session::LiveSession;
use crate::messages::{AvailableCommand, ClientCapabilityFlags, OpenSession, SessionUpdate};
use crate::replay::{Past, replay};
use crate::rpc::{RequestId, RpcRefusal};
use crate::session_options::{EditorMode, session_choices};
use crate::telling::{Teller, message};
use crate::turn::COMPACT;
use arki_domain::projection::Overview;
use arki_domain::{Code, Error, SessionId};
use arki_engine::{Engine, OpenBuffers};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl EditorAgent {
    /// Answers `session/new`. Nothing is told of the session before that.
    pub(crate) async fn open_new(&self, request: &RequestId, asked: OpenSession) -> Result<AgentReply, RpcRefusal> {
        let folder = absolute(asked.cwd)?;
        self.sessions.ensure_room()?;
        let session = self.client.engine().sessions().begin(&folder).await?;
        let (id, project) = (session.session_id, PathBuf::from(session.project));
        self.open(request, id, (project, folder), Past::None, asked.mcp_servers).await
    }

    /// Answers `session/load`, once the session's past is told, or `session/resume`.
    pub(crate) async fn open_again(
        &self,
        request: &RequestId,
        asked: OpenSession,
        past: Past,
    ) -> Result<AgentReply, RpcRefusal> {
        let id = asked.session_id.ok_or_else(|| RpcRefusal::invalid_params("`sessionId` is missing."))?;
        let named_folder = absolute(asked.cwd)?;
        let (engine, of, named) = (self.client.engine().clone(), id.clone(), named_folder.clone());
        let folder = self.reading(move || folder_of(&engine, &of, &named)).await?;
        match self.sessions.find(&id) {
            Some(open) if open.has_turn() => {
                return Err(RpcRefusal::invalid_request("The session is still working on a prompt."));
            }
            Some(open) => {
                open.closing.cancel();
                self.sessions.remove(&id);
            }
            None => self.sessions.ensure_room()?,
        }
        self.open(request, id, (folder, named_folder), past, asked.mcp_servers).await
    }

    /// Opens a session in its folder, which is named twice: as it is, and as the client names it.
    async fn open(
        &self,
        request: &RequestId,
        id: SessionId,
        (folder, named_folder): (PathBuf, PathBuf),
        past: Past,
        servers: Vec<Value>,
    ) -> Result<AgentReply, RpcRefusal> {
        let engine = self.client.engine().clone();
        let subscription = engine.subscribe();
        let form = self.output_form();
        let told = match past {
            Past::Told => Some(replay(&engine, &self.connection, &id, folder.clone(), form).await?),
            Past::None | Past::Known => None,
        };
        let (of, at) = (id.clone(), folder.clone());
        let reading = self.reading(move || {
            let overview = engine.session_reader().overview(&of)?;
            let mode = EditorMode::last_in(&overview);
            let told = told.unwrap_or(overview.last_seq);
            let teller = teller(&engine, &overview, Teller::new(at, form), told)?;
            Ok((session_choices(&engine, &of, mode)?, mode, overview, teller, told))
        });
        let (choices, mode, overview, teller, told) = reading.await?;
        let left_out = self.take_in_servers(&id, &folder, servers).await;
        let buffers = self.buffers_of(&folder);
        let (session, orders) = LiveSession::new(id.clone(), (folder, named_folder), mode, buffers);
        let follower = SessionFollower::new(self.asker(&session), subscription, teller, overview, choices.window);
        self.sessions.add(&session);
        let mut opened = json!({"modes": mode.state(), "configOptions": choices.options});
        if past == Past::None {
            opened["sessionId"] = json!(id);
        }
        self.connection.answer(request, Ok(opened)).await;
        self.tell_commands(&session).await;
        self.tell(&session, left_out.map(|text| message("servers", text)).into_iter().collect()).await;
        tokio::spawn(follower.run(told, orders));
        Ok(AgentReply::Elsewhere)
    }

    /// Has runs in the folder look at the client's open files, where it tells of them.
    fn buffers_of(&self, folder: &Path) -> Option<Arc<dyn OpenBuffers>> {
        let ClientCapabilityFlags { reads_files, writes_files, .. } = self.capabilities();
        if !reads_files {
            return None;
        }
        let open = self.client.engine().projects().editor_buffers();
        // What is known of its files holds for every session of the folder.
        if let Some(buffers) = open.of(folder) {
            return Some(buffers);
        }
        let buffers: Arc<dyn OpenBuffers> = Arc::new(EditorFiles::new(self, folder.to_owned(), writes_files));
        open.add(folder, &buffers);
        Some(buffers)
    }

    fn asker(&self, session: &Arc<LiveSession>) -> EditorAsker {
        let (client, connection, session) = (self.client.clone(), self.connection.clone(), session.clone());
        EditorAsker { client, connection, session, capabilities: self.capabilities() }
    }

    async fn tell_commands(&self, session: &LiveSession) {
        let (engine, folder) = (self.client.engine().clone(), session.folder.clone());
        let listed = match self.reading(move || engine.projects().slash_commands(Some(&folder))).await {
            Ok(listed) => listed,
            Err(fault) => return tracing::warn!(fault.message, "slash commands can't be listed"),
        };
        let offered = listed.into_iter().filter(|command| command.begins_run || command.name == COMPACT);
        let commands = offered.map(|one| AvailableCommand::new(one.name, one.description, one.arguments)).collect();
        self.tell(session, vec![SessionUpdate::AvailableCommandsUpdate { available_commands: commands }]).await;
    }
}

/// Returns a teller that knows of the run that hasn't ended what was told: news of its calls may come.
fn teller(engine: &Engine, overview: &Overview, mut teller: Teller, told: u64) -> Result<Teller, Error> {
    if let Some(run) = overview.run.as_ref().filter(|run| !run.is_ended()) {
        engine.session_reader().each_run_event(&run.run_id, |event| {
            if event.seq <= told {
                teller.fold(&event);
            }
        })?;
    }
    Ok(teller)
}

/// Returns the session's folder, where it's the one that the client means.
fn folder_of(engine: &Engine, id: &SessionId, folder: &Path) -> Result<PathBuf, Error> {
    let found = engine.session_names().find_session(id.as_str())?;
    if found.session_id != *id {
        let message = format!("There is no session {id}.");
        return Err(Error::new(Code::SESSION_NOT_FOUND, message, "`session/list` lists them."));
    }
    let here = engine.projects().folder(folder)?;
    if here != Path::new(&found.project) {
        let message = format!("This session works in {}, not in {}.", found.project, here.display());
        return Err(Error::new(Code::SESSION_ELSEWHERE, message, "Open that folder."));
    }
    Ok(here)
}

fn absolute(cwd: PathBuf) -> Result<PathBuf, RpcRefusal> {
    if cwd.is_absolute() {
        return Ok(cwd);
    }
    Err(RpcRefusal::invalid_params("`cwd` is the absolute path of a folder."))
}
