//! One command a file.

pub(crate) mod bench;
pub(crate) mod bundle;
pub(crate) mod catalogue;
pub(crate) mod check_macos;
pub(crate) mod check_windows;
pub(crate) mod codegen;
pub(crate) mod dist;
pub(crate) mod help;
pub(crate) mod lint;
pub(crate) mod providers_table;
pub(crate) mod run;
pub(crate) mod soak;
pub(crate) mod test;
pub(crate) mod test_servers;
pub(crate) mod update_list;
