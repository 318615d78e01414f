//! The zip archive that an office document is, with a limit for what it unpacks to.

use crate::answer::DocumentError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::{BufRead, BufReader, Cursor, Read};
use zip::ZipArchive;

/// The limit for the parts that say where the others are, in bytes.
const MAX_LIST_BYTES: u64 = 4 << 20;

pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    max_unpacked_bytes: u64,
    /// The bytes that may still be unpacked, whatever the archive says of itself.
    room: u64,
}

/// A link from one part to another.
pub(crate) struct Relation {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) target: String,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(bytes: &'a [u8], max_unpacked_bytes: u64) -> Result<Self, DocumentError> {
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| DocumentError::Broken)?;
        let mut unpacked = 0_u64;
        for index in 0..zip.len() {
            let part = zip.by_index_raw(index).map_err(|_| DocumentError::Broken)?;
            if part.encrypted() {
                return Err(DocumentError::Encrypted);
            }
            unpacked = unpacked.saturating_add(part.size());
        }
        if unpacked > max_unpacked_bytes {
            return Err(too_large(max_unpacked_bytes));
        }
        Ok(Self { zip, max_unpacked_bytes, room: max_unpacked_bytes })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// Hands a part to `take`.
    pub(crate) fn part<T>(
        &mut self,
        name: &str,
        take: impl FnOnce(&mut dyn BufRead) -> Result<T, DocumentError>,
    ) -> Result<T, DocumentError> {
        let part = self.zip.by_name(name).map_err(|_| DocumentError::Broken)?;
        let mut limited = BufReader::new(part.take(self.room));
        let taken = take(&mut limited);
        self.room = limited.get_ref().limit();
        if self.room == 0 {
            return Err(too_large(self.max_unpacked_bytes));
        }
        taken
    }

    /// Returns the text of a short part; empty where there is none.
    pub(crate) fn short_text(&mut self, name: &str) -> Result<String, DocumentError> {
        if !self.has(name) {
            return Ok(String::new());
        }
        self.part(name, |part| {
            let mut text = String::new();
            part.take(MAX_LIST_BYTES).read_to_string(&mut text).map_err(|_| DocumentError::Broken)?;
            Ok(text)
        })
    }

    /// Returns the links that a part of this name lists.
    pub(crate) fn relations(&mut self, name: &str) -> Result<Vec<Relation>, DocumentError> {
        let mut relations = Vec::new();
        for_each_element(&self.short_text(name)?, |element| {
            if element.name().as_ref() == "Relationship" {
                let value = |key| attribute(element, key).unwrap_or_default();
                relations.push(Relation { id: value("Id"), kind: value("Type"), target: value("Target") });
            }
        })?;
        Ok(relations)
    }
}

fn too_large(max_bytes: u64) -> DocumentError {
    DocumentError::TooLarge { what: format!("it unpacks to more than {} MiB", max_bytes >> 20) }
}

pub(crate) fn for_each_element(text: &str, mut take: impl FnMut(&BytesStart<'_>)) -> Result<(), DocumentError> {
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().map_err(|_| DocumentError::Broken)? {
            Event::Start(element) | Event::Empty(element) => take(&element),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

pub(crate) fn attribute(element: &BytesStart<'_>, key: &str) -> Option<String> {
    let found = element.try_get_attribute(key).ok()??;
    found.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok().map(|value| value.into_owned())
}
