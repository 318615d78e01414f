//! `calculate`: an expression's value, exact as long as it can be. `ans`, what the tool said last, is in the session's
//! state, stored together with the result.

mod expression;
mod functions;
mod number;

use crate::outcome::{Output, ToolError};
use crate::tool::{Action, InsideResult, InsideTask, Tool, arguments};
use arki_domain::{Code, Error, StateChanged};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The longest expression, in bytes.
const MAX_EXPRESSION_BYTES: usize = 4096;
/// The key in the session's state.
const ANS: &str = "ans";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Such as `round(ans^2, 3)`.
    expression: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("calculate", include_str!("calculate/manual.md"), Action::Inside(calculate))
}

fn calculate(task: &InsideTask<'_>) -> Result<InsideResult, ToolError> {
    let Arguments { expression } = arguments(task.args)?;
    let ans = task.agent_state.values().get(ANS).and_then(number);
    let value = if expression.len() > MAX_EXPRESSION_BYTES {
        Err(format!("it is longer than {MAX_EXPRESSION_BYTES} bytes"))
    } else {
        expression::value(&expression, ans.as_ref())
    };
    match value {
        Ok(value) => Ok(done(task, value.to_string())),
        Err(why) => {
            Err(Error::new(Code::EXPRESSION_INVALID, format!("Can't compute the expression: {why}."), "").into())
        }
    }
}

/// Reads the number as this tool wrote it, or as somebody else set it.
fn number(ans: &Value) -> Option<number::Number> {
    match ans {
        Value::String(text) => expression::told(text),
        Value::Number(number) => expression::told(&number.to_string()),
        _ => None,
    }
}

/// A state without room for the result loses `ans`: an earlier one would be taken for this one.
fn done(task: &InsideTask<'_>, mut text: String) -> InsideResult {
    let mut changed = StateChanged::setting(ANS, text.clone());
    if task.agent_state.changed(&changed).is_err() {
        changed = StateChanged::removing(ANS);
        text.push_str("\n[The session's state has no room for `ans`.]");
    }
    InsideResult { events: vec![changed.into()], ..Output { text, truncated: false }.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(source: &str) -> String {
        after(None, source)
    }

    fn after(ans: Option<&str>, source: &str) -> String {
        expression::value(source, ans.and_then(expression::told).as_ref())
            .map_or_else(|why| why, |value| value.to_string())
    }

    #[test]
    fn what_can_be_exact_is_exact() {
        for (source, expected) in [
            ("1 + 2 * 3", "7"),
            ("(1 + 2) * 3", "9"),
            ("0.1 + 0.2", "0.3"),
            ("2^100", "1267650600228229401496703205376"),
            ("2**10", "1024"),
            ("2^3^2", "512"),
            ("-2^2", "-4"),
            ("2^-2", "0.25"),
            ("7 // 2 + -7 // 2", "-1"),
            ("-7 % 3", "2"),
            ("7.5 % 2", "1.5"),
            ("1/3", "0.3333333333333333 (exactly 1/3)"),
            ("25!/23!", "600"),
            ("sqrt(2.25)", "1.5"),
            ("0xff + 0b11 + 1_000 + .5", "1258.5"),
            ("1e3 + 1e-3", "1000.001"),
            ("max(1, 5/2, 2)", "2.5"),
            ("avg(1,2,3,4)", "2.5"),
            ("round(2.345, 2)", "2.35"),
            ("round(-2.5)", "-3"),
            ("trunc(-2.5)", "-2"),
            ("round(1234, -2)", "1200"),
            ("gcd(12, 18) + lcm(4, 6)", "18"),
            ("(-1)^1000000000001", "-1"),
        ] {
            assert_eq!(computed(source), expected, "{source}");
        }
    }

    #[test]
    fn functions_are_as_good_as_floating_point() {
        for (source, expected) in [
            ("sqrt(2)", "1.4142135623730951"),
            ("sin(0)", "0"),
            ("log10(1000)", "3"),
            ("log(8, 2)", "3"),
            ("2^0.5", "1.4142135623730951"),
            ("10.0^-20 * pi", "3.141592653589793e-20"),
            ("round(pi, 2)", "3.14"),
        ] {
            assert_eq!(computed(source), expected, "{source}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (source, expected) in [
            ("", "the expression ends too early"),
            ("1 +", "the expression ends too early"),
            ("(1", "a `)` is missing"),
            ("1)", "unmatched"),
            ("1 2", "an operator is missing"),
            ("2(3)", "an operator is missing"),
            ("1,000", "thousands"),
            ("15% * 3", "/100 for percent"),
            ("1/0", "division by zero"),
            ("5 % 0", "division by zero"),
            ("0^-1", "division by zero"),
            ("sqrt(-1)", "not a real number"),
            ("ln(0)", "not a finite number"),
            ("squrt(4)", "unknown name \"squrt\"; did you mean \"sqrt\"? (at position 1)"),
            ("sqrt(1, 2)", "sqrt does not take 2 arguments"),
            ("3 $ 4", "unknown symbol '$'"),
            ("ans + 1", "there is no `ans` yet"),
            ("0b12", "digits don't fit"),
            ("1e99999", "exponent is too large"),
            ("2.5!", "a factorial needs"),
        ] {
            assert!(computed(source).contains(expected), "{source}: {}", computed(source));
        }
    }

    #[test]
    fn nothing_takes_long_or_much() {
        for source in ["9^9^9", "10^10^10", "99999!", "2^131073", "(2^60000)*(2^60000)*(2^60000)", "1e5000^100"] {
            assert!(computed(source).contains("digits") || computed(source).contains("factorial"), "{source}");
        }
        assert!(computed(&"(".repeat(2000)).contains("nested too deeply"));
        assert!(computed(&"-".repeat(2000)).contains("nested too deeply"));
        assert!(computed("10000!").len() > 35_000);
    }

    #[test]
    fn ans_is_what_was_said_before_without_loss() {
        let third = computed("1/3");
        assert_eq!(after(Some(&third), "ans * 3"), "1");
        assert_eq!(after(Some("-1.5"), "ans^2"), "2.25");
        let root = computed("sqrt(2)");
        assert_eq!(after(Some(&root), "round(ans, 5)"), "1.41421");
        assert_eq!(after(Some(&computed("2^200")), "ans / 2^199"), "2");
    }
}
