-- Where a client's paging stands.
CREATE TABLE cursor (
  token   TEXT PRIMARY KEY,
  query   TEXT NOT NULL,     -- JSON
  rev     INTEGER NOT NULL,  -- state.rev when the first page was read
  place   TEXT NOT NULL,     -- JSON: where the next page starts
  expires INTEGER NOT NULL   -- milliseconds since 1970 UTC
) WITHOUT ROWID;
CREATE INDEX cursor_by_expiry ON cursor (expires);

-- What a search found, best first.
CREATE TABLE ranking (
  name    TEXT PRIMARY KEY,
  expires INTEGER NOT NULL,  -- milliseconds since 1970 UTC
  docs    TEXT NOT NULL      -- document.doc, with commas between
);

-- How documents were sorted before they changed, while a cursor is open.
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
