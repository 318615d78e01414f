//! What a definition may be, and how what is wrong with one is told.

use super::*;
use crate::problem::TextPlace;

const EXAMPLE: &str = r#"name: review
limits: { max_steps: 50, max_input_bytes: 10485760, max_output_bytes: 10485760, step_timeout_seconds: 300, run_timeout_seconds: 3600 }
denylist_patterns: ["**/.env*", "**/*.pem"]
steps:
  - { name: extract, adapter: fabric, pattern: extract_wisdom }
  - { name: count, adapter: command, run: "wc -w", retry: { max_attempts: 3, backoff_ms: 200 } }
  - { name: judge, adapter: agent, prompt: "Judge this:\n{{input}}", model: demo/echo, needs: [extract, count] }
  - { name: gate, adapter: approval, message: "Publish?" }
"#;

#[test]
fn the_contracts_example_is_read_as_it_is() {
    let definition = Definition::parse(EXAMPLE).unwrap();
    let needs: Vec<&[usize]> = definition.steps.iter().map(|step| step.needs.as_slice()).collect();
    assert_eq!(needs, [&[] as &[usize], &[0], &[0, 1], &[2]]);
    assert_eq!(definition.steps[1].retry, StepRetry { max_attempts: 3, backoff_ms: 200 });
    assert_eq!(definition.denylist.forbids("a/.env"), Some("**/.env*"));
    let grants: Vec<(&str, Grant)> = definition.grants();
    assert_eq!(grants[0], ("extract", Grant::Network));
    assert_eq!(grants.len(), 2);
}

/// Checks the first problem: `line:column: message` and the hint's beginning.
#[track_caller]
fn check(text: &str, told: &str, hint: &str) {
    let problems = Definition::parse(text).unwrap_err();
    let first = &problems[0];
    assert!(first.to_string().contains(told), "{first}\n{problems:?}");
    assert!(first.hint.contains(hint), "{:?}", first.hint);
}

#[test]
fn an_unknown_key_is_told_with_its_place_and_the_nearest() {
    check(
        "name: a\nstps: []\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
        "2:1: Unknown key `stps`",
        "`steps`",
    );
    check("name: a\nsteps:\n  - { name: b, adapter: command, rnu: ls }\n", "3:34: Unknown key `rnu`", "`run`");
    check(
        "name: a\nlimits: { max_step: 3 }\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
        "`max_step` isn't known",
        "`max_steps`",
    );
    check(
        "name: a\nsteps:\n  - { name: b, adapter: command, run: ls, retry: { attempts: 3 } }\n",
        "3:",
        "max_attempts",
    );
    check(
        "name: a\nparams: { x: { defualt: 1 } }\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
        "2:16: Unknown key `defualt` of params.x",
        "`default`",
    );
    // A key of another adapter is none here.
    check(
        "name: a\nsteps:\n  - { name: b, adapter: command, run: ls, prompt: hi }\n",
        "Unknown key `prompt` of a step of the adapter command",
        "",
    );
}

#[test]
fn an_unknown_adapter_is_told_with_the_nearest() {
    check(
        "name: a\nsteps:\n  - { name: b, adapter: comand, run: ls }\n",
        "3:25: Unknown adapter \"comand\"",
        "`command`",
    );
    check("name: a\nsteps:\n  - { name: b, run: ls }\n", "`adapter` is missing", "command, agent");
}

#[test]
fn what_is_missing_or_of_another_type_is_told() {
    check("name: a\n", "`steps` is missing", "For example");
    check("steps:\n  - { name: b, adapter: command, run: ls }\n", "`name` is missing", "Add it");
    check("name: a\nsteps:\n  - { name: b, adapter: command }\n", "3:5: `run` is missing", "");
    check("name: a\nsteps: []\n", "at least one step", "");
    check(
        "name: a\nlimits:\n  max_steps: many\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
        "3:14: `limits.max_steps` can't have this value",
        "",
    );
    check(
        "name: a\nlimits: { max_parallel: 0 }\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
        "2:25: `max_parallel` is 0",
        "1 to 64",
    );
    check("[1, 2]", "A pipeline must be a map", "For example");
    check("name: a\nsteps:\n  - { name: \"b c\", adapter: command, run: ls }\n", "3:13: A step's name has", "");
}

#[test]
fn steps_that_wait_for_each_other_are_named_in_a_circle() {
    let text = "name: a\nsteps:\n  - { name: b, adapter: command, run: ls, needs: [d] }\n  - { name: c, adapter: command, run: ls }\n  - { name: d, adapter: command, run: ls }\n";
    check(text, "These steps wait for each other: ", "needs");
    check("name: a\nsteps:\n  - { name: b, adapter: command, run: ls, needs: [b] }\n", "b → b", "");
}

#[test]
fn two_steps_of_one_name_and_a_need_that_is_none_are_told() {
    let twice =
        "name: a\nsteps:\n  - { name: b, adapter: command, run: ls }\n  - { name: b, adapter: command, run: ls }\n";
    check(twice, "4:13: Two steps are named \"b\"", "");
    check(
        "name: a\nsteps:\n  - { name: build, adapter: command, run: ls, needs: [] }\n  - { name: c, adapter: command, run: ls, needs: [biuld] }\n",
        "There is no step \"biuld\"",
        "`build`",
    );
}

