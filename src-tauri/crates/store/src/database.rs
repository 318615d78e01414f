//! The file in SQLite: how it is opened, laid out and copied, how statements run, and how its values become the
//! domain's.

pub(crate) mod connection;
pub(crate) mod damage_mark;
pub(crate) mod files;
pub(crate) mod private_copy;
pub(crate) mod read_only_open;
pub(crate) mod row;
pub(crate) mod schema;
pub(crate) mod statements;
