-- One row about the index itself.
CREATE TABLE state (
  only        INTEGER PRIMARY KEY CHECK (only = 1),
  rev         INTEGER NOT NULL,  -- of the last change
  generation  TEXT NOT NULL,     -- random, new with every build
  collections TEXT NOT NULL,     -- JSON: the folders that were read
  layout      TEXT NOT NULL,     -- JSON: statuses, priorities and more
  schema      TEXT NOT NULL,     -- digest of these statements
  cursor_key  BLOB NOT NULL      -- signs cursors
);

-- The highest number that an id of a series has had, up to 999,999.
CREATE TABLE id_high (
  type   TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) WITHOUT ROWID;

-- What the latest changes of documents changed.
CREATE TABLE revision (
  number INTEGER PRIMARY KEY,
  doc    INTEGER NOT NULL,
  was    TEXT NOT NULL,  -- version before
  became TEXT NOT NULL,  -- version after
  fields TEXT NOT NULL   -- names, separated by commas
);
CREATE INDEX revision_by_doc ON revision (doc, was);
