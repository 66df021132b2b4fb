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
    -- The `type` header where it is not the channel's own.
    type TEXT,
    -- What streams of events are filtered by.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- What else the event is about, in the service's own form.
    about BLOB NOT NULL,
    transaction_id BLOB CHECK (length(transaction_id) = 16),
    -- The transaction as it came, where it is no UUID.
    transaction_text TEXT,
    at_millis INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;

-- Finds the events about a subject without reading all others: those on full pages of the log.
CREATE TABLE event_subject (
    subject BLOB NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (subject, position)
) STRICT, WITHOUT ROWID;

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

-- One row: the number of the last event that was sent on; NULL if none ever was.
CREATE TABLE relay (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sent_up_to INTEGER CHECK (sent_up_to >= 0)
) STRICT;
INSERT INTO relay VALUES (1, NULL);

-- Calls to other services that were written down and are not settled yet.
CREATE TABLE intent (
    -- Also the idempotency key of the call.
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    -- The replica that makes the call.
    owner BLOB NOT NULL CHECK (length(owner) = 16),
    -- What is called, in the service's own words.
    call TEXT NOT NULL CHECK (json_valid(call))
) STRICT, WITHOUT ROWID;

-- What the service keeps: each entity is a document of some kind.
CREATE TABLE document (
    kind TEXT NOT NULL,
    -- Bytes in a useful order.
    key BLOB NOT NULL,
    -- The version of the body's form.
    form INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- Values that lead to documents. They are unique; where several documents may have the same, the key is a part of the value.
CREATE TABLE lookup (
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    key BLOB NOT NULL,
    PRIMARY KEY (name, value)
) STRICT, WITHOUT ROWID;
