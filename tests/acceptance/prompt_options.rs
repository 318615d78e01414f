//! What goes with a prompt besides its words: pictures, and the form that the answer has to have.

use crate::harness::{Stage, payload};
use arki_testkit::Turn;
use serde_json::json;
use std::fs;

const PNG: &[u8] = include_bytes!("../fixtures/pixel.png");

fn schema(stage: &Stage) -> String {
    let file = stage.path("answer.schema.json");
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    fs::write(&file, schema.to_string()).unwrap();
    file.display().to_string()
}

/// What it is made of is paid for in every session. In bytes, with all built-in tools and nothing of the project.
#[test]
fn the_first_request_is_small() {
    const MOST: usize = 11 * 1024;
    let stage = Stage::new(vec![Turn::text("Hello.")]);
    stage.exec(&["hi"]).exits(0);
    let request = &stage.model.requests()[0].json;
    assert!(request["tools"].as_array().unwrap().len() > 15);
    let bytes = request.to_string().len();
    assert!(bytes <= MOST, "{bytes} bytes");
}

#[test]
fn an_answer_that_follows_its_schema_is_done() {
    let stage = Stage::new(vec![Turn::text("{\"n\": 3}")]);
    let schema = schema(&stage);
    let events = stage.exec(&["--output-schema", &schema, "count"]).exits(0).lines();
    assert_eq!(payload(&events, "run.started")["options"]["outputSchema"]["required"], json!(["n"]));
    stage.verifies();
}

#[test]
fn an_answer_that_does_not_follow_its_schema_is_an_error_and_is_kept() {
    let stage = Stage::new(vec![Turn::text("three")]);
    let schema = schema(&stage);
    let shown = stage.exec(&["--output-schema", &schema, "count"]).exits(1).json_error();
    assert_eq!(shown.code, "PROVIDER_BAD_ANSWER");
    assert!(payload(&stage.log(), "run.completed")["response"].as_str().unwrap().starts_with("three"));
}

#[test]
fn a_schema_that_is_none_begins_nothing() {
    let stage = Stage::new(Vec::new());
    let file = stage.path("bad.json");
    for bad in ["{", "[]", "{\"type\": \"object\", \"properties\": 3}"] {
        fs::write(&file, bad).unwrap();
        let shown = stage.exec(&["--output-schema", &file.display().to_string(), "count"]).exits(2).json_error();
        assert_eq!(shown.code, "USAGE", "{bad}");
    }
    let shown = stage.exec(&["--output-schema", "not-there.json", "count"]).exits(2).json_error();
    assert!(shown.message.contains("not-there.json"), "{shown:?}");
    assert!(stage.sessions().is_empty());
}

#[test]
fn a_picture_is_kept_and_spoken_of_by_its_hash() {
    let stage = Stage::new(vec![Turn::text("A picture.")]);
    let file = stage.path("shown.png");
    fs::write(&file, PNG).unwrap();
    let events = stage.exec(&["--image", &file.display().to_string(), "what is this?"]).exits(0).lines();
    let images = &payload(&events, "run.started")["options"]["images"];
    assert_eq!(images[0]["mediaType"], "image/png");
    assert_eq!(images[0]["contentHash"].as_str().map(str::len), Some(64));
    let told = json!(stage.messages()).to_string();
    assert!(told.contains("what is this?") && told.contains("data:image/png;base64,iVBORw0KGgo"), "{told}");
    stage.verifies();
}

#[test]
fn what_is_no_picture_begins_nothing() {
    let stage = Stage::new(Vec::new());
    let file = stage.path("shown.png");
    fs::write(&file, "not a picture").unwrap();
    let shown = stage.exec(&["--image", &file.display().to_string(), "what is this?"]).exits(2).json_error();
    assert_eq!(shown.code, "USAGE");
    assert!(stage.sessions().is_empty());
}

/// Case 5: a provider refuses these, and every later request of the session with them.
#[test]
fn a_damaged_picture_begins_nothing() {
    let mut wrong_checksum = PNG.to_vec();
    let end = wrong_checksum.len() - 14;
    wrong_checksum[end] ^= 0xff;
    let no_pixels = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0";
    let header = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0";
    for bytes in [&PNG[..PNG.len() / 2], &wrong_checksum, no_pixels, header] {
        let stage = Stage::new(Vec::new());
        let file = stage.write("shown.png", bytes).display().to_string();
        let shown = stage.exec(&["--image", &file, "what is this?"]).fails(2, "USAGE");
        assert!(shown.message.contains("damaged"), "{shown:?}");
        assert!(stage.sessions().is_empty());
    }
}

/// A pipe may never end.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let stage = Stage::new(Vec::new());
    let pipe = stage.path("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let pipe = pipe.to_str().unwrap();
    stage.exec(&["--image", pipe, "go"]).fails(2, "USAGE");
    stage.exec(&["--output-schema", pipe, "go"]).fails(2, "USAGE");
    stage.arki(&["sessions", "import", pipe]).fails(2, "USAGE");
    stage.arki(&["policy", "backtest", pipe]).fails(2, "USAGE");
    let config = stage.home.config_dir().join("config.json");
    std::fs::remove_file(&config).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &config, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    stage.exec(&["go"]).fails(2, "CONFIG_INVALID");
}

#[test]
fn a_picture_of_9000_by_9000_pixels_is_scaled_before_it_is_sent() {
    let stage = Stage::new(vec![Turn::text("Seen.")]);
    let picture = stage.write("wide.png", include_bytes!("../fixtures/wide.png")).display().to_string();
    let events = stage.exec(&["--image", &picture, "look"]).exits(0).lines();
    let started = events.iter().find(|event| event["type"] == "run.started").unwrap();
    let image = &started["payload"]["options"]["images"][0];
    assert_eq!((&image["size"]["width"], &image["size"]["height"]), (&json!(2048), &json!(2048)), "{image}");
    assert!(json!(stage.messages()).to_string().contains("data:image/png;base64,"));
}
