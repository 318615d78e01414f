//! A document of whatever kind: what it is by its name and its first bytes, and its text.

use crate::answer::{DocumentError, DocumentText};
use crate::archive::Archive;
use crate::office::OfficeContent;
use crate::paged_text::{PagedText, ReadingLimits};
use crate::{office, pdf, sheets};

const EXTENSIONS: [&str; 10] = ["pdf", "docx", "docm", "odt", "pptx", "pptm", "odp", "xlsx", "xlsm", "ods"];
const PDF: &[u8] = b"%PDF-";
/// PDF readers take other bytes before the signature, up to this place.
const PDF_WITHIN: usize = 1024;
const ZIP: &[u8] = b"PK\x03\x04";
/// The container of Office's older formats, and of its newer ones with a password.
const COMPOUND_FILE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// The name of the part that has a document with a password.
const ENCRYPTED_PART: &str = "EncryptedPackage";

/// Returns whether a path ends as those of documents do.
#[must_use]
pub fn is_document_name(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

/// Returns whether these bytes begin as those of documents do.
#[must_use]
pub fn is_document(bytes: &[u8]) -> bool {
    is_pdf(bytes) || bytes.starts_with(ZIP) || bytes.starts_with(COMPOUND_FILE)
}

fn is_pdf(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(PDF_WITHIN)].windows(PDF.len()).any(|part| part == PDF)
}

/// Returns the text of a document, as far as the limits let.
///
/// # Errors
/// Where it can't be read, or has no text.
pub fn document_text(bytes: Vec<u8>, limits: ReadingLimits) -> Result<DocumentText, DocumentError> {
    let mut pages = PagedText::new(limits);
    if bytes.starts_with(ZIP) {
        let mut archive = Archive::open(&bytes, limits.max_unpacked_bytes)?;
        if office::read(&mut archive, &mut pages)? == OfficeContent::Sheets {
            sheets::read(&bytes, &mut pages)?;
        }
    } else if bytes.starts_with(COMPOUND_FILE) {
        return Err(if has_password(&bytes) { DocumentError::Encrypted } else { DocumentError::OldFormat });
    } else {
        pdf::read(bytes, &mut pages)?;
    }
    pages.finish()
}

fn has_password(compound_file: &[u8]) -> bool {
    let name: Vec<u8> = ENCRYPTED_PART.encode_utf16().flat_map(u16::to_le_bytes).collect();
    compound_file.windows(name.len()).any(|part| part == name)
}
