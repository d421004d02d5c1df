-- The record of the calls. To read it with the sqlite3 program:
--   SELECT * FROM calls ORDER BY time DESC LIMIT 20;
-- Times are UTC. Arguments of calls and texts of answers are not recorded.

-- What calls have in common.
CREATE TABLE series (
  id      INTEGER PRIMARY KEY,
  tool    TEXT    NOT NULL,
  client  TEXT    NOT NULL, -- name and version, '' when the client did not say
  outcome TEXT    NOT NULL, -- plain, paginated, summarized, chunked, two of these with + between, or an error's code
  failed  INTEGER NOT NULL, -- 1: outcome is an error's code
  variant TEXT    NOT NULL, -- of the settings, in an experiment
  UNIQUE (tool, client, outcome, failed, variant)
);

-- One row for each call. The oldest are deleted when they are too old, or when the
-- file grows too large.
CREATE TABLE call (
  time        INTEGER NOT NULL, -- milliseconds since 1970
  n           INTEGER NOT NULL, -- distinguishes calls of the same millisecond
  series      INTEGER NOT NULL REFERENCES series,
  tokens      INTEGER NOT NULL, -- estimated
  bytes       INTEGER NOT NULL,
  original    INTEGER NOT NULL, -- bytes that the answer would have had without a budget
  budget      INTEGER NOT NULL, -- tokens, 0 for none
  oversized   INTEGER NOT NULL, -- 1: without the guard the answer would have been larger than its budget
  over        INTEGER NOT NULL, -- 1: the answer was sent larger than its budget
  items       INTEGER NOT NULL,
  latency     INTEGER NOT NULL, -- microseconds
  real_tokens INTEGER,          -- counted by a tokenizer, for a sample of the calls
  PRIMARY KEY (time, n)
) WITHOUT ROWID;
