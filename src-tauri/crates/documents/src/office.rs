//! Word processing and slides of Office (`docx`, `pptx`) and OpenDocument (`odt`, `odp`).

use crate::answer::DocumentError;
use crate::archive::{Archive, attribute, for_each_element};
use crate::markup::pages_in;
use crate::paged_text::{PageWords, PagedText};

const TEXT: PageWords = PageWords { kind: "a text document", page: "page" };
const SLIDES: PageWords = PageWords { kind: "a presentation", page: "slide" };
/// The word behind which an OpenDocument's `mimetype` says its kind.
const OPEN_DOCUMENT: &str = "application/vnd.oasis.opendocument.";
/// The kind of link to the part with the document, and to a slide.
const MAIN_PART: &str = "/officeDocument";

/// The rest that is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfficeContent {
    Read,
    /// Sheets, which `sheets` reads.
    Sheets,
}

/// Reads the document, unless it is sheets.
pub(crate) fn read(archive: &mut Archive<'_>, pages: &mut PagedText) -> Result<OfficeContent, DocumentError> {
    let kind = archive.short_text("mimetype")?;
    if let Some(kind) = kind.trim().strip_prefix(OPEN_DOCUMENT) {
        if archive.short_text("META-INF/manifest.xml")?.contains("encryption-data") {
            return Err(DocumentError::Encrypted);
        }
        return match kind.split(['-', '.']).next() {
            Some("spreadsheet") => Ok(OfficeContent::Sheets),
            Some("presentation") => read_part(archive, "content.xml", SLIDES, pages),
            _ => read_part(archive, "content.xml", TEXT, pages),
        };
    }
    let main = archive.relations("_rels/.rels")?.into_iter().find(|link| link.kind.ends_with(MAIN_PART));
    let main = main.ok_or(DocumentError::Broken)?.target;
    let main = main.trim_start_matches('/');
    match main.split_once('/') {
        Some(("xl", _)) => Ok(OfficeContent::Sheets),
        Some(("ppt", name)) => read_slides(archive, name, pages),
        _ => read_part(archive, main, TEXT, pages),
    }
}

fn read_part(
    archive: &mut Archive<'_>,
    part: &str,
    words: PageWords,
    pages: &mut PagedText,
) -> Result<OfficeContent, DocumentError> {
    // A byte more shows that it was cut.
    let room = pages.room() + 1;
    let found = archive.part(part, |markup| pages_in(markup, room))?;
    pages.begin(words, found.len());
    for page in found {
        if !pages.has_time() {
            break;
        }
        pages.add(None, &page);
    }
    Ok(OfficeContent::Read)
}

/// Reads the slides in the order in which they are shown.
fn read_slides(archive: &mut Archive<'_>, main: &str, pages: &mut PagedText) -> Result<OfficeContent, DocumentError> {
    let links = archive.relations(&format!("ppt/_rels/{main}.rels"))?;
    let mut slides = Vec::new();
    for_each_element(&archive.short_text(&format!("ppt/{main}"))?, |element| {
        if element.name().as_ref() == "p:sldId" {
            let id = attribute(element, "r:id");
            slides.extend(links.iter().find(|link| Some(&link.id) == id.as_ref()).map(|link| &link.target));
        }
    })?;
    pages.begin(SLIDES, slides.len());
    for slide in slides {
        if !pages.has_time() {
            break;
        }
        let place = slide.strip_prefix('/').map_or_else(|| format!("ppt/{slide}"), str::to_owned);
        let room = pages.room() + 1;
        let text = archive.part(&place, |markup| pages_in(markup, room))?;
        pages.add(None, &text.concat());
    }
    Ok(OfficeContent::Read)
}
