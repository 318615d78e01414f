//! Signing in to servers that ask for it: OAuth with discovery, registration and PKCE, as the protocol describes it.
//!
//! Tokens belong to an address, not to a name: a project that gives its own server a familiar name gets none of them.
//! Where tokens can't be kept, only the servers that ask for them can't be used.

use crate::fault::{authorization_needed, failed, quoted, sign_in_refused, token_refused, tokens_not_kept};
use crate::ports::{Ports, TokenStore};
use crate::settings::{Remote, ServerSettings};
use arki_domain::Error;
use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, CredentialStore, OAuthState, StoredCredentials,
    WWWAuthenticateParams,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the manager of one address's tokens, for its requests.
pub(crate) async fn manager(server: &str, remote: &Remote, ports: &Ports) -> Result<AuthorizationManager, Error> {
    let mut manager = empty_manager(server, remote, ports).await?;
    // Without stored tokens nothing is asked of anybody: the server's own answer says whether any are needed.
    if let Err(error) = manager.initialize_from_store().await {
        tracing::debug!(server, %error, "the stored tokens can't be used");
    }
    Ok(manager)
}

async fn empty_manager(server: &str, remote: &Remote, ports: &Ports) -> Result<AuthorizationManager, Error> {
    // It makes a client of its own, which has no cryptography without this.
    arki_tools::install_crypto();
    let manager = AuthorizationManager::new(remote.url.as_str()).await;
    let mut manager = manager.map_err(|error| sign_in_failed(server, &error))?;
    manager.set_credential_store(StoredTokens::new(remote, ports));
    Ok(manager)
}

/// Lets the user sign in; the tokens are kept. `challenge` is what the server answered without them.
pub(crate) async fn sign_in(
    settings: &ServerSettings,
    remote: &Remote,
    ports: &Ports,
    challenge: Option<&str>,
) -> Result<(), Error> {
    let server = &settings.name;
    if remote.has_own_authorization() {
        return Err(token_refused(server));
    }
    // Before the user is sent anywhere: what signing in gives could not be kept.
    ports.tokens.load(&remote.url).await.map_err(|fault| tokens_not_kept(server, fault))?;
    let Some(page) = &ports.sign_in else { return Err(authorization_needed(server)) };
    let granted = granted_scopes(remote, ports).await;
    let request = request(remote, &page.redirect_uri(), challenge, granted);
    let mut state = OAuthState::Unauthorized(empty_manager(server, remote, ports).await?);
    let failed = |error: AuthError| sign_in_failed(server, &error);
    state.start_authorization(request).await.map_err(failed)?;
    let url = state.get_authorization_url().await.map_err(failed)?;
    let sent_back = page.visit(&url).await?;
    if let Some(error) = refusal(&sent_back) {
        return Err(sign_in_refused(server, &error));
    }
    state.handle_callback_url(&sent_back).await.map_err(failed)
}

/// Returns what the authorization server says instead of giving a code, as the user's own refusal.
fn refusal(sent_back: &str) -> Option<String> {
    let url = reqwest::Url::parse(sent_back).ok()?;
    let given = |wanted: &str| {
        let mut pairs = url.query_pairs();
        pairs.find(|(name, value)| name == wanted && !value.is_empty()).map(|(_, value)| value.into_owned())
    };
    let error = given("error")?;
    Some(given("error_description").map_or(error.clone(), |words| format!("{error}, {words}")))
}

fn request(remote: &Remote, redirect_uri: &str, challenge: Option<&str>, granted: Vec<String>) -> AuthorizationRequest {
    let oauth = &remote.oauth;
    let mut request = AuthorizationRequest::new(redirect_uri).with_client_name("Arki").with_initial_scope_selection();
    if let Some(id) = &oauth.client_id {
        request = request.with_preregistered_client(id);
    }
    if let Some(secret) = &oauth.client_secret {
        request = request.with_client_secret(secret);
    }
    if let Some(url) = &oauth.client_metadata_url {
        request = request.with_client_metadata_url(url);
    }
    let mut scopes = oauth.scopes.clone();
    if let Some(challenge) = challenge {
        request = request.with_challenge(challenge);
        scopes.extend(missing_scopes(remote, challenge, granted));
    }
    request.with_scopes(scopes)
}

/// Returns the scopes to ask for when the granted ones do not suffice: those, and the ones that the server asks for
/// besides.
fn missing_scopes(remote: &Remote, challenge: &str, granted: Vec<String>) -> Vec<String> {
    let Ok(url) = reqwest::Url::parse(&remote.url) else { return Vec::new() };
    let asked = WWWAuthenticateParams::parse(challenge, &url);
    let Some(scope) = asked.scope.as_deref().filter(|_| asked.is_insufficient_scope()) else { return Vec::new() };
    let mut scopes = granted;
    for scope in scope.split_whitespace() {
        if !scopes.iter().any(|known| known == scope) {
            scopes.push(scope.to_owned());
        }
    }
    scopes
}

async fn granted_scopes(remote: &Remote, ports: &Ports) -> Vec<String> {
    let stored = StoredTokens::new(remote, ports).load().await;
    stored.ok().flatten().map(|stored| stored.granted_scopes).unwrap_or_default()
}

fn sign_in_failed(server: &str, error: &AuthError) -> Error {
    failed(server, format_args!("refused the sign-in: {}.", quoted(&error.to_string())))
}

struct StoredTokens {
    tokens: Arc<dyn TokenStore>,
    url: String,
    /// True if the token store is not to be asked, or is known not to answer.
    is_left_alone: AtomicBool,
}

impl StoredTokens {
    fn new(remote: &Remote, ports: &Ports) -> Self {
        let is_left_alone = AtomicBool::new(remote.has_own_authorization());
        Self { tokens: ports.tokens.clone(), url: remote.url.clone(), is_left_alone }
    }
}

#[async_trait]
impl CredentialStore for StoredTokens {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        if self.is_left_alone.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let stored = match self.tokens.load(&self.url).await {
            Ok(stored) => stored,
            Err(fault) => {
                // Most servers ask for no tokens. One that does is answered by `sign_in`.
                tracing::debug!(%fault, "no tokens");
                self.is_left_alone.store(true, Ordering::Relaxed);
                None
            }
        };
        // What an earlier version wrote otherwise is as good as nothing.
        Ok(stored.and_then(|stored| serde_json::from_str(&stored).ok()))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let text = serde_json::to_string(&credentials).map_err(|_| AuthError::InternalError("tokens".to_owned()))?;
        self.tokens.save(&self.url, &text).await.map_err(|fault| unusable(&fault))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.tokens.clear(&self.url).await.map_err(|fault| unusable(&fault))
    }
}

fn unusable(fault: &Error) -> AuthError {
    AuthError::CredentialStoreError(fault.message.clone())
}
