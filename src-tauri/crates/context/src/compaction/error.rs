//! The error of a conversation that can't be made to fit.

use arki_domain::{Code, Error};

/// Why a conversation can't be made to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CompactionError {
    #[error("The system prompt, the tools and the rules alone need about {tokens} tokens of {target}.")]
    FixedTooLarge { tokens: u64, target: u64 },
    #[error("The last exchange alone needs about {tokens} tokens, and {room} are left for it.")]
    LastExchangeTooLarge { tokens: u64, room: u64 },
    #[error("Nothing more can be left out: the next request needs about {tokens} tokens, and {target} is the target.")]
    NothingToDrop { tokens: u64, target: u64 },
    #[error(
        "The next request needs about {tokens} tokens, {fixed} of them for the system prompt, the tools and the rules. \
        The model's context window has {window}."
    )]
    WindowTooSmall { tokens: u64, fixed: u64, window: u64 },
}

impl From<CompactionError> for Error {
    fn from(error: CompactionError) -> Self {
        let hint = match error {
            CompactionError::FixedTooLarge { .. } => {
                "Turn off tools, skills or rules for this session, or choose a model with a larger context window."
            }
            CompactionError::LastExchangeTooLarge { .. } | CompactionError::NothingToDrop { .. } => {
                "Choose a model with a larger context window, or go back to before the last message and ask for less."
            }
            CompactionError::WindowTooSmall { .. } => {
                "`arki context` shows what takes the space. Switch off what you can do without (`arki tools --off`, \
                `arki sessions configure --off`), or choose a model with a larger context window."
            }
        };
        Self::new(Code::CONTEXT_TOO_LONG, error.to_string(), hint)
    }
}
