//! The readings of a glob: `app/[slug]/page.tsx` is the name of a file before it is a pattern.

/// Returns what a glob may mean, each as a glob: first with its brackets and braces as parts of names, then as it is
/// written. What is written is left out where no glob can mean it, such as the range in `[user-id]`.
#[must_use]
pub fn glob_readings(glob: &str) -> Vec<String> {
    let (brackets, braces) = (['[', ']'], ['{', '}']);
    let mut readings = vec![with_literal(glob, &[brackets, braces].concat())];
    if glob.contains('[') && glob.contains('{') {
        readings.push(with_literal(glob, &brackets));
    }
    if !has_backward_range(glob) {
        readings.push(with_literal(glob, &braces));
        readings.push(glob.to_owned());
    }
    readings.dedup();
    readings
}

/// Returns the glob with these characters standing for themselves.
fn with_literal(glob: &str, literal: &[char]) -> String {
    let mut text = String::with_capacity(glob.len() + 8);
    let mut characters = glob.chars();
    while let Some(c) = characters.next() {
        if literal.contains(&c) {
            text.extend(['[', c, ']']);
            continue;
        }
        text.push(c);
        if c == '\\' && !std::path::is_separator(c) {
            text.extend(characters.next());
        }
    }
    text
}

fn has_backward_range(glob: &str) -> bool {
    let classes = glob.split('[').skip(1).map(|rest| rest.split(']').next().unwrap_or_default());
    let is_backward = |class: &str| {
        let characters: Vec<char> = class.trim_start_matches(['!', '^']).chars().collect();
        characters.windows(3).any(|range| range[1] == '-' && range[0] > range[2])
    };
    classes.into_iter().any(is_backward)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_braces_are_names_before_they_are_patterns() {
        assert_eq!(glob_readings("src/*.rs"), ["src/*.rs"]);
        assert_eq!(glob_readings("app/[slug]/*"), ["app/[[]slug[]]/*", "app/[slug]/*"]);
        assert_eq!(glob_readings("{id}/a"), ["[{]id[}]/a", "{id}/a"]);
        assert_eq!(
            glob_readings("[a]/*.{b,c}"),
            ["[[]a[]]/*.[{]b,c[}]", "[[]a[]]/*.{b,c}", "[a]/*.[{]b,c[}]", "[a]/*.{b,c}"]
        );
        assert_eq!(glob_readings("[user-id]/a"), ["[[]user-id[]]/a"]);
        assert_eq!(glob_readings("[a-z]"), ["[[]a-z[]]", "[a-z]"]);
        #[cfg(unix)]
        assert_eq!(glob_readings(r"\[a]"), [r"\[a[]]", r"\[a]"]);
    }
}
