//! Streams of events. One task renders what is stored and what arrives of answers, once for all readers (`feed`); each
//! reader takes it from there at its own pace, and what it missed from the log (`reader`).

mod feed;
mod reader;
mod rendered;

pub(crate) use feed::Feed;
pub(crate) use reader::{EventStream, Place, StreamScope};
