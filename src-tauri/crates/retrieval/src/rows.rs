//! The rows of an index: files, their chunks, and the words of these.

use crate::chunks::IndexedText;
use crate::error::Result;
use crate::plan::{FileToRead, KnownFile};
use crate::state::FileKind;
use crate::words::push_words;
use arki_files::FileStamp;
use rusqlite::{Connection, Row, Transaction};
use std::collections::HashMap;

/// The columns of a file's stamp, as [`stamp_of`] reads them.
pub(crate) const STAMP: &str = "size, modified_ns, changed_ns, inode";

/// All files that the index knows, by path.
pub(crate) fn known_files(connection: &Connection) -> Result<HashMap<String, KnownFile>> {
    let mut all = connection.prepare(&format!("SELECT {STAMP}, id, is_fresh, hash, path FROM files"))?;
    let known = |row: &Row<'_>| {
        let file = KnownFile { stamp: stamp_of(row)?, id: row.get(4)?, is_fresh: row.get(5)?, hash: row.get(6)? };
        Ok((row.get(7)?, file))
    };
    Ok(all.query_map([], known)?.collect::<rusqlite::Result<_>>()?)
}

/// Reads a stamp from a row that begins with it.
pub(crate) fn stamp_of(row: &Row<'_>) -> rusqlite::Result<FileStamp> {
    Ok(FileStamp {
        size: row.get::<_, i64>(0)?.cast_unsigned(),
        modified_ns: row.get(1)?,
        changed_ns: row.get(2)?,
        inode: row.get::<_, i64>(3)?.cast_unsigned(),
    })
}

/// Puts a file in the place of what was known of it, without text; returns its id.
pub(crate) fn put_file(
    batch: &Transaction<'_>,
    changed: &FileToRead,
    kind: FileKind,
    hash: Option<&str>,
) -> Result<i64> {
    if let Some(known) = &changed.known {
        remove_file(batch, known.id)?;
    }
    let sql =
        format!("INSERT INTO files (path, {STAMP}, is_fresh, kind, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    let (file, stamp) = (&changed.file, &changed.file.stamp);
    batch.prepare_cached(&sql)?.execute((
        file.path.as_str(),
        stamp.size.cast_signed(),
        stamp.modified_ns,
        stamp.changed_ns,
        stamp.inode.cast_signed(),
        file.is_fresh,
        kind as i64,
        hash,
    ))?;
    Ok(batch.last_insert_rowid())
}

/// Puts a file with its text's chunks.
pub(crate) fn put_text(batch: &Transaction<'_>, changed: &FileToRead, hash: &str, text: &IndexedText) -> Result<()> {
    let id = put_file(batch, changed, FileKind::Text, Some(hash))?;
    let mut path = String::new();
    push_words(changed.file.path.as_str(), &mut path);
    let mut chunk_row = batch.prepare_cached("INSERT INTO chunks (file, first, last) VALUES (?1, ?2, ?3)")?;
    let mut words_row =
        batch.prepare_cached("INSERT INTO passages (rowid, path, symbols, text) VALUES (?1, ?2, ?3, ?4)")?;
    for chunk in text.chunks() {
        chunk_row.execute((id, chunk.first as i64, chunk.last as i64))?;
        words_row.execute((batch.last_insert_rowid(), &path, chunk.symbols, chunk.words))?;
    }
    Ok(())
}

/// Notes the stamp of a file whose content is as it was.
pub(crate) fn touch_file(batch: &Transaction<'_>, changed: &FileToRead) -> Result<()> {
    let Some(known) = &changed.known else { return Ok(()) };
    let sql = "UPDATE files SET size = ?2, modified_ns = ?3, changed_ns = ?4, inode = ?5, is_fresh = ?6 WHERE id = ?1";
    let (file, stamp) = (&changed.file, &changed.file.stamp);
    batch.prepare_cached(sql)?.execute((
        known.id,
        stamp.size.cast_signed(),
        stamp.modified_ns,
        stamp.changed_ns,
        stamp.inode.cast_signed(),
        file.is_fresh,
    ))?;
    Ok(())
}

/// Removes a file with its chunks.
pub(crate) fn remove_file(batch: &Transaction<'_>, id: i64) -> Result<()> {
    for sql in [
        "DELETE FROM passages WHERE rowid IN (SELECT id FROM chunks WHERE file = ?1)",
        "DELETE FROM chunks WHERE file = ?1",
        "DELETE FROM files WHERE id = ?1",
    ] {
        batch.prepare_cached(sql)?.execute([id])?;
    }
    Ok(())
}
