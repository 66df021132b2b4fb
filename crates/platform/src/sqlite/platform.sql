-- What every service keeps, whatever it is about.

-- One row. The epoch tells this log from every other, also from a copy that went another way.
CREATE TABLE installation (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
    touched INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO installation (only_row, epoch) VALUES (1, randomblob(16));

-- The log: the outbox and the streams' history in one. Positions are dense, in commit order.
CREATE TABLE event_log (
    position INTEGER PRIMARY KEY,
    event_id BLOB NOT NULL CHECK (length(event_id) = 16),
    channel TEXT NOT NULL,
    key BLOB NOT NULL CHECK (length(key) = 16),
    transaction_id BLOB CHECK (length(transaction_id) = 16),
    at_millis INTEGER NOT NULL,
    payload TEXT NOT NULL,
    detail TEXT
) STRICT;

-- Successful answers to requests with an Idempotency-Key.
CREATE TABLE answer (
    key TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    body_digest BLOB NOT NULL,
    status INTEGER NOT NULL,
    header_name TEXT,
    header_value TEXT,
    body BLOB NOT NULL,
    kept_at_millis INTEGER NOT NULL,
    PRIMARY KEY (key, method, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_by_age ON answer (kept_at_millis);
