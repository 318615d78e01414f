//! Generated pipelines, cut off after any number of events and resumed: the outputs are those of an undisturbed run, no
//! completed step runs again, and the state that is folded anew is the live one.

use super::*;
use proptest::prelude::*;

/// A step: its command, what it needs, whether it has items.
#[derive(Debug, Clone)]
struct Drawn {
    command: u8,
    needs: Vec<u8>,
    has_items: bool,
}

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let step = (0..5u8, prop::collection::vec(any::<u8>(), 0..3), prop::bool::weighted(0.2));
    prop::collection::vec(step.prop_map(|(command, needs, has_items)| Drawn { command, needs, has_items }), 1..12)
}

fn definition(steps: &[Drawn]) -> String {
    let step = |(at, step): (usize, &Drawn)| {
        let command = match step.command {
            0 => "upper".to_owned(),
            1 => format!("append {at}"),
            2 => "same".to_owned(),
            3 => "long".to_owned(),
            _ => "fail 1".to_owned(),
        };
        let mut needs: Vec<String> = Vec::new();
        for need in &step.needs {
            let name = format!("s{}", usize::from(*need) % at.max(1));
            if at > 0 && !needs.contains(&name) {
                needs.push(name);
            }
        }
        let items = if step.has_items { ", foreach: lines" } else { "" };
        format!(
            "{{ name: s{at}, adapter: command, run: {command}, needs: [{}], retry: {{ max_attempts: 2, backoff_ms: 0 }}{items} }}\n",
            needs.join(", ")
        )
    };
    pipeline(&steps.iter().enumerate().map(step).collect::<String>()).replace("max_steps: 100", "max_steps: 10000")
}

fn outputs(state: &PipelineState) -> BTreeMap<String, String> {
    let hash = |(name, step): (&String, &arki_domain::projection::StepState)| {
        Some((name.clone(), step.output.as_ref()?.hash.clone()))
    };
    state.steps.iter().filter_map(hash).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_run_that_is_killed_at_any_events_ends_as_one_that_was_not(
        steps in drawn(),
        rooms in prop::collection::vec(1..6usize, 0..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let undisturbed = Bench::new(&definition(&steps), "one\ntwo");
            undisturbed.go().await.unwrap();
            let expected = outputs(&undisturbed.state());

            let killed = Bench::new(&definition(&steps), "one\ntwo");
            for room in rooms {
                *killed.log.room.lock().unwrap() = room;
                if killed.state().phase == RunPhase::Completed {
                    break;
                }
                let before: Vec<(String, usize)> = killed
                    .state()
                    .steps
                    .iter()
                    .filter(|(_, step)| step.phase == StepPhase::Completed)
                    .map(|(name, _)| (name.clone(), killed.world.runs(name)))
                    .collect();
                let _ = killed.go().await;
                for (name, runs) in before {
                    assert_eq!(killed.world.runs(&name), runs, "{name} ran again");
                }
            }
            *killed.log.room.lock().unwrap() = UNBOUNDED;
            if killed.state().phase != RunPhase::Completed {
                killed.output().await;
            }
            assert_eq!(outputs(&killed.state()), expected);
        });
    }
}
