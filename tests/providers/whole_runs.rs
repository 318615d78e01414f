//! A whole run of the real program for every provider kind: it calls a tool, is told the result, and answers.

use crate::arki::{Arki, of_kind};
use crate::harness::every_kind;
use crate::servers::Server;
use serde_json::json;

#[test]
fn every_kind_of_provider_reads_a_file_and_answers() {
    let server = Server::aimock();
    every_kind(|kind| {
        let arki = Arki::with(kind, server.address(), &json!({}));
        arki.home.write("a.txt", "A\n").unwrap();
        let events = arki.exec_reading("Read one file.", "a.txt");
        let result = &of_kind(&events, "tool.result")[0]["payload"];
        assert_eq!(result["result"], "1\tA\n", "{kind}");
        // Said only to a request that has the tool's result in it.
        let completed = &of_kind(&events, "run.completed")[0]["payload"];
        assert_eq!(completed["response"], "It says A.", "{kind}");
    });
}
