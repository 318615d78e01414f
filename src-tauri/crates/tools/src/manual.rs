//! A tool's texts: `name: description`, over several lines where they need it, and below a line `📘` the manual, which
//! the model reads once it wants the tool (seed 000).

/// Marks a description whose tool has a manual, and in the file the line between both.
const HAS_MANUAL: &str = "📘";

pub(crate) struct Manual {
    /// The description, with the 📘 in front if there is a manual.
    pub(crate) description: String,
    /// Empty where there is none.
    pub(crate) text: String,
}

impl Manual {
    pub(crate) fn parse(source: &str) -> Self {
        let (told, manual) = source.split_once(&format!("\n{HAS_MANUAL}\n")).unwrap_or((source, ""));
        let description = told.split_once(':').map_or(told, |(_, description)| description).trim();
        let text = manual.trim().to_owned();
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
        assert_eq!(Manual::parse("a: does it\n- so\n- or so\n").description, "does it\n- so\n- or so");
        let manual = Manual::parse("a: does it\n📘\nMore.\n");
        assert_eq!((manual.description.as_str(), manual.text.as_str()), ("📘 does it", "More."));
    }
}
