//! Sheets of Office and OpenDocument: a line a row, with its number, and tabs between the cells.

use crate::answer::DocumentError;
use crate::paged_text::{PageWords, PagedText};
use calamine::{Data, Ods, OdsError, Range, Reader, Xlsx, XlsxError};
use std::fmt::Write;
use std::io::Cursor;

const SHEETS: PageWords = PageWords { kind: "a workbook", page: "sheet" };
/// Seconds before midnight where Excel rounds to the next day.
const SECONDS_A_DAY: f64 = 86_400.0;

pub(crate) fn read(bytes: &[u8], pages: &mut PagedText) -> Result<(), DocumentError> {
    match Xlsx::new(Cursor::new(bytes)) {
        Ok(book) => read_book(book, pages),
        Err(XlsxError::Password) => Err(DocumentError::Encrypted),
        Err(_) => match Ods::new(Cursor::new(bytes)) {
            Ok(book) => read_book(book, pages),
            Err(OdsError::Password) => Err(DocumentError::Encrypted),
            Err(_) => Err(DocumentError::Broken),
        },
    }
}

fn read_book<'a>(mut book: impl Reader<Cursor<&'a [u8]>>, pages: &mut PagedText) -> Result<(), DocumentError> {
    let names = book.sheet_names();
    pages.begin(SHEETS, names.len());
    for name in names {
        if !pages.has_time() {
            break;
        }
        // One without cells, such as a diagram, is no error.
        let range = book.worksheet_range(&name).unwrap_or_default();
        pages.add(Some(&name), &rows_of(&range, pages.room() + 1));
    }
    Ok(())
}

fn rows_of(range: &Range<Data>, room: usize) -> String {
    let mut text = String::new();
    let first = range.start().map_or(1, |(row, _)| row as usize + 1);
    for (number, row) in range.rows().enumerate() {
        let cells: Vec<String> = row.iter().map(cell).collect();
        let line = cells.join("\t");
        if !line.trim().is_empty() {
            let _ = writeln!(text, "{}: {}", first + number, line.trim_end());
        }
        if text.len() >= room {
            break;
        }
    }
    text
}

fn cell(value: &Data) -> String {
    match value {
        Data::DateTime(time) if time.is_duration() => {
            let seconds = (time.as_f64() * SECONDS_A_DAY).round();
            format!(
                "{}:{:02}:{:02}",
                (seconds / 3600.0) as i64,
                (seconds / 60.0 % 60.0) as i64,
                (seconds % 60.0) as i64
            )
        }
        Data::DateTime(time) => {
            let (year, month, day, hours, minutes, seconds, _) = time.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            if time.as_f64().fract() == 0.0 { date } else { format!("{date} {hours:02}:{minutes:02}:{seconds:02}") }
        }
        other => other.to_string().replace(['\n', '\r', '\t'], " "),
    }
}
