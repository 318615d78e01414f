//! The machine that a test sits at: a display, a D-Bus session and a driver that starts the app.

use crate::bench;
use crate::harness::display::{Display, Screen};
use crate::harness::driver::Driver;
use crate::harness::process::Process;
use crate::harness::session_bus::{self, SessionBus};
use crate::harness::waiting::{free_address, wait_until};
use arki_testkit::TestHome;
use std::path::Path;
use std::process::{Command, Stdio};

/// Few and always the same, so that pictures can be compared.
pub(super) const FONTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/desktop/harness/fonts.conf");

/// What a desktop has besides a display.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Services {
    /// A D-Bus session with a keychain in it.
    Usual,
    None,
}

/// Dropped from the top: the app goes before what it stands on.
pub(crate) struct Desk {
    pub(crate) driver: Driver,
    driver_process: Process,
    _bus: Option<SessionBus>,
    pub(crate) display: Display,
}

impl Desk {
    /// Adds to the home's environment what programs need in order to find it all.
    pub(crate) fn set_up(home: &mut TestHome, screen: Screen, services: Services) -> Self {
        let folder = home.data_dir().parent().unwrap().to_owned();
        session_bus::prepare(&folder, &mut home.env);
        let bus = (services == Services::Usual).then(|| SessionBus::start(&folder, &home.env));
        let display = Display::start(&folder, screen);
        home.env.insert("DISPLAY".into(), display.name.clone());
        home.env.insert("GDK_BACKEND".into(), "x11".into());
        // No bus of assistive technology: the driver asks the web page itself.
        home.env.insert("NO_AT_BRIDGE".into(), "1".into());
        if !bench::is_chosen() && Path::new("/usr/share/fonts/truetype/dejavu").is_dir() {
            home.env.insert("FONTCONFIG_FILE".into(), FONTS.into());
        }
        home.env.insert("TAURI_WEBVIEW_AUTOMATION".into(), "true".into());
        let address = free_address();
        let driver_process = Process::start(
            Command::new("WebKitWebDriver")
                .arg(format!("--port={}", address.port()))
                .envs(&home.env)
                .env_remove("WAYLAND_DISPLAY")
                .current_dir(&folder)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        let driver = Driver::new(address);
        wait_until("the driver's answer", || driver.is_ready());
        Self { driver, driver_process, _bus: bus, display }
    }

    /// The processes that the driver has started and that are still there.
    pub(crate) fn apps(&self) -> Vec<u32> {
        let id = self.driver_process.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        children.split_whitespace().filter_map(|child| child.parse().ok()).collect()
    }
}
