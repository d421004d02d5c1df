-- What this checkout has published. All of it can be deleted: the engine knows it, too.

CREATE TABLE checkout (
  only   INTEGER PRIMARY KEY CHECK (only = 1),
  folder TEXT    NOT NULL,  -- tells the workspace's folder from a copy of it
  epoch  TEXT    NOT NULL,  -- random: tells what is published from here from all else
  rev    INTEGER NOT NULL,  -- the number of the last publication from here
  line   TEXT    NOT NULL,  -- the name of its own line
  host   TEXT    NOT NULL,  -- of the process that publishes or has published last
  pid    INTEGER NOT NULL,
  status TEXT    NOT NULL DEFAULT '',  -- what that process says about itself, as JSON; '' for nothing yet
  noted  INTEGER NOT NULL DEFAULT 0    -- when it said so, in milliseconds since 1970
);

-- The newest version of each document at the engine, as far as it is known here.
CREATE TABLE published (
  line     TEXT    NOT NULL,
  path     TEXT    NOT NULL,  -- relative to the workspace, with slashes
  bucket   INTEGER NOT NULL,  -- of the path, as the index has it; -1 for the manifest
  hash     BLOB    NOT NULL,  -- first 16 bytes of the SHA-256 of the file, '' when it is gone
  position INTEGER NOT NULL,  -- in the order of all versions
  gone     INTEGER NOT NULL,  -- 1: that the document was deleted is what was published
  PRIMARY KEY (line, path)
) WITHOUT ROWID;
CREATE INDEX published_by_bucket ON published (line, bucket) WHERE NOT gone;
