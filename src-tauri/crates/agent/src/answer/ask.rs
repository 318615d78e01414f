//! A core's request: how its answer streams, and how it is read before it is stored.

use crate::answer::AnswerSoFar;
use arki_domain::{EventBody, Stage, TokenType, ToolDefinition};

/// One request to the model, as a core wants it.
#[derive(Clone, Copy)]
pub(crate) struct Ask {
    /// The stage, of a core that works in stages.
    pub(crate) stage: Option<Stage>,
    /// The kind of text that the answer streams as, its thoughts apart.
    pub(crate) said_as: TokenType,
    /// Reads the finished answer. It may take thoughts out of the text and add calls; the events it returns are stored
    /// with the answer, before its calls.
    pub(crate) read: fn(&mut AnswerSoFar, &AnswerContext<'_>) -> Vec<EventBody>,
}

/// The facts that an answer is read with.
pub(crate) struct AnswerContext<'a> {
    pub(crate) definitions: &'a [ToolDefinition],
    pub(crate) prompt: &'a str,
    /// The model can call tools natively.
    pub(crate) takes_tools: bool,
}

impl Ask {
    /// A plain request: the model's words are streamed as it says them, and nothing more is read from its answer.
    pub(crate) const TURN: Self = Self { stage: None, said_as: TokenType::LlmResponse, read: |_, _| Vec::new() };

    /// Returns whether it asks for a plan or its calls, not for the answer to the user.
    pub(crate) fn is_of_plan(&self) -> bool {
        self.stage.is_some_and(|stage| stage != Stage::Synthesize)
    }
}
