//! The steps of a launcher before a command begins, in order; from the process that asks to the one that does it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The plan of one command's view of the disk. Everything is read-only before the first step, `/dev` and `/proc` are its
/// own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LaunchPlan {
    pub(super) steps: Vec<MountStep>,
    pub(super) directory: PathBuf,
    /// A network with nobody else in it.
    pub(super) own_network: bool,
    /// There is one way out of it, which who asks is handed: see `network_door`.
    pub(super) has_door: bool,
    /// The process that asks; the command ends with it.
    pub(super) parent: u32,
    /// Bits of the powers that a command keeps where root started Arki.
    pub(super) root_powers: u64,
}

/// One change to the view. A source is looked up outside it, a target in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum MountStep {
    Bind {
        from: PathBuf,
        to: PathBuf,
        access: BindAccess,
    },
    /// The same; left out where there is no source.
    BindIfThere {
        from: PathBuf,
        to: PathBuf,
        access: BindAccess,
    },
    /// Writes to `to` go into `upper`, and `lower` stays as it is. `work` is the kernel's, beside `upper`.
    Overlay {
        lower: PathBuf,
        upper: PathBuf,
        work: PathBuf,
        to: PathBuf,
    },
    /// The same of a folder that isn't the project, such as a cache; read-only where the kernel can't do that with it.
    Aside {
        lower: PathBuf,
        upper: PathBuf,
        work: PathBuf,
        to: PathBuf,
    },
    /// A file that can't be opened.
    HideFile(PathBuf),
    /// A folder in which nothing is seen, writable until it is closed, so that others can be mounted in it.
    HideFolder(PathBuf),
    Close(PathBuf),
}

impl MountStep {
    /// Returns the place where an overlay is mounted.
    pub(super) fn overlay(&self) -> Option<&Path> {
        if let Self::Overlay { to, .. } = self { Some(to) } else { None }
    }

    pub(super) fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Bind { from, to, .. } | Self::BindIfThere { from, to, .. } => vec![from, to],
            Self::Overlay { lower, upper, work, to } | Self::Aside { lower, upper, work, to } => {
                vec![lower, upper, work, to]
            }
            Self::HideFile(path) | Self::HideFolder(path) | Self::Close(path) => vec![path],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum BindAccess {
    ReadOnly,
    Writable,
}
