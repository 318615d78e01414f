//! stub
use crate::error::Result;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxStatus {
    pub available: bool,
    /// Such as `landlock ABI 7`, or `none`.
    pub name: String,
    /// A sentence on what is missing.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSpec {
    pub project_root: PathBuf,
    pub temp_dir: PathBuf,
    /// Invisible, whether they exist or not; see [`home_secrets`].
    pub hidden: Vec<PathBuf>,
    /// Writable besides the project and the temporary folder.
    pub also_writable: Vec<PathBuf>,
}

/// A prepared sandbox: build it once a run, use it for every command. Clones share it.
#[derive(Debug, Clone)]
pub struct Sandbox {}

impl Sandbox {
    pub fn probe() -> SandboxStatus {
        todo!()
    }
    pub fn prepare(_spec: &SandboxSpec) -> Result<Self> {
        todo!()
    }
    pub fn name(&self) -> &str {
        todo!()
    }
    /// Sentences on what could not be done exactly as asked.
    pub fn notes(&self) -> &[String] {
        todo!()
    }
}

/// What in a home folder commands never see: keys, credential stores, browser profiles.
pub fn home_secrets(_home: &Path) -> Vec<PathBuf> {
    todo!()
}
