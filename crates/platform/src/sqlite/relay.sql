-- One row: the number of the last event that was sent on; NULL if none ever was.
CREATE TABLE relay (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sent_up_to INTEGER CHECK (sent_up_to >= 0)
) STRICT;
INSERT INTO relay VALUES (1, NULL);
