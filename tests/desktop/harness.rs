//! What a test stands on, from the display up to the words in the window.

pub(crate) mod account;
mod browser;
mod desk;
mod display;
mod driver;
mod keys;
mod notifications;
mod picture;
mod process;
mod session_bus;
mod stage;
mod tray;
mod waiting;
mod window;

pub(crate) use browser::Browser;
pub(crate) use desk::Services;
pub(crate) use display::Screen;
pub(crate) use keys::{ALT, CONTROL, DOWN, ENTER, ESCAPE, LEFT, RIGHT, SHIFT, TAB};
pub(crate) use notifications::Notifications;
pub(crate) use picture::Rect;
pub(crate) use stage::{Stage, program};
pub(crate) use tray::{Host, Tray};
pub(crate) use waiting::{wait_for, wait_until};
pub(crate) use window::{Element, Window};
