//! Models as the settings and `arki models` show them, what local servers list, and the test of a provider.

wire! {
    ModelEntry {
        /// `provider/model`.
        pub id: String,
        pub provider: String,
        pub model: String,
        /// The name for people; the model's ID if no better one is known.
        pub name: String,
        /// In tokens.
        pub context_window: Option<u64>,
        /// True if nobody has given the window: it is then the least that such models usually have.
        pub context_window_assumed: bool,
        /// In tokens; null where it is not known.
        pub output_limit: Option<u64>,
        pub capabilities: Vec<String>,
        /// It is known to take no pictures.
        pub is_blind: bool,
        /// Null where it is not known, which is not free.
        pub price: Option<ModelPrice>,
        /// The source of these figures.
        pub source: ModelFigures,
        /// The day the catalogue's data were gathered, where they come from there.
        pub catalogue_date: Option<String>,
    }
    /// In US dollars per million tokens. A cache without a price of its own costs what input does.
    ModelPrice {
        pub input: f64,
        pub output: f64,
        pub cached_input: Option<f64>,
        pub cache_write: Option<f64>,
        /// The prices for long prompts, by rising `aboveInputTokens`.
        pub tiers: Vec<ModelPriceTier>,
    }
    ModelPriceTier {
        pub above_input_tokens: u64,
        pub input: f64,
        pub output: f64,
        pub cached_input: Option<f64>,
        pub cache_write: Option<f64>,
    }

    /// A server on this computer that lists models now.
    LocalServer {
        /// The server's name, as `choose_local_model` takes it.
        pub name: String,
        /// The program's own name, for people.
        pub product: String,
        pub base_url: String,
        /// The models, as the server lists them; it may have none yet.
        pub models: Vec<String>,
    }

    /// One step of a provider's test that has ended.
    ProviderTestStep {
        pub step: ProviderTestStepName,
        pub state: ProviderTestState,
        pub duration_ms: u64,
        /// The finding, the reason why the step was skipped, or the error.
        pub message: String,
        /// The error code of a step that failed.
        pub code: Option<String>,
        pub hint: Option<String>,
    }
    /// All known models, those that local servers list now among them.
    LiveModelList {
        pub models: Vec<ModelEntry>,
        /// The local servers that did not answer.
        pub silent: Vec<SilentProvider>,
    }
    SilentProvider {
        pub provider: String,
        pub code: String,
        pub message: String,
        pub hint: String,
    }
}

words! {
    /// Said by the user, known from the catalogue, said by the server, local (and so free), or assumed.
    ModelFigures { Configuration, Catalogue, Server, Local, Default }

    /// The steps in their order: `models` lists them, `model` looks for the chosen one, `answer` has it say a word.
    ProviderTestStepName { Settings, Key, Reach, Tls, Models, Model, Answer }
    ProviderTestState { Ok, Failed, Skipped }
}
