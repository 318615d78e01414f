//! Stored data of MCP servers: agreements in the database, tokens in the keychain.

use crate::Records;
use crate::accounts::keys;
use arki_domain::Error;
use arki_mcp::{Agreement, AgreementStore, TokenStore};
use arki_redaction::Redactor;
use async_trait::async_trait;
use std::sync::Arc;

pub(super) struct Agreements {
    pub(super) records: Arc<Records>,
}

#[async_trait]
impl AgreementStore for Agreements {
    fn load(&self, key: &str) -> Result<Option<Agreement>, Error> {
        let item = item(key);
        // For a run that keeps nothing: what was agreed to before it.
        let kept = match (self.records.reader().meta(&item)?, self.records.decided_before()) {
            (None, Some(before)) => before.meta(&item)?,
            (kept, _) => kept,
        };
        // What a later version wrote otherwise is asked for anew.
        Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()))
    }

    async fn save(&self, key: &str, agreement: &Agreement) -> Result<(), Error> {
        let mut kept = agreement.clone();
        for tool in kept.agreed.iter_mut().chain(&mut kept.latest) {
            // Which tool it is, its name and its hash tell.
            tool.description = self.records.redactor().redact(&tool.description).into_owned();
            tool.schema = self.records.redactor().redact_json(std::mem::take(&mut tool.schema));
        }
        let text = serde_json::to_string(&kept).map_err(Error::internal)?;
        Ok(self.records.store().set_meta(&item(key), &text).await?)
    }
}

fn item(key: &str) -> String {
    format!("mcp_agreement:{key}")
}

/// One item an address. The values are redacted from then on.
pub(super) struct Tokens {
    pub(super) redactor: Redactor,
}

#[async_trait]
impl TokenStore for Tokens {
    async fn load(&self, url: &str) -> Result<Option<String>, Error> {
        let tokens = keys::mcp_tokens(url).await?;
        if let Some(tokens) = &tokens {
            self.redact(tokens);
        }
        Ok(tokens)
    }

    async fn save(&self, url: &str, tokens: &str) -> Result<(), Error> {
        self.redact(tokens);
        keys::store_mcp_tokens(url, tokens).await
    }

    async fn clear(&self, url: &str) -> Result<(), Error> {
        keys::remove_mcp_tokens(url).await
    }
}

impl Tokens {
    fn redact(&self, tokens: &str) {
        let tokens: serde_json::Value = serde_json::from_str(tokens).unwrap_or_default();
        for name in ["access_token", "refresh_token"] {
            if let Some(token) = tokens.pointer(&format!("/token_response/{name}")).and_then(|token| token.as_str()) {
                self.redactor.add("mcp", token);
            }
        }
    }
}
