-- Who was taken out of the game after its start. Such a player keeps the seat.
ALTER TABLE participant ADD COLUMN taken_out INTEGER NOT NULL DEFAULT 0 CHECK (taken_out IN (0, 1));
