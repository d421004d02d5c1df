-- The tables that programs of this version did not have from the beginning.

-- The conversations of agents. Programs that know none leave their claims to their leases.
CREATE TABLE IF NOT EXISTS session (
  holder  TEXT    PRIMARY KEY,         -- of its claims, or with a slash and an agent
  process TEXT    NOT NULL,            -- that serves it: its number, its start and its machine
  parent  TEXT    NOT NULL,            -- likewise, that has started this process
  given   INTEGER NOT NULL,            -- 1: the client names its sessions
  died    INTEGER NOT NULL DEFAULT 0   -- when the process was found to have ended
) WITHOUT ROWID;

-- Which folder is published to the team, and by which process it was published last.
CREATE TABLE IF NOT EXISTS publisher (
  only   INTEGER PRIMARY KEY CHECK (only = 1),
  folder TEXT    NOT NULL,             -- tells the workspace's folder from a copy of it
  host   TEXT    NOT NULL,             -- of the process
  pid    INTEGER NOT NULL,
  status TEXT    NOT NULL DEFAULT '',  -- what that process says about itself, as JSON; '' for nothing yet
  noted  INTEGER NOT NULL DEFAULT 0    -- when it said so, in milliseconds since 1970
);

-- The newest version of each document of a line at the team's engine, as far as it is known here.
CREATE TABLE IF NOT EXISTS published (
  line     TEXT    NOT NULL,
  path     TEXT    NOT NULL,  -- relative to the workspace, with slashes
  hash     BLOB    NOT NULL,  -- first 16 bytes of the SHA-256 of the file, '' when it is gone
  position INTEGER NOT NULL,  -- in the order of all versions
  PRIMARY KEY (line, path)
) WITHOUT ROWID;

-- What was taken over from files in which older programs kept it.
CREATE TABLE IF NOT EXISTS step (
  number INTEGER PRIMARY KEY
);

-- By which the team's engine tells the leases of this clone from those of others.
CREATE TABLE IF NOT EXISTS clone (
  secret TEXT NOT NULL -- random
);

-- The grants in a team that bind this clone alone, since the team's engine was not asked.
CREATE TABLE IF NOT EXISTS local_grant (
  fence INTEGER PRIMARY KEY
);
