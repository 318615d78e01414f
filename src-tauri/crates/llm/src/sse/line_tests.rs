//! One event a line: however the network cuts the bytes, the lines are the same.

use super::{Event, Events, MAX_EVENT_BYTES};
use crate::fault::Target;
use crate::sse::Framing;
use crate::{ProviderKind, ProviderSettings};
use arki_domain::{Code, Error};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use proptest::prelude::*;
use tokio::runtime::Builder;

const SAMPLE: &str = "{\"a\":\"größer 世界 🌍\"}\n\r\n\n  {\"b\":\"\\n\"}\r\n{\"c\":1}\n";

fn read(pieces: &[&[u8]]) -> (Vec<Event>, Option<Error>) {
    let pieces: Vec<_> = pieces.iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let settings = ProviderSettings::new("local", ProviderKind::Ollama);
    let target = Target::new(&settings, &"http://127.0.0.1:9".parse().unwrap(), None);
    let mut events = Events::new(stream::iter(pieces).boxed(), Framing::JsonLines, target);
    Builder::new_current_thread().build().unwrap().block_on(async {
        let mut found = Vec::new();
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => found.push(event),
                Err(fault) => return (found, Some(fault)),
            }
        }
        (found, None)
    })
}

fn lines(events: &[Event]) -> Vec<(&str, bool)> {
    events.iter().map(|event| (event.data.as_str(), event.unfinished)).collect()
}

#[test]
fn lines_come_without_their_ends_and_blank_ones_not_at_all() {
    let (events, fault) = read(&[SAMPLE.as_bytes()]);
    let expected = [("{\"a\":\"größer 世界 🌍\"}", false), ("{\"b\":\"\\n\"}", false), ("{\"c\":1}", false)];
    assert_eq!((lines(&events), fault), (expected.to_vec(), None));
    assert!(events.iter().all(|event| event.name.is_none()));
}

#[test]
fn a_last_line_without_its_end_is_marked_as_perhaps_half() {
    for end in ["", " ", "\r"] {
        let (events, fault) = read(&[b"{\"a\":1}\n{\"b\":", format!("2}}{end}").as_bytes()]);
        assert_eq!((lines(&events), fault), (vec![("{\"a\":1}", false), ("{\"b\":2}", true)], None), "{end:?}");
    }
}

#[test]
fn nothing_but_blanks_is_nothing() {
    for nothing in ["", "\n", "\r\n \n\t"] {
        assert_eq!(read(&[nothing.as_bytes()]), (Vec::new(), None), "{nothing:?}");
    }
}

#[test]
fn bytes_that_are_no_text_become_replacement_characters_wherever_they_are_cut() {
    let bytes = b"{\"a\":\"\xf0\x9f\xff\xc3\xa9\"}\n{}\n";
    for cut in 0..bytes.len() {
        let (events, fault) = read(&[&bytes[..cut], &bytes[cut..]]);
        assert_eq!((lines(&events), fault), (vec![("{\"a\":\"\u{fffd}\u{fffd}\u{e9}\"}", false), ("{}", false)], None));
    }
    assert_eq!(lines(&read(&[b"{\"a\":\"\xf0\x9f"]).0), [("{\"a\":\"\u{fffd}", true)]);
}

#[test]
fn a_line_without_end_is_bounded_and_many_lines_are_not() {
    let long = vec![b'x'; MAX_EVENT_BYTES];
    assert_eq!(read(&[&long, b"\n", &long, b"\n"]).1, None);
    assert!(read(&[&long, b"x", b"x", b"\n"]).1.unwrap().is(Code::PROVIDER_BAD_ANSWER));
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_lines(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30)) {
        let mut borders: Vec<usize> = cuts.iter().map(|cut| cut.index(SAMPLE.len() + 1)).collect();
        borders.extend([0, SAMPLE.len()]);
        borders.sort_unstable();
        let pieces: Vec<&[u8]> = borders.windows(2).map(|pair| &SAMPLE.as_bytes()[pair[0]..pair[1]]).collect();
        prop_assert_eq!(read(&pieces), read(&[SAMPLE.as_bytes()]));
    }
}
