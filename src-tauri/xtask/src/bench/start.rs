//! `bench start`: from starting `arki` to its first request, beside what it costs to start something bare on the same
//! machine in the same minute. In a git repository a run asks git for its state first, in the sandbox.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{
    home::Home,
    model_server::ModelServer,
    script,
    statistics::{median, milliseconds, ratio},
};
use crate::{failure::Failure, process, repository::Repository};

const RUNS: usize = 25;
/// Thrown away: they fill the page cache and create the database.
const WARM_UP: usize = 3;

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let server = ModelServer::start(vec![script::text("ok")])?;
    let home = Home::prepare(repository, "start", &server.base_url)?;
    let in_git = Home::prepare(repository, "start-in-git", &server.base_url)?;
    process::capture(Command::new("git").args(["init", "--quiet"]).current_dir(in_git.project()))?;
    let interpreter = interpreter();
    let (mut arki, mut arki_in_git, mut python, mut nothing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for run in 0..RUNS + WARM_UP {
        let first = first_request(&home, &server)?;
        let first_in_git = first_request(&in_git, &server)?;
        let bare_python = spawned(Command::new(&interpreter).args(["-I", "-S", "-c", "pass"]));
        let bare_true = spawned(&mut Command::new("true"));
        if run >= WARM_UP {
            arki.push(first);
            arki_in_git.push(first_in_git);
            python.extend(bare_python);
            nothing.extend(bare_true);
        }
    }
    report(median(&arki), median(&arki_in_git), median(&python), median(&nothing));
    Ok(())
}

fn first_request(home: &Home, server: &ModelServer) -> Result<Duration, Failure> {
    let mut command = home.arki();
    command.args(["exec", "hi"]).stderr(home.log()?);
    let started = Instant::now();
    let child = command.spawn().map_err(|error| Failure::new(format!("cannot start arki: {error}")))?;
    home.finish(child, |_| {})?;
    let arrivals = server.new_arrivals();
    let first = arrivals.first().ok_or_else(|| Failure::new("arki ended without a request"))?;
    Ok(first.duration_since(started))
}

/// Python itself: the first one in the path may be a version manager's script
/// that takes longer than what is measured.
fn interpreter() -> String {
    let question = ["-c", "import sys; print(sys.executable)"];
    match process::capture(Command::new("python3").args(question)) {
        Ok(path) if !path.trim().is_empty() => path.trim().to_owned(),
        _ => "python3".to_owned(),
    }
}

/// `None` where the program is not installed.
pub(crate) fn spawned(command: &mut Command) -> Option<Duration> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    process::succeeds(command).then(|| started.elapsed())
}

fn report(arki: Duration, in_git: Duration, python: Duration, nothing: Duration) {
    println!("\nStart to first request, median of {RUNS} warm runs");
    println!("  {:<28} {:>9.1} ms", "arki exec", milliseconds(arki));
    println!("  {:<28} {:>9.1} ms", "the same in a git repository", milliseconds(in_git));
    println!(
        "  {:<28} {:>9.1} ms   arki is {:.2} times that",
        "a bare python3",
        milliseconds(python),
        ratio(arki, python)
    );
    println!(
        "  {:<28} {:>9.1} ms   arki is {:.2} times that",
        "/bin/true",
        milliseconds(nothing),
        ratio(arki, nothing)
    );
    println!(
        r#"{{"bench":"start","runs":{RUNS},"arkiMs":{:.3},"inGitMs":{:.3},"pythonMs":{:.3},"trueMs":{:.3},"ratioToPython":{:.3},"ratioToTrue":{:.3}}}"#,
        milliseconds(arki),
        milliseconds(in_git),
        milliseconds(python),
        milliseconds(nothing),
        ratio(arki, python),
        ratio(arki, nothing)
    );
}
