//! Differences in Chat Completions from server to server.

use crate::ProviderKind;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    /// <https://platform.openai.com/docs/api-reference/chat>
    OpenAi,
    /// <https://api-docs.deepseek.com/api/create-chat-completion>
    DeepSeek,
    /// <https://openrouter.ai/docs/api-reference/chat-completion>
    OpenRouter,
    /// llama.cpp, vLLM, LM Studio, LiteLLM and the like.
    #[default]
    Compatible,
}

impl From<ProviderKind> for Dialect {
    fn from(kind: ProviderKind) -> Self {
        match kind {
            ProviderKind::OpenaiChat => Self::OpenAi,
            ProviderKind::Deepseek => Self::DeepSeek,
            ProviderKind::Openrouter => Self::OpenRouter,
            _ => Self::Compatible,
        }
    }
}
