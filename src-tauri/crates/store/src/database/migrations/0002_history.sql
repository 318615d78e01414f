-- What sessions need to be searched, gone back in, forked, removed and watched. All but `anchors` and `leases` can be
-- made again from the log.

-- The folded state of a session as it stood after `last_seq`; one row a session, replaced as it grows.
CREATE TABLE snapshots (
    session_id TEXT    NOT NULL PRIMARY KEY,
    last_seq   INTEGER NOT NULL,
    state      BLOB    NOT NULL
);

-- The session that a fork began in; null for others.
ALTER TABLE sessions ADD COLUMN origin TEXT;
CREATE INDEX sessions_by_origin ON sessions (origin) WHERE origin IS NOT NULL;

-- Every change that Arki made to a file: where the event is that tells of it.
CREATE TABLE file_changes (
    project    TEXT    NOT NULL,
    path       TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    PRIMARY KEY (project, path, session_id, seq)
) WITHOUT ROWID;

CREATE INDEX file_changes_by_session ON file_changes (session_id, seq);

-- What a session speaks of in the blob store, as a file's image (0), as a content that nothing else can replace (1) or
-- as a list of further images (2).
CREATE TABLE blob_refs (
    session_id TEXT    NOT NULL,
    hash       TEXT    NOT NULL,
    kind       INTEGER NOT NULL,
    PRIMARY KEY (session_id, hash)
) WITHOUT ROWID;

-- The contents once more, with what is asked of them before the content itself, which may fill many pages. `kept_at`:
-- when somebody last wanted it kept; `size` is that before compression.
ALTER TABLE blobs RENAME TO blobs_without_age;
CREATE TABLE blobs (
    hash    TEXT    NOT NULL PRIMARY KEY,
    size    INTEGER NOT NULL,
    kept_at INTEGER NOT NULL,
    content BLOB    NOT NULL
);
INSERT INTO blobs (hash, size, kept_at, content) SELECT hash, size, 0, content FROM blobs_without_age;
DROP TABLE blobs_without_age;

-- The last event of a session that was signed, with a key that is not in this database.
CREATE TABLE anchors (
    session_id TEXT    NOT NULL PRIMARY KEY,
    seq        INTEGER NOT NULL,
    hash       TEXT    NOT NULL,
    mac        TEXT    NOT NULL
) WITHOUT ROWID;

-- Of the sessions that are there already. Layout 1 knew only these kinds; a payload that is not JSON any more was
-- tampered with, and is `verify`'s to report.
INSERT INTO file_changes (project, path, session_id, seq)
SELECT sessions.project, json_extract(payload, '$.path'), session_id, seq
FROM events JOIN sessions USING (session_id)
WHERE type = 'file.changed' AND CASE WHEN json_valid(payload) THEN json_type(payload, '$.path') END = 'text'
ON CONFLICT DO NOTHING;

INSERT INTO blob_refs (session_id, hash, kind)
SELECT session_id, spoken.atom, spoken.key = 'systemPromptHash'
FROM events, json_tree(CASE WHEN json_valid(payload) THEN payload ELSE '{}' END) AS spoken
WHERE events.type IN ('run.started', 'policy.decided', 'file.changed')
  AND spoken.key IN ('systemPromptHash', 'beforeHash', 'afterHash') AND spoken.type = 'text'
ON CONFLICT DO NOTHING;

-- Where the log ended after its last rows were removed: rows above it are new ones, whatever number they have.
CREATE TABLE log_cuts (
    cut      INTEGER NOT NULL PRIMARY KEY,
    last_row INTEGER NOT NULL
);

-- What another process asks of the one that runs the session: `stop` or `pause`.
ALTER TABLE leases ADD COLUMN request TEXT;

-- Everything said, run and changed; the row's number is that of the event. The text itself is in the events. `facets`:
-- one word for the project and one for the tool.
CREATE VIRTUAL TABLE search USING fts5 (
    text,
    path,
    facets,
    content = '',
    contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2"
);

-- What has arrived of an answer, piece after piece: writing the whole each time takes ever longer.
ALTER TABLE partials RENAME TO whole_partials;
CREATE TABLE partials (
    session_id TEXT    NOT NULL,
    piece      INTEGER NOT NULL DEFAULT 1,
    partial    TEXT    NOT NULL,
    PRIMARY KEY (session_id, piece)
);
INSERT INTO partials (session_id, partial) SELECT session_id, partial FROM whole_partials;
DROP TABLE whole_partials;
