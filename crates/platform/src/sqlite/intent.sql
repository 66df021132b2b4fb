-- Calls to other services that were written down and are not settled yet.
CREATE TABLE intent (
    -- Also the idempotency key of the call.
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    -- The replica that makes the call.
    owner BLOB NOT NULL CHECK (length(owner) = 16),
    -- What is called, in the service's own words.
    call TEXT NOT NULL CHECK (json_valid(call))
) STRICT, WITHOUT ROWID;
