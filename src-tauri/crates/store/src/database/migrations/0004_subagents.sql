-- The session whose run this one works for, where it is a sub-agent's; null for others, forks among them.
ALTER TABLE sessions ADD COLUMN parent TEXT;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
-- Until now there was no other.
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT 'arki';
