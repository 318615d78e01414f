//! The description of `arki serve` for programs: what it answers, judged by a validator that others wrote.
#![cfg(unix)]

use crate::server::Serving;
use crate::tree::playing;
use arki_testkit::required;
use std::path::Path;
use std::process::Command;

/// Reads the document that it is named.
const VALIDATE: &str =
    "import json, sys\nfrom openapi_spec_validator import validate\nvalidate(json.load(open(sys.argv[1])))\n";

#[test]
fn the_description_is_told_and_describes_every_route() {
    let stage = playing(vec![]);
    let serving = Serving::of(&stage);
    let told = serving.get("/v1/openapi.json");
    assert_eq!((told.status, told.body.as_str()), (200, include_str!("../../docs/openapi.json")));
    let paths = told.json()["paths"].clone();
    for (path, operations) in paths.as_object().unwrap() {
        for method in operations.as_object().unwrap().keys().filter(|_| !path.ends_with("/events")) {
            let path = path.replace("{id}", "nothing");
            let answer = serving.with(&serving.token, &method.to_uppercase(), &path, "7");
            assert!(answer.status < 500 || answer.status == 501, "{method} {path}: {}", answer.body);
            let code = answer.json()["code"].as_str().unwrap_or_default().to_owned();
            assert!(code != "ROUTE_NOT_FOUND" && code != "COMMAND_UNKNOWN", "{method} {path}");
        }
    }
    serving.end();
}

#[test]
fn a_validator_of_others_finds_nothing_wrong_with_it() {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.test-tools/openapi/python");
    if !required("servers", packages.exists(), "`cargo xtask test-servers` installs the validator of OpenAPI") {
        return;
    }
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages).args([
        "-c",
        VALIDATE,
        concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json"),
    ]);
    let validated = python.output().unwrap();
    assert!(validated.status.success(), "{}", String::from_utf8_lossy(&validated.stderr));
}
