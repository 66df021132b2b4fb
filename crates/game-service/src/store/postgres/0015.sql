-- Of players who chose a recovery code: its salt and its hash.
ALTER TABLE player ADD COLUMN recovery_code BYTEA CHECK (length(recovery_code) = 48);

-- Which columns are known: 1 robots and fights, 2 what was mined.
ALTER TABLE round_score ADD COLUMN known BIGINT NOT NULL DEFAULT 3 CHECK (known BETWEEN 0 AND 3);
