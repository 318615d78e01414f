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
];

/// The layout that this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Two programs that create the database at once: how often the second one looks whether the first is done.
const CREATION_POLL: Duration = Duration::from_millis(5);

pub(crate) fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Costs one look at `user_version` when there is nothing to do.
pub(crate) fn bring_up_to_date(connection: &mut Connection, path: &Path, patience: Duration) -> Result<(), StoreError> {
    let found = version(connection)?;
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
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
