-- The account of the calls, to be read by someone who opens the file with the
-- sqlite3 program: SELECT * FROM calls ORDER BY time DESC LIMIT 20.
-- Times are UTC. Nothing of a call's arguments or of its answer's text is here.

-- What calls have in common.
CREATE TABLE series (
  id      INTEGER PRIMARY KEY,
  tool    TEXT    NOT NULL,
  client  TEXT    NOT NULL, -- name and version, '' when it did not say
  outcome TEXT    NOT NULL, -- plain, paginated, summarized, chunked, two of these with + between, or an error's code
  failed  INTEGER NOT NULL, -- 1: outcome is an error's code
  variant TEXT    NOT NULL, -- of the settings, in an experiment
  UNIQUE (tool, client, outcome, failed, variant)
);

-- The calls one by one. When the file grows too large the oldest go, and only
-- their roll-ups stay.
CREATE TABLE call (
  time        INTEGER NOT NULL, -- milliseconds since 1970
  n           INTEGER NOT NULL, -- tells calls of one millisecond apart
  series      INTEGER NOT NULL REFERENCES series,
  tokens      INTEGER NOT NULL, -- estimated
  bytes       INTEGER NOT NULL,
  original    INTEGER NOT NULL, -- bytes, had there been no budget
  budget      INTEGER NOT NULL, -- tokens, 0 for none
  oversized   INTEGER NOT NULL DEFAULT 0, -- 1: without the guard the answer would have been larger than its budget
  over        INTEGER NOT NULL, -- 1: it was sent so
  items       INTEGER NOT NULL,
  latency     INTEGER NOT NULL, -- microseconds
  real_tokens INTEGER,          -- counted by a tokenizer, for a sample of the calls
  PRIMARY KEY (time, n)
) WITHOUT ROWID;

-- The calls of one series, and of all together as series 0, in one minute, hour
-- and day: what questions are answered from. A tally is a row of varints:
--   calls, errors, paginated, summarized, chunked, over, items, bytes, original,
--   tokens, sampled (calls whose tokens were counted), low (of them, those
--   estimated too low), error (of them, the sum of (tokens - real_tokens) /
--   real_tokens in thousandths, zigzag);
--   then the histograms of latency (microseconds), tokens, bytes and error
--   (thousandths, without sign), each the number of its buckets, and of each
--   bucket the distance from the one before and the calls in it. A bucket below
--   64 is one value; from there on each power of two has 32 buckets.
CREATE TABLE rollup (
  span   INTEGER NOT NULL, -- seconds: 60, 3600 or 86400
  series INTEGER NOT NULL,
  start  INTEGER NOT NULL, -- seconds since 1970
  tally  BLOB    NOT NULL,
  oversized INTEGER NOT NULL DEFAULT 0, -- calls
  PRIMARY KEY (span, series, start)
) WITHOUT ROWID;

CREATE TABLE state (
  kept_from    INTEGER NOT NULL, -- seconds since 1970: roll-ups before are gone
  minutes_from INTEGER NOT NULL  -- likewise: those of minutes
);
INSERT INTO state VALUES (0, 0);
-- For people.
CREATE VIEW calls AS
SELECT strftime('%Y-%m-%dT%H:%M:%fZ', call.time / 1000.0, 'unixepoch') AS time,
  tool, client, outcome, failed, variant, tokens, bytes, original, budget, oversized, over, items,
  latency / 1000.0 AS latency_ms, real_tokens
FROM call JOIN series ON series.id = call.series;
