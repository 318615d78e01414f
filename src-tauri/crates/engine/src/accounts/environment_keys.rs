//! Keys from the environment. A process with children that it does not confine (the window's) takes them out first.

use crate::Directories;
use std::collections::HashMap;
use zeroize::Zeroizing;

/// Variables taken out of the environment, by name.
#[derive(Clone, Default)]
pub struct EnvironmentKeys {
    taken: HashMap<String, Zeroizing<String>>,
}

/// Names with these words in them, between underscores or at an end, are taken for keys.
const WORDS: &[&str] = &["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS"];

impl EnvironmentKeys {
    /// The variables that the user's configuration names, whatever they are called.
    #[must_use]
    pub fn configured_names(directories: &Directories) -> Vec<String> {
        let file = directories.config_file();
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let providers = arki_config::parse(&text, &file).map(|config| config.providers).unwrap_or_default();
        providers.into_values().filter_map(|provider| provider.api_key_env).collect()
    }

    #[must_use]
    pub fn looks_like_a_key(name: &str) -> bool {
        name.to_ascii_uppercase().split('_').any(|word| WORDS.contains(&word))
    }

    pub fn keep(&mut self, name: &str, value: String) {
        self.taken.insert(name.to_owned(), Zeroizing::new(value));
    }

    /// Returns what was taken, else what stands in the environment now.
    pub(crate) fn value(&self, name: &str) -> Option<Zeroizing<String>> {
        self.taken.get(name).cloned().or_else(|| std::env::var(name).ok().map(Zeroizing::new))
    }
}

impl std::fmt::Debug for EnvironmentKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.taken.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_other_variables_by_their_names() {
        for name in ["OPENAI_API_KEY", "MOCK_KEY", "github_token", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD_X_PASSWORD"] {
            assert!(EnvironmentKeys::looks_like_a_key(name), "{name}");
        }
        for name in ["PATH", "XAUTHORITY", "GNOME_KEYRING_CONTROL", "XKB_DEFAULT_LAYOUT", "DBUS_SESSION_BUS_ADDRESS"] {
            assert!(!EnvironmentKeys::looks_like_a_key(name), "{name}");
        }
    }

    #[test]
    fn debug_shows_names_only() {
        let mut keys = EnvironmentKeys::default();
        keys.keep("A_KEY", "sk-1".into());
        assert_eq!(format!("{keys:?}"), r#"{"A_KEY"}"#);
        assert_eq!(keys.value("A_KEY").unwrap().as_str(), "sk-1");
    }
}
