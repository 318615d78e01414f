//! What goes wrong at a server that nobody here wrote, for every wire format.

use crate::harness::{answer, asking, base_url, every_kind, model, model_with};
use crate::servers::Server;
use arki_domain::Code;
use arki_llm::retryable;

#[test]
fn faults_have_the_right_code_and_nothing_hangs() {
    let server = Server::aimock();
    let faults = [
        ("x-aimock-chaos-ratelimit", Code::PROVIDER_RATE_LIMITED, true),
        ("x-aimock-chaos-drop", Code::PROVIDER_FAILED, true),
        ("x-aimock-chaos-malformed", Code::PROVIDER_BAD_ANSWER, false),
        ("x-aimock-chaos-disconnect", Code::PROVIDER_STREAM_CUT, true),
    ];
    every_kind(|kind| {
        for (header, code, again) in faults {
            let model = model_with(kind, base_url(kind, server.address()), &[(header, "1")]).unwrap();
            let failed = answer(&*model, &asking("Please say hello."));
            let fault = failed.fault.unwrap_or_else(|| panic!("{kind} {header}: no fault"));
            assert_eq!((fault.code.as_str(), retryable(&fault)), (code.0, again), "{kind} {header}: {fault:?}");
        }
    });
}

#[test]
fn an_answer_that_breaks_off_is_never_taken_for_a_whole_one() {
    let server = Server::aimock();
    every_kind(|kind| {
        let broken = answer(&*model(kind, server.address()).unwrap(), &asking("Please break off."));
        assert!(!broken.ended && broken.fault.is_some(), "{kind}: {broken:?}");
    });
}
