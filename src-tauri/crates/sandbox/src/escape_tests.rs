//! Every attack of the corpus, really tried: in each sandbox that works here, at pipes and at a terminal, where it must
//! fail, and outside, where it must not. So none can pass by being broken.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::super::{GitAccess, Sandbox};
use super::{CommandSpec, World, layers, scopes_signals};

const CORPUS: &str = include_str!("attacks.sh");
const SUCCESS: &str = "ESCAPED";

struct Attack {
    name: &'static str,
    flags: &'static str,
    prelude: &'static str,
    script: &'static str,
}

fn attacks() -> Vec<Attack> {
    let (prelude, rest) = CORPUS.split_once("\n## ").unwrap();
    rest.split("\n## ")
        .map(|section| {
            let (title, script) = section.split_once('\n').unwrap();
            let (name, flags) = title.split_once(" [").unwrap_or((title, ""));
            Attack { name, flags, prelude, script }
        })
        .collect()
}

impl Attack {
    fn is(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }

    fn works(&self, target: &Target, sandbox: Option<&Sandbox>, terminal: bool) -> bool {
        let script = format!("{}\n{}", self.prelude, self.script);
        let mut spec = target.world.spec_of(sandbox, &script);
        spec.environment.extend(target.environment());
        let outcome = target.world.run(CommandSpec { terminal, ..spec });
        if outcome.timed_out {
            println!("{} takes too long", self.name);
        }
        if self.is("state") {
            // What was left behind has had its time then.
            if self.script.contains("sleep 1") {
                std::thread::sleep(std::time::Duration::from_secs(5));
            }
            return target.state() != target.before;
        }
        if self.is("steers") {
            return target.steering().iter().any(|found| !target.steering_before.contains(found));
        }
        outcome.output.contains(SUCCESS)
    }
}

/// The target of the attacks.
struct Target {
    world: World,
    before: BTreeMap<String, (u32, Vec<u8>)>,
    steering_before: Vec<(PathBuf, Vec<u8>)>,
    process: Child,
    tcp: TcpListener,
    tcp6: Option<TcpListener>,
    udp: UdpSocket,
    shared_key: i32,
    is_sharing: bool,
    terminal: Option<Child>,
    tty: String,
    _sockets: (Vec<UnixListener>, UnixDatagram),
}

