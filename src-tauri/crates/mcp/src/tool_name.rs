//! The names under which models see a server's tools: `mcp__SERVER__TOOL`, safe for every vendor.

use arki_domain::sha256_hex;

/// The shortest limit among the vendors.
const MAX_NAME_CHARS: usize = 64;
const MAX_SERVER_NAME_CHARS: usize = 32;
const DIGEST_CHARS: usize = 8;

/// A server's name becomes a part of its tools' names, so it must not look like the border between them.
#[must_use]
pub fn is_server_name(name: &str) -> bool {
    (1..=MAX_SERVER_NAME_CHARS).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && !name.contains("__")
        && !name.starts_with('_')
        && !name.ends_with('_')
}

/// The offered name of a tool. A name that had to be changed bears a digest of the original, so that two of them are
/// never the same, whatever else the server lists.
pub(crate) fn offered(server: &str, tool: &str) -> String {
    let safe: String =
        tool.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).collect();
    let whole = format!("mcp__{server}__{safe}");
    if safe == tool && whole.len() <= MAX_NAME_CHARS {
        return whole;
    }
    let digest = &sha256_hex(tool.as_bytes())[..DIGEST_CHARS];
    let room = MAX_NAME_CHARS - DIGEST_CHARS - 1;
    format!("{}_{digest}", &whole[..whole.len().min(room)])
}

/// A name of our own that none of the server's tools has.
pub(crate) fn own(server: &str, name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut own = format!("mcp__{server}__{name}");
    while taken(&own) {
        own.push('_');
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_names_stay_and_others_are_told_apart() {
        assert_eq!(offered("git", "git_status"), "mcp__git__git_status");
        let (dot, space, umlaut) = (offered("x", "a.b"), offered("x", "a b"), offered("x", "aüb"));
        assert!(dot.starts_with("mcp__x__a_b_") && dot != space && space != umlaut && umlaut != offered("x", "a_b"));
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let (one, two) = (offered("x", &"a".repeat(200)), offered("x", &"a".repeat(201)));
        assert_eq!((one.len(), two.len()), (MAX_NAME_CHARS, MAX_NAME_CHARS));
        assert_ne!(one, two);
        let longest_server = "s".repeat(MAX_SERVER_NAME_CHARS);
        assert_eq!(offered(&longest_server, &"t".repeat(60)).len(), MAX_NAME_CHARS);
    }

    #[test]
    fn a_servers_name_is_no_border() {
        for name in ["git", "my-server", "a_b", "A1"] {
            assert!(is_server_name(name), "{name}");
        }
        for name in ["", "a__b", "_a", "a_", "a b", "ä", &"x".repeat(33)] {
            assert!(!is_server_name(name), "{name}");
        }
    }

    #[test]
    fn our_own_tools_step_aside() {
        assert_eq!(own("x", "search_tools", |name| name == "mcp__x__search_tools"), "mcp__x__search_tools_");
    }
}
