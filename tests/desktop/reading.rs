//! An answer and its calls as they are read: folded reads, previews, formulas, diagrams, larger text.

use crate::harness::{Stage, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const ANSWER: &str = r#"# Findings

The sum is $\sum_{i=1}^{n} i = \frac{n(n+1)}{2}$, which costs $5 or $6.

$$
\int_0^1 x^2 \, dx = \frac{1}{3}
$$

```mermaid
flowchart LR
  A[Ask] --> B{Allowed?}
  B -->|yes| C[Run]
  B -->|no| D[Ask the user]
  click A "javascript:alert(1)"
```

```python
def total(numbers):
    return sum(numbers)
```
"#;

/// The names of the pictures' widths and of what runs or loads in a picture: there must be none.
const DIAGRAM: &str = r"
    const picture = document.querySelector('.diagram img');
    if (!picture?.complete || picture.naturalWidth === 0) return null;
    const svg = decodeURIComponent(picture.src);
    return { width: picture.naturalWidth, unsafe: /<script|javascript:|https?:\/\/(?!www\.w3\.org)/.exec(svg)?.[0] ?? '' };
";
const FORMULAS: &str = "return document.querySelectorAll('.formula math').length";

#[test]
fn an_answer_is_read_with_its_calls_folded_and_its_formulas_and_diagrams_drawn() {
    let read = |path: &str| ("read_file", json!({"path": path}));
    let reads = ["src/app.txt", "missing.txt", "src/app.txt"].iter().fold(Turn::text("Let me look."), |turn, path| {
        let (name, arguments) = read(path);
        turn.call(name, arguments)
    });
    let command = json!({"command": "seq 1 20; exit 3"});
    let stage = Stage::trusted(Script::new(vec![
        reads,
        Turn::calls().call("run_command", command),
        Turn::pieces(vec![ANSWER]),
    ]));
    let window = stage.open();
    window.ask("What did you find?");
    window.says("Findings");

    let folded = window.button_saying("3 reads");
    assert!(folded.text().contains("1 failed"), "{}", folded.text());
    let transcript = window.transcript();
    assert!(transcript.contains("exit code 3"), "{transcript}");
    assert!(transcript.contains("17 more lines\n18\n19\n20"), "{transcript}");
    wait_until("the formulas", || window.run(FORMULAS) == 2);
    let mut diagram = Value::Null;
    wait_until("the diagram", || {
        diagram = window.run(DIAGRAM);
        !diagram.is_null()
    });
    assert_eq!(diagram["unsafe"], "", "{diagram}");
    window.picture("reading-light");

    folded.click();
    wait_until("the calls", || window.transcript().matches("read_file").count() >= 3);
    window.run("document.documentElement.dataset.text = 'larger'; document.documentElement.dataset.theme = 'dark'");
    window.settle();
    window.picture("reading-larger-dark");
}

#[test]
fn ten_thousand_quotes_and_items_take_nothing_else_with_them() {
    let answer = format!("{}quoted\n\n{}listed\n\nStill **here**.", ">".repeat(10_000), "- ".repeat(10_000));
    let stage = Stage::trusted(Script::new(vec![Turn::pieces(vec![answer.as_str()])]));
    let window = stage.open();
    window.ask("How deep can it be?");
    window.says("Still here.");
    let transcript = window.transcript();
    assert!(transcript.contains(&format!("{}quoted", ">".repeat(9_900))), "the quotes are gone");
    assert!(transcript.contains("listed"), "the items are gone");
    assert!(!transcript.contains("can't be shown"), "a row is not drawn");
    window.run("document.querySelector('.markdown blockquote')?.scrollIntoView()");
    window.picture("nested-quotes");
}
