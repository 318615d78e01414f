//! The grammar of `arki keys` and `arki providers`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Store a provider's key, read from standard input; on a terminal Arki asks for it and doesn't show it
    Set {
        /// The provider's name
        provider: String,
    },
    /// List the providers and where their keys come from, without showing keys
    List,
    /// Remove a provider's key
    Rm {
        /// The provider's name
        provider: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProvidersCommand {
    /// Add a provider to your configuration
    Add {
        /// The provider's name, as in PROVIDER/MODEL
        name: String,
        /// The kind: openai, openai-chat, anthropic, gemini, deepseek, ollama, openrouter or custom
        #[arg(long)]
        kind: String,
        /// The base URL of the API; default: the vendor's own
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
        /// The environment variable that holds the API key
        #[arg(long, value_name = "NAME")]
        key_env: Option<String>,
    },
    /// Remove a provider from your configuration
    Rm {
        /// The provider's name
        name: String,
    },
    /// Test a provider step by step: settings, key, connection, certificate, models; exit 1 if a step fails
    Test {
        /// The provider's name
        name: String,
        /// Also ask this model for a word, which costs a few tokens
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
}
