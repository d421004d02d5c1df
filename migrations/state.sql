-- One row about the index itself.
CREATE TABLE state (
  only        INTEGER PRIMARY KEY CHECK (only = 1),
  rev         INTEGER NOT NULL,  -- grows by one with every change
  generation  TEXT NOT NULL,     -- random, new with every rebuild
  collections TEXT NOT NULL,     -- JSON: the folders that were read
  layout      TEXT NOT NULL,     -- JSON: how documents are laid out: statuses, with what they mean, priorities and more
  schema      TEXT NOT NULL,     -- a digest of the statements that made these tables
  cursor_key  BLOB NOT NULL      -- signs cursors
);

-- The highest number that any id of a type has ever had here, deleted documents
-- included: a new document takes a higher one. Numbers above 999,999 do not count.
CREATE TABLE id_high (
  type   TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) WITHOUT ROWID;

-- What the latest changes of documents changed, for a writer whose version of one is no
-- longer its file's.
CREATE TABLE revision (
  number INTEGER PRIMARY KEY,
  doc    INTEGER NOT NULL,
  was    TEXT NOT NULL,  -- version before
  became TEXT NOT NULL,  -- version after
  fields TEXT NOT NULL   -- names, separated by commas
);
CREATE INDEX revision_by_doc ON revision (doc, was);
