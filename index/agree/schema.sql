-- What a clone knows of its agreement with the team.

-- By which the team's engine tells the leases of this clone from those of others.
CREATE TABLE clone (
  secret TEXT NOT NULL -- random
);

-- How often something could not be agreed, and up to which time all of it was agreed later.
CREATE TABLE unagreed (
  marks  INTEGER NOT NULL,
  agreed INTEGER NOT NULL
);
INSERT INTO unagreed VALUES (0, 0);

-- The numbers of documents that were made without the team's counter.
CREATE TABLE number (
  series     TEXT    NOT NULL,
  number     INTEGER NOT NULL,
  path       TEXT    NOT NULL DEFAULT '', -- of the document, as it was made
  made       INTEGER NOT NULL,
  passed     INTEGER NOT NULL DEFAULT 0,  -- 1: the counter was past it, and another may have it
  now        TEXT    NOT NULL DEFAULT '', -- path of the document that shares it with another, '' for none
  other_line TEXT    NOT NULL DEFAULT '', -- where the other one is
  other_path TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (series, number)
) WITHOUT ROWID;

-- The claims of this clone on documents that another one holds by the team's engine.
CREATE TABLE lost_claim (
  key    TEXT    NOT NULL PRIMARY KEY, -- the folded id
  id     TEXT    NOT NULL,
  path   TEXT    NOT NULL,
  holder TEXT    NOT NULL,             -- in this clone
  other  TEXT    NOT NULL,             -- who has it
  until  INTEGER NOT NULL
) WITHOUT ROWID;
