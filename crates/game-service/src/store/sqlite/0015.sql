-- Of players who chose a recovery code: its salt and its hash.
ALTER TABLE player ADD COLUMN recovery_code BLOB CHECK (length(recovery_code) = 48);
