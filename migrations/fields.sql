-- The other keys of the frontmatter: those that no column of the table document
-- stands for, and those of wranglerContext. A key within another is written with a
-- dot, wranglerContext.agentId; those more than four deep, or longer than 200 bytes,
-- are left out, as is what comes after a thousand rows of a document, which has the
-- problem too-many-values then. A list has a row for each item, a key without a value
-- none.
CREATE TABLE field (
  key    TEXT NOT NULL,     -- as written
  doc    INTEGER NOT NULL,
  item   INTEGER NOT NULL,  -- place in a list, from 0
  text   TEXT NOT NULL,     -- as written, on one line
  number REAL,              -- the same as a number, NULL when it is none: 3, -1.50, 007
  time   INTEGER,           -- the same in milliseconds since 1970 UTC, NULL when it is no date
  PRIMARY KEY (key, doc, item)
) WITHOUT ROWID;
CREATE INDEX field_by_doc ON field (doc);