impl Target {
    fn new(attack: &Attack) -> Self {
        let world = World::new();
        let project = world.path("project");
        for folder in [".git/hooks", ".git/objects", ".git/info", ".arki", "sub"] {
            fs::create_dir_all(project.join(folder)).unwrap();
        }
        for git in ["vendor/lib/.git", ".git/modules/sub"] {
            ["objects", "refs"].iter().for_each(|name| fs::create_dir_all(project.join(git).join(name)).unwrap());
            ["HEAD", "config"].iter().for_each(|name| fs::write(project.join(git).join(name), "[core]\n").unwrap());
        }
        fs::create_dir(project.join("vendor/lib/.git/hooks")).unwrap();
        fs::write(project.join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
        fs::write(project.join(".git/info/attributes"), "*.c diff=c\n").unwrap();
        fs::write(project.join(".git/config"), "[core]\n").unwrap();
        fs::write(project.join(".git/config.worktree"), "[core]\n").unwrap();
        fs::write(project.join(".git/hooks/post-merge"), "mine\n").unwrap();
        fs::write(project.join(".arki/config.json"), "{ }").unwrap();
        fs::write(world.path("home/.netrc"), "SECRET").unwrap();
        symlink(world.path("config"), world.path("outside/link")).unwrap();
        let process = Command::new("sleep")
            .arg("600")
            .env("KEY", "SECRET")
            .current_dir(world.path("config"))
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let abstract_name = SocketAddr::from_abstract_name(format!("arki-{}", process.id())).unwrap();
        let sockets = vec![
            UnixListener::bind(world.path("outside/socket")).unwrap(),
            UnixListener::bind(project.join("socket")).unwrap(),
            UnixListener::bind_addr(&abstract_name).unwrap(),
        ];
        let datagrams = UnixDatagram::bind(world.path("outside/datagrams")).unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let echo = udp.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 16];
            while let Ok((length, sender)) = echo.recv_from(&mut buffer) {
                if length == 0 || echo.send_to(b"answer", sender).is_err() {
                    return;
                }
            }
        });
        let (terminal, tty) = if attack.script.contains("TTY") { a_terminal() } else { Default::default() };
        let shared_key = i32::try_from(process.id()).unwrap();
        let is_sharing = attack.script.contains("SHARED_KEY");
        if is_sharing {
            share_memory(shared_key, true);
        }
        let mut target = Self {
            before: BTreeMap::new(),
            steering_before: Vec::new(),
            process,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            tcp6: TcpListener::bind("[::1]:0").ok(),
            udp,
            shared_key,
            is_sharing,
            terminal,
            tty,
            _sockets: (sockets, datagrams),
            world,
        };
        target.before = target.state();
        target.steering_before = target.steering();
        target
    }

    fn environment(&self) -> Vec<(String, String)> {
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port().to_string();
        let pid = self.process.id();
        vec![
            ("PID".into(), pid.to_string()),
            ("TCP".into(), port(&self.tcp)),
            ("TCP6".into(), self.tcp6.as_ref().map_or_else(|| "1".to_owned(), port)),
            ("UDP".into(), self.udp.local_addr().unwrap().port().to_string()),
            ("ABSTRACT".into(), format!("arki-{pid}")),
            ("SHARED_KEY".into(), self.shared_key.to_string()),
            ("TTY".into(), self.tty.clone()),
        ]
    }

    /// Returns the files in the project that make git run something, with their contents. What attacks only prepare is
    /// none.
    fn steering(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let project = self.world.path("project");
        let mut all = BTreeMap::new();
        record(&project, &mut all);
        let steers = |(path, (_, content)): (String, (u32, Vec<u8>))| {
            let path = Path::new(&path).strip_prefix(&project).unwrap().to_owned();
            let is_prepared = ["g", "other", "gone"].iter().any(|folder| path.starts_with(folder));
            let name = path.file_name()?.to_str()?.to_owned();
            let is_evil = |content: &[u8]| content.windows(4).any(|window| window == b"evil");
            let target = String::from_utf8_lossy(&content).trim_start_matches("gitdir:").trim().to_owned();
            let leads_to_evil = || {
                let config = project.join(&path).parent()?.join(&target).join("config");
                Some(is_evil(&fs::read(config).ok()?))
            };
            let is_pointer = name == ".git" && !content.is_empty() && leads_to_evil() == Some(true);
            (!is_prepared && (name == "commondir" || is_pointer || is_evil(&content))).then_some((path, content))
        };
        all.into_iter().filter_map(steers).collect()
    }

    /// Mode and content of everything that no command may change, by path.
    fn state(&self) -> BTreeMap<String, (u32, Vec<u8>)> {
        let mut state = BTreeMap::new();
        for name in ["outside", "config", "home", "project/.git/hooks", "project/.git/config", "project/.arki"] {
            record(&self.world.path(name), &mut state);
        }
        record(&self.world.path("project/.git/config.worktree"), &mut state);
        state
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        for child in [Some(&mut self.process), self.terminal.as_mut()].into_iter().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = UdpSocket::bind("127.0.0.1:0").unwrap().send_to(&[], self.udp.local_addr().unwrap());
        if self.is_sharing {
            share_memory(self.shared_key, false);
        }
        // An attack that works, as the control, may have moved the whole world.
        let renamed = format!("{}-renamed", self.world.folder.path().display());
        let _ = fs::remove_dir_all(renamed);
    }
}

