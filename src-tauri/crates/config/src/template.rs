//! The configuration that the first start writes.

pub const USER_TEMPLATE: &str = include_str!("template.jsonc");
