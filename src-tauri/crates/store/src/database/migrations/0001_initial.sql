-- The log. One row an event, in the form of the contract; the primary b-tree grows at its end whatever session an event
-- belongs to, and the constraint's index finds a session's events by number. (WITHOUT ROWID saves that index, a tenth of
-- the size of short events, but spills every row above 1 KB to a page of its own: a quarter more where a few are long.)
CREATE TABLE events (
    event_id   TEXT    NOT NULL,
    run_id     TEXT,
    session_id TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    ts         INTEGER NOT NULL,
    type       TEXT    NOT NULL,
    payload    TEXT    NOT NULL,
    prev_hash  TEXT    NOT NULL,
    hash       TEXT    NOT NULL,
    UNIQUE (session_id, seq)
);

-- The sessions that are being removed as a whole; the only events that may be deleted are theirs.
CREATE TABLE session_removals (
    session_id TEXT NOT NULL PRIMARY KEY
) WITHOUT ROWID;

CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM session_removals WHERE session_id = OLD.session_id)
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- INSERT OR REPLACE deletes without asking the trigger above. FAIL, unlike ABORT, spares every insert a journal of its
-- own; nothing of the row has been written yet.
CREATE TRIGGER events_are_never_replaced BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE session_id = NEW.session_id AND seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM events WHERE rowid = NEW.rowid)
BEGIN
    SELECT RAISE(FAIL, 'events are append-only');
END;

-- Projections, written in the transaction that appends.

CREATE TABLE sessions (
    session_id       TEXT    NOT NULL PRIMARY KEY,
    title            TEXT    NOT NULL,
    project          TEXT    NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    state            TEXT    NOT NULL,
    run_id           TEXT,
    pending_approval TEXT,
    last_seq         INTEGER NOT NULL,
    last_hash        TEXT    NOT NULL
) WITHOUT ROWID;

CREATE INDEX sessions_by_project ON sessions (project);

-- `last_seq` is null until the run ends, so that appending to a run in progress need not write here.
CREATE TABLE runs (
    run_id     TEXT    NOT NULL PRIMARY KEY,
    session_id TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER
) WITHOUT ROWID;

CREATE INDEX runs_by_session ON runs (session_id);

-- `outcome` is null while the approval waits; then `approve`, `reject`, `superseded` or `run_ended`.
CREATE TABLE approvals (
    approval_id   TEXT    NOT NULL PRIMARY KEY,
    session_id    TEXT    NOT NULL,
    run_id        TEXT,
    requested_at  INTEGER NOT NULL,
    requested_seq INTEGER NOT NULL,
    resolved_seq  INTEGER,
    outcome       TEXT
) WITHOUT ROWID;

CREATE INDEX approvals_pending ON approvals (requested_at) WHERE outcome IS NULL;

-- Not derived from the log.

CREATE TABLE trust (
    project    TEXT    NOT NULL PRIMARY KEY,
    trusted    INTEGER NOT NULL,
    pins       TEXT    NOT NULL,
    decided_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE partials (
    session_id TEXT NOT NULL PRIMARY KEY,
    partial    TEXT NOT NULL
);

-- `size` is that of the content before compression.
CREATE TABLE blobs (
    hash    TEXT    NOT NULL PRIMARY KEY,
    content BLOB    NOT NULL,
    size    INTEGER NOT NULL
);

CREATE TABLE leases (
    session_id TEXT    NOT NULL PRIMARY KEY,
    owner      TEXT    NOT NULL,
    pid        INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
