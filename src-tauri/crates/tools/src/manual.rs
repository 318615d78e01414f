//! A tool's manual: `name: description` on the first line, the manual itself below it (seed 000).

/// Marks a description whose tool has a manual.
const HAS_MANUAL: char = '📘';

pub(crate) struct Manual {
    /// With the 📘 in front when there is a manual.
    pub(crate) description: String,
}

impl Manual {
    pub(crate) fn parse(source: &str) -> Self {
        let (first, rest) = source.split_once('\n').unwrap_or((source, ""));
        let description = first.split_once(':').map_or(first, |(_, description)| description).trim();
        if rest.trim().is_empty() {
            return Self { description: description.to_owned() };
        }
        Self { description: format!("{HAS_MANUAL} {description}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_marks_tools_that_have_a_manual() {
        assert_eq!(Manual::parse("a: does: it\n\n").description, "does: it");
        assert_eq!(Manual::parse("a: does it\n\nMore.").description, "📘 does it");
    }
}
