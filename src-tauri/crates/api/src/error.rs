//! The error of a command.

wire! {
    /// Every command of the window is rejected with this.
    CommandError {
        pub code: String,
        pub message: String,
        pub hint: String,
    }
}

impl From<arki_domain::Error> for CommandError {
    fn from(fault: arki_domain::Error) -> Self {
        Self { code: fault.code, message: fault.message, hint: fault.hint }
    }
}
