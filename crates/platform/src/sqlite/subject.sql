-- Finds the events of one game or gameworld without reading those of all others.
CREATE INDEX IF NOT EXISTS event_log_by_subject ON event_log (key);
