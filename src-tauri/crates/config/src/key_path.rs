//! The key of a setting, read: `limits.maxTurns`, with quotes around a name that has dots.

use arki_domain::{Code, Error};

/// No key of the configuration lies deeper.
const MAX_DEPTH: usize = 8;

pub fn no_key(key: &str) -> Error {
    let hint = "Join the names with dots, such as `limits.maxTurns`; quote a name that has a dot in it.";
    Error::new(Code::USAGE, format!("\"{key}\" is not a key."), hint)
}

/// The names of a key, from the outermost.
pub fn key_path(key: &str) -> Result<Vec<String>, Error> {
    let refused = || no_key(key);
    let (mut names, mut rest) = (Vec::new(), key.trim());
    loop {
        let (name, after) = if rest.starts_with('"') {
            let mut quoted = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let name = quoted.next().and_then(Result::ok).ok_or_else(refused)?;
            let end = quoted.byte_offset();
            (name, &rest[end..])
        } else {
            let (name, after) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
            (name.to_owned(), after)
        };
        if name.is_empty() || names.len() == MAX_DEPTH {
            return Err(refused());
        }
        names.push(name);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(names),
            None => return Err(refused()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_names_with_dots_between_them() {
        assert_eq!(key_path("limits.maxTurns").unwrap(), ["limits", "maxTurns"]);
        assert_eq!(key_path("providers.o.models.\"gpt-5.1\".price").unwrap()[3], "gpt-5.1");
        assert_eq!(key_path(r#"agents."a \"b\" \\c".model"#).unwrap(), ["agents", r#"a "b" \c"#, "model"]);
        for wrong in ["", ".", "a.", ".a", "a..b", "\"a", "\"a\"b", "a.b.c.d.e.f.g.h.i"] {
            assert!(key_path(wrong).is_err_and(|fault| fault.is(Code::USAGE)), "{wrong}");
        }
    }
}
