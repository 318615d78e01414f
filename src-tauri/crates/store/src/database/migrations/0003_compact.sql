-- The log once more, without the index of its constraint: that repeated the session's id, 36 bytes, with every event.
-- The end of an id is its random part and finds its session's events as well; whoever asks for a session by it
-- compares the whole id too.
CREATE TABLE compact_events (
    event_id   TEXT    NOT NULL,
    run_id     TEXT,
    session_id TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    ts         INTEGER NOT NULL,
    type       TEXT    NOT NULL,
    payload    TEXT    NOT NULL,
    prev_hash  TEXT    NOT NULL,
    hash       TEXT    NOT NULL
);
-- The row's number is the event's place in the log, for the search too.
INSERT INTO compact_events (rowid, event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash)
SELECT rowid, event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash FROM events ORDER BY rowid;
-- And the triggers with it.
DROP TABLE events;
ALTER TABLE compact_events RENAME TO events;

CREATE INDEX events_by_session ON events (substr(session_id, -8), seq);

CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM session_removals WHERE session_id = OLD.session_id)
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- A session has one event of each number. INSERT OR REPLACE deletes the row of the same number without asking the
-- trigger above; where none was given, SQLite says -1. FAIL, unlike ABORT, spares every insert a journal of its own;
-- nothing of the row has been written yet.
CREATE TRIGGER events_are_never_replaced BEFORE INSERT ON events
WHEN EXISTS (
    SELECT 1 FROM events
    WHERE substr(session_id, -8) = substr(NEW.session_id, -8) AND session_id IS NEW.session_id AND seq = NEW.seq
) OR (NEW.rowid <> -1 AND EXISTS (SELECT 1 FROM events WHERE rowid = NEW.rowid))
BEGIN
    SELECT RAISE(FAIL, 'events are append-only');
END;
