//! A process that has given up everything but computing, under the real kernel. This program starts itself as one, so it
//! has a `main` of its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods)]

#[cfg(target_os = "linux")]
mod linux {
    use arki_sandbox::seal_this_process;
    use std::fs::File;
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::process::{Command, Stdio};

    const FLAG: &str = "--sealed";
    const MEMORY: u64 = 256 << 20;

    pub(crate) fn main() {
        if std::env::args().nth(1).as_deref() == Some(FLAG) {
            return be_sealed();
        }
        let name = "a_sealed_process_reads_its_input_answers_and_reaches_nothing";
        if std::env::args().any(|argument| argument == "--list") {
            return println!("{name}: test");
        }
        a_sealed_process_reads_its_input_answers_and_reaches_nothing();
        println!("test {name} ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
    }

    /// Tries each way out, and says what came of it.
    fn be_sealed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, input) = (listener.local_addr().unwrap(), File::open("/proc/self/exe").unwrap());
        seal_this_process(MEMORY, 20).unwrap();
        let refused = |kind: ErrorKind| kind == ErrorKind::PermissionDenied;
        let ways = [
            ("open", File::open("/etc/passwd").map(drop)),
            ("write", std::fs::write("/tmp/arki-sealed", "x")),
            ("list", std::fs::read_dir("/").map(drop)),
            ("connect", TcpStream::connect(address).map(drop)),
            ("send", UdpSocket::bind("127.0.0.1:0").map(drop)),
            ("start", Command::new("/bin/true").spawn().map(drop)),
        ];
        let mut said: Vec<String> = ways
            .into_iter()
            .filter(|(_, result)| !result.as_ref().is_err_and(|error| refused(error.kind())))
            .map(|(way, result)| format!("{way}: {result:?}"))
            .collect();
        // It was open before; its number is nobody's now.
        if (&input).read(&mut [0; 4]).is_ok() {
            said.push("it reads what was open".to_owned());
        }
        std::mem::forget((input, listener));
        if Vec::<u8>::new().try_reserve_exact(usize::try_from(2 * MEMORY).unwrap()).is_ok() {
            said.push("it takes more memory".to_owned());
        }
        let mut given = String::new();
        std::io::stdin().read_to_string(&mut given).unwrap();
        println!("{given} {said:?}");
    }

    fn a_sealed_process_reads_its_input_answers_and_reaches_nothing() {
        let this = std::env::current_exe().unwrap();
        let mut child = Command::new(this).arg(FLAG).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"given").unwrap();
        let done = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&done.stdout), "given []\n", "{:?}", done.status);
    }
}

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}
