-- A large world is written in several transactions before the change that makes it. Until then it is staged: it has a row
-- here, and no read finds it. Instants are milliseconds since 1970.
CREATE TABLE staged_world (
    id BLOB PRIMARY KEY REFERENCES world (id),
    at_millis INTEGER NOT NULL,
    -- 1 once all of its rows are written.
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1))
) STRICT, WITHOUT ROWID;

-- All 64 bits of the seed that the ids of planets and deposits follow from, read as a signed number.
-- Worlds of earlier versions have none.
ALTER TABLE world ADD COLUMN id_seed INTEGER;

-- The worlds that reads may find.
CREATE VIEW made_world AS
SELECT * FROM world WHERE NOT EXISTS (SELECT 1 FROM staged_world AS staged WHERE staged.id = world.id);
