-- What every service keeps, whatever it is about. Ids are UUIDs, instants are milliseconds since 1970, truths are 0 and 1.

-- One row. The epoch tells this log from every other, also from a copy that went another way.
CREATE TABLE installation (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    -- Earlier development versions had no such column.
    format BIGINT NOT NULL,
    epoch UUID NOT NULL,
    touched BIGINT NOT NULL DEFAULT 0
);

-- The log: the outbox and the streams' history in one. Positions are dense, in commit order.
CREATE TABLE event_log (
    position BIGINT PRIMARY KEY,
    event_id UUID NOT NULL,
    channel TEXT NOT NULL,
    -- The `type` header where it is not the channel's own.
    type TEXT,
    -- What streams of events are filtered by.
    subject UUID NOT NULL,
    -- What else the event is about, in the service's own form.
    about BYTEA NOT NULL,
    transaction_id UUID,
    -- The transaction as it came, where it is no UUID.
    transaction_text TEXT,
    at_millis BIGINT NOT NULL,
    payload TEXT NOT NULL
);

-- Finds the events about a subject without reading all others: those on full pages of the log.
CREATE TABLE event_subject (
    subject UUID NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (subject, position)
);

-- Successful answers to requests with an Idempotency-Key.
CREATE TABLE answer (
    key TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    body_digest BYTEA NOT NULL,
    status BIGINT NOT NULL,
    header_name TEXT,
    header_value TEXT,
    body BYTEA NOT NULL,
    kept_at_millis BIGINT NOT NULL,
    PRIMARY KEY (key, method, path)
);
CREATE INDEX answer_by_age ON answer (kept_at_millis);

-- One row: the number of the last event that was sent on; NULL if none ever was.
CREATE TABLE relay (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    sent_up_to BIGINT CHECK (sent_up_to >= 0)
);
INSERT INTO relay VALUES (1, NULL);

-- Calls to other services that were written down and are not settled yet.
CREATE TABLE intent (
    -- Also the idempotency key of the call.
    id UUID PRIMARY KEY,
    -- The replica that makes the call.
    owner UUID NOT NULL,
    -- What is called, in the service's own words: JSON.
    call TEXT NOT NULL
);

-- What the service keeps: each entity is a document of some kind.
CREATE TABLE document (
    kind TEXT COLLATE "C" NOT NULL,
    -- Bytes in a useful order.
    key BYTEA NOT NULL,
    -- The version of the body's form.
    form BIGINT NOT NULL,
    -- JSON.
    body TEXT NOT NULL,
    PRIMARY KEY (kind, key)
);

-- Values that lead to documents. They are unique; where several documents may have the same, the key is a part of the value.
CREATE TABLE lookup (
    name TEXT COLLATE "C" NOT NULL,
    value BYTEA NOT NULL,
    key BYTEA NOT NULL,
    PRIMARY KEY (name, value)
);

-- What each batch changed, for the other replicas. Numbers are dense, in commit order.
CREATE TABLE change_log (
    number BIGINT PRIMARY KEY,
    -- Drawn at random: finds out whether a commit whose answer was lost came about.
    batch UUID NOT NULL,
    -- The replica that committed it.
    writer UUID NOT NULL,
    -- JSON.
    changes TEXT NOT NULL,
    -- The newest position in the event log after it.
    last_event BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);

-- One row: who leads. The epoch grows whenever the lease passes on.
CREATE TABLE lease (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    epoch BIGINT NOT NULL CHECK (epoch >= 0),
    holder UUID,
    until TIMESTAMPTZ NOT NULL
);
INSERT INTO lease VALUES (1, 0, NULL, '-infinity');

-- The processes that run on this schema, or did a moment ago.
CREATE TABLE replica (
    id UUID PRIMARY KEY,
    version TEXT NOT NULL,
    -- Those that decide what it does: JSON.
    flags TEXT NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL
);
