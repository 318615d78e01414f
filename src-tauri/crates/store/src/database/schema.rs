//! The layout of the database: one file a migration, forward only. `user_version` counts them.

use crate::StoreError;
use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};
use std::path::Path;
use std::time::{Duration, Instant};

const MIGRATIONS: &[M<'static>] = &[
    M::up(include_str!("migrations/0001_initial.sql")),
    M::up(include_str!("migrations/0002_history.sql")),
    M::up(include_str!("migrations/0003_compact.sql")),
    M::up(include_str!("migrations/0004_subagents.sql")),
    M::up(include_str!("migrations/0005_marks.sql")),
    M::up(include_str!("migrations/0006_answered_requests.sql")),
];

/// The layout that this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Two programs that create the database at once: how often the second one looks whether the first is done.
const CREATION_POLL: Duration = Duration::from_millis(5);

pub(crate) fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Another program's database, which may have any version, is none of ours to change.
pub(crate) fn ensure_arkis(connection: &Connection, path: &Path, found: i64) -> Result<(), StoreError> {
    let sql = match found {
        0 => "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        _ => "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'events')",
    };
    match connection.query_row(sql, [], |row| row.get(0))? {
        true => Ok(()),
        false => Err(StoreError::NotArkis { path: path.to_owned() }),
    }
}

/// Costs two looks at the first page when there is nothing to do.
pub(crate) fn bring_up_to_date(connection: &mut Connection, path: &Path, patience: Duration) -> Result<(), StoreError> {
    let found = version(connection)?;
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    ensure_arkis(connection, path, found)?;
    if found < VERSION {
        if found == 0 {
            // Only possible before the first table; lets removed sessions give their space back piecemeal.
            connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        }
        use_write_ahead_log(connection, patience)?;
        migrate(connection)?;
    }
    Ok(())
}

/// Changing the journal mode does not always wait for locks, so that we do.
fn use_write_ahead_log(connection: &Connection, patience: Duration) -> Result<(), StoreError> {
    let give_up = Instant::now() + patience;
    loop {
        let changed = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(StoreError::from);
        match changed {
            Err(StoreError::Locked { .. }) if Instant::now() < give_up => std::thread::sleep(CREATION_POLL),
            other => return other,
        }
    }
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    match Migrations::from_slice(MIGRATIONS).to_latest(connection) {
        Ok(()) => Ok(()),
        // Another program was faster.
        Err(_) if version(connection)? == VERSION => Ok(()),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(err.into()),
        Err(error) => Err(StoreError::internal(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_migrations_are_valid_sql() {
        Migrations::from_slice(MIGRATIONS).validate().unwrap();
    }
}
