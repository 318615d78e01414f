//! A pipeline of fifty steps is killed at random moments and resumed each time: its outputs are those of an undisturbed
//! run, and no step that was completed ran twice, counted by the steps themselves.
//!
//! `ARKI_SOAK=1` kills it at thirty moments, an ordinary test run at eight; `ARKI_CRASH_SEED=N` chooses others.
#![cfg(unix)]

use crate::harness::{Stage, payloads, program, text};
use crate::pipelines::{run_id, stage};
use std::collections::HashMap;
use std::time::{Duration, Instant};

const STEPS: usize = 50;
/// The number of kills: in a full run, and in an ordinary test run.
const MOMENTS: [usize; 2] = [30, 8];

/// Each step notes that it ran, and hands on what it got with its own number.
fn definition() -> String {
    let step = |n: usize| {
        let needs = match n {
            0 => ", needs: []".to_owned(),
            // Every fifth one joins the last two, so that not all of it is a line.
            n if n % 5 == 0 => format!(", needs: [s{}, s{}]", n - 1, n - 2),
            _ => String::new(),
        };
        format!("  - {{ name: s{n}, adapter: command, run: \"echo s{n} >> runs.log; tail -n 3; echo {n}\"{needs} }}\n")
    };
    format!("name: long\nsteps:\n{}", (0..STEPS).map(step).collect::<String>())
}

/// A number of a sequence that follows from the seed.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn runs(stage: &Stage) -> HashMap<String, usize> {
    let mut runs = HashMap::new();
    for line in stage.read("runs.log").lines() {
        *runs.entry(line.to_owned()).or_default() += 1;
    }
    runs
}

#[test]
fn fifty_steps_killed_at_random_moments_end_as_if_nothing_had_happened() {
    let undisturbed = stage(&[("long", &definition())]);
    if !undisturbed.has_sandbox() {
        return;
    }
    let began = Instant::now();
    let expected = undisturbed.arki(&["run", "long"]).exits(0).stdout;
    let whole = began.elapsed();
    assert!(runs(&undisturbed).values().all(|times| *times == 1));

    let moments = MOMENTS[usize::from(std::env::var_os("ARKI_SOAK").is_none())];
    let first = std::env::var("ARKI_CRASH_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7u64);
    let mut seed = first;
    let mut left = moments;
    // One that is through before all moments have come is followed by another.
    while left > 0 {
        left -= kill_and_resume(&expected, whole, &mut seed, left);
    }
}

/// Kills one run at up to `moments` moments, resumes it to its end and looks at what came of it. Returns how often it was
/// killed while it was at work.
fn kill_and_resume(expected: &str, whole: Duration, seed: &mut u64, moments: usize) -> usize {
    let first = *seed;
    let killed = stage(&[("long", &definition())]);
    let mut begun = 0;
    let mut kills = 0;
    for moment in 0..moments {
        let args: Vec<&str> = if begun == 0 { vec!["run", "long"] } else { vec!["resume", "long"] };
        let mut child = killed.home.spawn_arki(&program(), &args).unwrap();
        let share = u32::try_from(next(seed) % 1000).unwrap();
        // The whole takes longer the more often it is killed: a few steps each time, wherever that is.
        let delay = whole * (20 + share * 2 / 10) / 1000 + Duration::from_millis(60);
        let deadline = Instant::now() + delay;
        let done = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if Instant::now() >= deadline => break None,
                None => std::thread::park_timeout(Duration::from_millis(1)),
            }
        };
        let _ = child.kill();
        let _ = child.wait();
        kills += usize::from(done.is_none());
        begun = killed.arki(&["runs", "--json"]).lines().len();
        assert!(begun <= 1, "seed {first}, moment {moment}: it was resumed, not begun again");
        if done.is_some_and(|status| status.success()) {
            break;
        }
    }
    let args: Vec<&str> = if begun == 0 { vec!["run", "long"] } else { vec!["resume", "long"] };
    let ended = killed.arki(&args).exits(0).stdout;
    assert_eq!(ended, expected, "seed {first}");
    let events = killed.events(&run_id(&killed));
    let mut completed: HashMap<String, usize> = HashMap::new();
    for step in payloads(&events, "step.completed") {
        *completed.entry(text(&step["step"])).or_default() += 1;
    }
    assert!(completed.len() == STEPS && completed.values().all(|times| *times == 1), "seed {first}: {completed:?}");
    // A step that was at work when it was killed runs again; what it had changed is taken back before, or never landed.
    let once = !cfg!(target_os = "linux") || runs(&killed).values().all(|times| *times == 1);
    assert!(once && runs(&killed).len() == STEPS, "seed {first}: {:?}", runs(&killed));
    killed.verifies();
    assert!(kills > 0, "seed {first}: it ended before it could be killed");
    kills
}
