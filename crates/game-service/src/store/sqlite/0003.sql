-- Robots, as far as has been heard of them; no owner where only the end has been heard of yet.
CREATE TABLE robot (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    owner_id BLOB CHECK (length(owner_id) = 16),
    alive INTEGER NOT NULL CHECK (alive IN (0, 1)),
    CHECK (owner_id IS NOT NULL OR alive = 0)
) STRICT, WITHOUT ROWID;

-- How far each topic of others has been heard.
CREATE TABLE heard (
    topic TEXT PRIMARY KEY,
    next_offset INTEGER NOT NULL CHECK (next_offset >= 0)
) STRICT, WITHOUT ROWID;
