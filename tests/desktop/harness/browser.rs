//! The window in a real browser: Chromium, on what `arki serve --ui` serves.

use crate::harness::driver::Driver;
use crate::harness::process::Process;
use crate::harness::stage::{Stage, program};
use crate::harness::waiting::{free_address, wait_until};
use crate::harness::window::Window;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::process::{Command, Stdio};

/// A server of a stage's home, and a browser that may open it.
pub(crate) struct Browser<'a> {
    pub(crate) driver: Driver,
    _driver_process: Process,
    server: RefCell<Option<Process>>,
    stage: &'a Stage,
    /// The address, and the link that signs in, once.
    pub(crate) url: String,
    pub(crate) link: String,
}

impl<'a> Browser<'a> {
    pub(crate) fn of(stage: &'a Stage, arguments: &[&str]) -> Self {
        let (server, line) = serve(stage, "0", arguments);
        let at: Value = serde_json::from_str(&line).unwrap();
        let address = free_address();
        let driver_process = Process::start(
            Command::new("chromedriver")
                .arg(format!("--port={}", address.port()))
                .envs(&stage.home.env)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        let driver = Driver::new(address);
        wait_until("the driver's answer", || driver.is_ready());
        let text = |name: &str| at[name].as_str().unwrap().to_owned();
        Self {
            driver,
            _driver_process: driver_process,
            server: RefCell::new(Some(server)),
            stage,
            url: text("url"),
            link: text("signIn"),
        }
    }

    /// Ends the server under whatever page is open.
    pub(crate) fn end_server(&self) {
        self.server.take();
    }

    /// Starts it anew where it was.
    pub(crate) fn begin_server_again(&self) {
        let port = self.url.trim_end_matches('/').rsplit(':').next().unwrap();
        self.server.replace(Some(serve(self.stage, port, &[]).0));
    }

    /// Opens an address in a new browser of that size; a narrow one is a phone's.
    pub(crate) fn open(&'a self, url: &str, (width, height): (u32, u32)) -> Window<'a> {
        let profile = self.stage.home.data_dir().parent().unwrap().join(format!("browser-{width}"));
        let arguments = [
            // The tests' machine may let nobody make namespaces.
            "--no-sandbox".to_owned(),
            "--headless=new".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            format!("--window-size={width},{height}"),
            format!("--user-data-dir={}", profile.display()),
        ];
        let mut options = json!({"args": arguments});
        if width < 500 {
            options["mobileEmulation"] =
                json!({"deviceMetrics": {"width": width, "height": height, "pixelRatio": 2.0, "touch": true}});
        }
        let window = Window::begin(&self.driver, &self.stage.desk.display, &json!({"goog:chromeOptions": options}));
        window.go(url);
        window
    }
}

fn serve(stage: &Stage, port: &str, arguments: &[&str]) -> (Process, String) {
    let mut serving = Command::new(program("ARKI_BIN", "arki"));
    serving.args(["serve", "--ui", "--port", port, "--json"]).args(arguments).envs(&stage.home.env);
    Process::start_and_read(serving.stdin(Stdio::null()).stderr(Stdio::null()))
}
