//! One engine over a scripted model and a throw-away home, for the tests of sessions.

use arki_domain::{ApprovalMode, EventDraft, RunOptions, SessionConfigured, SessionId, SystemClock};
use arki_engine::{
    Client, ClientCapabilities, Directories, Engine, EngineOptions, EnvironmentKeys, RunEnd, RunTarget, StartRun,
};
use arki_redaction::Redactor;
use arki_store::{Store, StoreOptions};
use arki_testkit::{Script, ScriptedServer, TestHome, Turn};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Stage {
    pub(crate) home: TestHome,
    pub(crate) engine: Arc<Engine>,
    /// Of a program that ends with its run, as `arki` does.
    pub(crate) client: Arc<Client>,
    server: ScriptedServer,
}

impl Stage {
    pub(crate) async fn new(turns: Vec<Turn>) -> Self {
        Self::configured(turns, &json!({})).await
    }

    /// `config` goes over the configuration's top level.
    pub(crate) async fn configured(turns: Vec<Turn>, config: &Value) -> Self {
        let server = Script::new(turns).sequential().start().unwrap();
        let home = TestHome::new(&server.url(), config).unwrap();
        home.write("a.txt", "one\n").unwrap();
        let engine = opened(&home);
        engine.folder_trust().trust(&home.project_dir(), Vec::new()).await.unwrap();
        let client = Arc::new(Client::attach(&engine, "cli", ClientCapabilities::default()));
        Self { home, engine, client, server }
    }

    /// From now on somebody sees what the model asks.
    pub(crate) fn put_questions(&mut self) {
        self.client =
            Arc::new(Client::attach(&self.engine, "window", ClientCapabilities { answers: true, stays: false }));
    }

    /// From now on the client stays, as the desktop app does.
    pub(crate) fn stay(&mut self) {
        self.client =
            Arc::new(Client::attach(&self.engine, "window", ClientCapabilities { answers: false, stays: true }));
    }

    /// As another process would.
    pub(crate) fn second_client(&self) -> Client {
        Client::attach(&self.second_engine(), "cli", ClientCapabilities::default())
    }

    /// As another process would open the same data directory.
    pub(crate) fn second_engine(&self) -> Arc<Engine> {
        opened(&self.home)
    }

    pub(crate) fn start(&self, target: RunTarget) -> StartRun {
        let options = RunOptions { approve: ApprovalMode::Ask, ..RunOptions::default() };
        StartRun { options, ..StartRun::new(target, "go") }
    }

    pub(crate) fn new_session(&self) -> StartRun {
        self.start(RunTarget::NewSession(self.home.project_dir()))
    }

    /// With everything granted beforehand.
    pub(crate) fn granted(&self) -> StartRun {
        let options = RunOptions { approve: ApprovalMode::All, ..RunOptions::default() };
        StartRun { options, ..self.new_session() }
    }

    pub(crate) async fn run_to_end(&self) -> (SessionId, RunEnd) {
        self.finish(self.new_session()).await
    }

    pub(crate) async fn run_granted(&self) -> (SessionId, RunEnd) {
        self.finish(self.granted()).await
    }

    pub(crate) async fn run_in(&self, session: &SessionId, prompt: &str) -> RunEnd {
        let start = StartRun { prompt: prompt.into(), ..self.start(RunTarget::Session(session.clone())) };
        self.finish(start).await.1
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.home.project_dir().join(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.home.project_dir().join(path).exists()
    }

    pub(crate) fn model_url(&self) -> String {
        self.server.url()
    }

    /// The body of what the model was sent last.
    pub(crate) fn last_request(&self) -> String {
        self.server.requests().last().unwrap().json.to_string()
    }

    /// The bodies of all that the model was sent.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.server.requests().iter().map(|request| request.json.to_string()).collect()
    }

    /// Until something is so, for a while.
    pub(crate) async fn until(&self, is_so: impl Fn(&Engine) -> bool) {
        let so = async {
            while !is_so(&self.engine) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), so).await.unwrap();
    }

    /// Until the model was asked so often.
    pub(crate) fn wait_for_requests(&self, count: usize) {
        assert!(self.server.wait_until(|journal| journal.requests.len() >= count), "the model was not asked");
    }

    /// Has another process add so many events to a session.
    pub(crate) async fn store_elsewhere(&self, session: &SessionId, count: usize) {
        let options = StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
        let store = Store::open(&self.home.data_dir().join("arki.db"), options).unwrap();
        let noted = || EventDraft::of_session(SessionConfigured::default());
        store.append(session, std::iter::repeat_with(noted).take(count).collect()).await.unwrap();
        store.close().unwrap();
    }

    /// Makes the log as it was before its last event.
    pub(crate) fn forget_last_event(&self, session: &SessionId) {
        let database = rusqlite::Connection::open(self.home.data_dir().join("arki.db")).unwrap();
        let triggers = "DROP TRIGGER IF EXISTS events_are_never_deleted";
        database.execute_batch(triggers).unwrap();
        let last = "DELETE FROM events WHERE rowid = (SELECT max(rowid) FROM events WHERE session_id = ?1)";
        database.execute(last, [session.as_str()]).unwrap();
        let end = "UPDATE sessions SET (last_seq, last_hash) = \
                   (SELECT seq, hash FROM events WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1) WHERE session_id = ?1";
        database.execute(end, [session.as_str()]).unwrap();
    }

    /// Has another process store a session with these events.
    pub(crate) async fn store_session(&self, session: &SessionId, drafts: Vec<EventDraft>) {
        let options = StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
        let store = Store::open(&self.home.data_dir().join("arki.db"), options).unwrap();
        store.append(session, drafts).await.unwrap();
        store.close().unwrap();
    }

    /// Sets a part of the user's configuration, for engines that are opened from now on.
    pub(crate) fn configure(&self, key: &str, value: Value) {
        let path = self.home.config_dir().join("config.json");
        let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        config[key] = value;
        std::fs::write(path, config.to_string()).unwrap();
    }

    /// As if a content had never been kept.
    pub(crate) fn forget_content(&self, hash: &str) {
        let database = rusqlite::Connection::open(self.home.data_dir().join("arki.db")).unwrap();
        assert_eq!(database.execute("DELETE FROM blobs WHERE hash = ?1", [hash]).unwrap(), 1);
    }

    async fn finish(&self, start: StartRun) -> (SessionId, RunEnd) {
        let (run, handle) = self.client.start_run(start).await.unwrap();
        (run.session_id, handle.await.unwrap().unwrap())
    }
}

fn opened(home: &TestHome) -> Arc<Engine> {
    let directories = Directories { config: home.config_dir(), data: home.data_dir() };
    let mut environment_keys = EnvironmentKeys::default();
    environment_keys.keep("MOCK_KEY", "sk-mock-0123456789abcdef".into());
    Engine::open(EngineOptions { directories, ephemeral: false, environment_keys }).unwrap()
}
