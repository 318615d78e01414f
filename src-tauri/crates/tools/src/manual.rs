//! A tool's manual: `name: description` on the first line, the manual itself below it (seed 000).

/// Marks a description whose tool has a manual.
const HAS_MANUAL: char = '📘';

pub(crate) struct Manual {
    /// With the 📘 in front when there is a manual.
    pub(crate) description: String,
    /// Empty where there is none.
    pub(crate) text: String,
}

impl Manual {
    pub(crate) fn parse(source: &str) -> Self {
        let (first, rest) = source.split_once('\n').unwrap_or((source, ""));
        let description = first.split_once(':').map_or(first, |(_, description)| description).trim();
        let text = rest.trim().to_owned();
        if text.is_empty() {
            return Self { description: description.to_owned(), text };
        }
        Self { description: format!("{HAS_MANUAL} {description}"), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_marks_tools_that_have_a_manual() {
        assert_eq!(Manual::parse("a: does: it\n\n").description, "does: it");
        let manual = Manual::parse("a: does it\n\nMore.\n");
        assert_eq!((manual.description.as_str(), manual.text.as_str()), ("📘 does it", "More."));
    }
}
