-- What an event is about, beside its payload. Of events from before these columns it is not known.
-- The `type` header where it is not the channel's own.
ALTER TABLE event_log ADD COLUMN type TEXT;
-- The transaction as it came, where it is no UUID.
ALTER TABLE event_log ADD COLUMN transaction_text TEXT;
ALTER TABLE event_log ADD COLUMN round INTEGER;
ALTER TABLE event_log ADD COLUMN player BLOB CHECK (length(player) = 16);
ALTER TABLE event_log ADD COLUMN robot BLOB CHECK (length(robot) = 16);
