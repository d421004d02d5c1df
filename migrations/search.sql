-- Folded words, of scripts without spaces pairs of characters; at most 50,000 different ones of a
-- document. It stores no text. SQLite before 3.43 cannot open it, but all else.
-- Words of the first column take two bytes less.
CREATE VIRTUAL TABLE search USING fts5 (
  body, title, labels,
  tokenize = 'ascii', content = '', contentless_delete = 1
);

-- Every word that search has ever held, to find words by their parts.
CREATE TABLE vocabulary (
  number INTEGER PRIMARY KEY,
  term   TEXT NOT NULL
);

-- Bodies, compressed with zstd.
CREATE TABLE body (
  doc  INTEGER PRIMARY KEY,
  text BLOB NOT NULL
);
