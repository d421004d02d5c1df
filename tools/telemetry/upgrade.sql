-- What a file of version 1 lacks. Of the calls in it nobody knows whether they would
-- have been oversized.
ALTER TABLE call ADD COLUMN oversized INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollup ADD COLUMN oversized INTEGER NOT NULL DEFAULT 0;
DROP VIEW calls;
