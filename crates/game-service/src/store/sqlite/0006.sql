-- How far each stream of others has been read: the position of the last record that was learned from.
CREATE TABLE stream_position (
    source TEXT PRIMARY KEY,
    position TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Until now the offset of the first record that had not been read; a topic without a row is read from its oldest record.
INSERT INTO stream_position (source, position)
    SELECT topic, CAST(next_offset - 1 AS TEXT) FROM heard WHERE next_offset > 0;
DROP TABLE heard;
