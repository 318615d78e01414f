//! `arki keys`: the keychain. A key is only ever read from standard input or typed unseen, and never printed.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, visible};
use arki_api::{KeyStatus, PrintedKey};
use arki_domain::Error;
use arki_engine::Engine;
use clap::Subcommand;
use std::io::{IsTerminal, Read};
use zeroize::Zeroizing;

/// Store, list or remove API keys in the system keychain
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

const MAX_INPUT_BYTES: u64 = 64 * 1024;

pub(crate) async fn run(engine: &Engine, command: &KeysCommand, output: &Printer) -> CommandExit {
    match command {
        KeysCommand::Set { provider } => {
            engine.accounts().set_key(provider, &read_key(provider)?).await?;
            said(output, &format!("Stored the key for {provider} in the keychain."));
            // A vendor's key may come before its provider.
            let config = engine.accounts().user_config();
            if config.is_ok_and(|config| config.providers.iter().all(|known| known.name != provider.trim())) {
                output.aside(format!("Run `arki providers add {provider} --kind {provider}` to use it."));
            }
        }
        KeysCommand::Rm { provider } => {
            engine.accounts().remove_key(provider).await?;
            said(output, &format!("Removed the key for {provider} from the keychain."));
        }
        KeysCommand::List => {
            for provider in engine.accounts().providers_listed().await? {
                let key = PrintedKey { provider: provider.name, key_source: provider.key_source };
                output.tell(&key, || format!("{:<16} {}", key.provider, source(key.key_source)));
            }
        }
    }
    Ok(Exit::Done)
}

fn said(output: &Printer, line: &str) {
    if !output.json {
        output.line(line);
    }
}

pub(crate) fn source(status: KeyStatus) -> &'static str {
    match status {
        KeyStatus::Keychain => "keychain",
        KeyStatus::Environment => "environment",
        KeyStatus::NoneNeeded => "none needed",
        KeyStatus::Missing => "missing",
    }
}

/// Reads a key from standard input; on a terminal it asks, and doesn't show what is typed.
fn read_key(provider: &str) -> Result<Zeroizing<String>, Error> {
    if std::io::stdin().is_terminal() {
        let typed = rpassword::prompt_password(format!("API key for {}: ", visible(provider)));
        return typed
            .map(Zeroizing::new)
            .map_err(|_| wrong_use("No key was typed.", "Type the key and press Enter, or pipe it in."));
    }
    let mut key = Zeroizing::new(String::new());
    std::io::stdin()
        .lock()
        .take(MAX_INPUT_BYTES)
        .read_to_string(&mut key)
        .map_err(|_| wrong_use("The key on standard input isn't text.", "Try `arki keys set openai < key.txt`."))?;
    Ok(key)
}
