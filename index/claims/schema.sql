-- The leases of claimed work. To read them with the sqlite3 program:
--   SELECT holder, id, datetime(expires / 1000, 'unixepoch') FROM lease ORDER BY expires;
-- Times are milliseconds since 1970, UTC. A lease counts only while its document is in
-- progress and assigned to its holder: whether it is, only the document says.

CREATE TABLE lease (
  path     TEXT    NOT NULL,            -- of the document, relative to the workspace
  holder   TEXT    NOT NULL,            -- as claim writes it into assignee
  id       TEXT    NOT NULL,            -- of the document
  fence    INTEGER NOT NULL UNIQUE,     -- grows with every grant in the workspace
  granted  INTEGER NOT NULL,
  renewed  INTEGER NOT NULL,
  expires  INTEGER NOT NULL,
  length   INTEGER NOT NULL,            -- milliseconds
  told     INTEGER NOT NULL DEFAULT 0,  -- 1: the holder was told that it lapsed, or that it ended
  ended    INTEGER NOT NULL DEFAULT 0,  -- when somebody else ended it
  ended_by TEXT    NOT NULL DEFAULT '', -- who that was: by a change of the document, or by taking it over
  status   TEXT    NOT NULL DEFAULT '', -- of the document then, '' when it was deleted
  assignee TEXT    NOT NULL DEFAULT '', -- of the document then
  PRIMARY KEY (path, holder)            -- one document can have two: of a holder who was killed while taking it over, and of the holder before
) WITHOUT ROWID;
CREATE INDEX lease_by_holder ON lease (holder);
CREATE INDEX lease_by_id ON lease (id);
CREATE INDEX lease_by_end ON lease (expires);

-- The tables that older programs of this version do not make are in later.sql.

-- The last fence. It begins with the time of the first grant in milliseconds, so that it
-- goes on growing after the file was deleted.
CREATE TABLE last_grant (
  fence INTEGER NOT NULL
);
