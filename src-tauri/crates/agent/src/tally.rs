//! Counts the length of the next request. Each message is counted once, however long the conversation gets; what the
//! provider counts corrects the rest.

use arki_context::{CountTokens, TokenCorrection};
use arki_domain::{ChatRequest, Usage};

#[derive(Default)]
pub(crate) struct Tally {
    /// System prompt and tools, estimated.
    fixed: u64,
    /// Messages that are counted, and their estimate.
    messages: usize,
    estimated: u64,
    correction: TokenCorrection,
    /// The estimate of the last request that the provider counted, and that count.
    counted: Option<(u64, u64)>,
    /// The messages that the last compaction left.
    left: usize,
}

impl Tally {
    /// Counts what the request has more than the last one.
    pub(crate) fn count_request(&mut self, request: &ChatRequest, estimate: &dyn CountTokens) {
        if self.fixed == 0 {
            let tools: u64 = request.tools.iter().map(|tool| estimate.tool(tool)).sum();
            self.fixed = tools + estimate.text(&request.system);
        }
        if request.messages.len() < self.messages {
            self.forget_messages();
        }
        self.estimated +=
            request.messages[self.messages..].iter().map(|message| estimate.message(message)).sum::<u64>();
        self.messages = request.messages.len();
    }

    /// The conversation is another one from here on.
    pub(crate) fn forget_messages(&mut self) {
        (self.messages, self.estimated, self.counted) = (0, 0, None);
    }

    /// Returns whether the latest request has more messages than these, and many more than a compaction has left: one
    /// that could do nothing isn't tried again at once.
    pub(crate) fn has_more_messages_than(&self, most: usize) -> bool {
        self.messages > most.max(self.left * 2)
    }

    /// Notes that the latest request is what a compaction has left, or can't make shorter.
    pub(crate) fn note_left(&mut self) {
        self.left = self.messages;
    }

    pub(crate) fn learn(&mut self, usage: Usage) {
        if usage.unknown.prompt || usage.prompt_tokens == 0 {
            return;
        }
        let estimated = self.fixed + self.estimated;
        self.correction.learn(estimated, usage.prompt_tokens);
        self.counted = Some((estimated, usage.prompt_tokens));
    }

    pub(crate) fn correction(&self) -> TokenCorrection {
        self.correction
    }

    pub(crate) fn fixed_tokens(&self) -> u64 {
        self.correction.apply(self.fixed)
    }

    /// The lower of [`Self::tokens`] and the uncorrected estimate: the next run starts with that estimate, before
    /// anything is counted.
    pub(crate) fn least_tokens(&self) -> u64 {
        self.tokens().min(self.fixed + self.estimated)
    }

    /// The tokens of the latest request: the provider's last count, and an estimate of what came since.
    pub(crate) fn tokens(&self) -> u64 {
        let estimated = self.fixed + self.estimated;
        match self.counted {
            Some((then, counted)) => counted + self.correction.apply(estimated.saturating_sub(then)),
            None => self.correction.apply(estimated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{Message, ModelOptions, ToolDefinition};
    use std::sync::Arc;

    struct Letters;

    impl CountTokens for Letters {
        fn text(&self, text: &str) -> u64 {
            text.len() as u64
        }
        fn message(&self, message: &Message) -> u64 {
            match message {
                Message::User { content, .. } => content.len() as u64,
                _ => 0,
            }
        }
        fn tool(&self, _: &ToolDefinition) -> u64 {
            0
        }
    }

    fn request(messages: &[&str]) -> ChatRequest {
        ChatRequest {
            system: "12345".into(),
            messages: Arc::new(messages.iter().map(|text| Arc::new(Message::user((*text).to_owned()))).collect()),
            tools: [].into(),
            images: Arc::default(),
            options: ModelOptions::default(),
        }
    }

    #[test]
    fn what_the_provider_counted_holds_and_only_the_rest_is_estimated() {
        let mut tally = Tally::default();
        tally.count_request(&request(&["12345"]), &Letters);
        assert_eq!(tally.tokens(), 10);
        tally.learn(Usage { prompt_tokens: 15, ..Usage::default() });
        tally.count_request(&request(&["12345", "1234567890"]), &Letters);
        assert_eq!(tally.tokens(), 15 + 15);
        tally.forget_messages();
        tally.count_request(&request(&["12345"]), &Letters);
        assert_eq!(tally.tokens(), 15);
    }

    #[test]
    fn many_messages_are_too_many_once_and_again_when_there_are_twice_as_many() {
        let mut tally = Tally::default();
        let mut is_long_with = |count: usize| {
            tally.count_request(&request(&vec!["m"; count]), &Letters);
            let is_long = tally.has_more_messages_than(3);
            if is_long {
                tally.note_left();
            }
            is_long
        };
        let long: Vec<usize> = (1..20).filter(|count| is_long_with(*count)).collect();
        assert_eq!(long, [4, 9, 19]);
    }
}
