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
  docs    TEXT NOT NULL      -- document.doc, with commas between
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
