-- One row about the index itself.
CREATE TABLE state (
  only        INTEGER PRIMARY KEY CHECK (only = 1),
  rev         INTEGER NOT NULL,  -- grows by one with every change
  generation  TEXT NOT NULL,     -- random, new with every rebuild
  collections TEXT NOT NULL,     -- JSON: the folders that were read
  layout      TEXT NOT NULL,     -- JSON: how documents are laid out: statuses, with what they mean, priorities and more
  schema      TEXT NOT NULL,     -- a digest of the statements that made these tables
  cursor_key  BLOB NOT NULL,     -- signs cursors
  built_at    INTEGER NOT NULL   -- milliseconds since 1970 UTC
);

-- The highest number that any id of a type has ever had here, deleted documents
-- included: a new document takes a higher one. Outliers do not count: numbers more
-- than a million above the next lower one.
CREATE TABLE id_high (
  type   TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) WITHOUT ROWID;

-- The numbers over a million that documents have, which alone can be outliers.
CREATE TABLE id_far (
  type   TEXT NOT NULL,
  number INTEGER NOT NULL,
  doc    INTEGER NOT NULL,
  PRIMARY KEY (type, number, doc)
) WITHOUT ROWID;
CREATE INDEX id_far_by_doc ON id_far (doc);

CREATE TRIGGER id_far_dropped AFTER DELETE ON document BEGIN
  DELETE FROM id_far WHERE doc = old.doc;
END;

-- Those of the new id and path are written by whoever changes them.
CREATE TRIGGER id_far_renamed AFTER UPDATE OF id, path ON document BEGIN
  DELETE FROM id_far WHERE doc = old.doc;
END;

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

-- Where a client's paging stands: after the row with this sort key and path,
-- or in a search's ranking, as of the change it started at.
CREATE TABLE cursor (
  token   TEXT PRIMARY KEY,
  query   TEXT NOT NULL,     -- JSON
  rev     INTEGER NOT NULL,  -- state.rev when the first page was read
  place   TEXT NOT NULL,     -- JSON: where the next page starts
  expires INTEGER NOT NULL   -- milliseconds since 1970 UTC
) WITHOUT ROWID;
CREATE INDEX cursor_by_expiry ON cursor (expires);

-- The documents that a search found, best first, for the cursors that page
-- through them.
CREATE TABLE ranking (
  name    TEXT PRIMARY KEY,
  expires INTEGER NOT NULL,  -- milliseconds since 1970 UTC
  docs    BLOB NOT NULL      -- document.doc, four bytes each, the highest byte first
);

-- How documents were sorted before they changed, for as long as a list's
-- cursor may ask.
CREATE TABLE past (
  doc           INTEGER NOT NULL,
  from_rev      INTEGER NOT NULL,  -- the row stood so from this change
  to_rev        INTEGER NOT NULL,  -- until this one
  path          TEXT NOT NULL,
  updated       INTEGER NOT NULL,
  created       INTEGER NOT NULL,
  status_rank   INTEGER NOT NULL,
  priority_rank INTEGER NOT NULL
);
CREATE INDEX past_by_rev ON past (to_rev);

-- Documents that were dropped while a cursor was open. A new file with the
-- content or the id of one is that document, moved, and takes its number.
CREATE TABLE gone (
  doc  INTEGER PRIMARY KEY,
  id   TEXT NOT NULL,
  hash BLOB,                 -- as document.hash; NULL for an empty file
  rev  INTEGER NOT NULL      -- the change that dropped it
);
CREATE INDEX gone_by_id   ON gone (id);
CREATE INDEX gone_by_hash ON gone (hash);

-- The same for files whose old row is still there.
CREATE INDEX document_by_hash ON document (hash);