fn record(path: &Path, state: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    let Ok(found) = path.symlink_metadata() else { return };
    let content = if found.is_symlink() {
        path.read_link().unwrap().into_os_string().into_encoded_bytes()
    } else if found.is_file() {
        fs::read(path).unwrap_or_default()
    } else {
        Vec::new()
    };
    state.insert(path.display().to_string(), (found.permissions().mode(), content));
    if found.is_dir() {
        fs::read_dir(path).into_iter().flatten().flatten().for_each(|entry| record(&entry.path(), state));
    }
}

/// A process that sits at a terminal of its own, and the terminal's path.
fn a_terminal() -> (Option<Child>, String) {
    let script = "import pty,os,sys; a,b=pty.openpty(); print(os.ttyname(b), flush=True); sys.stdin.read()";
    let mut child =
        Command::new("python3").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut path = String::new();
    let mut said = child.stdout.take().unwrap();
    let mut byte = [0];
    while said.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
        path.push(char::from(byte[0]));
    }
    (Some(child), path)
}

/// By a program of the system, since this one has no way to it.
fn share_memory(key: i32, is_there: bool) {
    let script = if is_there {
        format!("import ctypes; ctypes.CDLL(None).shmget({key}, 16, 0o1600)")
    } else {
        format!("import ctypes; l=ctypes.CDLL(None); l.shmctl(l.shmget({key}, 16, 0), 0, None)")
    };
    let mut child = Command::new("python3").arg("-").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    child.wait().unwrap();
}

fn try_all(which: impl Fn(usize) -> bool) {
    let is_root = rustix::process::geteuid().is_root();
    let mut wrong = Vec::new();
    for (_, attack) in attacks().into_iter().enumerate().filter(|(number, _)| which(*number)) {
        let works_outside = attack.works(&Target::new(&attack), None, false);
        let may_be_impossible = attack.is("kernel") || (attack.is("root") && !is_root);
        if !works_outside && may_be_impossible {
            println!("skipped, impossible here even outside: {}", attack.name);
            continue;
        }
        if !works_outside {
            wrong.push(format!("{}: does not work outside, so it shows nothing", attack.name));
        }
        let accesses = if attack.name.starts_with("git:") {
            vec![GitAccess::ReadOnly, GitAccess::Writable]
        } else {
            vec![GitAccess::ReadOnly]
        };
        let ways = ["landlock", "bubblewrap"].into_iter().flat_map(|layer| [(layer, false), (layer, true)]);
        for ((layer, terminal), access) in ways.flat_map(|way| accesses.iter().map(move |access| (way, *access))) {
            let target = Target::new(&attack);
            let sandboxes = layers(&target.world.spec());
            let Some(sandbox) = sandboxes.iter().find(|sandbox| sandbox.name().starts_with(layer)) else { continue };
            let sandbox = &sandbox.with_git(access);
            let is_gap_of_landlock = attack.is("bubblewrap") || (attack.is("6.12") && !scopes_signals(sandbox));
            let is_known_gap = layer == "landlock" && is_gap_of_landlock;
            if attack.works(&target, Some(sandbox), terminal) != is_known_gap {
                let what = if is_known_gap { "no longer works, so say so" } else { "works" };
                let place = if terminal { ", at a terminal" } else { "" };
                wrong.push(format!("{}: {what} in {layer}{place}, {access:?}", attack.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// In four parts, which run side by side.
#[test]
fn no_attack_works_1() {
    try_all(|number| number % 4 == 0);
}

#[test]
fn no_attack_works_2() {
    try_all(|number| number % 4 == 1);
}

#[test]
fn no_attack_works_3() {
    try_all(|number| number % 4 == 2);
}

#[test]
fn no_attack_works_4() {
    try_all(|number| number % 4 == 3);
}

#[test]
fn the_corpus_is_read_whole() {
    let attacks = attacks();
    assert_eq!(attacks.len(), CORPUS.lines().filter(|line| line.starts_with("## ")).count());
    assert!(attacks.len() > 100, "{}", attacks.len());
}
