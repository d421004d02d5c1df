-- The keys of the frontmatter without a column in document, wranglerContext.agentId for one
-- within another: at most four deep, 200 bytes long, and a thousand rows of a document.
CREATE TABLE field (
  key    TEXT NOT NULL,     -- as written
  doc    INTEGER NOT NULL,
  item   INTEGER NOT NULL,  -- place in a list, from 0
  text   TEXT NOT NULL,     -- on one line
  number REAL,              -- or NULL
  time   INTEGER,           -- milliseconds since 1970 UTC, or NULL
  PRIMARY KEY (key, doc, item)
) WITHOUT ROWID;
CREATE INDEX field_by_doc ON field (doc);
