//! A D-Bus session of its own with an unlocked keychain in it.

use crate::harness::process::Process;
use crate::harness::waiting::wait_until;
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Without folders of services: nothing is started behind a test's back.
const CONFIGURATION: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=SOCKET</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

pub(crate) struct SessionBus {
    _keychain: Process,
    _bus: Process,
}

/// Adds to the environment where programs look for the bus and for what is the user's own.
pub(crate) fn prepare(home: &Path, environment: &mut BTreeMap<String, String>) {
    let runtime = home.join("run");
    std::fs::create_dir(&runtime).unwrap();
    std::fs::set_permissions(&runtime, std::fs::Permissions::from_mode(0o700)).unwrap();
    environment.insert("DBUS_SESSION_BUS_ADDRESS".into(), format!("unix:path={}", runtime.join("bus").display()));
    environment.insert("XDG_RUNTIME_DIR".into(), runtime.display().to_string());
    for (name, folder) in
        [("XDG_DATA_HOME", ".local/share"), ("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")]
    {
        environment.insert(name.into(), home.join(folder).display().to_string());
    }
}

impl SessionBus {
    /// In the environment that was prepared for it.
    pub(crate) fn start(home: &Path, environment: &BTreeMap<String, String>) -> Self {
        let runtime = home.join("run");
        let configuration = home.join("bus.conf");
        let socket = runtime.join("bus").display().to_string();
        std::fs::write(&configuration, CONFIGURATION.replace("SOCKET", &socket)).unwrap();
        let (bus, _address) = Process::start_and_read(
            Command::new("dbus-daemon")
                .arg(format!("--config-file={}", configuration.display()))
                .args(["--nofork", "--print-address=1"])
                .envs(environment)
                .stdin(Stdio::null())
                .stderr(Stdio::null()),
        );
        Self { _keychain: unlocked_keychain(&runtime, environment), _bus: bus }
    }
}

fn unlocked_keychain(runtime: &Path, environment: &BTreeMap<String, String>) -> Process {
    let (password, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"password").unwrap();
    drop(writer);
    let keychain = Process::start(
        Command::new("gnome-keyring-daemon")
            .args(["--foreground", "--unlock", "--components=secrets"])
            .envs(environment)
            .stdin(password)
            .stdout(Stdio::null())
            .stderr(Stdio::null()),
    );
    wait_until("the keychain's socket", || runtime.join("keyring/control").exists());
    keychain
}
