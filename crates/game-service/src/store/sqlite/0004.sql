-- Registered players. The keys are the name and the mail address in one spelling.
CREATE TABLE player (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    name_key TEXT NOT NULL UNIQUE,
    mail TEXT NOT NULL CHECK (length(mail) BETWEEN 1 AND 255),
    mail_key TEXT NOT NULL UNIQUE,
    token BLOB NOT NULL UNIQUE CHECK (length(token) = 16)
) STRICT, WITHOUT ROWID;
