//! The workspace's packages and what they depend on, as Cargo sees them.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// By package: the names of its direct dependencies, of whatever platform.
pub(crate) struct Manifests {
    /// In what is shipped.
    pub(crate) normal: BTreeMap<String, BTreeSet<String>>,
    /// In tests as well.
    pub(crate) all: BTreeMap<String, BTreeSet<String>>,
}

impl Manifests {
    pub(crate) fn read() -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        // Without the dependencies' own manifests, some of which are only downloaded on other platforms.
        let arguments = ["metadata", "--offline", "--no-deps", "--format-version", "1"];
        let output = Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let of_kinds = |kinds: &[Option<&str>]| -> BTreeMap<String, BTreeSet<String>> {
            let wanted = |dependency: &&Value| kinds.contains(&dependency["kind"].as_str());
            let names = |package: &Value| -> BTreeSet<String> {
                package["dependencies"].as_array().unwrap().iter().filter(wanted).map(name).collect()
            };
            packages.iter().map(|package| (name(package), names(package))).collect()
        };
        Self { normal: of_kinds(&[None, Some("build")]), all: of_kinds(&[None, Some("build"), Some("dev")]) }
    }

    /// Everything of ours that ends up in what is shipped of the package, however indirectly.
    pub(crate) fn reaches(&self, package: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open = vec![package.to_owned()];
        while let Some(next) = open.pop() {
            for dependency in self.normal.get(&next).into_iter().flatten() {
                if self.normal.contains_key(dependency) && reached.insert(dependency.clone()) {
                    open.push(dependency.clone());
                }
            }
        }
        reached
    }
}

fn name(value: &Value) -> String {
    value["name"].as_str().unwrap().to_owned()
}
