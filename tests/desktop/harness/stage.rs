//! One test's world: a home, a project, a model that plays a script, and a desk to open the app at.

use crate::harness::desk::{Desk, Services};
use crate::harness::display::Screen;
use crate::harness::picture::Picture;
use crate::harness::waiting::wait_until;
use crate::harness::window::Window;
use crate::scenes::sixty_lines;
use arki_testkit::{Finished, MOCK_KEY, Script, ScriptedServer, TestHome, json_lines};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) struct Stage {
    pub(super) desk: Desk,
    pub(crate) home: TestHome,
    pub(crate) model: ScriptedServer,
}

/// The configuration of [`Stage::asking`].
pub(crate) fn asking_policy() -> Value {
    json!({"policy": {"categories": {"exec": "approval"}}})
}

impl Stage {
    /// In a folder that nobody has decided about.
    pub(crate) fn new(script: Script) -> Self {
        Self::configured(script, |_| Value::Null)
    }

    /// With a configuration that goes over the usual one's top level, made from the model's address.
    pub(crate) fn configured(script: Script, config: impl FnOnce(&str) -> Value) -> Self {
        Self::furnished(script, config, &[])
    }

    /// With variables in the environment of everything that is started.
    pub(crate) fn furnished(
        script: Script,
        config: impl FnOnce(&str) -> Value,
        environment: &[(&str, String)],
    ) -> Self {
        Self::on(Screen::Usual, script, config, environment)
    }

    /// At a screen of that size.
    pub(crate) fn on(
        screen: Screen,
        script: Script,
        config: impl FnOnce(&str) -> Value,
        environment: &[(&str, String)],
    ) -> Self {
        Self::at(screen, Services::Usual, script, config, environment)
    }

    /// Where the desktop has those services.
    pub(crate) fn at(
        screen: Screen,
        services: Services,
        script: Script,
        config: impl FnOnce(&str) -> Value,
        environment: &[(&str, String)],
    ) -> Self {
        let model = script.start().unwrap();
        let mut home = TestHome::new(&model.url(), &config(&model.url())).unwrap();
        home.env.extend(environment.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let desk = Desk::set_up(&mut home, screen, services);
        Self { desk, home, model }
    }

    /// In a folder that is trusted, with a file of sixty lines in it.
    pub(crate) fn trusted(script: Script) -> Self {
        let stage = Self::new(script);
        stage.write("src/app.txt", &sixty_lines());
        stage.trust();
        stage
    }

    /// The same where commands ask before they run, and work on the project itself, as on machines without views.
    pub(crate) fn asking(script: Script) -> Self {
        let stage = Self::configured(script, |_| asking_policy());
        stage.write("src/app.txt", &sixty_lines());
        stage.trust();
        stage
    }

    pub(crate) fn trust(&self) {
        self.arki(&["trust"]);
    }

    /// The app on the project.
    pub(crate) fn open(&self) -> Window<'_> {
        self.open_on(&self.home.project_dir())
    }

