//! Keys that have no character, as WebDriver writes them.

pub(crate) const TAB: &str = "\u{e004}";
pub(crate) const ENTER: &str = "\u{e007}";
pub(crate) const SHIFT: &str = "\u{e008}";
pub(crate) const CONTROL: &str = "\u{e009}";
pub(crate) const ALT: &str = "\u{e00a}";
pub(crate) const ESCAPE: &str = "\u{e00c}";
pub(crate) const DOWN: &str = "\u{e015}";
pub(crate) const LEFT: &str = "\u{e012}";
pub(crate) const RIGHT: &str = "\u{e014}";
