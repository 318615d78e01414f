//! Paths that the denylist forbids, however they are written.

use super::*;

#[tokio::test]
async fn what_the_denylist_forbids_is_not_begun() {
    let deny = |steps: &str| format!("{}denylist_patterns: [\"**/.env*\"]\n", pipeline(steps));
    let named = Bench::new(&deny("{ name: a, adapter: command, run: cat b/.env }"), "");
    assert!(named.failure().await.is(Code::STEP_DENYLISTED));
    assert_eq!(named.world.runs("a"), 0);
    let handed = Bench::new(&deny("{ name: a, adapter: command, run: same, foreach: lines }"), "a.txt\nb/.env.local\n");
    assert!(handed.failure().await.is(Code::STEP_DENYLISTED));
    let touched = Bench::new(
        &deny("{ name: a, adapter: command, run: touch .env.new }\n{ name: b, adapter: command, run: same }"),
        "",
    );
    assert!(touched.failure().await.is(Code::STEP_DENYLISTED));
    assert_eq!(touched.world.runs("b"), 0);
}

#[tokio::test]
async fn no_spelling_of_a_path_leads_past_the_denylist() {
    let deny = |step: &str| format!("{}denylist_patterns: [\"**/.env*\", \"secret/*\"]\n", pipeline(step));
    for line in ["cat link", "cat a twin", "cat /project/secret/a", "cat ./x/../secret/a", "cat b/.env/"] {
        let named = Bench::new(&deny(&format!("{{ name: a, adapter: command, run: {line} }}")), "");
        assert!(named.failure().await.is(Code::STEP_DENYLISTED), "{line}");
        assert_eq!(named.world.runs("a"), 0);
    }
    let step = deny("{ name: a, adapter: command, run: same }");
    for input in ["link", "a\ntwin\n", "x\n/project/secret/a\n", "my secrets/.env"] {
        assert!(Bench::new(&step, input).failure().await.is(Code::STEP_DENYLISTED), "{input}");
    }
    assert_eq!(Bench::new(&step, "Put it into secret/.env").output().await, "Put it into secret/.env");
    let items = deny("{ name: a, adapter: command, run: same, foreach: json }");
    assert!(Bench::new(&items, "[\"a\", \"b/.env\"]").failure().await.is(Code::STEP_DENYLISTED));
    assert!(Bench::new(&items, "[\"a\", \"twin\"]").failure().await.is(Code::STEP_DENYLISTED));
}
