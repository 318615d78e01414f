//! One statement at a time, prepared once for each connection.

use crate::StoreError;
use rusqlite::{Connection, OptionalExtension, Params, Result, Row};

/// Returns how many rows were changed.
pub(crate) fn change(connection: &Connection, sql: &str, params: impl Params) -> Result<usize, StoreError> {
    Ok(connection.prepare_cached(sql)?.execute(params)?)
}

/// The one row of a statement that always has one.
pub(crate) fn get<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<T, StoreError> {
    Ok(connection.prepare_cached(sql)?.query_row(params, read)?)
}

/// The first row, if there is one.
pub(crate) fn find<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>, StoreError> {
    Ok(connection.prepare_cached(sql)?.query_row(params, read).optional()?)
}

pub(crate) fn list<T, All: FromIterator<T>>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<All, StoreError> {
    Ok(connection.prepare_cached(sql)?.query_map(params, read)?.collect::<Result<_>>()?)
}

/// Hands out the rows, which need not all be in memory.
pub(crate) fn each(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        read(row)?;
    }
    Ok(())
}
