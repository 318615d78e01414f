-- The requests over HTTP that started a run or decided an approval under an `Idempotency-Key`, for the time in which they
-- may be sent again. A session that is removed leaves its rows: the same request must not start another run.
CREATE TABLE answered_requests (
  token TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  path TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  session_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  answered_at INTEGER NOT NULL,
  PRIMARY KEY (token, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX answered_requests_by_time ON answered_requests (answered_at);
