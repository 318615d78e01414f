//! A plan of named steps: shown first, run in order, summed up at the end.

use std::time::{Duration, Instant};

use crate::{failure::Failure, repository::Repository};

pub(crate) enum Outcome {
    Done,
    /// Nothing was to be done, or it cannot be done here; says which.
    Skipped(String),
}

pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// The time it takes on two cores from a clean clone, for the plan.
    pub(crate) expected: &'static str,
    pub(crate) action: fn(&Repository) -> Result<Outcome, Failure>,
}

/// Stops at the first failing step: the later ones would only bury its words.
pub(crate) fn run(repository: &Repository, title: &str, steps: &[Step]) -> Result<(), Failure> {
    println!("{title}. The plan, with times for a clean clone on two cores:");
    for (index, step) in steps.iter().enumerate() {
        println!("  {:>2}. {:<22} {}", index + 1, step.name, step.expected);
    }
    let started = Instant::now();
    let mut lines = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        println!("\n==> {}/{} {}", index + 1, steps.len(), step.name);
        let step_started = Instant::now();
        let result = (step.action)(repository);
        let took = duration(step_started.elapsed());
        match result {
            Ok(Outcome::Done) => lines.push(format!("  ok      {took:>9}  {}", step.name)),
            Ok(Outcome::Skipped(why)) => {
                println!("{why}");
                lines.push(format!("  skipped {took:>9}  {}: {why}", step.name));
            }
            Err(failure) => {
                lines.push(format!("  FAILED  {took:>9}  {}", step.name));
                lines.extend(steps[index + 1..].iter().map(|left| format!("  not run            {}", left.name)));
                summary(title, &lines, started.elapsed());
                return Err(failure);
            }
        }
    }
    summary(title, &lines, started.elapsed());
    Ok(())
}

fn summary(title: &str, lines: &[String], total: Duration) {
    println!("\n{title}: summary");
    for line in lines {
        println!("{line}");
    }
    println!("  total   {:>9}", duration(total));
}

pub(crate) fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = elapsed.as_secs();
        format!("{} m {:02} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_a_person_would_say_them() {
        assert_eq!(duration(Duration::from_millis(1340)), "1.3 s");
        assert_eq!(duration(Duration::from_secs(64)), "1 m 04 s");
    }
}