    pub(crate) fn open_on(&self, folder: &Path) -> Window<'_> {
        let options = json!({"binary": program("ARKI_DESKTOP_BIN", "arki-desktop"), "args": [folder]});
        Window::open(&self.desk, &options)
    }

    /// The app on no folder.
    pub(crate) fn open_empty(&self) -> Window<'_> {
        Window::open(&self.desk, &json!({"binary": program("ARKI_DESKTOP_BIN", "arki-desktop"), "args": []}))
    }

    /// Another program with a window that has a `main`.
    pub(crate) fn open_program(&self, program: &Path) -> Window<'_> {
        Window::open(&self.desk, &json!({"binary": program, "args": []}))
    }

    /// The process whose window is open.
    #[track_caller]
    pub(crate) fn app(&self) -> u32 {
        self.desk.apps().first().copied().expect("no app is open")
    }

    /// Starts the app once more while it is open, and sees this second one end.
    pub(crate) fn start_again(&self, folder: &Path) {
        self.start_with(&folder.display().to_string());
    }

    /// Starts the app once more, as the desktop does for a link.
    pub(crate) fn start_with(&self, argument: &str) {
        let app = program("ARKI_DESKTOP_BIN", "arki-desktop");
        let done = std::process::Command::new(app).arg(argument).envs(&self.home.env).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    /// Closes the window as its user would, and sees the app end by itself.
    pub(crate) fn close(&self, window: Window<'_>) {
        window.close();
        self.app_ends();
    }

    /// Closes every window as its user would, and leaves the app to itself.
    pub(crate) fn close_windows(&self) {
        self.desk.display.close_windows();
    }

    #[track_caller]
    pub(crate) fn app_ends(&self) {
        wait_until("the end of the app", || self.desk.apps().is_empty());
    }

    /// Runs `arki -C PROJECT args...` to its end, in the same D-Bus session; it must succeed.
    #[track_caller]
    pub(crate) fn arki(&self, args: &[&str]) -> Finished {
        let done = self.try_arki(args);
        assert_eq!(done.code, Some(0), "arki {args:?}: {done:?}");
        done
    }

    pub(crate) fn try_arki(&self, args: &[&str]) -> Finished {
        self.home.run_arki(&program("ARKI_BIN", "arki"), args).unwrap()
    }

    /// The stored events of the only session.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        let sessions = json_lines(&self.arki(&["sessions", "list", "--json"]).stdout).unwrap();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        json_lines(&self.arki(&["events", sessions[0]["sessionId"].as_str().unwrap(), "--json"]).stdout).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        self.home.write(name, content).unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.home.project_dir().join(name)).unwrap()
    }

    /// What the model was sent, as text, in the request of that number (from 1), once it has come.
    #[track_caller]
    pub(crate) fn request(&self, number: usize) -> String {
        assert!(self.model.wait_until(|journal| journal.requests.len() >= number), "request {number} did not come");
        String::from_utf8_lossy(&self.model.requests()[number - 1].body).into_owned()
    }

    /// The key may be in what goes to the provider, and nowhere else: not in what the window shows or may ask for.
    #[track_caller]
    pub(crate) fn no_key_in(&self, window: &Window<'_>) {
        let all = window.everything_it_knows();
        assert!(!all.contains(MOCK_KEY), "the window knows the key");
        assert!(all.contains("mock/mock"), "the commands were not answered: {all}");
    }

    /// The processes that render what a model says inherit the app's environment: no key may be in it.
    #[track_caller]
    pub(crate) fn no_key_in_web_processes(&self) {
        let environments: Vec<String> = self
            .web_processes()
            .into_iter()
            .filter_map(|id| std::fs::read(format!("/proc/{id}/environ")).ok())
            .map(|environment| String::from_utf8_lossy(&environment).into_owned())
            .collect();
        assert!(!environments.is_empty(), "no web process of this app was found");
        assert!(environments.iter().all(|environment| !environment.contains(MOCK_KEY)), "a web process has the key");
    }

    /// Ends the processes that draw the pages of this app, as a crash does.
    #[track_caller]
    pub(crate) fn kill_pages(&self) {
        let pages = self.pages();
        assert!(!pages.is_empty(), "no page of this app was found");
        for id in pages {
            let done = std::process::Command::new("kill").args(["-KILL", &id.to_string()]).status().unwrap();
            assert!(done.success());
        }
    }

    /// The processes that draw the pages of this app.
    pub(crate) fn pages(&self) -> Vec<u32> {
        self.web_processes().into_iter().filter(|id| name_of(*id).starts_with("WebKitWebProce")).collect()
    }

    /// What the screen shows, once it stands still.
    pub(crate) fn picture(&self) -> Picture {
        self.desk.display.picture()
    }

    /// The webview's processes that this app has started: they have this home in their environment.
    fn web_processes(&self) -> Vec<u32> {
        let home = self.home.project_dir();
        let home = home.parent().unwrap_or(&home).display().to_string();
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = all.filter_map(|process| process.file_name().to_str()?.parse().ok());
        ids.filter(|id| {
            let is_web = ["WebKitWebProce", "WebKitNetwork"].iter().any(|name| name_of(*id).starts_with(name));
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            is_web && String::from_utf8_lossy(&environment).contains(&home)
        })
        .collect()
    }
}

fn name_of(id: u32) -> String {
    std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default()
}

pub(crate) fn program(variable: &str, name: &str) -> PathBuf {
    if let Some(named) = std::env::var_os(variable) {
        return named.into();
    }
    let this = std::env::current_exe().unwrap();
    let program = this.parent().map(Path::parent).unwrap().unwrap().join(name);
    assert!(program.is_file(), "{} is missing: `cargo build --workspace --bins` makes it", program.display());
    program
}
