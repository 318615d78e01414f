//! The menus of the message box, slash commands and mentions, and the marks on what these attach.

words! {
    MentionKind { File, Folder, Session, Diff, Codebase }
}

wire! {
    SlashCommandEntry {
        /// The name without the slash.
        pub name: String,
        /// One line.
        pub description: String,
        /// The arguments it takes, for people: `[message]`; empty where it takes none.
        pub arguments: String,
        /// `built in`, or the path of its file.
        pub source: String,
        /// True if it's sent like any message; otherwise the client carries it out itself.
        pub begins_run: bool,
    }

    MentionEntry {
        /// The text that mentions it: `@src/main.rs`.
        pub mention: String,
        pub kind: MentionKind,
        /// A path, the title of a session, `diff` or `codebase`.
        pub name: String,
    }

    MentionSize {
        /// The mention as it's written in the text.
        pub mention: String,
        /// An estimate for what the model sees for it; null for a page and for the codebase, which are read once the message is sent.
        pub tokens: Option<u64>,
        /// Why it isn't attached, or that it is cut: a sentence.
        pub note: Option<String>,
    }
}
