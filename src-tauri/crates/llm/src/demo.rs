//! The embedded model: a real server on loopback that plays a script, so that nothing about it is special-cased.

mod server;

pub(crate) use server::DemoServer;
