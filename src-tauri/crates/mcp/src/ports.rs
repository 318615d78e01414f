//! What servers need of the world, to be implemented by whoever knows it.

use crate::agreement::AgreementStore;
use crate::authorization::{SignIn, TokenStore};
use crate::launcher::Launcher;
use async_trait::async_trait;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// What a server needs of the world.
#[derive(Clone)]
pub struct Ports {
    pub launcher: Arc<dyn Launcher>,
    pub agreements: Arc<dyn AgreementStore>,
    pub tokens: Arc<dyn TokenStore>,
    /// `None` where nobody can be shown a page.
    pub sign_in: Option<Arc<dyn SignIn>>,
    /// `None` where nobody can be asked.
    pub elicitor: Option<Arc<dyn Elicitor>>,
    /// The project, which servers are told of.
    pub root: Option<PathBuf>,
}

/// Somebody who can ask the user what a server wants to know.
#[async_trait]
pub trait Elicitor: Send + Sync {
    async fn ask(&self, question: Question) -> Reply;
}

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub server: String,
    pub message: String,
    /// Of an object with plain fields; `None` where a page is to be visited instead.
    pub schema: Option<Value>,
    pub url: Option<String>,
}

impl Question {
    /// What the server suggests for each field.
    #[must_use]
    pub fn defaults(&self) -> Value {
        let fields = self.schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        let default = |(name, field): (&String, &Value)| Some((name.clone(), field.get("default")?.clone()));
        Value::Object(fields.into_iter().flatten().filter_map(default).collect())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Accept(Option<Value>),
    Decline,
    Cancel,
}
