//! How long a command takes: bare, through `run`, in the sandbox, and in a view whose changes are listed. `cargo run --release --example spawn_overhead`
//! with the megabytes of memory to occupy first, the project's folder, and one for journals.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, reason = "a measurement by hand")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arki_disk::PrivateTempDir;
use arki_process::{CancellationToken, CommandLimits, CommandSpec, Confinement, run};
use arki_sandbox::{Network, OverlayView, ProjectAccess, Sandbox, SandboxSpec, home_secrets};

const ROUNDS: usize = 400;

fn main() {
    #[cfg(target_os = "linux")]
    if let Some(code) = arki_sandbox::launch_if_asked() {
        std::process::exit(code.into());
    }
    let mut arguments = std::env::args().skip(1);
    let megabytes: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(50);
    let project_root = arguments.next().map_or_else(|| std::env::current_dir().unwrap(), PathBuf::from);
    let memory = vec![1u8; megabytes << 20];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let temp_dir = PrivateTempDir::create().unwrap();
    let home = PathBuf::from(std::env::var("HOME").unwrap());
    let mut hidden = home_secrets(&home);
    hidden.push(home.join(".config/arki"));
    let root = project_root.canonicalize().unwrap();
    let views = root.with_file_name("views");
    let spec = SandboxSpec {
        project_root,
        project: ProjectAccess::Writable,
        temp_dir: temp_dir.path().to_path_buf(),
        hidden,
        shown: Vec::new(),
        also_writable: Vec::new(),
        network: Network::None,
        secrets: None,
        trash: None,
        journals: std::env::args().nth(3).map(PathBuf::from),
    };
    let start = Instant::now();
    let sandbox = Sandbox::prepare(&spec).unwrap();
    println!("prepare {:?}, notes {:?}", start.elapsed(), sandbox.notes());
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut bare = Command::new("/bin/bash");
        bare.args(["-c", "true"]).env_clear().stdin(Stdio::null()).status().unwrap();
        times[0].push(start.elapsed());
        for (times, sandbox) in times[1..].iter_mut().zip([None, Some(sandbox.as_confinement())]) {
            let start = Instant::now();
            runtime.block_on(run(command_in(sandbox), |_| {}, CancellationToken::new())).unwrap();
            times.push(start.elapsed());
        }
        if Sandbox::has_views() {
            let start = Instant::now();
            let view = Arc::new(OverlayView::create(&views, Vec::new()).unwrap());
            let viewed = sandbox.in_view(view.clone());
            runtime.block_on(run(command_in(Some(viewed.as_confinement())), |_| {}, CancellationToken::new())).unwrap();
            assert!(view.changes(&root, 10, |_| false).unwrap().changes.is_empty());
            times[3].push(start.elapsed());
        }
    }
    for (name, times) in ["bare", "run", "run in the sandbox", "run in a view"].iter().zip(&mut times) {
        times.sort();
        let Some(_) = times.first() else { continue };
        let (median, most) = (times[times.len() / 2].as_micros(), times[times.len() * 9 / 10].as_micros());
        println!("{name}: median {median} µs, 90 % {most} µs");
    }
    drop(memory);
}

fn command_in(sandbox: Option<&dyn Confinement>) -> CommandSpec<'_> {
    CommandSpec {
        command_line: "true".to_owned(),
        directory: PathBuf::from("/"),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        sandbox,
        terminal: false,
        time_limit: Duration::from_secs(10),
        limits: CommandLimits::default(),
        max_output_bytes: 1000,
        meanwhile: None,
    }
}
