-- Search. The full-text table stores no text of its own: it is fed the folded
-- words of title, labels and body (Chinese, Japanese and other scripts written
-- without spaces as pairs of characters), so MATCH terms are given in lower
-- case. Of a document with more than 50,000 different words the table has the
-- first, and … in place of the others. SQLite before 3.43 cannot open it; the other
-- tables and every view work with any version.
-- The body comes first: each place of a word in another column than the first
-- takes two bytes more for every document that has it there.
CREATE VIRTUAL TABLE search USING fts5 (
  body, title, labels,
  tokenize = 'ascii', content = '', contentless_delete = 1
);

-- Every word the full-text table has ever held, so that parts of words can be
-- turned into the words that contain them.
CREATE TABLE vocabulary (
  number INTEGER PRIMARY KEY,
  term   TEXT NOT NULL
);

-- The documents' bodies, compressed with zstd, to confirm what words alone
-- cannot decide (punctuation, parts of words side by side) and for snippets.
CREATE TABLE body (
  doc  INTEGER PRIMARY KEY,
  text BLOB NOT NULL
);
