//! The names of attributes, metrics and spans: the one place that follows the conventions.
//!
//! The generative AI conventions are in development, in a repository of their own since 2026
//! (<https://github.com/open-telemetry/semantic-conventions-genai>): [`SCHEMA_URL`] is the version that these names are
//! of. For approvals and cost there is none, so theirs begin with `arki.`.

/// The version of the conventions, as their registry names it.
pub(crate) const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev";

/// The instrumentation scope, and the service unless the environment names another.
pub(crate) const SCOPE: &str = "arki";

macro_rules! names {
    ($($name:ident = $text:literal;)*) => {
        $(pub(crate) const $name: &str = $text;)*
        /// Every name, for the test that holds them to the conventions.
        #[cfg(test)]
        const ALL: &[&str] = &[$($text),*];
    };
}

names! {
    SERVICE_NAME = "service.name";
    SERVICE_VERSION = "service.version";
    ERROR_TYPE = "error.type";
    EVENT_NAME = "event.name";

    OPERATION_NAME = "gen_ai.operation.name";
    PROVIDER_NAME = "gen_ai.provider.name";
    CONVERSATION_ID = "gen_ai.conversation.id";
    CONVERSATION_COMPACTED = "gen_ai.conversation.compacted";
    AGENT_NAME = "gen_ai.agent.name";
    REQUEST_MODEL = "gen_ai.request.model";
    REQUEST_STREAM = "gen_ai.request.stream";
    REASONING_LEVEL = "gen_ai.request.reasoning.level";
    FINISH_REASONS = "gen_ai.response.finish_reasons";
    TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk";
    INPUT_TOKENS = "gen_ai.usage.input_tokens";
    OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
    CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens";
    CACHE_WRITE_TOKENS = "gen_ai.usage.cache_write.input_tokens";
    REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens";
    TOOL_NAME = "gen_ai.tool.name";
    TOOL_TYPE = "gen_ai.tool.type";
    TOOL_CALL_ID = "gen_ai.tool.call.id";
    TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
    TOOL_CALL_RESULT = "gen_ai.tool.call.result";
    INPUT_MESSAGES = "gen_ai.input.messages";
    OUTPUT_MESSAGES = "gen_ai.output.messages";

    INFERENCE_DURATION = "gen_ai.client.inference.duration";
    INFERENCE_INPUT_TOKENS = "gen_ai.client.inference.usage.input_tokens";
    INFERENCE_OUTPUT_TOKENS = "gen_ai.client.inference.usage.output_tokens";
    INFERENCE_CACHE_READ_TOKENS = "gen_ai.client.inference.usage.cache_read.input_tokens";
    INFERENCE_CACHE_WRITE_TOKENS = "gen_ai.client.inference.usage.cache_write.input_tokens";
    INFERENCE_REASONING_TOKENS = "gen_ai.client.inference.usage.reasoning.output_tokens";
    TOOL_DURATION = "gen_ai.execute_tool.duration";
    COST = "arki.cost";
    APPROVALS = "arki.approvals";

    COST_USD = "arki.cost.usd";
    RUN_ID = "arki.run.id";
    RUN_OUTCOME = "arki.run.outcome";
    RUN_CORE = "arki.run.core";
    PAUSE_REASON = "arki.run.pause.reason";
    UNFINISHED = "arki.unfinished";
    LEFT_OUT = "arki.left_out";
    TURN = "arki.turn";
    REQUEST_PURPOSE = "arki.request.purpose";
    RETRY_DELAY_MS = "arki.retry.delay_ms";
    RETRY_ATTEMPT = "arki.retry.attempt";
    TOOL_CATEGORY = "arki.tool.category";
    TOOL_IN_BACKGROUND = "arki.tool.background";
    TOOL_DURATION_MS = "arki.tool.duration_ms";
    POLICY_DECISION = "arki.policy.decision";
    APPROVAL_ID = "arki.approval.id";
    APPROVAL_KIND = "arki.approval.kind";
    APPROVAL_DECISION = "arki.approval.decision";
    APPROVAL_RESOLVER = "arki.approval.resolver";
    APPROVAL_HUNKS = "arki.approval.hunks";
    APPROVAL_HUNKS_ACCEPTED = "arki.approval.hunks.accepted";
    RISK = "arki.risk";
    HOOK_EVENT = "arki.hook.event";
    HOOK_EXIT_CODE = "arki.hook.exit_code";
    SUBAGENT_NAME = "arki.subagent.name";
    SUBAGENT_SESSION = "arki.subagent.session.id";
    SUBAGENT_RUN = "arki.subagent.run.id";
    STEP_NAME = "arki.step.name";
    STEP_ATTEMPT = "arki.step.attempt";
    EVENT_ID = "arki.event.id";
    EVENT_SEQ = "arki.event.seq";
}

pub(crate) const INVOKE_AGENT: &str = "invoke_agent";
pub(crate) const CHAT: &str = "chat";
pub(crate) const EXECUTE_TOOL: &str = "execute_tool";

/// The conventions' word for a provider. The log names it as the user does, which mostly is its kind.
pub(crate) fn provider(name: &str) -> &str {
    match name {
        "openai-chat" => "openai",
        "gemini" => "gcp.gemini",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The names of the conventions that are used, as `docs/gen-ai` of that version writes it, with `error.type` and
    /// the resource's.
    const CONVENTIONS: &str = "service.name service.version error.type event.name gen_ai.operation.name \
        gen_ai.provider.name gen_ai.conversation.id gen_ai.conversation.compacted gen_ai.agent.name \
        gen_ai.request.model gen_ai.request.stream gen_ai.request.reasoning.level gen_ai.response.finish_reasons \
        gen_ai.response.time_to_first_chunk gen_ai.usage.input_tokens gen_ai.usage.output_tokens \
        gen_ai.usage.cache_read.input_tokens gen_ai.usage.cache_write.input_tokens \
        gen_ai.usage.reasoning.output_tokens gen_ai.tool.name gen_ai.tool.type gen_ai.tool.call.id \
        gen_ai.tool.call.arguments gen_ai.tool.call.result gen_ai.input.messages gen_ai.output.messages \
        gen_ai.client.inference.duration gen_ai.client.inference.usage.input_tokens \
        gen_ai.client.inference.usage.output_tokens gen_ai.client.inference.usage.cache_read.input_tokens \
        gen_ai.client.inference.usage.cache_write.input_tokens gen_ai.client.inference.usage.reasoning.output_tokens \
        gen_ai.execute_tool.duration";

    #[test]
    fn every_name_is_of_the_conventions_or_our_own_and_is_there_once() {
        let known: BTreeSet<&str> = CONVENTIONS.split_whitespace().collect();
        let used: BTreeSet<&str> = ALL.iter().copied().collect();
        assert_eq!(used.len(), ALL.len());
        let (own, others): (Vec<&str>, Vec<&str>) = used.iter().partition(|name| name.starts_with("arki."));
        assert!(own.len() > 20 && known.iter().eq(&others), "{others:?}");
    }

    #[test]
    fn no_other_file_has_a_name_of_its_own() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![sources];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else if !entry.ends_with("names.rs") && !entry.to_string_lossy().contains("tests") {
                    let text = std::fs::read_to_string(&entry).unwrap();
                    assert!(!text.contains("\"gen_ai.") && !text.contains("\"arki."), "{}", entry.display());
                }
            }
        }
    }

    #[test]
    fn providers_have_the_conventions_words() {
        let all = ["openai", "openai-chat", "anthropic", "gemini", "lab"].map(provider);
        assert_eq!(all, ["openai", "openai", "anthropic", "gcp.gemini", "lab"]);
    }
}