#[test]
fn ten_thousand_steps_are_too_many_where_fifty_are_allowed() {
    let steps: String = (0..10_000).map(|n| format!("  - {{ name: s{n}, adapter: command, run: ls }}\n")).collect();
    check(
        &format!("name: a\nsteps:\n{steps}"),
        "The pipeline has 10000 steps; `limits.max_steps` allows 50",
        "limits.max_steps",
    );
    let more = format!(
        "name: a\nlimits: {{ max_steps: 10000 }}\nsteps:\n{steps}  - {{ name: x, adapter: command, run: ls }}\n"
    );
    check(&more, "10001 steps", "foreach");
    assert_eq!(
        Definition::parse(&format!("name: a\nlimits: {{ max_steps: 10000 }}\nsteps:\n{steps}")).unwrap().steps.len(),
        10_000
    );
}

#[test]
fn a_template_in_the_parameters_of_a_nested_pipeline_is_checked() {
    let step = |params: &str| {
        format!(
            "name: a\nparams: {{ lang: {{ default: en }} }}\nsteps:\n  - {{ name: b, adapter: command, run: ls }}\n  - name: c\n    adapter: pipeline\n    pipeline: x\n    params:\n      n: 3\n      who: {params}\n"
        )
    };
    check(&step("\"{{params.lnag}}\""), "10:12: There is no parameter \"lnag\"", "`lang`");
    check(&step("\"{{steps.z}}\""), "10:12: `{{steps.z}}` names a step", "needs");
    check(&step("\"{{input\""), "10:12: `{{` has no `}}`", "");
    check(&step("[\"{{env.PATH}}\"]"), "10:12:", "params.NAME");
    Definition::parse(&step("\"{{params.lang}} of {{steps.b}}\"")).unwrap();
}

#[test]
fn a_request_goes_to_the_host_that_is_shown_and_sets_no_header_of_the_connection() {
    let step = |keys: &str| format!("name: a\nsteps:\n  - {{ name: b, adapter: http, {keys} }}\n");
    let host = |url: &str| match Definition::parse(&step(&format!("url: {url:?}"))).unwrap().grants().remove(0).1 {
        Grant::Host { host } => host,
        other => panic!("{other:?}"),
    };
    assert_eq!(host("https://EXAMPLE.org:443/x?a=@b"), "example.org");
    assert_eq!(host("http://example.org:8080"), "example.org:8080");
    assert_eq!(host("http://0x7f.1/"), "127.0.0.1");
    assert_eq!(host("https://bücher.example/"), "xn--bcher-kva.example");
    for url in
        ["https://good.example\\\\@evil.example/", "https://u@evil.example/", "ftp://example.org", "https://a b/", "x"]
    {
        check(&step(&format!("url: \"{url}\"")), "`url` can't be", "https://example.org/hook");
    }
    for name in
        ["Host", "content-length", "Transfer-Encoding", "Connection", "Upgrade", "TE", "Trailer", "Proxy-Authorization"]
    {
        let header = format!("url: \"https://example.org\", headers: {{ {name}: x }}");
        check(&step(&header), "can't set", "Take it out");
    }
    Definition::parse(&step("url: \"https://example.org\", headers: { Accept: text/plain, X-Te: a }")).unwrap();
}

#[test]
fn a_template_or_condition_that_names_nothing_is_told() {
    let step = |more: &str| {
        format!(
            "name: a\nparams: {{ lang: {{ default: en }} }}\nsteps:\n  - {{ name: b, adapter: command, run: ls }}\n  - {{ name: c, adapter: agent, {more} }}\n"
        )
    };
    check(&step("prompt: \"{{params.lnag}}\""), "5:40: There is no parameter \"lnag\"", "`lang`");
    check(&step("prompt: \"{{steps.x}}\""), "names a step that isn't in this one's `needs`", "needs");
    check(&step("prompt: \"{{input\""), "`{{` has no `}}`", "");
    check(&step("prompt: hi, when: { param: lnag, equals: x }"), "There is no parameter \"lnag\"", "`lang`");
    check(&step("system: hi"), "needs a `prompt` or a `pattern`", "");
}

#[test]
fn everything_that_is_wrong_is_told_in_the_order_of_the_text() {
    let problems = Definition::parse("nmae: a\nsteps:\n  - { name: b, adapter: command, rnu: ls }\n").unwrap_err();
    let places: Vec<TextPlace> = problems.iter().map(|problem| problem.place).collect();
    assert!(problems.len() == 2 && places.is_sorted(), "{problems:?}");
}

#[test]
fn a_parameter_that_would_steer_programs_is_refused() {
    check(
        "name: a\nparams: { LD_PRELOAD: { default: x } }\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
        "2:11: A parameter can't be called \"LD_PRELOAD\"",
        "another name",
    );
    for name in ["RUSTC_WORKSPACE_WRAPPER", "SSH_AUTH_SOCK", "PYTHONSTARTUP", "https_proxy", "npm_config_registry"] {
        check(
            &format!("name: a\nsteps:\n  - {{ name: b, adapter: pipeline, pipeline: x, params: {{ {name}: y }} }}\n"),
            &format!("A parameter can't be called {name:?}"),
            "another name",
        );
    }
    check(
        "name: a\nparams: { n: { type: integer, default: x } }\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
        "can't be \"x\"",
        "integer",
    );
}

#[test]
fn the_schema_takes_what_is_read_and_refuses_what_is_not() {
    let schema = jsonschema::validator_for(&schema::definition_schema()).unwrap();
    let json = |text: &str| yaml::parse(text).unwrap().json();
    let errors: Vec<String> = schema.iter_errors(&json(EXAMPLE)).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    for text in [
        "name: a\nsteps:\n  - { name: b, adapter: command, rnu: ls }\n",
        "name: a\nsteps:\n  - { name: b, adapter: none }\n",
        "name: a\nsteps: []\n",
        "name: a\nlimits: { max_step: 1 }\nsteps:\n  - { name: b, adapter: command, run: ls }\n",
    ] {
        assert!(!schema.is_valid(&json(text)), "{text}");
    }
}
