-- The tables that programs of this version did not have from the beginning.

-- The conversations of agents. Programs that know none leave their claims to their leases.
CREATE TABLE IF NOT EXISTS session (
  holder  TEXT    PRIMARY KEY,         -- of its claims, or with a slash and an agent
  process TEXT    NOT NULL,            -- that serves it: its number, its start and its machine
  parent  TEXT    NOT NULL,            -- likewise, that has started this process
  given   INTEGER NOT NULL,            -- 1: the client names its sessions
  died    INTEGER NOT NULL DEFAULT 0   -- when the process was found to have ended
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
