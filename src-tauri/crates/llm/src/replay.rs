//! Answers in memory, for the tests of decoders: however the network cuts the bytes, the answer is the same.

use crate::answer::{self, AnswerContext};
use crate::answer_decoder::AnswerDecoder;
use crate::drain::Drain;
use crate::fault::Target;
use crate::sse::ByteStream;
use crate::sse::Framing;
use crate::{ProviderKind, ProviderSettings};
use arki_domain::{Error, StreamEvent};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use proptest::sample::Index;
use std::sync::Arc;
use tokio::runtime::Builder;

fn target() -> Target {
    let settings = ProviderSettings::new("lab", ProviderKind::Custom);
    let url = "http://127.0.0.1:9/v1".parse().expect("a fixed address is a URL");
    Target::new(&settings, &url, None)
}

/// The answer to pieces of server-sent events.
pub(crate) fn read(decoder: impl AnswerDecoder + 'static, pieces: Vec<Bytes>) -> (Vec<StreamEvent>, Option<Error>) {
    read_stream(decoder, stream::iter(pieces.into_iter().map(Ok)).boxed())
}

/// The answer to these bytes, neighbouring pieces of text joined: a tag held back moves their borders. Time passes at
/// once where there is nothing to do but wait.
pub(crate) fn read_stream(
    decoder: impl AnswerDecoder + 'static,
    bytes: ByteStream,
) -> (Vec<StreamEvent>, Option<Error>) {
    let context = AnswerContext {
        target: target(),
        model: "m".into(),
        price: None,
        place: None,
        drain: Arc::new(Drain::default()),
        note_refusal: Box::new(|_| {}),
    };
    let answer = async {
        answer::stream(bytes, Framing::ServerSentEvents, Box::new(decoder), context).collect::<Vec<_>>().await
    };
    let (mut events, mut fault) = (Vec::new(), None);
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    for event in runtime.expect("a runtime without I/O can always be made").block_on(answer) {
        match (event, events.last_mut()) {
            (
                Ok(StreamEvent::Token { token_type, text }),
                Some(StreamEvent::Token { token_type: last, text: so_far }),
            ) if *last == token_type => {
                *so_far += &text;
            }
            (Ok(event), _) => events.push(event),
            (Err(found), _) => fault = Some(found),
        }
    }
    (events, fault)
}

pub(crate) fn cut(text: &str, cuts: &[Index]) -> Vec<Bytes> {
    let mut borders: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    borders.extend([0, text.len()]);
    borders.sort_unstable();
    borders.windows(2).map(|pair| Bytes::copy_from_slice(&text.as_bytes()[pair[0]..pair[1]])).collect()
}
